import Heartwood
import HeartwoodConfiguration

// The code of Docs/MigratingFromCocoaLumberjack.md, word for word; `SampleTests` compares them.

private func post(_ text: String) {}

private func lumberjackBasics(_ id: Int) throws {
    // sample: Docs/MigratingFromCocoaLumberjack.md
    LogDispatcher.shared.add(ConsoleLogger())  // DDLog.add(DDTTYLogger.sharedInstance!)

    let file = try FileLogger(directory: "/var/log/shop")  // let file = DDFileLogger()
    file.maximumFileSize = .mebibytes(5)  // file.maximumFileSize = 5 * 1024 * 1024
    file.rollingInterval = .seconds(86_400)  // file.rollingFrequency = 60 * 60 * 24
    file.maximumFileCount = 7  // file.logFileManager.maximumNumberOfLogFiles = 7
    file.diskQuota = .mebibytes(50)  // file.logFileManager.logFilesDiskQuota = 50 * 1024 * 1024
    file.formatter = PatternFormatter.cocoaLumberjackFile()  // the lines look as they did
    LogDispatcher.shared.add(file, levels: .info)  // DDLog.add(file, with: .info)

    logError("payment \(id) failed")  // DDLogError("payment \(id) failed")
    LogDispatcher.shared.flush()  // DDLog.flushLog()
    // end
}

// sample: Docs/MigratingFromCocoaLumberjack.md
// final class PostingLogger: DDAbstractLogger { override func log(message: DDLogMessage) {
//     let text = logFormatter?.format(message: message) ?? message.message: deadlocks there
let posting = CallbackLogger(name: "posting", formatter: LineFormatter()) { _, line in post(line) }
// end

// sample: Docs/MigratingFromCocoaLumberjack.md
// final class ImportantOnly: NSObject, DDLogFormatter { func format(message: DDLogMessage) -> String? {
let importantOnly = LogFormatter { message in
    message.context == 7 ? nil : "\(message.level): \(message.text)"
}
// end

private func lumberjackLevels(_ file: FileLogger) throws {
    // sample: Docs/MigratingFromCocoaLumberjack.md
    LogDispatcher.shared.levels = .warning  // dynamicLogLevel = .warning
    LogCategory.setLevels(.debug, matching: "net.*")  // DDLog.setLevel(.debug, forClassWithName: "Net")
    LogSourceLevels.set(.verbose, matching: "Shop/Cart.swift")  // none
    file.levels = .error  // remove, and add again with: .error
    try LogConfiguration.environment().apply()  // HEARTWOOD_LEVEL=debug,net.*=verbose
    // end
}
