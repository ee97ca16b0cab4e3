import Heartwood

/// Writes the label of the dispatch queue in front of each text: `2026-11-20 10:20:30:123 [main (QOS:UN)]
/// text`.
///
/// It may serve several loggers, and be changed at any time, on any thread. Messages do not carry their
/// quality of service: it is always unspecified. Heartwood's name for it is
/// `PatternFormatter.dispatchQueue()`.
open class DDDispatchQueueLogFormatter: NSObject, DDLogFormatter {
    private struct Settings {
        var minimum: UInt = 0
        var maximum: UInt = 0
        var replacements = ["com.apple.main-thread": "main"]
        /// Writes the label so; made again after a change.
        var writer: LogFormatter?
    }

    /// Made at the first date, when a subclass is complete.
    private struct Dates: @unchecked Sendable {
        var formatter: DateFormatter?
    }

    // MARK: Guarded by themselves
    private let settings = Locked(Settings())
    private let dates = Locked(Dates())

    /// Makes a formatter.
    public override init() {}

    /// The least length: a shorter label is padded with spaces; 0 unless changed.
    open var minQueueLength: UInt {
        get { settings.withLock { $0.minimum } }
        set { change { $0.minimum = newValue } }
    }

    /// The greatest length: a longer label is cut; 0, the default, cuts nothing.
    open var maxQueueLength: UInt {
        get { settings.withLock { $0.maximum } }
        set { change { $0.maximum = newValue } }
    }

    /// Returns the replacement of a label; `main` for the main queue unless changed.
    open func replacementString(forQueueLabel longLabel: String) -> String? {
        settings.withLock { $0.replacements[longLabel] }
    }

    /// Sets the replacement of a label; nil removes it.
    open func setReplacementString(_ shortLabel: String?, forQueueLabel longLabel: String) {
        change { $0.replacements[longLabel] = shortLabel }
    }

    private func change(_ change: (inout sending Settings) -> Void) {
        settings.withLock { settings in
            change(&settings)
            settings.writer = nil
        }
    }

    // MARK: Override points

    /// Configures the formatter of dates: `yyyy-MM-dd HH:mm:ss:SSS`, in local time.
    open func configureDateFormatter(_ dateFormatter: DateFormatter) {
        dateFormatter.locale = Locale(identifier: "en_US_POSIX")
        dateFormatter.calendar = Calendar(identifier: .gregorian)
        dateFormatter.dateFormat = "yyyy-MM-dd HH:mm:ss:SSS"
    }

    /// Formats a date.
    open func string(from date: Date) -> String {
        if let text = dates.withLock({ $0.formatter?.string(from: date) }) { return text }
        let formatter = DateFormatter()
        configureDateFormatter(formatter)
        let made = Dates(formatter: formatter)
        dates.withLock { $0 = made }
        return formatter.string(from: date)
    }

    /// Returns the label of the queue, or the name or number of the thread, that logged a message.
    open func queueThreadLabel(for logMessage: DDLogMessage) -> String {
        let writer = settings.withLock { settings in
            let writer = settings.writer ?? DDDispatchQueueLogFormatter.writer(settings)
            settings.writer = writer
            return writer
        }
        return writer?.format(logMessage.heartwoodMessage) ?? logMessage.threadID
    }

    private static func writer(_ settings: Settings) -> LogFormatter? {
        var options = PatternFormatter.Options()
        options.threadLabel = ThreadLabel(
            minimumLength: Int(clamping: settings.minimum),
            maximumLength: settings.maximum == 0 ? nil : Int(clamping: settings.maximum))
        options.threadLabel.replacements = settings.replacements
        return try? PatternFormatter("{thread}", options)
    }

    /// Returns the date, the label and the text.
    open func format(message logMessage: DDLogMessage) -> String? {
        let label = queueThreadLabel(for: logMessage)
        let quality = DDQualityOfServiceName.unspecified.rawValue
        return "\(string(from: logMessage.timestamp)) [\(label) (QOS:\(quality))] \(logMessage.message)"
    }
}
