import HeartwoodLumberjack

/// The contexts of an app and of a library in it.
enum LogContext: Int {
    case app = 0
    case network = 80
    case analytics = 81
}

/// A file for each part, a chain of formatters for each file.
final class ContextRouting {
    let networkLogger: DDFileLogger
    let appLogger: DDFileLogger
    private let denied = DDContextDenylistFilterLogFormatter()

    init(directory: URL) {
        let network = directory.appendingPathComponent("network", isDirectory: true).path
        let app = directory.appendingPathComponent("app", isDirectory: true).path
        networkLogger = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: network))
        appLogger = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: app))

        let allowed = DDContextAllowlistFilterLogFormatter()
        allowed.add(toAllowlist: LogContext.network.rawValue)
        let networkChain = DDMultiFormatter()
        networkChain.add(allowed)
        networkChain.add(TagFormatter())
        networkLogger.logFormatter = networkChain

        denied.add(toDenylist: LogContext.network.rawValue)
        let appChain = DDMultiFormatter()
        appChain.add(denied)
        appChain.add(QueueFormatter())
        appLogger.logFormatter = appChain
    }

    func start() {
        DDLog.add(networkLogger, with: .debug)
        DDLog.add(appLogger, with: .info)
    }

    func mute(_ context: LogContext, _ isMuted: Bool) {
        if isMuted {
            denied.add(toDenylist: context.rawValue)
        } else {
            denied.remove(fromDenylist: context.rawValue)
        }
    }

    var isAnalyticsMuted: Bool {
        return denied.is(onDenylist: LogContext.analytics.rawValue)
    }
}

/// Puts the tag in front; never drops.
private class TagFormatter: NSObject, DDLogFormatter {
    func format(message logMessage: DDLogMessage) -> String? {
        guard let tag = logMessage.representedObject as? String else { return logMessage.message }
        return "<\(tag)> \(logMessage.message)"
    }
}

/// The queue's short name in front.
private class QueueFormatter: DDDispatchQueueLogFormatter {
    override init() {
        super.init()
        minQueueLength = 4
        maxQueueLength = 8
        setReplacementString("work", forQueueLabel: "com.example.worker")
    }

    override func format(message logMessage: DDLogMessage) -> String {
        return "[\(queueThreadLabel(for: logMessage))] \(logMessage.message)"
    }
}
