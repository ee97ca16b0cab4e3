#if os(Linux)
import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct SpoolFailureTests {
    @Test("A disk that takes no more keeps nobody from logging or sending, and loses nothing") func fullDisk()
        async
    {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let spool = try Spool(directory: directory.path)
            // From here on no file may have more than 16 KiB: the write that would exceed it is cut, then refused.
            var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            let clock = SystemClock()
            for number in 0..<1000 {
                spool.append(Array("record \(number)".utf8), time: clock.now(), level: 4)
                if number % 100 == 99 { spool.save() }
            }
            #expect(spool.counters.failures > 0)
            #expect(spool.pending == 1000)
            #expect(!spool.drainErrors().isEmpty)
            var texts: [String] = []
            while let piece = spool.nextPiece(maximumCount: 64, maximumBytes: .max) {
                texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
                spool.complete(piece, done: piece.records.map(\.id))
            }
            #expect(texts == (0..<1000).map { "record \($0)" })
            #expect(spool.pending == 0 && spool.counters.damagedRecords == 0)
            // Not by `exit`: where coverage is measured, that writes a file larger than the limit.
            _exit(texts.count == 1000 && spool.pending == 0 ? 0 : 1)
        }
    }

    @Test("A cursor that cannot be opened is told, and does not keep messages from being sent")
    func cursor() throws {
        let directory = try TemporaryDirectory(isFast: true)
        mkdir(directory.path + "/cursor", 0o700)
        let spool = try Spool(directory: directory.path)
        #expect(spool.drainErrors().contains { "\($0)".contains("cannot read the spool's cursor") })
        #expect(spool.append([1], time: LogTimestamp(nanoseconds: 1), level: 4))
        #expect(spool.nextPiece(maximumCount: 1, maximumBytes: 1000)?.records.count == 1)
    }

    @Test(
        "The program's files that have the numbers of the spool's are not touched, and nothing is lost (promise 12)"
    )
    func closed() async {
        // In a process of its own: a program that another test is just starting would keep the lock that is closed.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory(isFast: true)
            let data = try TemporaryDirectory(isFast: true)
            let clock = ManualClock()
            var spool: Spool? = try Spool(directory: directory.path, clock: clock)
            for number in 0..<5 { spool?.append(Array("\(number)".utf8), time: clock.now(), level: 4) }
            spool?.save()
            let taken = TakenNumbers(of: directory.path, data: data.path)
            // The directory, its lock, the cursor and the segment.
            try #require(taken.numbers.count >= 4)
            for number in 5..<10 {
                spool?.append(Array("\(number)".utf8), time: clock.now(), level: 4)
                spool?.save()
            }
            #expect(throws: LogError.self) { try Spool(directory: directory.path, clock: clock) }
            var texts: [String] = []
            while let piece = spool?.nextPiece(maximumCount: 64, maximumBytes: .max) {
                texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
                spool?.complete(piece, done: piece.records.map(\.id))
            }
            #expect(texts == (0..<10).map(String.init))
            spool?.save()
            spool = nil
            #expect(taken.isUntouched)
            #expect(try Spool(directory: directory.path, clock: clock).pending == 0)
        }
    }

    @Test("A spool whose files vanish goes on, and counts what is gone") func vanished() throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        var settings = SpoolSettings()
        settings.segmentCount = 5
        let spool = try Spool(directory: directory.path, settings: settings, clock: clock)
        for number in 0..<20 { spool.append(Array("\(number)".utf8), time: clock.now(), level: 4) }
        spool.save()
        for name in directory.segments().prefix(2) { try directory.remove(name) }
        spool.append(Array("20".utf8), time: clock.now(), level: 4)
        var texts: [String] = []
        while let piece = spool.nextPiece(maximumCount: 7, maximumBytes: .max) {
            texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
            spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(texts == (10...20).map { "\($0)" })
        #expect(spool.counters.damagedRecords == 10 && spool.pending == 0)
    }

    @Test("A spool whose newest file vanishes starts a new one, and can be closed", arguments: [3, 8])
    func newestVanished(count: Int) throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        var settings = SpoolSettings()
        settings.segmentCount = 5
        var texts: [String] = []
        do {
            let spool = try Spool(directory: directory.path, settings: settings, clock: clock)
            for number in 0..<count { spool.append(Array("\(number)".utf8), time: clock.now(), level: 4) }
            spool.save()
            try directory.remove(try #require(directory.segments().last))
            func read(_ spool: Spool) {
                while let piece = spool.nextPiece(maximumCount: 7, maximumBytes: .max) {
                    texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
                    spool.complete(piece, done: piece.records.map(\.id))
                }
            }
            read(spool)
            #expect(texts == (0..<count / 5 * 5).map { "\($0)" })
            spool.append(Array("new".utf8), time: clock.now(), level: 4)
            spool.save()
            spool.close()
            read(try Spool(directory: directory.path, settings: settings, clock: clock))
        }
        #expect(texts.last == "new" && texts.count == count / 5 * 5 + 1)
    }
}
#endif
