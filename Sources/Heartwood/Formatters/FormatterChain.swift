/// Runs several formatters in a row: each gets the message with the text that the previous one wrote.
///
/// ```swift
/// file.formatter = FormatterChain([shout, JSONLinesFormatter()])
/// ```
///
/// Level, category, fields and all else stay as they were; the values inside of the text become part of it
/// after the first formatter. One that drops the message ends the chain. A text is copied once on its way
/// from one formatter to the next, and made into a `String` by none that writes UTF-8.
///
/// It is safe for several loggers at once where its formatters are.
public final class FormatterChain: LogFormatter, @unchecked Sendable {  // constants only
    /// The formatters, in their order.
    package let formatters: [LogFormatter]

    /// Makes a chain; an empty chain writes the plain text.
    public init(_ formatters: [LogFormatter]) {
        self.formatters = formatters
    }

    /// Whether the last formatter writes its own colors.
    public override var writesOwnColors: Bool { formatters.last?.writesOwnColors ?? false }

    override var redactsByItself: Bool { formatters.allSatisfy(\.redactsByItself) }

    /// Appends the message as the last formatter writes it; returns false if a formatter drops it.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        guard let last = formatters.last else {
            output.appendText(of: message, privacy: .redact)
            return true
        }
        if formatters.count == 1 { return last.format(message, into: &output) }
        var message = message
        var text = LogBuffer()
        text.redaction = output.redaction
        for formatter in formatters.dropLast() {
            guard formatter.format(message, into: &text) else { return false }
            message = text.withUnsafeBytes { message.with(text: $0) }
            text.removeAll()
        }
        return last.format(message, into: &output)
    }
}

extension LogMessage {
    /// The same message with another text, which has no values inside.
    func with(text: UnsafeRawBufferPointer) -> LogMessage {
        let copy = MessageStorage(capacity: storage.textOffset + 5 + text.count + storage.fieldsSize)
        copy.fill(from: storage, text: text)
        return LogMessage(storage: copy)
    }
}
