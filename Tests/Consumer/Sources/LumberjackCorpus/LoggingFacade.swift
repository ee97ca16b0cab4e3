import HeartwoodLumberjack

/// What the app's classes get by injection.
protocol Logging {
    func log(_ level: LogSeverity, _ message: @autoclosure () -> String, file: StaticString, line: UInt)
}

extension Logging {
    func error(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
        log(.error, message(), file: file, line: line)
    }
    func info(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
        log(.info, message(), file: file, line: line)
    }
    func debug(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
        log(.debug, message(), file: file, line: line)
    }
}

enum LogSeverity {
    case error, info, debug
}

/// The one for production.
final class LumberjackLogging: Logging {
    private let ddlog: DDLog

    init(ddlog: DDLog = .sharedInstance, loggers: [(DDLogger, DDLogLevel)]) {
        self.ddlog = ddlog
        for (logger, level) in loggers { ddlog.add(logger, with: level) }
    }

    func log(_ level: LogSeverity, _ message: @autoclosure () -> String, file: StaticString, line: UInt) {
        switch level {
        case .error: DDLogError(message(), file: file, line: line, ddlog: ddlog)
        case .info: DDLogInfo(message(), file: file, line: line, ddlog: ddlog)
        case .debug: DDLogDebug("\(message())", file: file, line: line, ddlog: ddlog)
        }
    }

    func shutDown() {
        ddlog.flushLog()
        ddlog.removeAllLoggers()
    }
}

/// Keeps the newest lines for a screen of the app, with the formatter kept apart, as there reading it deadlocks.
final class ScreenLogger: DDAbstractLogger {
    private let limit: Int
    private var storage: [String] = []
    private var internalLogFormatter: DDLogFormatter?

    init(limit: Int) {
        self.limit = limit
        super.init()
    }

    override var logFormatter: DDLogFormatter? {
        get { return super.logFormatter }
        set {
            super.logFormatter = newValue
            internalLogFormatter = newValue
        }
    }

    override var loggerName: DDLoggerName { return DDLoggerName("com.example.screen") }

    override func log(message logMessage: DDLogMessage) {
        var message = logMessage.message
        if let formatter = internalLogFormatter {
            guard let formatted = formatter.format(message: logMessage) else { return }
            message = formatted
        }
        storage.append(message)
        if storage.count > limit { storage.removeFirst(storage.count - limit) }
    }

    var lines: [String] {
        return loggerQueue.sync { storage }
    }
}
