import Heartwood

/// The default formatter of file loggers: `2026/11/20 10:20:30:123  text`, in UTC.
///
/// A text of several lines stays as it is. Heartwood's name for it is
/// `PatternFormatter.cocoaLumberjackFile()`, which keeps each message on one line.
open class DDLogFileFormatterDefault: NSObject, DDLogFormatter {
    private let dateFormatter: DateFormatter?
    private let pattern = DDLogFileFormatterDefault.makePattern()

    /// Makes a formatter with another date format.
    ///
    /// - Parameter dateFormatter: Writes the date; nil for the usual form.
    public init(dateFormatter: DateFormatter?) { self.dateFormatter = dateFormatter }

    /// Makes a formatter.
    public override convenience init() { self.init(dateFormatter: nil) }

    /// Returns the date, two spaces and the text.
    open func format(message logMessage: DDLogMessage) -> String? {
        guard let dateFormatter else { return pattern.format(logMessage.heartwoodMessage) }
        return "\(dateFormatter.string(from: logMessage.timestamp))  \(logMessage.message)"
    }

    /// What writes the same straight from a message of Heartwood's, where no subclass and no date formatter
    /// has its say.
    final var shortcut: LogFormatter? {
        dateFormatter == nil && type(of: self) == DDLogFileFormatterDefault.self ? pattern : nil
    }

    private static func makePattern() -> LogFormatter {
        var options = PatternFormatter.Options()
        options.escaping = .none
        let pattern = try? PatternFormatter("{utc:yyyy/MM/dd HH:mm:ss:SSS}  {message}", options)
        return pattern ?? PatternFormatter.cocoaLumberjackFile()
    }
}
