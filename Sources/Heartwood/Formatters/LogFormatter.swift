/// Turns a message into text, or drops it.
///
/// A closure makes a custom formatter:
///
/// ```swift
/// let shout = LogFormatter { message in message.text.uppercased() }
/// ```
///
/// It is also the base class of all formatters: a subclass overrides one of the two `format` methods.
///
/// A formatter is called on the queue of its logger. If several loggers use it, they call it at the same
/// time, so it must be safe for that. A formatter can log; such a call never waits.
open class LogFormatter: @unchecked Sendable {  // constants only; subclasses answer for their state
    private enum Source {
        case subclass
        case text(@Sendable (LogMessage) -> String?)
        case bytes(@Sendable (LogMessage, inout LogBuffer) -> Bool)
    }

    // Set by initializers only.
    private final var source = Source.subclass
    private final var colors = false

    /// Makes the base of a subclass; without one, a formatter that writes the text of the message.
    public init() {}

    /// Makes a formatter from a closure that returns the text, without a newline at the end.
    ///
    /// - Parameters:
    ///   - writesOwnColors: See ``writesOwnColors-swift.property``; false unless given.
    ///   - format: Returns the text, or nil to drop the message for the logger. Several loggers can call it
    ///     at the same time, so it is `@Sendable`.
    public convenience init(
        writesOwnColors: Bool = false, _ format: @escaping @Sendable (_ message: LogMessage) -> String?
    ) {
        self.init()
        (source, colors) = (.text(format), writesOwnColors)
    }

    /// Makes a formatter from a closure that appends UTF-8 to a buffer, which is faster than making strings.
    ///
    /// ```swift
    /// let tabs = LogFormatter { message, output in
    ///     output.append(rfc3339: message.timestamp)
    ///     output.append(UInt8(ascii: "\t"))
    ///     output.appendText(of: message, privacy: .redact, escaping: .escape)
    ///     return true
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writesOwnColors: See ``writesOwnColors-swift.property``; false unless given.
    ///   - format: Appends the text, without a newline at the end; false drops the message for the logger,
    ///     with all that was appended. Several loggers can call it at the same time.
    public convenience init(
        writesOwnColors: Bool = false,
        into format: @escaping @Sendable (_ message: LogMessage, _ output: inout LogBuffer) -> Bool
    ) {
        self.init()
        (source, colors) = (.bytes(format), writesOwnColors)
    }

    /// Whether the formatter writes its own colors, and escapes everything else.
    ///
    /// A console then writes its lines unchanged.
    ///
    /// What the initializer says, and false in a subclass, unless overridden. The console colors whole lines
    /// of other formatters, and escapes characters that could move the cursor. ``LogBuffer/colorDepth`` is
    /// the number of colors to use.
    open var writesOwnColors: Bool { colors }

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
    /// The base class returns the result of the closure or of the other method or, without either, the text
    /// of the message.
    open func format(_ message: LogMessage) -> String? {
        if case .text(let format) = source { return format(message) }
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
    /// appended is removed. The base class calls the closure, or appends the result of the other method.
    open func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        switch source {
        case .bytes(let format): return format(message, &output)
        case .text(let format):
            guard let text = format(message) else { return false }
            output.append(text)
            return true
        case .subclass: break
        }
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
