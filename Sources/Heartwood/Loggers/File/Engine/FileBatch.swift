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
        if !engine.hasOnlyGrown { hasChange = true }
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

/// Keeps a message's line within a number of bytes, visibly: what is left out is said at the end of what is
/// left.
///
/// 1. The line is never longer than the limit.
/// 2. What the formatter makes of it stays whole: the message is shortened, and formatted again. Only a
///    formatter whose output does not become shorter has it cut.
struct MessageCap {
    /// The smallest limit that is kept, so that there is room for the mark, and for what comes before a text.
    static let smallest = 256

    private let limit: Int

    /// With a limit in bytes; nil where it is zero, which means no limit.
    init?(_ limit: Int) {
        guard limit > 0 else { return nil }
        self.limit = max(MessageCap.smallest, limit)
    }

    /// Whether a line of so many bytes is too long.
    func isExceeded(by count: Int) -> Bool { count > limit }

    /// Replaces what `output` has from `start` on, which is too long, by a shorter line.
    func shorten(
        _ message: LogMessage, in output: inout LogBuffer, from start: Int,
        format: (LogMessage, inout LogBuffer) -> Bool
    ) {
        let text = message.text
        let size = text.utf8.count
        let room = limit - MessageCap.markSize
        var original = LogBuffer(capacity: output.count - start)
        output.withUnsafeBytes { original.append(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        // What is around a text that is written as it is; escaped, it takes more, and halves are tried.
        let around = max(0, output.count - start - size)
        // The text is cut first; where the fields alone are too long, they are left out.
        for hasFields in [true, false] {
            var keep = min(size, hasFields && around < room ? room - around : room - 128)
            repeat {
                output.truncate(to: start)
                let shorter = MessageCap.shortened(message, text, to: keep, hasFields: hasFields)
                if format(shorter, &output), output.count - start <= limit { return }
                keep /= 2
            } while keep > 0
        }
        output.truncate(to: start)
        let (kept, omitted) = Truncation.split(original.text, at: room)
        output.append(kept + Truncation.mark(omitted))
    }

    /// The message with the beginning of its text, without its tag, and with or without its fields.
    private static func shortened(
        _ message: LogMessage, _ text: String, to count: Int, hasFields: Bool
    ) -> LogMessage {
        var (kept, omitted) = Truncation.split(text, at: count)
        var fields = LogMetadata()
        for each in [message.fields, message.metadata] {
            for (name, value) in each where fields[name] == nil {
                fields.appendUnchecked(name, value)
                if !hasFields { omitted += name.utf8.count + "\(value)".utf8.count }
            }
        }
        kept += Truncation.mark(omitted)
        return LogMessage(
            LogText(kept), level: message.level, category: message.category, context: message.context,
            metadata: hasFields ? fields : [:], timestamp: message.timestamp, sequence: message.sequence,
            file: message.file,
            function: message.function, line: message.line, threadID: message.threadID,
            threadName: message.threadName, queueLabel: message.queueLabel, taskName: message.taskName)
    }

    /// The most bytes that a mark takes.
    private static let markSize = Truncation.mark(.max).utf8.count
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
