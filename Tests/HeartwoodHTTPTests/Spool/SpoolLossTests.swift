import CoreFixtures
import CHeartwood
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What a spool counts, sends and keeps when its disk fails now and then, or for good.
@Suite(.inTurn) struct SpoolLossTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let disk = SimulatedDisk(copiesOnWrite: true)

    init() throws { directory = try TemporaryDirectory(isFast: true) }

    private func withDisk<Result>(_ work: () throws -> Result) rethrows -> Result {
        try FaultyKernel.$faults.withValue(disk, operation: work)
    }

    private func open(_ change: (inout SpoolSettings) -> Void = { _ in }) throws -> Spool {
        try directory.openSpool(clock, change)
    }

    private func append(_ numbers: Range<Int>, to spool: Spool, level: UInt8 = 4) {
        for number in numbers {
            spool.append(Array("\(number)".utf8), time: clock.now(), level: level)
        }
    }

    private func numbers(_ piece: SpoolPiece?) -> [Int] {
        piece?.records.map { Int(String(decoding: $0.payload, as: UTF8.self)) ?? -1 } ?? []
    }

    private func drain(_ spool: Spool) -> [Int] {
        var all: [Int] = []
        while let piece = spool.nextPiece(maximumCount: 100, maximumBytes: .max) {
            all += numbers(piece)
            spool.complete(piece, done: piece.records.map(\.id))
        }
        return all
    }

    private func isBalanced(_ spool: Spool, done: Int) -> Bool {
        let counters = spool.counters
        return counters.appended + counters.recovered == done + counters.lost + spool.pending
    }

    /// Has every read fail until the files count as lost.
    private func loseFiles(of spool: Spool) {
        spool.files?.reader = nil
        disk.failReads(1000)
        for _ in 0..<40 { spool.forEachPending { _ in true } }
        disk.failReads(0)
    }

    // MARK: - Counting

    @Test("Messages whose file is lost while they are on their way count once, as damaged")
    func lostOnItsWay() throws {
        try withDisk {
            let spool = try open()
            append(0..<8, to: spool)
            let piece = try #require(spool.nextPiece(maximumCount: 3, maximumBytes: .max))
            loseFiles(of: spool)
            #expect(spool.counters.damagedRecords == 8 && spool.pending == 0)
            #expect(spool.complete(piece, done: piece.records.map(\.id)) == 0)
            #expect(isBalanced(spool, done: 0) && spool.pending == 0)
            append(8..<10, to: spool)
            #expect(drain(spool) == [8, 9] && isBalanced(spool, done: 2))
        }
    }

    @Test("After the loss of a file that had done messages, the pending ones are those that are there")
    func countedAgain() throws {
        try withDisk {
            let spool = try open {
                $0.maximumBytes = .kibibytes(4)
                $0.overflow = .dropNewest
            }
            while spool.append([UInt8](repeating: 0x30, count: 40), time: clock.now(), level: 4) {}
            let count = spool.pending
            let piece = try #require(spool.nextPiece(maximumCount: 100, maximumBytes: .max))
            spool.complete(piece, done: piece.records.dropLast().map(\.id))
            // It is rewritten with the one message that is left, and lost after that.
            append(0..<1, to: spool)
            spool.save()
            loseFiles(of: spool)
            #expect(drain(spool) == [])
            #expect(spool.pending == 0 && spool.counters.damagedRecords == 2)
            #expect(isBalanced(spool, done: count - 1))
        }
    }

    @Test("A file that cannot be read when it makes room counts as dropped, with all it had")
    func evictedUnread() throws {
        try withDisk {
            let spool = try open {
                $0.segmentCount = 5
                $0.maximumBytes = .kibibytes(4)
            }
            append(0..<5, to: spool)
            spool.save()
            append(5..<10, to: spool)
            spool.save()
            spool.files?.reader = nil
            disk.failReads(1)
            #expect(spool.evictOldest())
            #expect(spool.counters.droppedFull == 5 && spool.pending == 5 && isBalanced(spool, done: 0))
            #expect(drain(spool) == [5, 6, 7, 8, 9] && isBalanced(spool, done: 5))
        }
    }

    @Test("Messages in memory only when the store is closed are counted as dropped, and not as found again")
    func unsavedAtTheEnd() throws {
        try withDisk {
            let spool = try open()
            append(0..<2, to: spool)
            spool.save()
            disk.setFull(true)
            append(2..<5, to: spool)
            #expect(!spool.save())
            spool.close()
            // A full disk may take a part of what is written.
            let left = spool.pending
            #expect((2...4).contains(left) && spool.counters.droppedUnsaved == 5 - left)
            #expect(isBalanced(spool, done: 0))
            disk.setFull(false)
            let again = try #require(try spool.reopened() as? Spool)
            #expect(again.pending == left && again.counters.recovered == 0 && isBalanced(again, done: 0))
            #expect(drain(again) == Array(0..<left))
        }
    }

    @Test("A logger says how many messages it loses when it is removed while the disk takes nothing")
    func reportedAtRemoval() throws {
        let reports = Locked<[String]>([])
        final class Host: DeliveryHost {
            let reports: Locked<[String]>
            private(set) var figures = HTTPStatistics()
            init(_ reports: Locked<[String]>) { self.reports = reports }
            var uptime: Duration { .zero }
            var wallTime: LogTimestamp { LogTimestamp(nanoseconds: 0) }
            func draw() -> Double { 0.5 }
            func wake(at time: Duration?) {}
            func start(_ job: UploadJob) {}
            func start(_ job: ReceiptJob) {}
            func refresh(_ hook: @escaping @Sendable () async -> Void) {}
            func report(_ report: DeliveryReport, lastError: String?) {
                reports.withLock { $0.append(report.text(logger: "world", lastError: lastError)) }
            }
            func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) {
                self.figures = figures
            }
        }
        try withDisk {
            let host = Host(reports)
            let settings = try SimulatedSettings.makeBare(spool: SpoolSettings(), neverDrops: false)
            let shell = DeliveryShell(try open(), settings, host)
            disk.setFull(true)
            for number in 0..<3 {
                _ = shell.append([UInt8(number)], time: clock.now(), level: 4, mark: 0, points: 0)
            }
            shell.save()
            shell.close()
            #expect(host.figures.dropped == 3 && host.figures.pending == 0 && host.figures.stored == 3)
            #expect(reports.withLock { $0.contains { $0.contains("3 messages were lost") } })
        }
    }

    // MARK: - Order

    @Test("What was added to a file and cannot be read now comes before what is newer")
    func unreadAddition() throws {
        try withDisk {
            let spool = try open()
            append(0..<2, to: spool)
            let piece = try #require(spool.nextPiece(maximumCount: 1, maximumBytes: .max))
            append(2..<4, to: spool)
            spool.save()
            disk.setFull(true)
            append(4..<6, to: spool)
            spool.complete(piece, done: piece.records.map(\.id))
            #expect(numbers(spool.nextPiece(maximumCount: 1, maximumBytes: .max)) == [1])
            let second = try #require(spool.nextPiece(maximumCount: 1, maximumBytes: .max))
            spool.complete(second, done: second.records.map(\.id))
            append(6..<7, to: spool)
            spool.files?.reader = nil
            disk.failReads(2)
            var all: [Int] = []
            for _ in 0..<4 {
                let piece = spool.nextPiece(maximumCount: 100, maximumBytes: .max)
                all += numbers(piece)
                if let piece { spool.complete(piece, done: piece.records.map(\.id)) }
            }
            #expect(all == [2, 3, 4, 5, 6])
            #expect(spool.pending == 0 && isBalanced(spool, done: 7))
        }
    }

    @Test(
        "What was added to a file that is open for reading, and cannot be read now, comes before what is newer"
    )
    func unreadRefresh() throws {
        try withDisk {
            let spool = try open()
            append(0..<2, to: spool)
            let first = try #require(spool.nextPiece(maximumCount: 2, maximumBytes: .max))
            append(2..<4, to: spool)
            spool.save()
            disk.setFull(true)
            append(4..<6, to: spool)
            disk.setFull(false)
            spool.complete(first, done: [first.records[0].id])
            disk.setFull(true)
            // The reader is open and has seen 0 and 1; what came since cannot be read once.
            disk.failReads(2)
            let probed = spool.nextPiece(maximumCount: 100, maximumBytes: .max, probe: true)
            #expect(!numbers(probed).contains(4), "\(numbers(probed))")
            disk.setFull(false)
            #expect(drain(spool) == [1, 2, 3, 4, 5] && isBalanced(spool, done: 6))
        }
    }

    // MARK: - Keys

    @Test(
        "Ids that are used again, since neither the files nor the cursor could keep them, have other keys and names"
    )
    func otherKeys() throws {
        try withDisk {
            let first = try open()
            disk.setFull(true)
            append(0..<2, to: first)
            let sent = try #require(first.nextPiece(maximumCount: 1, maximumBytes: .max))
            disk.restart()
            first.files = nil
            let second = try open()
            append(10..<12, to: second)
            let other = try #require(second.nextPiece(maximumCount: 1, maximumBytes: .max))
            #expect(sent.range == other.range && sent.origin == other.origin)
            #expect(sent.key != other.key)
            #expect(
                first.name(of: sent.records[0], in: sent) != second.name(of: other.records[0], in: other))
        }
    }

    @Test("After a failed write of the cursor and the loss of the file by age, a repeated id has another key")
    func otherKeysAfterAge() throws {
        try withDisk {
            let first = try open { $0.maximumAge = .seconds(60) }
            append(0..<4, to: first)
            first.save()
            disk.setFull(true)
            let sent = try #require(first.nextPiece(maximumCount: 1, maximumBytes: .max))
            first.complete(sent, done: sent.records.map(\.id))
            clock.advance(by: .seconds(120))
            first.expire()
            #expect(first.pending == 0)
            disk.restart()
            first.files = nil
            let second = try open()
            append(10..<12, to: second)
            let other = try #require(second.nextPiece(maximumCount: 1, maximumBytes: .max))
            #expect(sent.range == other.range && sent.key != other.key)
        }
    }

    @Test(
        "A piece that is repeated by the next process has the same key, though the disk took nothing at first"
    )
    func sameKey() throws {
        try withDisk {
            let first = try open()
            disk.setFull(true)
            append(0..<3, to: first)
            let sent = try #require(first.nextPiece(maximumCount: 3, maximumBytes: .max))
            disk.setFull(false)
            #expect(first.save())
            let again = try #require(first.nextPiece(maximumCount: 3, maximumBytes: .max))
            first.files = nil
            let next = try #require(try open().nextPiece(maximumCount: 3, maximumBytes: .max))
            #expect(sent.key == again.key && again.key == next.key)
        }
    }

    // MARK: - Groups, partitions and compaction

    @Test("A group that could not be stored is not sent, though its file could not be cut either")
    func failedGroup() throws {
        struct Failure: Error {}
        try withDisk {
            let spool = try open()
            append(0..<2, to: spool)
            spool.save()
            var left = 3
            #expect(throws: Failure.self) {
                try spool.appendWhole(600) {
                    left -= 1
                    // The first MiB is in the file when the source fails, and the disk lets nothing be cut.
                    guard left > 0 else {
                        disk.failChanges(100)
                        throw Failure()
                    }
                    return ([UInt8](repeating: 0x39, count: 900_000), clock.now(), 4)
                }
            }
            #expect(spool.pending == 2)
            #expect(spool.drainErrors().contains { "\($0)".contains("cannot truncate a file") })
            #expect(drain(spool) == [0, 1] && spool.pending == 0)
            disk.failChanges(0)
            append(2..<3, to: spool)
            #expect(drain(spool) == [2] && isBalanced(spool, done: 3))
        }
    }

    /// Fails one call that makes, renames or removes something.
    private final class OneFailure: DiskFaults {
        private let left: Locked<Int>
        init(after calls: Int) { left = Locked(calls) }
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 {
            left.withLock { left in
                left -= 1
                return left == -1 ? EIO : 0
            }
        }
    }

    @Test(
        "A partition that cannot be opened now, or made or removed, is sent later, before those after it",
        arguments: 0..<40)
    func unopenedPartition(calls: Int) throws {
        func store() throws -> PartitionedSpool {
            try PartitionedSpool(
                path: directory.path + "/events", partitionSize: .bytes(1), settings: SpoolSettings(),
                clock: clock, calls: FaultyKernel.calls
            ) { newest in
                let number = (newest.flatMap { Int($0, radix: 16) } ?? 0) + 1
                let digits = String(number, radix: 16)
                return String(repeating: "0", count: 24 - digits.count) + digits
            }
        }
        let first = try store()
        for number in 0..<4 {
            try first.appendWhole(1, bytes: 10) { (Array("\(number)".utf8), clock.now(), 4) }
        }
        first.close()
        let second = try store()
        #expect(second.pending == 4 && second.plan.names.count == 4)
        var all: [Int] = []
        FaultyKernel.$faults.withValue(OneFailure(after: calls)) {
            for _ in 0..<10 {
                guard let piece = second.nextPiece(maximumCount: 10, maximumBytes: .max) else { continue }
                all += numbers(piece)
                second.complete(piece, done: piece.records.map(\.id))
            }
        }
        #expect(all == [0, 1, 2, 3] && second.pending == 0 && second.counters.lost == 0)
    }

    @Test("Less serious messages make room though a file cannot be read, and even where it is lost by that")
    func compactionUnread() throws {
        try withDisk {
            var settings = SpoolSettings()
            settings.segmentCount = 4
            do {
                let spool = try open { $0.segmentCount = 4 }
                for number in 0..<12 {
                    append(number..<number + 1, to: spool, level: number % 2 == 0 ? 1 : 5)
                }
                spool.save()
            }
            let spool = try open { $0.segmentCount = 4 }
            spool.files?.reader = nil
            disk.failReads(14)
            for _ in 0..<20 { _ = spool.evict(below: 3) }
            disk.failReads(0)
            let left = drain(spool)
            #expect(left == left.filter { $0 % 2 == 0 } && left.count >= 4)
            #expect(isBalanced(spool, done: left.count))
        }
    }
}
