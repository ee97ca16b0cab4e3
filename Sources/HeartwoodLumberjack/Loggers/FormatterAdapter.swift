import Heartwood

/// A formatter of CocoaLumberjack's kind, as Heartwood's loggers see it.
final class FormatterAdapter: LogFormatter, @unchecked Sendable {  // the formatter guards itself
    let formatter: any DDLogFormatter
    private weak var owner: DDAbstractLogger?
    private let queue: DispatchQueue
    /// What writes the same without making an object of each message.
    private let shortcut: LogFormatter?
    private let finish: (@Sendable (String) -> String)?

    // The owner is the logger of which the formatter is told; nil where another adapter has told it.
    init(
        _ formatter: any DDLogFormatter, for owner: DDAbstractLogger?, on queue: DispatchQueue,
        finish: (@Sendable (String) -> String)? = nil
    ) {
        self.formatter = formatter
        self.owner = owner
        self.queue = queue
        self.finish = finish
        shortcut = (formatter as? DDLogFileFormatterDefault)?.shortcut
    }

    /// The same for a further backing of the logger, which tells the formatter nothing.
    var silent: FormatterAdapter { FormatterAdapter(formatter, for: nil, on: queue, finish: finish) }

    override func format(_ message: LogMessage) -> String? {
        if let shortcut { return shortcut.format(message) }
        let text = formatter.format(message: .arriving(message))
        guard let text, let finish else { return text }
        return finish(text)
    }

    override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        if let shortcut { return shortcut.format(message, into: &output) }
        guard let text = format(message) else { return false }
        output.append(text)
        return true
    }

    override func didAdd(toLogger name: String) {
        if let owner { formatter.didAdd(to: owner, in: queue) }
    }

    override func willRemove(fromLogger name: String) {
        if let owner { formatter.willRemove(from: owner) }
    }
}
