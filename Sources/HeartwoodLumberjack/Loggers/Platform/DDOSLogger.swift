#if canImport(os)
import os

/// Writes messages to the unified log as public text.
///
/// Heartwood's tests run on Linux and do not test this class.
///
/// Heartwood's name for it is `SystemLogger`, which keeps private what is private.
open class DDOSLogger: DDAbstractLogger, @unchecked Sendable {  // constants; the formatter is ordered
    /// The logger of the default log.
    public static let sharedInstance = DDOSLogger()

    /// Maps flags to types.
    open var logLevelMapper: any DDOSLogLevelMapper { mapper }
    private let mapper: any DDOSLogLevelMapper
    private let systemLog: OSLog

    /// Makes a logger for a subsystem and a category; give both or neither.
    public init(subsystem: String?, category: String?, logLevelMapper: any DDOSLogLevelMapper) {
        mapper = logLevelMapper
        if let subsystem, let category {
            systemLog = OSLog(subsystem: subsystem, category: category)
        } else {
            systemLog = .default
        }
        super.init()
    }

    /// Makes a logger for a subsystem and a category; give both or neither.
    public convenience init(subsystem: String?, category: String?) {
        self.init(subsystem: subsystem, category: category, logLevelMapper: DDOSLogLevelMapperDefault())
    }

    /// Makes a logger of the default log.
    public convenience init(logLevelMapper: any DDOSLogLevelMapper) {
        self.init(subsystem: nil, category: nil, logLevelMapper: logLevelMapper)
    }

    /// Makes a logger of the default log.
    public override convenience init() { self.init(subsystem: nil, category: nil) }

    /// The name.
    open override var loggerName: DDLoggerName { .os }

    /// Writes the message.
    open override func log(message logMessage: DDLogMessage) {
        let formatter = logFormatter
        guard let text = formatter == nil ? logMessage.message : formatter?.format(message: logMessage) else {
            return
        }
        let type = logLevelMapper.osLogType(for: logMessage.flag)
        os.Logger(systemLog).log(level: type, "\(text, privacy: .public)")
    }
}
#else
import Heartwood

/// Writes messages to standard error on platforms without a unified log.
///
/// A program that also adds ``DDTTYLogger`` has each message there twice. For journald and syslog there is
/// Heartwood's `SystemLogger`.
open class DDOSLogger: DDAbstractLogger, @unchecked Sendable {  // state is the console's
    /// The shared logger without a subsystem.
    public static let sharedInstance = DDOSLogger()

    private let category: String?

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - subsystem: Without effect here.
    ///   - category: Written in front of each text, where given.
    public init(subsystem: String?, category: String?) {
        self.category = category
        super.init()
    }

    /// Makes a logger.
    public override convenience init() { self.init(subsystem: nil, category: nil) }

    override func makeBacking() -> AbstractLogger { ConsoleAdapter(self, formatter: defaultFormatter) }

    override func makeFurtherBacking() -> AbstractLogger? {
        guard let console = heartwoodLogger as? ConsoleAdapter else { return nil }
        return ConsoleAdapter(like: console, of: self)
    }

    override func keepForDispatcher() { (heartwoodLogger as? ConsoleAdapter)?.keepOwner() }

    /// The name.
    open override var loggerName: DDLoggerName { .os }

    /// Writes the message; overrides call it to write theirs.
    open override func log(message logMessage: DDLogMessage) {
        let consoles = ([heartwoodLogger] + furtherBackings).compactMap { $0 as? ConsoleAdapter }
        consoles.first(where: \.isInHook)?.write(logMessage)
    }

    override var isPlainConsole: Bool { type(of: self) == DDOSLogger.self }

    override var defaultFormatter: LogFormatter? { DDOSLogger.layout(category) }

    /// The layout of the terminal logger, with the category.
    private static func layout(_ category: String?) -> LogFormatter? {
        guard let category else { return PatternFormatter.cocoaLumberjackConsole() }
        var options = PatternFormatter.Options()
        options.zone = .local
        let safe = category.replacingOccurrences(of: "{", with: "(").replacingOccurrences(of: "}", with: ")")
        return try? PatternFormatter(
            "{time:yyyy-MM-dd HH:mm:ss:SSS} {process}[{pid}:{threadID}] [\(safe)] {message}", options)
    }
}
#endif
