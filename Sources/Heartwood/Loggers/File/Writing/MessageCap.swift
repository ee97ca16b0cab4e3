/// Keeps a message's line within a number of bytes, visibly: what is left out is said at the end of what is left.
///
/// 1. The line is never longer than the limit.
/// 2. What the formatter makes of it stays whole: the message is shortened, and formatted again. Only a formatter whose
///    output does not become shorter has it cut.
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
        let (kept, omitted) = MessageCap.split(original.text, at: room)
        output.append(kept + MessageCap.mark(omitted))
    }

    /// The message with the beginning of its text, without its tag, and with or without its fields.
    private static func shortened(
        _ message: LogMessage, _ text: String, to count: Int, hasFields: Bool
    ) -> LogMessage {
        var (kept, omitted) = split(text, at: count)
        var fields = LogMetadata()
        for each in [message.fields, message.metadata] {
            for (name, value) in each where fields[name] == nil {
                fields.appendUnchecked(name, value)
                if !hasFields { omitted += name.utf8.count + "\(value)".utf8.count }
            }
        }
        kept += mark(omitted)
        return LogMessage(
            LogText(kept), level: message.level, category: message.category, context: message.context,
            metadata: hasFields ? fields : [:], timestamp: message.timestamp, sequence: message.sequence,
            file: message.file,
            function: message.function, line: message.line, threadID: message.threadID,
            threadName: message.threadName, queueLabel: message.queueLabel, taskName: message.taskName)
    }

    private static func mark(_ omitted: Int) -> String { "…[truncated \(omitted) bytes]" }

    /// The most bytes that a mark takes.
    private static let markSize = mark(.max).utf8.count

    /// The first `count` bytes at most, up to a character's end, and how many bytes follow them.
    static func split(_ text: String, at count: Int) -> (kept: String, omitted: Int) {
        let utf8 = text.utf8
        guard utf8.count > count else { return (text, 0) }
        var index = utf8.index(utf8.startIndex, offsetBy: max(0, count))
        // A character may be endless: then cut it where a scalar ends.
        let nearest = utf8.index(index, offsetBy: -64, limitedBy: utf8.startIndex) ?? utf8.startIndex
        var candidate = index
        while candidate > nearest, String.Index(candidate, within: text) == nil {
            candidate = utf8.index(before: candidate)
        }
        if String.Index(candidate, within: text) != nil {
            index = candidate
        } else {
            while String.Index(index, within: text.unicodeScalars) == nil {
                index = utf8.index(before: index)
            }
        }
        let kept = text.unicodeScalars[..<index]
        return (String(kept), utf8.count - utf8.distance(from: utf8.startIndex, to: index))
    }
}
