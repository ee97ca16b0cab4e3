import HeartwoodLumberjack

/// An app's console: one line per message, colored by severity, with a thread-safe date formatter.
final class ColorFormatter: NSObject, DDLogFormatter {
    private let dateFormatter = DateFormatter()
    private var loggerCount = 0
    var isColored = true

    override init() {
        super.init()
        dateFormatter.dateFormat = "HH:mm:ss.SSS"
    }

    func format(message logMessage: DDLogMessage) -> String? {
        let logLevel: String
        let logFlag = logMessage.flag
        if logFlag.contains(.error) {
            logLevel = "\u{001B}[31mE"
        } else if logFlag.contains(.warning) {
            logLevel = "\u{001B}[33mW"
        } else if logFlag.contains(.info) {
            logLevel = "\u{001B}[32mI"
        } else if logFlag.contains(.debug) {
            logLevel = "\u{001B}[34mD"
        } else {
            logLevel = "\u{001B}[90mV"
        }
        let reset = isColored ? "\u{001B}[0m" : ""
        let level = isColored ? logLevel : String(logLevel.suffix(1))
        let date = dateFormatter.string(from: logMessage.timestamp)
        let place = "\(logMessage.fileName).\(logMessage.function ?? "nil"):\(logMessage.line)"
        return "\(date) |\(level)\(reset)| [\(place)] \(logMessage.message)"
    }

    func didAdd(to logger: DDLogger) {
        loggerCount += 1
        assert(loggerCount <= 1, "This logger isn't thread-safe")
    }

    func willRemove(from logger: DDLogger) { loggerCount -= 1 }
}

/// What an app delegate does.
enum ConsoleSetup {
    static func start(colors: Bool) {
        // swift-format-ignore
        let console = DDTTYLogger.sharedInstance!
        let formatter = ColorFormatter()
        formatter.isColored = colors
        console.logFormatter = formatter
        console.colorsEnabled = colors
        console.setForegroundColor(DDMakeColor(64, 128, 255), backgroundColor: nil, for: .info)
        console.setForegroundColor(DDMakeColor(128, 128, 128), backgroundColor: nil, for: [.debug, .verbose])
        DDLog.add(console, with: .debug)
        #if DEBUG
        dynamicLogLevel = .verbose
        #else
        dynamicLogLevel = .info
        #endif
    }
}
