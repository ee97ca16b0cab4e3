import Heartwood

/// What went wrong with the files of a spool: errors for people.
final class SpoolReports {
    /// How many errors are kept until they are asked for.
    private static let limit = 100

    private let path: String
    private var errors: [LogError] = []
    /// How many system calls failed.
    private(set) var failures = 0

    /// Makes it for the spool in a directory.
    init(path: String) { self.path = path }

    /// Reports a system call that failed, and counts it.
    func fail(_ message: String, _ name: String, _ failure: SystemFailure, counts: Bool = true) {
        if counts { failures += 1 }
        let why = failure.refusal.map { ", because \($0.explanation)" } ?? ""
        let cause = failure.refusal == nil ? failure.number : nil
        keep(LogError(.file, message + why, place: path + "/" + name, cause: cause))
    }

    /// Calls `body` and reports its failure; returns whether it succeeded.
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

    /// Copies the damaged bytes of a segment, as far as the limit allows.
    ///
    /// - Returns: how many bytes are damaged, and how many are an end that was never completely written.
    func copy(_ file: SegmentFile, _ segment: SpoolSegment) -> (damaged: Int, torn: Int) {
        var counts = (damaged: 0, torn: 0)
        for range in file.damage {
            if range.lowerBound == file.end && segment.name.split(separator: "-").count == 1 {
                counts.torn += range.count
                continue
            }
            counts.damaged += range.count
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
        return counts
    }
}
