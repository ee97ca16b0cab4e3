import Heartwood

/// What went wrong with the files of a spool: errors for people, and counts.
final class SpoolReports {
    /// How many errors are kept until they are asked for.
    private static let limit = 100

    private let path: String
    private var errors: [LogError] = []
    /// Damage and failed system calls.
    private(set) var counters = SpoolCounters()
    /// How many of the damaged records were taken off the pending ones.
    private(set) var settled = 0

    /// Makes it for the spool in a directory.
    init(path: String) { self.path = path }

    // MARK: Errors

    /// Reports a system call that failed.
    func fail(_ message: String, _ name: String, _ failure: SystemFailure) {
        counters.failures += 1
        keep(LogError(.file, message, place: path + "/" + name, cause: failure.number))
    }

    /// Calls `body`, and reports where it fails; returns whether it did not.
    func attempt(
        _ message: String, _ name: String, _ body: () throws(SystemFailure) -> Void
    ) -> Bool {
        do throws(SystemFailure) { try body() } catch {
            fail(message, name, error)
            return false
        }
        return true
    }

    func report(_ code: LogError.Code, _ message: String, _ name: String) {
        keep(LogError(code, message, place: path + "/" + name))
    }

    private func keep(_ error: LogError) {
        if errors.count < Self.limit { errors.append(error) }
    }

    /// The reason of the last error.
    var lastCause: Int32? { errors.last?.cause }

    /// What was reported since the last call.
    func drain() -> [LogError] {
        defer { errors = [] }
        return errors
    }

    // MARK: Damage

    func countDamaged(records: Int) { counters.damagedRecords += records }
    func countDamaged(bytes: Int) { counters.damagedBytes += bytes }
    func countTorn(bytes: Int) { counters.tornBytes += bytes }

    /// How many damaged records were found that are not settled.
    var unsettled: Int { counters.damagedRecords - settled }

    /// Corrects the count of damaged records to what can be taken off the pending ones.
    ///
    /// - Parameters:
    ///   - found: How many more records are damaged; less than zero if earlier counts were too high.
    ///   - pending: How many records are pending.
    /// - Returns: how many to take off.
    func settle(_ found: Int, pending: Int) -> Int {
        let count = min(found, pending)
        settled += count
        counters.damagedRecords = settled
        return count
    }

    /// Takes the damage that was found so far as settled: none of it was counted as pending.
    func settleAll() { settled = counters.damagedRecords }
}

/// Counts of the messages that a spool was given, and of damage in its files.
package struct SpoolCounters: Sendable, Equatable {
    /// Records taken over.
    package var appended = 0
    /// Records that are still there from an earlier run.
    package var recovered = 0
    /// Records dropped because the store was full.
    package var droppedFull = 0
    /// Records dropped because they were too old.
    package var droppedOld = 0
    /// Records dropped because the program asked for it.
    package var droppedAsked = 0
    /// Records that were in memory only when the store was closed, since the disk did not take them.
    package var droppedUnsaved = 0
    /// Records lost in damaged files.
    package var damagedRecords = 0
    /// Bytes of damaged files.
    package var damagedBytes = 0
    /// Bytes at the end of a file that were never completely written, nor reported as written.
    package var tornBytes = 0
    /// Calls of the system that failed.
    package var failures = 0

    /// Adds the figures of another spool.
    static func += (sum: inout SpoolCounters, other: SpoolCounters) {
        sum.appended += other.appended
        sum.recovered += other.recovered
        sum.droppedFull += other.droppedFull
        sum.droppedOld += other.droppedOld
        sum.droppedAsked += other.droppedAsked
        sum.droppedUnsaved += other.droppedUnsaved
        sum.damagedRecords += other.damagedRecords
        sum.damagedBytes += other.damagedBytes
        sum.tornBytes += other.tornBytes
        sum.failures += other.failures
    }

    /// All records that are gone without having been delivered.
    package var lost: Int { droppedFull + droppedOld + droppedAsked + droppedUnsaved + damagedRecords }
}

/// Which records of a file that is damaged or gone count as lost: not those that need no sending any more.
struct SpoolLosses {
    private var isDone: (UInt64) -> Bool = { _ in false }
    private var onLoss: (UInt64) -> Void = { _ in }
    /// Records of a group that was given up and whose files could not be cut yet: they count as not there.
    private(set) var cancelled: ClosedRange<UInt64>?
    /// Whether the number of lost records is a guess, until those that are pending were counted.
    private(set) var isUncertain = false

    /// Connects it with the spool.
    ///
    /// - Parameters:
    ///   - isDone: Whether a record needs no sending any more: losing it is no damage.
    ///   - onLoss: Told of each record that counts as damaged from now on, so that it counts as nothing else
    ///     afterwards.
    mutating func connect(isDone: @escaping (UInt64) -> Bool, onLoss: @escaping (UInt64) -> Void) {
        (self.isDone, self.onLoss) = (isDone, onLoss)
    }

    /// Takes the counts as exact: the pending records are being counted.
    mutating func beginCounting() { isUncertain = false }

    /// Takes the counts as a guess: something could not be read.
    mutating func noteUncertain() { isUncertain = true }

    // MARK: A group that was given up

    func isCancelled(_ id: UInt64) -> Bool { cancelled?.contains(id) == true }

    /// Gives up a group; nothing was written since an earlier one that could not be taken away.
    mutating func cancel(_ group: ClosedRange<UInt64>) {
        cancelled = cancelled.map { min($0.lowerBound, group.lowerBound)...group.upperBound } ?? group
    }

    /// Notes that the files have nothing of the group any more.
    mutating func endCancelling() { cancelled = nil }

    // MARK: Damage

    /// How many records of a segment that are not among the entries are done, as far as their ids tell.
    func countDone(in segment: SpoolSegment, besides entries: [SegmentParser.Entry]) -> Int {
        guard segment.count > 0 else { return 0 }
        return missing(in: segment, entries).reduce(0) { $0 + (isDone($1) || isCancelled($1) ? 1 : 0) }
    }

    /// Tells which records of a segment are lost: all that are not among the entries.
    mutating func tell(_ segment: SpoolSegment, besides entries: [SegmentParser.Entry]) {
        isUncertain = true
        for id in missing(in: segment, entries) { onLoss(id) }
    }

    private func missing(in segment: SpoolSegment, _ entries: [SegmentParser.Entry]) -> [UInt64] {
        guard let last = segment.lastID else { return [] }
        let known = Set(entries.map(\.id))
        let limit = segment.firstID + UInt64(2 * BatchState.widestBatch)
        return (segment.firstID...min(last, limit)).filter { !known.contains($0) }
    }
}

/// The folder `quarantine` of a spool, for damaged files and bytes.
final class Quarantine {
    private static let name = "quarantine"

    private let directory: Directory
    private let reports: SpoolReports
    private let limit: Int
    /// What the files in it take, in bytes, with what was copied since.
    private lazy var bytes =
        (try? directory.subdirectory(Self.name).regularFiles())?.reduce(0) { $0 + min($1.size, 1 << 40) } ?? 0

    /// Makes it for the spool in a directory; damaged parts of files are copied up to so many bytes.
    init(in directory: Directory, limit: ByteCount, _ reports: SpoolReports) {
        self.directory = directory
        self.reports = reports
        self.limit = limit.bytes
    }

    /// Moves a file of the spool.
    func move(_ name: String) {
        _ = reports.attempt("cannot move a damaged file of the spool to quarantine/", name) {
            () throws(SystemFailure) in
            try directory.move(name, into: directory.subdirectory(Self.name, isMade: true))
        }
    }

    /// Copies the damaged bytes of a segment, as far as the limit allows, and counts them.
    func copy(_ file: SegmentFile, _ segment: SpoolSegment) {
        for range in file.damage {
            if range.lowerBound == file.end && segment.name.split(separator: "-").count == 1 {
                reports.countTorn(bytes: range.count)  // an end that was never written
                continue
            }
            reports.countDamaged(bytes: range.count)
            reports.report(
                .damaged, "\(range.count) damaged bytes of the spool were moved to quarantine/",
                segment.name)
            let name = "\(segment.name).\(range.lowerBound)"
            guard bytes + range.count <= limit,
                let place = try? directory.subdirectory(Self.name, isMade: true),
                let copy = try? place.openOrCreate(name), (try? copy.truncate(to: 0)) != nil
            else { continue }
            bytes += copy.append(file.content(range)).written
        }
    }
}
