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
/// A formatter is called on its logger's queue. One that serves several loggers is called by them at the same
/// time, and must be safe for that. Heartwood's name for it is `LogFormatter`.
public protocol DDLogFormatter: NSObjectProtocol {
    /// The message as text; nil drops it for the logger that asks.
    ///
    /// The only requirement without a default: a class that writes it with `DDLogMessage!` or `-> String`, or
    /// misspells it, does not compile, so that no formatter which redacts is silently left out.
    func format(message logMessage: DDLogMessage) -> String?

    /// Called when a logger begins to use it; does nothing by default.
    func didAdd(to logger: any DDLogger)

    /// Called when a logger begins to use it, in place of ``didAdd(to:)`` where both are there.
    func didAdd(to logger: any DDLogger, in queue: DispatchQueue)

    /// Called when a logger uses it no longer; does nothing by default.
    func willRemove(from logger: any DDLogger)
}

extension DDLogFormatter {
    /// Does nothing.
    public func didAdd(to logger: any DDLogger) {}

    /// Calls ``didAdd(to:)``.
    public func didAdd(to logger: any DDLogger, in queue: DispatchQueue) { didAdd(to: logger) }

    /// Does nothing.
    public func willRemove(from logger: any DDLogger) {}
}
