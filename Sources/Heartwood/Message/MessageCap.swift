/// Keeps a message's line within a number of bytes, visibly: what is left out is said at the end of what is
/// left.
///
/// 1. The line is never longer than the limit.
/// 2. What the formatter makes of it stays whole: the message is shortened, and formatted again. Only a
///    formatter whose output does not become shorter has it cut.
struct MessageCap: CustomStringConvertible {
    /// The smallest limit that is kept, so that there is room for the mark, and for what comes before a text.
    static let smallest = 256

    private let limit: Int

    /// With a limit in bytes; nil where it is zero, which means no limit.
    init?(_ limit: Int) {
        guard limit > 0 else { return nil }
        self.limit = max(MessageCap.smallest, limit)
    }

    var description: String { ByteCount(limit).description }

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
