import CoreFixtures
import CHeartwood
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What holds the parts of a spool together: compaction and restarts, the journal and a full disk, waiting for the disk.
@Suite(.inTurn) struct SpoolWiringTests {
    private let directory: TemporaryDirectory
    private let time = LogTimestamp(nanoseconds: 1_700_000_000_000_000_000)

    init() throws { directory = try TemporaryDirectory(isFast: true) }

    private func drain(_ spool: Spool) -> [String] {
        var texts: [String] = []
        while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: .max) {
            texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
            spool.complete(piece, done: piece.records.map(\.id))
        }
        return texts
    }

    @Test(
        "After a crash in a compaction only the shorter file counts: each record is sent once, and none that went"
    )
    func compaction() throws {
        var settings = SpoolSettings()
        settings.segmentCount = 4
        var before: [(String, [UInt8])] = []
        do {
            let spool = try Spool(directory: directory.path, settings: settings)
            for number in 0..<12 {
                spool.append(Array("\(number)".utf8), time: time, level: number % 2 == 0 ? 1 : 5)
            }
            spool.save()
        }
        do {
            let spool = try Spool(directory: directory.path, settings: settings)
            before = try directory.segments().map { ($0, try directory.read($0)) }
            #expect(before.count == 3)
            while spool.evict(below: 3) {}
            #expect(spool.pending == 6)
        }
        #expect(Set(directory.segments()).isDisjoint(with: before.map(\.0)))
        // The process died before it had removed the longer files.
        for (name, content) in before {
            try directory.write(name, content)
            chmod(directory.path + "/" + name, 0o600)
        }
        let spool = try Spool(directory: directory.path, settings: settings)
        #expect(spool.pending == 6)
        #expect(directory.segments().count == 3)
        #expect(drain(spool) == (0..<6).map { "\($0 * 2)" })
        #expect(spool.counters.damagedRecords == 0)
    }

    @Test(
        "Of a file that was never sealed and one that replaced it only the latter counts, and the former is kept aside"
    )
    func unsealedTwin() throws {
        do {
            let spool = try Spool(directory: directory.path)
            for number in 0..<4 { spool.append(Array("\(number)".utf8), time: time, level: 4) }
            spool.save()
        }
        let unsealed = try #require(directory.segments().first)
        let content = try directory.read(unsealed)
        do { _ = try Spool(directory: directory.path) }
        #expect(directory.segments() != [unsealed])
        try directory.write(unsealed, content)
        chmod(directory.path + "/" + unsealed, 0o600)
        let spool = try Spool(directory: directory.path)
        #expect(drain(spool) == (0..<4).map { "\($0)" })
        #expect(directory.names("quarantine") == [unsealed])
    }

    @Test("What the disk has not taken is forgotten where a crash journal brings it again: it is sent once")
    func forgets() throws {
        let spool = try Spool(directory: directory.path)
        for number in 0..<3 { spool.append(Array("saved \(number)".utf8), time: time, level: 4) }
        #expect(spool.save())
        for number in 0..<5 { spool.append(Array("again \(number)".utf8), time: time, level: 4) }
        #expect(spool.pending == 8 && spool.unsavedCount == 5)
        spool.forgetUnsaved()
        #expect(spool.pending == 3 && spool.unsavedCount == 0 && spool.counters.appended == 3)
        for number in 0..<5 { spool.append(Array("again \(number)".utf8), time: time, level: 4) }
        #expect(drain(spool) == (0..<3).map { "saved \($0)" } + (0..<5).map { "again \($0)" })
        let counters = spool.counters
        #expect(counters.appended == 8 && counters.lost == 0 && spool.pending == 0)
    }

    @Test("A logger that a journal recovers forgets what it could not save") func loggerForgets() async throws
    {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.isPaused = true
        bench.logger.saveDelay = .seconds(3600)
        await bench.log(0..<4)
        #expect(bench.logger.httpStatistics.pending == 4)
        #expect(await !bench.logger.isSettledInTurn())
        let logger = bench.logger
        await withCheckedContinuation { continuation in
            logger.performInOrder {
                logger.forgetUnwritten()
                continuation.resume()
            }
        }
        #expect(logger.httpStatistics.pending == 0 && logger.httpStatistics.stored == 0)
        #expect(await logger.isSettledInTurn())
    }

    @Test(
        "A spool that waits for the disk does so for each save and each step of the delivery, and others never do"
    )
    func durable() throws {
        for synchronizes in [true, false] {
            let place = try TemporaryDirectory(isFast: true)
            var settings = SpoolSettings()
            settings.synchronizes = synchronizes
            let spool = try Spool(directory: place.path, settings: settings, calls: FaultyKernel.calls)
            func made(_ body: () throws -> Void) rethrows -> Int {
                let syncs = CountedSyncs()
                try FaultyKernel.$faults.withValue(syncs, operation: body)
                return syncs.count
            }
            let one = synchronizes ? 1 : 0
            #expect(
                made {
                    for number in 0..<3 { spool.append([UInt8(number)], time: time, level: 4) }
                    spool.save()
                } == one)
            #expect(
                try made {
                    try spool.appendWhole(2) { ([9], time, 4) }
                } == one)
            var piece: SpoolPiece?
            #expect(made { piece = spool.nextPiece(maximumCount: 5, maximumBytes: .max) } == one)
            let sent = try #require(piece)
            #expect(made { spool.complete(sent, done: Array(sent.records.map(\.id).prefix(2))) } == one)
            #expect(made { spool.complete(sent, done: sent.records.map(\.id)) } == one)
        }
    }

    @Test(
        "What the disk does not confirm is reported, and written again to another file, unless it confirms nothing",
        arguments: [EIO, EINVAL])
    func notDurable(error: Int32) throws {
        var settings = SpoolSettings()
        settings.synchronizes = true
        let spool = try Spool(directory: directory.path, settings: settings, calls: FaultyKernel.calls)
        spool.append([0], time: time, level: 4)
        #expect(spool.save())
        FaultyKernel.$faults.withValue(CountedSyncs(error: error)) {
            spool.append([1], time: time, level: 4)
            #expect(spool.save() == (error == EINVAL))
        }
        let troubles = spool.drainErrors()
        #expect(troubles.contains { $0.message.contains("sync") && $0.cause == error }, "\(troubles)")
        spool.append([2], time: time, level: 4)
        #expect(spool.save())
        #expect(directory.segments().count == (error == EINVAL ? 1 : 2))
        let piece = spool.nextPiece(maximumCount: 9, maximumBytes: .max)
        #expect(piece?.records.map(\.payload) == [[0], [1], [2]])
    }

    @Test(
        "If the disk neither confirms a write nor lets it be undone, the records stay in memory until it works again",
        arguments: [true, false])
    func notDurableNorCut(isFirst: Bool) throws {
        final class Broken: DiskFaults {
            func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
            func change() -> Int32 { EROFS }
            func synchronize() -> Int32 { EIO }
        }
        var settings = SpoolSettings()
        settings.synchronizes = true
        let spool = try Spool(directory: directory.path, settings: settings, calls: FaultyKernel.calls)
        if !isFirst { spool.append([0], time: time, level: 4) }
        #expect(spool.save())
        spool.append([1], time: time, level: 4)
        FaultyKernel.$faults.withValue(Broken()) {
            for _ in 0..<3 { #expect(!spool.save()) }
            #expect(spool.unsavedCount == 1)
        }
        spool.append([2], time: time, level: 4)
        #expect(spool.save() && spool.unsavedCount == 0)
        let piece = try #require(spool.nextPiece(maximumCount: 9, maximumBytes: .max))
        #expect(piece.records.map(\.payload) == (isFirst ? [[1], [2]] : [[0], [1], [2]]))
        spool.complete(piece, done: piece.records.map(\.id))
        #expect(spool.pending == 0 && spool.counters.lost == 0)
    }

    @Test(
        "A new file whose name the disk does not confirm goes, now or later, and its records stay in memory",
        arguments: [0, EROFS])
    func nameNotDurable(error: Int32) throws {
        final class NoNames: DiskFaults {
            let error: Int32
            let isMade = Locked(false)
            init(_ error: Int32) { self.error = error }
            func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
            func change() -> Int32 {
                isMade.withLock { isMade in
                    defer { isMade = true }
                    return isMade ? error : 0
                }
            }
            func synchronizeNames() -> Int32 { EIO }
        }
        var settings = SpoolSettings()
        settings.synchronizes = true
        let spool = try Spool(directory: directory.path, settings: settings, calls: FaultyKernel.calls)
        spool.append([1], time: time, level: 4)
        FaultyKernel.$faults.withValue(NoNames(error)) { #expect(!spool.save()) }
        #expect(directory.segments().count == (error == 0 ? 0 : 1) && spool.unsavedCount == 1)
        #expect(spool.save() && spool.unsavedCount == 0)
        #expect(directory.segments().count == 1)
        #expect(spool.nextPiece(maximumCount: 9, maximumBytes: .max)?.records.map(\.payload) == [[1]])
    }

    @Test("What a file takes before it may grow no more is waited for, too") func durableInPart() throws {
        /// Lets the second of two records be written in part only.
        final class Limited: DiskFaults, @unchecked Sendable {
            let syncs = CountedSyncs()
            func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
                inPlace ? nil : (count - 3, EFBIG)
            }
            func change() -> Int32 { 0 }
            func synchronize() -> Int32 { syncs.synchronize() }
        }
        var settings = SpoolSettings()
        settings.synchronizes = true
        let spool = try Spool(directory: directory.path, settings: settings, calls: FaultyKernel.calls)
        for number in 1...2 { spool.append([UInt8(number)], time: time, level: 4) }
        let faults = Limited()
        FaultyKernel.$faults.withValue(faults) { _ = spool.save() }
        #expect(faults.syncs.count == 1)
        #expect(spool.unsavedCount == 1)
        #expect(!spool.drainErrors().contains { $0.message.contains("sync") })
    }

    /// Counts how often a file was to be on the disk.
    private final class CountedSyncs: DiskFaults, @unchecked Sendable {
        private let calls = Locked(0)
        private let error: Int32

        init(error: Int32 = 0) { self.error = error }

        var count: Int { calls.withLock { $0 } }

        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        func synchronize() -> Int32 {
            calls.withLock { $0 += 1 }
            return error
        }
    }
}
