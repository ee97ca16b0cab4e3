import HeartwoodLumberjack

/// The old logging functions of an app that was written in Objective-C once: places come as strings.
class LegacyLog: NSObject {
    static let shared = LegacyLog()
    var asynchronous = true

    func logMessage(
        _ text: String, flag: DDLogFlag, context: Int, file: String, function: String, line: Int,
        tag: Any? = nil
    ) {
        guard dynamicLogLevel.rawValue & flag.rawValue != 0 else { return }
        let message = DDLogMessage(
            format: text, formatted: text, level: dynamicLogLevel, flag: flag, context: context, file: file,
            function: function, line: UInt(line), tag: tag, options: [.copyFile, .copyFunction],
            timestamp: Date())
        DDLog.sharedInstance.log(asynchronous: asynchronous && flag != .error, message: message)
    }

    func logFormat(
        _ format: String, _ arguments: CVarArg..., flag: DDLogFlag, file: String, function: String, line: Int
    ) {
        withVaList(arguments) { list in
            DDLog.log(
                asynchronous: asynchronous, level: .all, flag: flag, context: 0, file: file,
                function: function,
                line: UInt(line), tag: nil, format: format, arguments: list)
        }
    }
}

func LogError(_ text: String, file: String = #file, function: String = #function, line: Int = #line) {
    LegacyLog.shared.logMessage(text, flag: .error, context: 0, file: file, function: function, line: line)
}

func LogInfo(
    _ text: String, context: Int = 0, tag: Any? = nil, file: String = #file, function: String = #function,
    line: Int = #line
) {
    LegacyLog.shared.logMessage(
        text, flag: .info, context: context, file: file, function: function, line: line, tag: tag)
}

func LogFormat(
    _ format: String, _ first: CVarArg, _ second: CVarArg, file: String = #file, function: String = #function,
    line: Int = #line
) {
    LegacyLog.shared.logFormat(
        format, first, second, flag: .debug, file: file, function: function, line: line)
}
