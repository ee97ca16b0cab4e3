/// Writes what another formatter writes, but only for messages that pass a filter.
///
/// ```swift
/// file.formatter = FilteringFormatter(.category("net.*"), LineFormatter())
/// ```
///
/// For a filter on a whole logger, ``AbstractLogger/filter`` is simpler; both together mean both.
public final class FilteringFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// The filter.
    package let filter: LogFilter
    /// The formatter that writes the messages that pass.
    package let formatter: LogFormatter

    /// Makes a formatter that drops messages that the filter does not pass.
    public init(_ filter: LogFilter, _ formatter: LogFormatter) {
        self.filter = filter
        self.formatter = formatter
    }

    /// Whether the other formatter writes its own colors.
    public override var writesOwnColors: Bool { formatter.writesOwnColors }

    override var redactsByItself: Bool { formatter.redactsByItself }

    /// Appends the message as the other formatter writes it; returns false if the message is dropped.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        filter.passes(message) && formatter.format(message, into: &output)
    }

    /// Formats the message with the other formatter; nil if the message is dropped.
    public override func format(_ message: LogMessage) -> String? {
        filter.passes(message) ? formatter.format(message) : nil
    }
}
