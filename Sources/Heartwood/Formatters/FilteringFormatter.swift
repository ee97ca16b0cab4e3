/// Writes what another formatter writes, but only for messages that pass a filter.
///
/// ```swift
/// file.formatter = FilteringFormatter(.category("net.*"), LineFormatter())
/// ```
///
/// For a filter on a whole logger, ``AbstractLogger/filter`` is simpler; both together mean both.
public final class FilteringFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// Which messages pass.
    public let filter: LogFilter
    /// What writes them.
    public let formatter: LogFormatter

    /// Makes a formatter that drops what the filter does not pass.
    public init(_ filter: LogFilter, _ formatter: LogFormatter) {
        self.filter = filter
        self.formatter = formatter
    }

    /// What the other formatter says.
    public override var writesOwnColors: Bool { formatter.writesOwnColors }

    package override var redactsByItself: Bool { formatter.redactsByItself }

    /// Adds what the other formatter writes.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        filter.passes(message) && formatter.format(message, into: &output)
    }

    /// What the other formatter makes of it.
    public override func format(_ message: LogMessage) -> String? {
        filter.passes(message) ? formatter.format(message) : nil
    }
}
