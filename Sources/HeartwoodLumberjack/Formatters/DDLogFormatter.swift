/// Turns messages into texts.
///
/// ```swift
/// final class Shout: NSObject, DDLogFormatter {
///     func format(message logMessage: DDLogMessage) -> String? {
///         logMessage.context == 7 ? nil : logMessage.message.uppercased()
///     }
/// }
/// ```
///
/// A formatter is called on its logger's queue. One that serves several loggers is called by them at the same time, and
/// must be safe for that. Heartwood's name for it is `LogFormatter`.
public protocol DDLogFormatter: NSObjectProtocol {
    /// The message as text; nil drops it for the logger that asks.
    func format(message logMessage: DDLogMessage) -> String?

    /// The message as text, for formatters that never drop one; implement either.
    @_disfavoredOverload
    func format(message logMessage: DDLogMessage) -> String

    /// Called when a logger begins to use it; does nothing by default.
    func didAdd(to logger: any DDLogger)

    /// Called when a logger begins to use it, in place of ``didAdd(to:)`` where both are there.
    func didAdd(to logger: any DDLogger, in queue: DispatchQueue)

    /// Called when a logger uses it no longer; does nothing by default.
    func willRemove(from logger: any DDLogger)
}

extension DDLogFormatter {
    /// Returns the text of a formatter that never drops a message.
    public func format(message logMessage: DDLogMessage) -> String? {
        let text: String = format(message: logMessage)
        return text
    }

    /// Returns the text of a formatter that can drop messages; an empty text for a dropped one.
    @_disfavoredOverload
    public func format(message logMessage: DDLogMessage) -> String {
        // A formatter that has neither form gives the text.
        let (thread, key) = (Thread.current, "cocoa.lumberjack.format")
        if thread.threadDictionary[key] != nil { return logMessage.message }
        thread.threadDictionary[key] = true
        defer { thread.threadDictionary[key] = nil }
        let text: String? = format(message: logMessage)
        return text ?? ""
    }

    /// Does nothing.
    public func didAdd(to logger: any DDLogger) {}

    /// Calls ``didAdd(to:)``.
    public func didAdd(to logger: any DDLogger, in queue: DispatchQueue) { didAdd(to: logger) }

    /// Does nothing.
    public func willRemove(from logger: any DDLogger) {}
}
