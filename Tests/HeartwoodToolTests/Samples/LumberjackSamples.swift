import Heartwood
import HeartwoodArchive
import HeartwoodLumberjack
import HeartwoodTestSupport

// The code of Docs/MigratingFromCocoaLumberjack.md and of the comments in Sources/HeartwoodLumberjack, word for word;
// `SampleTests` compares them. Nothing of it is called.

private func upload(_ path: String) {}
private func post(_ text: String) {}

private func lumberjackSteps(_ id: Int, _ ddLogLevel: DDLogLevel) {
    // sample: Docs/MigratingFromCocoaLumberjack.md
    DDLog.add(DDOSLogger.sharedInstance)
    let fileLogger = DDFileLogger()
    fileLogger.rollingFrequency = 60 * 60 * 24
    fileLogger.logFileManager.maximumNumberOfLogFiles = 7
    DDLog.add(fileLogger, with: .info)

    DDLogError("payment \(id) failed")
    DDLogVerbose("details of \(id)", context: 7, tag: "payments")
    dynamicLogLevel = .warning
    DDLog.flushLog()
    // end
}

private func lumberjackAndHeartwood(_ fileLogger: DDFileLogger) -> any DDLogFormatter {
    // sample: Docs/MigratingFromCocoaLumberjack.md
    let log = DDLog()
    log.dispatcher.add(RecordingLogger())  // a logger of Heartwood's
    log.dispatcher.levels = .info
    let console = ConsoleLogger()
    LogDispatcher.shared.add(console)  // gets the old calls as well, with typed values

    fileLogger.heartwoodFileLogger?.archiveFormat = .gzip  // what DDFileLogger has no name for
    fileLogger.heartwoodLogger.filter = .contexts([7])

    final class Both: NSObject, DDLogFormatter {
        func format(message: DDLogMessage) -> String? {
            let pieces = message.heartwoodMessage.pieces  // the typed values of old and new calls
            return "\(pieces.count) \(message.message)"
        }
    }
    // end
    return Both()
}

private func bothCalls() {
    // sample: Sources/HeartwoodLumberjack/Dispatcher/DDLog.swift
    DDLog.add(DDOSLogger.sharedInstance)
    DDLogInfo("the old call")
    logInfo("and the new one")
    // end
}

private func levelReference() -> DDLogLevel? {
    // sample: Sources/HeartwoodLumberjack/Levels/DDLogLevel.swift
    let level = DDLogLevel(rawValue: DDLogFlag.error.rawValue | DDLogFlag.debug.rawValue)
    // end
    return level
}

private func callReference() {
    // sample: Sources/HeartwoodLumberjack/Calls/DDLogMessageCall.swift
    func DDLogAudit(_ message: @autoclosure () -> DDLogMessageFormat) {
        _DDLogMessage(
            message(), level: .all, flag: DDLogFlag(rawValue: 1 << 5), context: 0, file: #fileID,
            function: #function, line: #line, tag: nil, asynchronous: nil, ddlog: .sharedInstance)
    }
    // end
    DDLogAudit("who did what")
}

private func classReference() {
    // sample: Sources/HeartwoodLumberjack/Dispatcher/DDRegisteredDynamicLogging.swift
    final class Network: DDRegisteredDynamicLogging {
        nonisolated(unsafe) static var ddLogLevel = DDLogLevel.info
        func connect() { DDLogDebug("connecting", level: Network.ddLogLevel) }
    }
    DDLog.register(Network.self)
    DDLog.setLevel(.debug, forClassWithName: "Network")
    // end
}

private func loggerReference() {
    // sample: Sources/HeartwoodLumberjack/Loggers/DDAbstractLogger.swift
    final class PostingLogger: DDAbstractLogger {
        override func log(message logMessage: DDLogMessage) {
            let text = logFormatter?.format(message: logMessage) ?? logMessage.message
            post(text)
        }
    }
    // end
    DDLog.add(PostingLogger())
}

private func formatterReference() -> any DDLogFormatter {
    // sample: Sources/HeartwoodLumberjack/Loggers/DDLogFormatter.swift
    final class Shout: NSObject, DDLogFormatter {
        func format(message logMessage: DDLogMessage) -> String? {
            logMessage.context == 7 ? nil : logMessage.message.uppercased()
        }
    }
    // end
    return Shout()
}

private func databaseReference() {
    // sample: Sources/HeartwoodLumberjack/Loggers/DDAbstractDatabaseLogger.swift
    final class TableLogger: DDAbstractDatabaseLogger {
        private var waiting: [String] = []
        private(set) var table: [String] = []

        override func db_log(_ logMessage: DDLogMessage) -> Bool {
            waiting.append(logMessage.message)
            return true
        }
        override func db_save() {
            table += waiting
            waiting.removeAll()
        }
    }
    // end
    DDLog.add(TableLogger())
}

private func managerReference() -> DDLogFileManagerDefault {
    // sample: Sources/HeartwoodLumberjack/Files/DDLogFileManagerDefault.swift
    final class DailyFiles: DDLogFileManagerDefault {
        override var newLogFileName: String {
            "shop \(Date().formatted(.iso8601.year().month().day())).log"
        }
        override func isLogFile(withName fileName: String) -> Bool {
            fileName.hasPrefix("shop ") && fileName.hasSuffix(".log")
        }
        override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) { upload(logFilePath) }
    }
    // end
    return DailyFiles()
}

private func fileReference() {
    // sample: Sources/HeartwoodLumberjack/Files/DDFileLogger.swift
    let fileLogger = DDFileLogger()
    fileLogger.rollingFrequency = 60 * 60 * 24
    fileLogger.logFileManager.maximumNumberOfLogFiles = 7
    DDLog.add(fileLogger)
    // end
}
