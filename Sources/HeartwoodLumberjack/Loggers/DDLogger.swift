/// A destination of messages.
///
/// Most loggers derive from ``DDAbstractLogger``. All hooks of a logger are called one at a time, on its
/// queue, and may log, read and set properties and flush: nothing of this waits there.
public protocol DDLogger: NSObjectProtocol {
    /// Handles a message.
    func log(message logMessage: DDLogMessage)

    /// Turns messages into texts; for the logger itself to use.
    var logFormatter: (any DDLogFormatter)? { get set }

    /// Called when the logger was added, before its first message; does nothing by default.
    func didAdd()

    /// Called when the logger was added, in place of ``didAdd()`` where both are there.
    func didAdd(in queue: DispatchQueue)

    /// Called after its last message, before it is removed; does nothing by default.
    func willRemove()

    /// Writes what is held back; does nothing by default.
    func flush()

    /// The serial queue that the hooks are called on; one is made unless the logger gives one.
    var loggerQueue: DispatchQueue { get }

    /// The name; that of the class by default.
    var loggerName: DDLoggerName { get }
}

extension DDLogger {
    /// Does nothing.
    public func didAdd() {}

    /// Calls ``didAdd()``.
    public func didAdd(in queue: DispatchQueue) { didAdd() }

    /// Does nothing.
    public func willRemove() {}

    /// Does nothing.
    public func flush() {}

    /// A placeholder: the dispatcher makes a queue for the logger.
    public var loggerQueue: DispatchQueue { unspecifiedQueue }

    /// The name of the class.
    public var loggerName: DDLoggerName { DDLoggerName(String(describing: type(of: self))) }
}

/// Says that a logger gives no queue.
let unspecifiedQueue = DispatchQueue(label: "cocoa.lumberjack.unspecified")

/// The name of a logger, in statistics and reports.
public struct DDLoggerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name of ``DDOSLogger``.
    public static let os = DDLoggerName("cocoa.lumberjack.osLogger")
    /// The name of ``DDFileLogger``.
    public static let file = DDLoggerName("cocoa.lumberjack.fileLogger")
    /// The name of ``DDTTYLogger``.
    public static let tty = DDLoggerName("cocoa.lumberjack.ttyLogger")
    /// The name of the logger for the Apple System Log, which does not exist anymore.
    public static let asl = DDLoggerName("cocoa.lumberjack.aslLogger")
}
