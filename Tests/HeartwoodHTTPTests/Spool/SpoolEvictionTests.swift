import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What a spool drops, and what it must not: records on their way, young ones in a file with old ones, important ones.
@Suite(.inTurn) struct SpoolEvictionTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { directory = try TemporaryDirectory(isFast: true) }

    private func open(_ change: (inout SpoolSettings) -> Void = { _ in }) throws -> Spool {
        try directory.openSpool(clock, change)
    }

    private func fill(_ spool: Spool, _ range: Range<Int>, level: UInt8 = 4) {
        for number in range { spool.append(Array("\(number)".utf8), time: clock.now(), level: level) }
        spool.save()
    }

    private func numbers(_ spool: Spool) -> [Int] {
        var numbers: [Int] = []
        spool.forEachPending { record in
            numbers.append(Int(String(decoding: record.payload, as: UTF8.self)) ?? -1)
            return true
        }
        return numbers
    }

    @Test("A file goes by its age only when all of its messages are too old") func youngInOldFile() throws {
        let spool = try open { $0.maximumAge = .zero }
        fill(spool, 0..<3)
        clock.advance(by: .seconds(90))
        spool.expire()
        #expect(spool.counters.droppedOld == 0)  // no limit
        spool.settings.maximumAge = .seconds(100)
        fill(spool, 3..<5)
        clock.advance(by: .seconds(20))
        spool.expire()
        #expect(numbers(spool) == [0, 1, 2, 3, 4] && spool.counters.droppedOld == 0)
        clock.advance(by: .seconds(90))
        spool.expire()
        #expect(numbers(spool) == [] && spool.counters.droppedOld == 5 && spool.pending == 0)
    }

    @Test("A time of before 2001 is a clock that was never set: its messages do not count as old")
    func clockNeverSet() throws {
        let spool = try open { $0.maximumAge = .seconds(100) }
        let unset = LogTimestamp(nanoseconds: 5_000_000_000)
        for number in 0..<3 { spool.append(Array("\(number)".utf8), time: unset, level: 4) }
        spool.save()
        spool.append(Array("3".utf8), time: unset, level: 4)
        clock.advance(by: .seconds(1000))
        spool.expire()
        #expect(spool.pending == 4 && spool.counters.droppedOld == 0)
    }

    @Test("While a disk takes nothing, no more than 16 MiB are kept in memory, whatever the store may hold")
    func memoryOfFullDisk() throws {
        let spool = try open { $0.maximumBytes = .mebibytes(256) }
        fill(spool, 0..<1)
        let disk = SimulatedDisk(copiesOnWrite: false)
        disk.setFull(true)
        try FaultyKernel.$faults.withValue(disk) {
            for _ in 0..<40 {
                spool.append([UInt8](repeating: 1, count: 900_000), time: clock.now(), level: 4)
                try #require(spool.plan.unsaved.bytes < 17 << 20)
            }
        }
        #expect(spool.counters.droppedFull > 15 && spool.counters.droppedFull + spool.pending == 41)
        #expect(spool.save() && spool.unsavedCount == 0)
    }

    @Test("Records on their way stay when less serious ones make room: a repetition is the same")
    func compactionSparesBatch() throws {
        do {
            let spool = try open()
            for number in 0..<20 { fill(spool, number..<number + 1, level: number % 2 == 0 ? 1 : 5) }
        }
        let spool = try open()
        let piece = try #require(spool.nextPiece(maximumCount: 6, maximumBytes: .max))
        #expect(piece.records.count == 6)
        while spool.evict(below: 3) {}
        #expect(spool.nextPiece(maximumCount: 99, maximumBytes: .max) == piece)
        #expect(numbers(spool) == Array(0..<6) + (6..<20).filter { $0 % 2 == 0 })
    }

    @Test("A file that has less serious messages only goes as a whole, and no serious one with it")
    func compactionOfWholeFile() throws {
        let spool = try open { $0.segmentCount = 5 }
        fill(spool, 0..<5, level: 1)
        fill(spool, 5..<10, level: 5)
        fill(spool, 10..<11, level: 1)
        #expect(spool.evict(below: 3) && numbers(spool) == Array(0..<5) + [10])
        #expect(spool.counters.droppedFull == 5 && !spool.evict(below: 3))
    }

    /// Counts what is read.
    private final class Reads: DiskFaults {
        let count = Locked(0)
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        func read() -> Int32 {
            count.withLock { $0 += 1 }
            return 0
        }
    }

    @Test("A full store that refuses new messages reads nothing to do so")
    func refusalReadsNothing() throws {
        let spool = try open {
            ($0.maximumBytes, $0.segmentCount, $0.overflow) = (.kibibytes(4), 5, .dropNewest)
        }
        while spool.append([1], time: clock.now(), level: 4) {}
        let piece = try #require(spool.nextPiece(maximumCount: 20, maximumBytes: .max))
        let reads = Reads()
        FaultyKernel.$faults.withValue(reads) {
            for _ in 0..<10 { #expect(!spool.append([1], time: clock.now(), level: 4)) }
            #expect(reads.count.withLock { $0 } == 0)
            spool.park(piece, isUnconfirmed: false)
            #expect(spool.append([1], time: clock.now(), level: 4))
        }
    }

    @Test("Too many files are no reason to drop what is in memory")
    func tooManyFiles() throws {
        let spool = try open { $0.segmentCount = 1 }
        fill(spool, 0..<4)
        _ = try #require(spool.nextPiece(maximumCount: 4, maximumBytes: .max))
        spool.settings.maximumFiles = 2
        let disk = SimulatedDisk(copiesOnWrite: false)
        disk.setFull(true)
        FaultyKernel.$faults.withValue(disk) { fill(spool, 4..<7) }
        #expect(spool.pending == 7 && spool.counters.droppedFull == 0)
    }

    @Test("A file in which everything is damaged does not keep those after it from being removed")
    func damagedWholeFile() throws {
        let spool = try open { $0.segmentCount = 2 }
        fill(spool, 0..<6)
        let name = "spool/" + (try #require(directory.names("spool").filter { $0.hasSuffix(".seg") }.first))
        var bytes = try directory.read(name)
        for index in SpoolSegment.headerSize..<bytes.count { bytes[index] ^= 0xFF }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path + "/" + name))
        try file.write(contentsOf: bytes)
        try file.close()
        spool.files?.reader = nil
        while let piece = spool.nextPiece(maximumCount: 1, maximumBytes: .max) {
            spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(spool.pending == 0 && spool.counters.damagedRecords == 2 && spool.plan.violation == nil)
        #expect(!directory.names("spool").contains { $0.hasSuffix(".seg") } && spool.bytes == 0)
    }

    @Test(
        "A full store takes no unimportant message at the cost of what it has", arguments: [true, false])
    func unimportantMessage(onDisk: Bool) throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(16)
        settings.overflow = .dropNewest
        let spool = try Spool(
            directory: onDisk ? directory.path + "/spool" : nil, settings: settings, clock: clock)
        var count = 0
        while spool.append(Array("\(count)".utf8), time: clock.now(), level: 4) { count += 1 }
        spool.settings.overflow = .dropBelow(.warning)
        let kept = spool.pending
        #expect(!spool.append(Array("x".utf8), time: clock.now(), level: 5))
        #expect(spool.pending == kept && spool.counters.droppedFull == 2)
        #expect(spool.append(Array("y".utf8), time: clock.now(), level: 1))
        #expect(spool.pending <= kept && spool.counters.droppedFull > 2)
    }

    @Test(
        "A full store takes a message of just the level that it keeps, in the place of less serious ones",
        arguments: [true, false])
    func messageOfTheLevel(onDisk: Bool) throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(16)
        settings.overflow = .dropBelow(.warning)
        let spool = try Spool(
            directory: onDisk ? directory.path + "/spool" : nil, settings: settings, clock: clock)
        let (warning, info) = (UInt8(LogLevel.warning.index), UInt8(LogLevel.info.index))
        while spool.append(Array("less".utf8), time: clock.now(), level: info) {}
        #expect(spool.append(Array("kept".utf8), time: clock.now(), level: warning))
        var texts: [String] = []
        spool.forEachPending { record in
            texts.append(String(decoding: record.payload, as: UTF8.self))
            return true
        }
        #expect(texts.last == "kept" && spool.counters.droppedFull > 1)
    }

    @Test(
        "A full store that keeps warnings gives up less serious messages for an error, and no warning",
        arguments: [true, false])
    func threshold(onDisk: Bool) throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(16)
        settings.overflow = .dropBelow(.warning)
        let spool = try Spool(
            directory: onDisk ? directory.path + "/spool" : nil, settings: settings, clock: clock)
        let (error, warning) = (UInt8(LogLevel.error.index), UInt8(LogLevel.warning.index))
        let info = UInt8(LogLevel.info.index)
        var warnings = 0
        // Half of the room for warnings, then as many less serious ones as there is room for.
        while spool.bytes < 8000 {
            #expect(spool.append(Array("warning".utf8), time: clock.now(), level: warning))
            #expect(spool.append(Array("info".utf8), time: clock.now(), level: info))
            warnings += 1
            if warnings % 20 == 0 { spool.save() }
        }
        spool.settings.overflow = .dropNewest
        while spool.append(Array("info".utf8), time: clock.now(), level: info) {}
        spool.settings.overflow = .dropBelow(.warning)
        let before = spool.counters.droppedFull
        #expect(spool.append(Array("error".utf8), time: clock.now(), level: error))
        #expect(spool.counters.droppedFull > before)
        var levels: [UInt8: Int] = [:]
        spool.forEachPending { record in
            levels[record.level, default: 0] += 1
            return true
        }
        #expect(levels[warning] == warnings && levels[error] == 1)
    }

    @Test("A file is sealed by its age, so that old messages go by the age limit though new ones come")
    func sealedByAge() throws {
        let spool = try open {
            $0.segmentAge = .seconds(60)
            $0.maximumAge = .seconds(200)
        }
        fill(spool, 0..<2)
        clock.advance(by: .seconds(59))
        fill(spool, 2..<3)
        clock.advance(by: .seconds(1))
        fill(spool, 3..<5)
        #expect(directory.names("spool").filter { $0.hasSuffix(".seg") }.count == 2)
        clock.advance(by: .seconds(200))
        fill(spool, 5..<6)
        spool.expire()
        #expect(numbers(spool) == [3, 4, 5])
    }

    @Test("A directory in which others may write is refused", arguments: [0o770, 0o720, 0o707, 0o702])
    func unsafeDirectory(mode: Int) throws {
        let path = directory.path + "/spool"
        mkdir(path, 0o700)
        chmod(path, mode_t(mode))
        #expect(throws: LogError.self) { try open() }
        chmod(path, 0o755)
        _ = try open()
    }
}
