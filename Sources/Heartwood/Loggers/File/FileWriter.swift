import CHeartwood

/// One open log file, at whose end whole records are written.
///
/// 1. The file ends with a whole record after each call, or the writer knows where the last whole one ends and cuts
///    the rest off before it writes again (promise 8).
/// 2. A record is written once: what is reported as written is in the file, what is not is not.
///
/// Not thread-safe: owned by the engine.
package final class FileWriter {
    package let file: Descriptor
    package let identity: FileStatus.Identity
    package let label: LogFileLabel
    package var name: String
    /// When the file was begun; as exactly as is known.
    package let begun: LogTimestamp
    /// The bytes in the file, as far as is known: others may cut or extend it.
    package private(set) var size: Int
    /// Whether there is more in it than a header.
    package var hasRecords: Bool
    /// Whether the header has still to be written.
    package var needsHeader: Bool
    package var deadline = RollingPolicy.Deadline(
        wall: nil, steady: nil, earliest: LogTimestamp(nanoseconds: .min))

    /// The process has a limit on the size of files, so a write could raise a signal that ends it.
    private var isLimited: Bool
    /// The end of the last whole record, where a part of one is behind it that could not be cut off.
    private var tornAt: Int?
    private let calls: SystemCalls

    package init(
        file: Descriptor, status: FileStatus, name: String, label: LogFileLabel, begun: LogTimestamp,
        isNew: Bool,
        hasHeader: Bool, calls: SystemCalls
    ) {
        self.file = file
        self.identity = status.identity
        self.name = name
        self.label = label
        self.begun = begun
        self.size = status.size
        self.hasRecords = !isNew && status.size > 0
        self.needsHeader = hasHeader && status.size == 0
        self.isLimited = calls.fileSizeLimit() != nil
        self.calls = calls
    }

    /// What became of records that were to be written.
    package struct Outcome: Sendable {
        package var records = 0
        package var bytes = 0
        package var failure: SystemFailure?
    }

    /// Whether the file is still there, under its name.
    package enum Place: Sendable, Equatable { case inPlace, removed, moved }

    // MARK: Looking

    /// Asks the kernel for the file's size, and cuts off what an earlier failure left behind the last record.
    package func refresh() throws(SystemFailure) -> FileStatus {
        let status = try calls.status(file.number)
        // Cut to nothing from outside, as `copytruncate` does, it is as good as new.
        if status.size == 0, size > 0 { needsHeader = true }
        size = status.size
        if let tornAt {
            if status.size > tornAt {
                try calls.truncate(file.number, to: tornAt)
                size = tornAt
            }
            self.tornAt = nil
        }
        if size == 0 { hasRecords = false }
        return status
    }

    /// Looks for the file under its name.
    package func place(_ status: FileStatus, in directory: LogDirectory) -> Place {
        if status.links == 0 { return .removed }
        guard let there = try? calls.status(path: directory.path + "/" + name) else { return .moved }
        return there.identity == identity ? .inPlace : .moved
    }

    /// Looks again whether the process has a limit on the size of files.
    package func checkLimit() { isLimited = calls.fileSizeLimit() != nil }

    /// Whether a part of a record is at the end of the file and could not be cut off.
    package var isTorn: Bool { tornAt != nil }

    // MARK: Writing

    /// Writes records, as many as possible, in one call of the kernel if it takes them.
    ///
    /// `bytes` are the records, without gaps; `ends` says where each ends, in numbers of which `start` is the place of
    /// the first byte. With `mayTruncate` nobody else writes to the file meanwhile.
    package func append(
        _ bytes: UnsafeRawBufferPointer, ends: ArraySlice<Int>, from start: Int, mayTruncate: Bool = true
    ) -> Outcome {
        let before = size
        let (written, failure) = writeAll(bytes)
        guard let failure else {
            size += written
            hasRecords = true
            return Outcome(records: ends.count, bytes: written, failure: nil)
        }
        // Keep the records that are whole, and cut the file off behind them.
        var kept = 0
        var records = 0
        for end in ends where end - start <= written {
            kept = end - start
            records += 1
        }
        size = before + kept
        if written > kept { cut(at: size, mayTruncate: mayTruncate, written: written - kept) }
        if records > 0 { hasRecords = true }
        return Outcome(records: records, bytes: kept, failure: failure)
    }

    /// Writes the header of a new file, all of it or nothing.
    package func writeHeader(_ bytes: UnsafeRawBufferPointer) -> SystemFailure? {
        let before = size
        let (written, failure) = writeAll(bytes)
        if let failure {
            size = before
            if written > 0 { cut(at: before, mayTruncate: true, written: written) }
            return failure
        }
        size += written
        needsHeader = false
        return nil
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> (written: Int, failure: SystemFailure?) {
        var written = 0
        var waits = 0
        while written < bytes.count {
            do throws(SystemFailure) {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = try calls.write(file.number, rest, quietly: isLimited)
                guard count > 0 else { return (written, SystemFailure(.write, EIO)) }
                written += count
            } catch {
                // A file is always ready, but a network file system may not be: wait a second at most.
                guard error.number == EAGAIN, waits < 10 else { return (written, error) }
                waits += 1
                _ = hw_wait_writable(file.number, 100)
            }
        }
        return (written, nil)
    }

    private func cut(at length: Int, mayTruncate: Bool, written: Int) {
        if mayTruncate {
            do throws(SystemFailure) {
                try calls.truncate(file.number, to: length)
            } catch {
                tornAt = length
            }
        } else {
            // Somebody may have written behind the torn record: end it, so that at least the next one is whole.
            let newline: [UInt8] = [UInt8(ascii: "\n")]
            _ = newline.withUnsafeBytes { writeAll($0) }
            size = length + written
        }
    }

    // MARK: The disk

    package func sync() throws(SystemFailure) { try calls.sync(file.number) }
}
