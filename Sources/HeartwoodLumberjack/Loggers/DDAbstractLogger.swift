public import Heartwood

/// The base class of most loggers, with a queue, a name and a formatter.
///
/// ```swift
/// final class PostingLogger: DDAbstractLogger {
///     override func log(message logMessage: DDLogMessage) {
///         let text = logFormatter?.format(message: logMessage) ?? logMessage.message
///         post(text)
///     }
/// }
/// ```
///
/// Reading ``logFormatter`` in a hook gives the one in effect for the message at hand, and never waits. Heartwood's name
/// for the class is `AbstractLogger`; ``heartwoodLogger`` has what that offers besides: filters, limits, statistics.
open class DDAbstractLogger: NSObject, DDLogger {
    private var backing: AbstractLogger?
    private let added = WeakDispatcher()

    /// Makes a logger.
    public override init() {
        super.init()
        backing = LoggerAdapter(self)
    }

    /// Makes a logger that is backed by something other than its `log(message:)`.
    init(backedBy make: (DDAbstractLogger) -> AbstractLogger) {
        super.init()
        backing = make(self)
    }

    /// The logger that Heartwood's dispatcher uses for this one.
    public final var heartwoodLogger: AbstractLogger { backing.unsafelyUnwrapped }

    /// The dispatcher that it was added to last.
    final var dispatcher: LogDispatcher? { added.value }

    /// Takes note of the dispatcher that it was added to.
    final func noteAdded(to dispatcher: LogDispatcher) { added.value = dispatcher }

    /// Makes it ready for a dispatcher, which keeps it from now on.
    func prepareForAdding() -> AbstractLogger {
        (heartwoodLogger as? LoggerAdapter)?.keepOwner()
        return heartwoodLogger
    }

    // MARK: Settings (any thread, ordered)

    /// Turns messages into texts; nil, the default, leaves texts unchanged.
    ///
    /// A change takes effect exactly between the messages that this thread logged before and after it. Reading it never
    /// waits.
    open var logFormatter: (any DDLogFormatter)? {
        get { (heartwoodLogger.formatter as? FormatterAdapter)?.formatter }
        set { heartwoodLogger.formatter = newValue.map { adapter(for: $0) } ?? defaultFormatter }
    }

    /// What Heartwood's logger uses where no formatter is set.
    var defaultFormatter: LogFormatter? { nil }

    /// The formatter as Heartwood's logger has it.
    func adapter(for formatter: any DDLogFormatter) -> FormatterAdapter {
        FormatterAdapter(formatter, for: self, on: heartwoodLogger.queue)
    }

    /// The serial queue on which the hooks are called.
    open var loggerQueue: DispatchQueue { backing?.queue ?? unspecifiedQueue }

    /// The name; the name of the class unless overridden.
    open var loggerName: DDLoggerName { DDLoggerName(String(describing: type(of: self))) }

    /// Always false, because no code of the program runs on the global queue.
    public final var isOnGlobalLoggingQueue: Bool { false }

    /// Whether the caller runs inside one of this logger's hooks.
    public final var isOnInternalLoggerQueue: Bool { heartwoodLogger.isInHook }

    // MARK: Hooks

    /// Handles a message; does nothing unless overridden.
    open func log(message logMessage: DDLogMessage) {}

    /// Called when the logger was added, before its first message; does nothing unless overridden.
    open func didAdd() {}

    /// Called when the logger was added; calls ``didAdd()`` unless overridden.
    open func didAdd(in queue: DispatchQueue) { didAdd() }

    /// Called after the last message, before the logger is removed; does nothing unless overridden.
    open func willRemove() {}

    /// Writes everything that the logger holds; does nothing unless overridden.
    open func flush() {}
}
