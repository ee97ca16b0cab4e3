/// The base class of all formatters, which turn a message into text, or drop it.
///
/// A custom formatter overrides one of the two methods, whichever suits it:
///
/// ```swift
/// final class Shout: LogFormatter, @unchecked Sendable {
///     override func format(_ message: LogMessage) -> String? { message.text.uppercased() }
/// }
/// ```
///
/// Called on its logger's queue. A formatter that serves several loggers is called by them at the same time, and must
/// be safe for that. It may log; such a call never waits.
open class LogFormatter: @unchecked Sendable {  // has no state of its own; subclasses answer for theirs
    /// Makes a formatter.
    public init() {}

    /// Whether the formatter writes its own colors, and escapes everything else.
    ///
    /// A console then writes its lines unchanged.
    ///
    /// False unless overridden. The console colors the lines of other formatters as a whole, and escapes what could
    /// move the cursor. How many colors to use says ``LogBuffer/colorDepth``.
    open var writesOwnColors: Bool { false }

    /// Whether it hands every text from outside to the buffer's own methods, which redact secrets in it.
    package var redactsByItself: Bool { false }

    /// Called when a logger starts to use the formatter, before its first message; does nothing unless
    /// overridden.
    ///
    /// That is when it was set, or when the logger that was made with it is added to a dispatcher. Called on the logger's
    /// queue, like the logger's own hooks, once for each logger.
    ///
    /// - Parameter name: The name of the logger.
    open func didAdd(toLogger name: String) {}

    /// Called when a logger stops using the formatter, after its last message; does nothing unless
    /// overridden.
    ///
    /// Called on the logger's queue, like the logger's own hooks.
    ///
    /// - Parameter name: The name of the logger.
    open func willRemove(fromLogger name: String) {}

    private var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Formats a message as text, without a newline at the end; nil drops the message for this logger.
    ///
    /// The base class gives what the other method writes or, where neither is overridden, the message's text.
    open func format(_ message: LogMessage) -> String? {
        let thread = ThreadState.current
        let outer = thread.formatterInProgress
        if outer == identity { return message.text }
        thread.formatterInProgress = identity
        defer { thread.formatterInProgress = outer }
        var buffer = LogBuffer()
        return format(message, into: &buffer) ? buffer.text : nil
    }

    /// Appends a message as UTF-8 to `output`, without a newline at the end; false drops the message for this
    /// logger.
    ///
    /// The fast way: no string is made. Whatever it adds before it returns false is taken out again. The base class
    /// adds what the other method gives.
    open func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        let thread = ThreadState.current
        let outer = thread.formatterInProgress
        if outer == identity {
            output.appendText(of: message, privacy: .redact)
            return true
        }
        thread.formatterInProgress = identity
        defer { thread.formatterInProgress = outer }
        guard let text = format(message) else { return false }
        output.append(text)
        return true
    }
}
