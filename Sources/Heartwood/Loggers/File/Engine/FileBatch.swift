/// Records of a file logger that its engine does not have yet: their bytes, and where each ends.
///
/// Owned by the logger's hooks.
struct FileBatch: ~Copyable {
    /// A batch is written when it has so many bytes, or when no more messages are there.
    private static let limit = 64 * 1024

    /// The records, and at its end the one that is being formatted.
    var buffer = LogBuffer(capacity: 80 * 1024)
    private var ends: [Int] = []
    /// The mark of each record in the journal, where there is one.
    private var marks: [UInt64] = []
    private var isJournaled = false
    /// Whether one of the records is to be on the disk at once, and which levels are.
    private var isUrgent = false
    private var urgentLevels = LogLevelMask.off
    /// Whether more than the length of the file may have changed since the timer was set.
    var hasChange = false
    /// How long a record may be; nil for no limit.
    private(set) var cap = MessageCap(64 * 1024)

    /// Whether no record is complete.
    var isEmpty: Bool { ends.isEmpty }

    /// Whether there is enough for a write.
    var isFull: Bool { buffer.count >= FileBatch.limit }

    /// Takes the settings for the records that come.
    ///
    /// - Parameters:
    ///   - longest: how many bytes a record may have; zero for no limit.
    ///   - sync: which records are to be on the disk at once.
    mutating func configure(longest: Int, sync: LogSyncPolicy) {
        cap = MessageCap(longest)
        urgentLevels = if case .levels(let mask) = sync { mask } else { .off }
    }

    /// Keeps the marks of the records from here on, or keeps them no longer; the batch is empty.
    mutating func keepMarks(_ isJournaled: Bool) { self.isJournaled = isJournaled }

    /// Ends the record at the end of the buffer; `mark` is asked for where there is a journal.
    mutating func endRecord(of level: LogLevel, mark: @autoclosure () -> UInt64) {
        ends.append(buffer.count)
        if isJournaled { marks.append(mark()) }
        if urgentLevels.contains(level) { isUrgent = true }
    }

    /// Hands all records to the engine.
    mutating func write(to engine: FileEngine) {
        buffer.withUnsafeBytes { engine.write($0, ends, marks: marks, isUrgent: isUrgent) }
        removeAll()
        buffer.shrink(to: 1 << 20)
        if engine.grownBytes == nil { hasChange = true }
    }

    /// Forgets all records.
    mutating func removeAll() {
        buffer.removeAll()
        // Each of them costs more than a look.
        if ends.count == 1 { ends.removeLast() } else { ends.removeAll(keepingCapacity: true) }
        if !marks.isEmpty { marks.removeAll(keepingCapacity: true) }
        isUrgent = false
    }
}

/// Lines that are finished, on their way to a file.
///
/// Owned by whoever fills it until it is given to ``FileLogger/write(_:completion:)``, and by the logger
/// until that is done.
package final class LineBlock: @unchecked Sendable {  // one owner at a time
    /// The lines, with their newlines.
    package var buffer: LogBuffer
    /// Where each line ends.
    package var ends: [Int] = []

    package init(capacity: Int) {
        buffer = LogBuffer(capacity: capacity)
        ends.reserveCapacity(capacity / 32)
    }

    /// Calls `body` with both, to be filled.
    @inline(__always)
    package func fill(_ body: (inout LogBuffer, inout [Int]) -> Void) { body(&buffer, &ends) }

    /// Removes the lines; the memory stays.
    package func removeAll() {
        buffer.removeAll()
        buffer.shrink(to: 1 << 21)
        ends.removeAll(keepingCapacity: true)
    }
}
