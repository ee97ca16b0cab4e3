import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A full store whose open batch has messages that a server refuses: what is done makes room, and so do these.
@Suite(.inTurn) struct SpoolRoomTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { directory = try TemporaryDirectory(isFast: true) }

    private func open(_ overflow: SpoolOverflow, onDisk: Bool = true) throws -> Spool {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(4)
        settings.overflow = overflow
        return try Spool(directory: onDisk ? directory.path : nil, settings: settings, clock: clock)
    }

    private func append(_ number: Int, to spool: Spool) -> Bool {
        spool.append(
            Array("\(number)".utf8) + [UInt8](repeating: 0x2E, count: 50), time: clock.now(), level: 1)
    }

    private func number(_ record: SpoolRecord) -> Int {
        Int(String(decoding: record.payload.prefix { $0 != 0x2E }, as: UTF8.self)) ?? -1
    }

    private func numbers(_ spool: Spool) -> [Int] {
        var numbers: [Int] = []
        spool.forEachPending { record in
            numbers.append(number(record))
            return true
        }
        return numbers
    }

    /// Fills the store; returns how many messages it holds.
    private func fill(_ spool: Spool) -> Int {
        spool.settings.overflow = .dropNewest
        var count = 0
        while append(count, to: spool) { count += 1 }
        return count
    }

    private func isBalanced(_ spool: Spool, done: Int) -> Bool {
        let counters = spool.counters
        return counters.appended + counters.recovered == done + counters.lost + spool.pending
    }

    @Test(
        "Messages that are done make room, though one of their batch is still pending",
        arguments: [true, false])
    func doneMakesRoom(onDisk: Bool) throws {
        let spool = try open(.dropNewest, onDisk: onDisk)
        let count = fill(spool)
        let piece = try #require(spool.nextPiece(maximumCount: count, maximumBytes: .max))
        spool.complete(piece, done: piece.records.dropFirst().map(\.id))
        // A second file on the disk has a header, too.
        for number in 1..<count - 1 { #expect(append(100 + number, to: spool), "\(number)") }
        #expect(spool.counters.droppedFull == 1 && spool.bytes <= 4096)
        #expect(numbers(spool) == [0] + (1..<count - 1).map { 100 + $0 })
        #expect(isBalanced(spool, done: count - 1))
    }

    @Test(
        "A full store that drops the oldest takes new messages though all of it is in the open batch",
        arguments: [true, false], [SpoolOverflow.dropOldest, .dropBelow(.warning)])
    func oldestOfBatch(onDisk: Bool, overflow: SpoolOverflow) throws {
        let spool = try open(overflow, onDisk: onDisk)
        let count = fill(spool)
        spool.settings.overflow = overflow
        let whole = try #require(spool.nextPiece(maximumCount: count, maximumBytes: .max))
        #expect(spool.split(whole))
        let first = try #require(spool.nextPiece(maximumCount: count, maximumBytes: .max))
        spool.park(first, isUnconfirmed: false)
        let onItsWay = try #require(spool.nextPiece(maximumCount: count, maximumBytes: .max))
        #expect(append(100, to: spool))
        // The oldest went, what is on its way did not.
        let left = numbers(spool)
        #expect(left.first != 0 && left.last == 100)
        #expect(Set(onItsWay.records.map(number)).isSubset(of: left))
        #expect(spool.bytes <= 4096 && isBalanced(spool, done: 0))
        // Everything that is left can be sent.
        spool.unpark([first])
        var sent = 0
        while let piece = spool.nextPiece(maximumCount: 5, maximumBytes: .max) {
            sent += spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(sent == left.count && spool.pending == 0 && isBalanced(spool, done: sent))
    }

    @Test("A full store that drops the newest takes a new message in place of one that was refused")
    func inPlaceOfRefused() throws {
        let spool = try open(.dropNewest)
        let count = fill(spool)
        let one = try #require(spool.nextPiece(maximumCount: 1, maximumBytes: .max))
        #expect(!append(100, to: spool))
        spool.park(one, isUnconfirmed: false)
        #expect(append(101, to: spool))
        #expect(numbers(spool) == Array(1..<count) + [101])
        #expect(!append(102, to: spool))
        #expect(spool.bytes <= 4096 && isBalanced(spool, done: 0))
    }

    @Test(
        "What a server has received and not yet confirmed makes no room",
        arguments: [
            SpoolOverflow.dropNewest, .dropOldest,
        ])
    func unconfirmed(overflow: SpoolOverflow) throws {
        let spool = try open(overflow)
        let count = fill(spool)
        spool.settings.overflow = overflow
        let whole = try #require(spool.nextPiece(maximumCount: count, maximumBytes: .max))
        spool.park(whole, isUnconfirmed: true)
        #expect(!append(100, to: spool))
        #expect(numbers(spool) == Array(0..<count))
    }

    @Test(
        "A store without a success finds out by new messages that a server takes some",
        arguments: [
            SpoolOverflow.dropNewest, .dropOldest,
        ])
    func refusedOnly(overflow: SpoolOverflow) async throws {
        let server = try LoopbackServer { $0.text.contains("unwanted") ? .status(400) : .ok }
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(4)
        settings.overflow = overflow
        let bench = try HTTPBench(server, directory: directory, settings: settings)
        for number in 0..<60 { Heartwood.log("unwanted \(number)", level: .info, to: bench.dispatcher) }
        await bench.settle()
        bench.logger.sendNow()
        await bench.logger.figures { $0.lastError == "400" }
        for number in 0..<40 where bench.stored.isEmpty {
            await bench.log(number..<number + 1)
            bench.clock.advance(by: .seconds(310))
            while await bench.isSending() { await Task.yield() }
        }
        #expect(!bench.stored.isEmpty && bench.balance)
    }
}
