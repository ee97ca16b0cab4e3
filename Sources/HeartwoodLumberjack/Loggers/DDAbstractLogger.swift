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
/// Reading ``logFormatter`` in a hook gives the one in effect for the message at hand, and never waits.
/// Heartwood's name for the class is `AbstractLogger`; ``heartwoodLogger`` has what that offers besides:
/// filters, limits, statistics.
open class DDAbstractLogger: NSObject, DDLogger {
    private var backing: AbstractLogger?

    // MARK: Guarded by themselves
    private let added = Locked(Membership())

    /// Where the logger is.
    private struct Membership: Sendable {
        /// The dispatcher that the backing was added to last.
        weak var dispatcher: LogDispatcher?
        /// What backs the logger in further dispatchers.
        var others: [Weak<AbstractLogger>] = []
    }

    // No initializer of this class or its subclasses is hidden from clients: a class that has one hands no
    // initializer on to subclasses elsewhere. So what backs a logger is a method's to decide.

    /// Makes a logger.
    public override init() {
        super.init()
        backing = makeBacking()
    }

    /// Makes what backs the logger in its first dispatcher; by default, what calls its `log(message:)`.
    func makeBacking() -> AbstractLogger { LoggerAdapter(self) }

    /// Makes what backs the logger in one more dispatcher; nil where it can be in one only.
    ///
    /// The default works off its messages on the same serial queue, so that hooks never overlap.
    func makeFurtherBacking() -> AbstractLogger? { LoggerAdapter(keeping: self) }

    /// The logger that Heartwood's dispatcher uses for this one.
    ///
    /// Where it was added to several, that of the first.
    public final var heartwoodLogger: AbstractLogger { backing.unsafelyUnwrapped }

    /// What backs it in further dispatchers.
    final var furtherBackings: [AbstractLogger] { added.withLock { $0.others.compactMap(\.object) } }

    /// The dispatcher that it was added to last.
    final var dispatcher: LogDispatcher? { added.withLock { $0.dispatcher } }

    /// Takes note of the dispatcher that it was added to.
    final func noteAdded(to dispatcher: LogDispatcher, as backing: AbstractLogger) {
        added.withLock { added in
            if backing === heartwoodLogger {
                added.dispatcher = dispatcher
            } else {
                added.others.removeAll { $0.object == nil }
                added.others.append(Weak(backing))
            }
        }
    }

    /// Makes it ready for a dispatcher, which keeps it from now on.
    final func prepareForAdding() -> AbstractLogger {
        let isTaken = dispatcher?.loggers.contains { $0 === heartwoodLogger } == true
        if isTaken, let further = makeFurtherBacking() { return further }
        keepForDispatcher()
        return heartwoodLogger
    }

    /// Has the backing keep the logger until it is removed.
    func keepForDispatcher() { (heartwoodLogger as? LoggerAdapter)?.keepOwner() }

    // MARK: Settings (any thread, ordered)

    /// Turns messages into texts; nil, the default, leaves texts unchanged.
    ///
    /// A change takes effect exactly between the messages that this thread logged before and after it.
    /// Reading it never waits.
    open var logFormatter: (any DDLogFormatter)? {
        get { (heartwoodLogger.formatter as? FormatterAdapter)?.formatter }
        set {
            let formatter = newValue.map { adapter(for: $0) }
            heartwoodLogger.formatter = formatter ?? defaultFormatter
            for other in furtherBackings { other.formatter = formatter?.silent ?? defaultFormatter }
        }
    }

    /// What Heartwood's logger uses where no formatter is set.
    var defaultFormatter: LogFormatter? { nil }

    /// Whether it is one of the two loggers that write to the console, and no subclass of them.
    var isPlainConsole: Bool { false }

    /// The formatter as Heartwood's logger has it.
    func adapter(for formatter: any DDLogFormatter) -> FormatterAdapter {
        FormatterAdapter(formatter, for: self, on: heartwoodLogger.queue)
    }

    /// The serial queue on which the hooks are called.
    open var loggerQueue: DispatchQueue { backing?.queue ?? unspecifiedQueue }

    /// The name; the name of the class unless overridden.
    open var loggerName: DDLoggerName { DDLoggerName(String(describing: type(of: self))) }

    /// Always false, because no code of the program runs on the global queue.
    open var isOnGlobalLoggingQueue: Bool { false }

    /// Whether the caller runs inside one of this logger's hooks.
    open var isOnInternalLoggerQueue: Bool {
        heartwoodLogger.isInHook || furtherBackings.contains(where: \.isInHook)
    }

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
