/// The base class of all formatters, which turn a message into text, or drop it.
///
/// A custom formatter overrides one of the two `format` methods:
///
/// ```swift
/// final class Shout: LogFormatter, @unchecked Sendable {
///     override func format(_ message: LogMessage) -> String? { message.text.uppercased() }
/// }
/// ```
///
/// A formatter is called on the queue of its logger. If several loggers use it, they call it at the same
/// time, so it must be safe for that. A formatter can log; such a call never waits.
open class LogFormatter: @unchecked Sendable {  // has no state of its own; subclasses answer for theirs
    /// Makes a formatter.
    public init() {}

    /// Whether the formatter writes its own colors, and escapes everything else.
    ///
    /// A console then writes its lines unchanged.
    ///
    /// False unless overridden. The console colors whole lines of other formatters, and escapes characters
    /// that could move the cursor. ``LogBuffer/colorDepth`` is the number of colors to use.
    open var writesOwnColors: Bool { false }

    /// Whether it hands every text from outside to the buffer's own methods, which redact secrets in it.
    var redactsByItself: Bool { false }

    /// Called when a logger starts to use the formatter, before its first message; does nothing unless
    /// overridden.
    ///
    /// The method is called when the formatter is set, or when a logger that was made with it is added to a
    /// dispatcher. It is called once for each logger, on the logger's queue.
    ///
    /// - Parameter name: The name of the logger.
    open func didAdd(toLogger name: String) {}

    /// Called when a logger stops using the formatter, after its last message; does nothing unless
    /// overridden.
    ///
    /// The method is called on the logger's queue.
    ///
    /// - Parameter name: The name of the logger.
    open func willRemove(fromLogger name: String) {}

    private var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Formats a message as text, without a newline at the end; nil drops the message for this logger.
    ///
    /// The base class returns the text of the other method or, if neither is overridden, the text of the
    /// message.
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
    /// This is the faster method, because it makes no string. If it returns false, everything that it has
    /// appended is removed. The base class appends the result of the other method.
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
