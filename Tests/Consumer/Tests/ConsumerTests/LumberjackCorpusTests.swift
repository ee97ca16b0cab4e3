import Foundation
import Heartwood
import HeartwoodLumberjack
import Testing

@testable import LumberjackCorpus

/// What the ten files do when they run, on the shared dispatcher, one after the other.
@Suite("Files written against CocoaLumberjack", .serialized)
final class LumberjackCorpusTests {
    private let directory =
        FileManager.default.temporaryDirectory.path + "/lumberjack-corpus-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        DDLog.removeAllLoggers()
        resetDynamicLogLevel()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func texts(_ folder: String = "") -> [String] {
        let path = directory + "/" + folder
        return names(folder).map {
            String(decoding: FileManager.default.contents(atPath: path + "/" + $0) ?? Data(), as: UTF8.self)
        }
    }

    private func names(_ folder: String = "") -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/" + folder)) ?? []
        return all.filter { !$0.hasPrefix(".") && $0 != "network" && $0 != "app" }.sorted()
    }

    @Test("A formatter with colors writes one colored line for each message to the terminal")
    func colorFormatter() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            ConsoleSetup.start(colors: false)
            DDLogError("no such file")
            DDLogVerbose("not shown")
            DDLog.flushLog()
            ConsoleSetup.start(colors: true)
            DDLogInfo("colored")
            DDLog.flushLog()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 2)
        #expect(
            lines[0].wholeMatch(
                of: /\d\d:\d\d:\d\d\.\d{3} \|E\| \[LumberjackCorpusTests\..*:\d+\] no such file/) != nil)
        #expect(lines[1].contains("|\u{1b}[32mI\u{1b}[0m|") && lines[1].hasSuffix("] colored"))
    }

    @Test("Files named by day and session are gone on with by a second run, numbered, and pruned by the app")
    func datedFiles() async throws {
        func run(_ texts: ClosedRange<Int>, session: String) async -> DatedFileManager {
            let manager = DatedFileManager(
                directory: URL(fileURLWithPath: directory), prefix: "shop", session: session)
            let logger = DDFileLogger(logFileManager: manager, completionQueue: .main)
            logger.maximumFileSize = 0
            DDLog.add(logger)
            for number in texts { DDLogInfo("message \(number)") }
            DDLog.flushLog()
            return manager
        }
        _ = await run(1...1000, session: "a")
        DDLog.removeAllLoggers()
        #expect(names().count == 1 && names()[0].hasSuffix("_a.log"))
        let second = await run(1001...2000, session: "a")
        #expect(names().count == 1 && texts()[0].split(separator: "\n").count == 2000)
        let logger = try #require(DDLog.allLoggers.first as? DDFileLogger)
        for number in 0..<14 {
            await withCheckedContinuation { done in logger.rollLogFile { done.resume() } }
            DDLogInfo("file \(number)")
            DDLog.flushLog()
        }
        // The manager's callbacks come on the main queue as well, before this.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        second.prune()
        #expect(second.sortedLogFileNames.count == 10 && second.sortedLogFileNames[0].hasSuffix("_a 15.log"))
        DDLog.removeAllLoggers()
    }

    @Test("JSON lines are objects with all that a message says, also with a length in front of each")
    func jsonFormatter() throws {
        let manager = DDLogFileManagerDefault(logsDirectory: directory)
        let logger = DDFileLogger(logFileManager: manager)
        logger.logFormatter = JSONFormatter(service: "shop")
        DDLog.add(logger)
        DDLogWarn("payment of \(12.5) \"refused\"", context: 3, tag: ["order": 17, "name": "a\nb"])
        DDLogVerbose("second\nline")
        DDLog.removeAllLoggers()
        let lines = try #require(texts().first).split(separator: "\n")
        #expect(lines.count == 2)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(
            object["message"] as? String == "payment of 12.500000 \"refused\""
                && object["level"] as? String == "warn")
        #expect(
            (object["fields"] as? [String: Any])?["order"] as? Int == 17 && object["context"] as? Int == 3)
        #expect(
            object["file"] as? String == "LumberjackCorpusTests" && object["service"] as? String == "shop")

        let framed = DDLogFileManagerDefault(logsDirectory: directory + "/framed")
        framed.logMessageSerializer = LengthPrefixedSerializer()
        let second = DDFileLogger(logFileManager: framed)
        second.logFormatter = JSONFormatter.shared
        second.automaticallyAppendNewlineForCustomFormatters = false
        DDLog.add(second)
        for number in 0..<3 { DDLogInfo("\(number)") }
        DDLog.removeAllLoggers()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: directory + "/framed/" + names("framed")[0]))
        var count = 0
        while bytes.count > 4 {
            let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            #expect((try? JSONSerialization.jsonObject(with: bytes.dropFirst(4).prefix(length))) != nil)
            bytes = Data(bytes.dropFirst(4 + length))
            count += 1
        }
        #expect(count == 3 && bytes.isEmpty)
    }

    @Test(
        "Archived files are uploaded and removed, and those that could not be sent are sent by the next run")
    func uploads() async {
        let transport = Transport()
        let uploader = LogUploader(directory: directory, transport: transport)
        let logger = DDFileLogger(logFileManager: uploader)
        DDLog.add(logger)
        func rollAndWait() async {
            let before = transport.count
            await withCheckedContinuation { done in
                transport.onCount(before + 1) { done.resume() }
                uploader.rollAndUpload()
            }
        }
        DDLogInfo("first file")
        await rollAndWait()
        transport.isOnline = false
        DDLogInfo("second file")
        await rollAndWait()
        DDLog.removeAllLoggers()
        #expect(transport.arrived.count == 1 && uploader.failures == 1)
        #expect(transport.arrived[0].contains("first file"))
        #expect(texts().joined().contains("second file") && !texts().joined().contains("first file"))
        transport.isOnline = true
        let again = LogUploader(directory: directory, transport: transport)
        await withCheckedContinuation { done in
            transport.onCount(3) { done.resume() }
            again.uploadLeftovers()
        }
        #expect(transport.arrived.count == 2 && transport.arrived[1].contains("second file"))
    }

    @Test("Levels of files and modules decide for their own calls, while the program runs")
    func perFileLevels() {
        let screen = ScreenLogger(limit: 100)
        DDLog.add(screen)
        let session = NetworkSession(name: "api")
        #expect(session.load("/short") == 6)
        dynamicLogLevel = .warning
        #expect(session.load("/a/path/that/is/too/long") == 24)
        resetDynamicLogLevel()
        LogModule.payments.debug("not yet")
        LogModule.payments.level = .debug
        LogModule.payments.debug("now \(1)")
        LogModule.sync.debug("not at all")
        LogModule.sync.level = errorsAndDebugging
        LogModule.sync.debug("debugging")
        LogModule.sync.error("error")
        DDLog.flushLog()
        #expect(
            screen.lines == [
                "[api] GET /short", "[api] 6 bytes", "[api] long path: 24", "now 1", "debugging", "error",
            ])
        #expect(DDLogLevel(title: "Warn") == .warning && DDLogLevel.debug.title == "Debug")
        #expect(errorsAndDebugging.title == "Custom" && DDLogLevel(title: "x").title == "All")
    }

    @Test(
        "A facade hands messages with the places of its callers on, and evaluates nothing that is not logged")
    func facade() {
        let log = DDLog()
        let (screen, errors) = (ScreenLogger(limit: 2), ScreenLogger(limit: 5))
        screen.logFormatter = ShortFormatter()
        let logging: any Logging = LumberjackLogging(
            ddlog: log, loggers: [(screen, .info), (errors, .error)])
        var count = 0
        func text() -> String {
            count += 1
            return "text \(count)"
        }
        logging.debug(text())
        logging.info(text())
        logging.error("failed with 100% %@")
        logging.info(text())
        #expect(
            log.allLoggersWithLevel.map(\.level) == [.info, .error]
                && screen.loggerName.rawValue == "com.example.screen")
        (logging as? LumberjackLogging)?.shutDown()
        #expect(count == 2 && log.allLoggers.isEmpty)
        #expect(
            screen.lines == ["LumberjackCorpusTests: failed with 100% %@", "LumberjackCorpusTests: text 2"])
        #expect(errors.lines == ["failed with 100% %@"])
    }

    @Test("A wrapper that gets places as strings logs them as they are, formats included")
    func legacyWrapper() {
        let log = Recorder()
        DDLog.add(log)
        LogInfo("plain", context: 4, tag: "tag")
        LogError("100% failed", file: "/src/Old File.m", function: "-[Old run]", line: 12)
        LogFormat("%d of %@", 3, "five" as NSString, file: "/src/Older.m", line: 7)
        dynamicLogLevel = .error
        LogInfo("not now")
        DDLog.flushLog()
        #expect(log.messages.map(\.message) == ["plain", "100% failed", "3 of five"])
        #expect(log.messages.map(\.fileName) == ["LumberjackCorpusTests", "Old File", "Older"])
        #expect(log.messages[1].line == 12 && log.messages[1].function == "-[Old run]")
        #expect(log.messages[0].representedObject as? String == "tag" && log.messages[0].context == 4)
        #expect(log.messages.map(\.flag) == [.info, .error, .debug])
    }

    @Test("A database logger saves in batches, and everything before it is removed")
    func database() {
        let table = EntryLogger()
        DDLog.add(table, with: .info)
        for number in 0..<1000 { DDLogInfo("row \(number)", tag: "module") }
        DDLogInfo("left out", context: 99)
        DDLogDebug("below the level")
        DDLogError("error")
        DDLog.flushLog()
        #expect(table.entries(of: .info).count == 1000 && table.entries(of: .error).map(\.text) == ["error"])
        #expect(table.entries(of: .info).last?.module == "module" && table.saves >= 10)
        table.maxAge = -1
        table.saveThreshold = 1
        DDLogInfo("last")
        DDLog.removeAllLoggers()
        #expect(table.entries(of: .info).count == 1001)
    }

    @Test("Contexts go to files of their own, through chains of formatters that may change")
    func routing() throws {
        let routing = ContextRouting(directory: URL(fileURLWithPath: directory))
        routing.start()
        DDLogInfo("sent", context: LogContext.network.rawValue, tag: "http")
        DDLogInfo("seen", context: LogContext.analytics.rawValue)
        DDLog.flushLog()
        routing.mute(.analytics, true)
        #expect(routing.isAnalyticsMuted)
        DDLogInfo("muted", context: LogContext.analytics.rawValue)
        DispatchQueue(label: "com.example.worker").sync { DDLogInfo("worked") }
        DDLog.removeAllLoggers()
        #expect(texts("network") == ["<http> sent\n"])
        let lines = try #require(texts("app").first).split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("] seen") && lines[1] == "[work] worked")
    }

    @Test(
        "Small files roll by size and by call, limits change while it runs, and a package has the newest of them"
    )
    func rolling() async throws {
        let rolling = BufferedRolling(directory: directory, maximumFileSize: 4096, keep: 3)
        rolling.start()
        for number in 0..<1000 { DDLogVerbose("message \(number)") }
        DDLog.flushLog()
        #expect(names().count <= 3 && texts().allSatisfy { $0.utf8.count <= 4096 })
        #expect(texts().joined().utf8.count <= 3 * 4096)
        let package = String(decoding: rolling.package(maximumSize: 8192), as: UTF8.self)
        #expect(package.hasSuffix("message 999\n") && package.utf8.count <= 8192)
        let before = rolling.currentFileName
        await withCheckedContinuation { done in rolling.roll { done.resume() } }
        DDLogInfo("in a new file")
        DDLog.flushLog()
        #expect(rolling.rollCount == 1 && rolling.currentFileName != before)
        rolling.trim(to: 0, size: 0)
        for number in 0..<500 { DDLogVerbose("more \(number)") }
        rolling.stop()
        #expect(texts().last?.contains("in a new file") == true || texts().last?.contains("more 499") == true)
        // A second run goes on with the newest file.
        let again = BufferedRolling(directory: directory, maximumFileSize: 1 << 20, keep: 3)
        again.start()
        let newest = names().last
        DDLogInfo("second run")
        again.stop()
        #expect(names().last == newest && texts().last?.hasSuffix("  second run\n") == true)
    }

    @Test("Old and new calls, loggers and formatters work in one program, in one order")
    func mixed() throws {
        let old = Recorder()
        let lines = ScreenLogger(limit: 10)
        lines.heartwoodLogger.filter = .contexts([0])
        DDLog.add(old)
        DDLog.add(lines)
        let file = try FileLogger(directory: directory, formatter: JSONLinesFormatter())
        LogDispatcher.shared.add(file)
        DDLogInfo("old \(1)")
        logInfo("new \(2, as: "number")")
        DDLogInfo("context", context: 5)
        log("level", level: .notice)
        DDLog.flushLog()
        #expect(old.messages.map(\.message) == ["old 1", "new 2", "context", "level"])
        #expect(lines.lines == ["old 1", "new 2", "level"])
        #expect(texts()[0].split(separator: "\n").count == 4 && texts()[0].contains("\"number\":2"))
    }
}

/// Keeps the messages that it gets.
private final class Recorder: DDAbstractLogger {
    private var kept: [DDLogMessage] = []
    var messages: [DDLogMessage] { loggerQueue.sync { kept } }
    override func log(message logMessage: DDLogMessage) { kept.append(logMessage) }
}

private final class ShortFormatter: NSObject, DDLogFormatter {
    func format(message logMessage: DDLogMessage) -> String? {
        "\(logMessage.fileName): \(logMessage.message)"
    }
}

/// A server that may be away.
private final class Transport: LogTransport {
    private let lock = NSLock()
    private var texts: [String] = []
    private var calls = 0
    private var waiting: [(count: Int, done: () -> Void)] = []
    private var online = true

    var isOnline: Bool {
        get { lock.withLock { online } }
        set { lock.withLock { online = newValue } }
    }
    var arrived: [String] { lock.withLock { texts } }
    var count: Int { lock.withLock { calls } }

    func onCount(_ count: Int, _ done: @escaping () -> Void) {
        let isThere = lock.withLock {
            if calls >= count { return true }
            waiting.append((count, done))
            return false
        }
        if isThere { done() }
    }

    func send(_ data: Data, name: String, completion: @escaping (Bool) -> Void) {
        let (isOnline, ready) = lock.withLock {
            calls += 1
            if online { texts.append(String(decoding: data, as: UTF8.self)) }
            let ready = waiting.filter { $0.count <= calls }
            waiting.removeAll { $0.count <= calls }
            return (online, ready)
        }
        completion(isOnline)
        for waiter in ready { waiter.done() }
    }
}
