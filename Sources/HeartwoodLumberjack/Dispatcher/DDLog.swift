public import Heartwood

/// Delivers the messages of `DDLog…` calls to loggers.
///
/// It is a dispatcher of Heartwood's, ``dispatcher``: the shared one is `LogDispatcher.shared`, and each
/// other one has nothing in common with it. Calls of both kinds go the same way, and keep one order:
///
/// ```swift
/// DDLog.add(DDOSLogger.sharedInstance)
/// DDLogInfo("the old call")
/// logInfo("and the new one")
/// ```
///
/// All members may be used from any thread, from inside of loggers and formatters too.
open class DDLog: NSObject, @unchecked Sendable {  // constants only
    /// The shared dispatcher, which calls use by default.
    public static let sharedInstance = DDLog(target: nil)

    /// The dispatcher of Heartwood that delivers the messages.
    public final var dispatcher: LogDispatcher { target ?? .shared }

    /// The dispatcher as calls name it: nil is the shared one.
    @usableFromInline let target: LogDispatcher?

    // MARK: Guarded by 'members'
    private let members = Locked<[Member]>([])

    /// A logger, and what it is in Heartwood's dispatcher.
    private struct Member: @unchecked Sendable {  // loggers guard themselves
        let logger: any DDLogger
        let backing: AbstractLogger
    }

    /// Makes a dispatcher that is independent of all others.
    public override init() { target = LogDispatcher() }

    private init(target: LogDispatcher?) { self.target = target }

    // MARK: Loggers

    /// Adds a logger, which gets all messages from now on.
    open func add(_ logger: any DDLogger) { add(logger, with: .all) }

    /// Adds a logger, which gets the messages of these levels from now on.
    ///
    /// Adding a logger again sets its level: it never gets a message twice. A logger may be in several
    /// dispatchers; only a ``DDFileLogger`` and a ``DDAbstractDatabaseLogger`` are in one.
    ///
    /// - Parameters:
    ///   - logger: The logger; it is kept until it is removed.
    ///   - level: What it gets.
    open func add(_ logger: any DDLogger, with level: DDLogLevel) {
        let levels = LogLevelMask(level)
        if let known = backing(of: logger) { return known.levels = levels }
        let backing = (logger as? DDAbstractLogger)?.prepareForAdding() ?? LoggerAdapter(keeping: logger)
        guard dispatcher.add(backing, levels: levels) else { return }
        (logger as? DDAbstractLogger)?.noteAdded(to: dispatcher, as: backing)
        members.withLock { $0.append(Member(logger: logger, backing: backing)) }
    }

    /// Removes a logger after it has handled all earlier messages.
    ///
    /// Waits for that, ten seconds at most, and inside of a logger not at all.
    open func remove(_ logger: any DDLogger) {
        guard let backing = backing(of: logger) else { return }
        dispatcher.remove(backing)
        forgetRemoved()
    }

    /// Removes all loggers, including those that were added to Heartwood's dispatcher.
    ///
    /// Waits until they have handled what was logged before, ten seconds at most.
    open func removeAllLoggers() {
        dispatcher.removeAll()
        forgetRemoved()
    }

    /// The loggers, in the order in which they were added; those that were added to Heartwood's dispatcher
    /// are not listed.
    open var allLoggers: [any DDLogger] { current.map(\.logger) }

    /// The loggers with their levels, in the order in which they were added.
    open var allLoggersWithLevel: [DDLoggerInformation] {
        current.map {
            DDLoggerInformation(logger: $0.logger, andLevel: DDLogLevel(heartwoodMask: $0.backing.levels))
        }
    }

    /// The members that are still added: Heartwood's dispatcher decides.
    private var current: [Member] {
        let loggers = dispatcher.loggers
        return members.withLock { $0 }.filter { member in loggers.contains { $0 === member.backing } }
    }

    private func backing(of logger: any DDLogger) -> AbstractLogger? {
        current.first { $0.logger === logger }?.backing
    }

    private func forgetRemoved() {
        let loggers = dispatcher.loggers
        // What is forgotten ends outside of the lock: its end is the user's code.
        let gone = members.withLock { members in
            let isGone = { (member: Member) in !loggers.contains { $0 === member.backing } }
            let gone = members.filter(isGone)
            members.removeAll(where: isGone)
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    // MARK: Messages

    /// Logs an existing message; loggers get this object itself.
    ///
    /// ``dynamicLogLevel`` and the message's level do not count here; the levels of the loggers do.
    ///
    /// - Parameters:
    ///   - asynchronous: False waits until all loggers have handled the message.
    ///   - message: The message.
    open func log(asynchronous: Bool, message: DDLogMessage) {
        dispatcher.log(message.departing, asynchronous: asynchronous)
    }

    /// Logs a message that is made of a format and a list of values.
    ///
    /// `String(format:)` puts the text together on the caller's thread. All loggers get the message, whatever
    /// `dynamicLogLevel` is; their own levels decide.
    ///
    /// - Parameters:
    ///   - asynchronous: `false` waits until all loggers have handled the message.
    ///   - level: The flags that the call site logs. It does not filter this message.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use.
    ///   - file: The path of the source file, as a C string.
    ///   - function: The function, as a C string; nil if it is not known.
    ///   - line: The line, from 1.
    ///   - tag: Any value, which loggers and formatters get as ``DDLogMessage/representedObject``.
    ///   - format: A format of `String(format:)`. It must not come from outside the program.
    ///   - arguments: The values of the format.
    open func log(
        asynchronous: Bool, level: DDLogLevel, flag: DDLogFlag, context: Int, file: UnsafePointer<CChar>,
        function: UnsafePointer<CChar>?, line: UInt, tag: Any?, format: String, arguments: CVaListPointer
    ) {
        log(
            asynchronous: asynchronous,
            message: DDLogMessage(
                format: format, args: arguments, level: level, flag: flag, context: context,
                file: String(cString: file), function: function.map { String(cString: $0) }, line: line,
                tag: tag,
                options: [], timestamp: nil))
    }

    /// Waits until all loggers have handled and written all earlier messages, up to ten seconds.
    ///
    /// `dispatcher.flush()` says which have not.
    open func flushLog() { dispatcher.flush() }
}
