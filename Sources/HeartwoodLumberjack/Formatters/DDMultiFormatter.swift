import Heartwood

/// Runs several formatters in a row: each gets the message with the text that the previous one returned.
///
/// One that drops the message ends the chain. It may be changed at any time, on any thread. Heartwood's name
/// for it is `FormatterChain`.
open class DDMultiFormatter: NSObject, DDLogFormatter {
    // MARK: Guarded by 'chain'
    private let chain = Locked<Chain>(Chain())

    private struct Chain: @unchecked Sendable {
        var formatters: [any DDLogFormatter] = []
    }

    /// Makes an empty chain, which returns the text.
    public override init() {}

    /// The formatters, in their order.
    open var formatters: [any DDLogFormatter] { chain.withLock { $0 }.formatters }

    /// Adds a formatter at the end.
    open func add(_ formatter: any DDLogFormatter) {
        let formatter = Chain(formatters: [formatter])
        chain.withLock { $0.formatters += formatter.formatters }
    }

    /// Removes a formatter.
    open func remove(_ formatter: any DDLogFormatter) {
        let identity = ObjectIdentifier(formatter)
        chain.withLock { chain in chain.formatters.removeAll { ObjectIdentifier($0) == identity } }
    }

    /// Removes all formatters.
    open func removeAll() { chain.withLock { $0.formatters = [] } }

    /// Whether a formatter is in the chain.
    open func isFormatting(with formatter: any DDLogFormatter) -> Bool {
        formatters.contains { $0 === formatter }
    }

    /// Returns the text of the last formatter; nil if a formatter drops the message.
    open func format(message logMessage: DDLogMessage) -> String? {
        var message = logMessage
        for formatter in formatters {
            guard let text = formatter.format(message: message) else { return nil }
            message = DDLogMessage(copying: message, text: text)
        }
        return message.message
    }
}
