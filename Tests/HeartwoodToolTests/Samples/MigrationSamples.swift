import Heartwood
import HeartwoodConfiguration
import HeartwoodHTTP

// The code of Docs/MigratingFromCocoaLumberjack.md and Docs/MigratingFromSwiftyBeaver.md, word for word; `SampleTests`
// compares them.

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

private func beaverBasics(_ amount: Double) throws {
    // sample: Docs/MigratingFromSwiftyBeaver.md
    let console = ConsoleLogger()  // let console = ConsoleDestination()
    console.formatter = try LogFormatter.swiftyBeaver("$DHH:mm:ss$d $L $M")  // console.format = "…"
    LogDispatcher.shared.add(console, levels: .debug)  // minLevel = .debug; addDestination

    let file = try FileLogger(
        directory: "/var/log/shop",
        naming: LogFileNaming(template: "{app} {date}.log", activeName: "shop.log"))  // file.logFileURL = …
    file.maximumFileSize = .mebibytes(5)  // file.logFileMaxSize = 5 * 1024 * 1024
    file.maximumFileCount = 3  // file.logFileAmount = 3
    LogDispatcher.shared.add(file)  // log.addDestination(file)

    // log.info("paid \(amount)", context: ["order": 17])
    logInfo("paid \(amount)", metadata: ["order": 17])
    LogDispatcher.shared.flush(timeout: .seconds(3))  // log.flush(secondTimeout: 3)
    // end
}

private func beaverFilters(_ file: FileLogger) {
    // sample: Docs/MigratingFromSwiftyBeaver.md
    file.filter = .swiftyBeaver(
        [
            // Filters.Path.contains("Network", minLevel: .info)
            SwiftyBeaverFilter(.path, .contains("Network", ignoringCase: true), minimumLevel: .info),
            // Filters.Function.excludes("password", required: true)
            SwiftyBeaverFilter(.function, .contains("password", ignoringCase: true), role: .excluding),
        ], minimumLevel: .warning)
    // end
}

private func beaverCloud(_ key: Secret) throws {
    // sample: Docs/MigratingFromSwiftyBeaver.md
    let cloud = try HTTPLogger(
        "https://api.swiftybeaver.com/api/entries/", encoding: SwiftyBeaverEncoding(encryptionKey: key),
        spool: "/var/lib/shop/spool")
    cloud.decorators = [.basicAuth(user: "app id", passwordNamed: "APP_SECRET", from: EnvironmentSecrets())]
    cloud.levelWeights = .swiftyBeaver
    cloud.pointThreshold = 10
    LogDispatcher.shared.add(cloud)
    // end
}

private func beaverLevels() throws {
    // sample: Docs/MigratingFromSwiftyBeaver.md
    try LogConfiguration.load("logging.json").apply()  // with HEARTWOOD_LEVEL=debug over it
    // end
}
