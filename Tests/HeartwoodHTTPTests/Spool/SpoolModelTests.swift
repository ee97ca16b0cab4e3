import CoreFixtures
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Random work on a spool whose process dies again and again, against a model that knows what must be true.
@Suite(.inTurn) struct SpoolModelTests {
    @Test(
        "Nothing saved is lost, nothing acknowledged comes again, keys mean the same",
        arguments: 0..<(isLongRun ? 2000 : 30))
    func randomLife(seed: UInt64) throws {
        var random = SeededNumbers(seed)
        let clock = ManualClock()
        var directory = try TemporaryDirectory(isFast: true)
        var settings = SpoolSettings()
        settings.segmentCount = Int(random.next() % 20) + 1
        var spool = try Spool(directory: directory.path, settings: settings, clock: clock)

        var nextNumber = 0
        var unsaved: [Int] = []
        var obliged: Set<Int> = []
        var done: Set<Int> = []
        var meaning: [String: [[UInt8]]] = [:]

        for _ in 0..<150 {
            #expect(spool.plan.violation == nil)
            switch random.next() % 7 {
            case 0, 1:
                for _ in 0..<random.next() % 30 {
                    spool.append(
                        Array("\(nextNumber)".utf8), time: clock.now(), level: UInt8(random.next() % 7))
                    unsaved.append(nextNumber)
                    nextNumber += 1
                }
            case 2:
                #expect(spool.save())
                obliged.formUnion(unsaved)
                unsaved = []
            case 3, 4:
                guard
                    let piece = spool.nextPiece(
                        maximumCount: Int(random.next() % 25) + 1, maximumBytes: 200)
                else { break }
                obliged.formUnion(unsaved)  // a piece is saved before it is sent
                unsaved = []
                let payloads = piece.records.map(\.payload)
                if let known = meaning[piece.key] { #expect(known == payloads) }
                meaning[piece.key] = payloads
                let numbers = payloads.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
                #expect(done.isDisjoint(with: numbers))
                if random.next() % 4 == 0 {
                    _ = spool.split(piece)
                } else if random.next() % 3 != 0 {
                    let taken =
                        random.next() % 3 == 0 ? piece.records.filter { $0.id % 2 == 0 } : piece.records
                    spool.complete(piece, done: taken.map(\.id))
                    done.formUnion(taken.compactMap { Int(String(decoding: $0.payload, as: UTF8.self)) })
                }
            case 5:
                // The process dies: what it had written is there, what it had in memory is not.
                let left = try directory.snapshot()
                unsaved = []
                spool = try Spool(directory: left.path, settings: settings, clock: clock)
                directory = left
                #expect(spool.pending == obliged.subtracting(done).count)
            default: clock.advance(by: .seconds(Int64(random.next() % 2000)))
            }
        }
        spool.save()
        obliged.formUnion(unsaved)
        var order: [Int] = []
        while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: .max) {
            order += piece.records.compactMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
            spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(Set(order) == obliged.subtracting(done))
        #expect(spool.pending == 0 && spool.bytes == 0)
        #expect(spool.counters.damagedRecords == 0)
    }
}
