import Heartwood
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodLumberjack
import HeartwoodReading
import HeartwoodSQLite
import HeartwoodTestSupport
import Testing

// The code of the landing pages in the documentation catalogs, word for word; `SampleTests` compares them. Nothing of it is
// called.

private func heartwoodPage(id: String, ms: Double, email: String, error: any Error) throws {
    // sample: Sources/Heartwood/Heartwood.docc/Heartwood.md
    let file = try FileLogger(directory: "logs")
    LogDispatcher.shared.add(ConsoleLogger())
    LogDispatcher.shared.add(file, levels: .info)

    logInfo("request \(id, as: "request_id") took \(ms, as: "ms", format: .fixed(2)) ms")
    logError("payment of \(email, privacy: .private) failed: \(error)", category: .payments)
    // end
}

private func messagesPage(email: String, error: any Error) {
    // sample: Sources/Heartwood/Heartwood.docc/LogMessages.md
    logInfo("order \(4711, as: "order") took \(12.345, as: "ms", format: .fixed(2)) ms")
    logError("cannot charge \(email, privacy: .private)", error: error, category: .payments)
    logNotice("user signed in", metadata: ["attempt": 2])
    // end
}

private func readingPage(yesterday: LogTimestamp) async throws {
    // sample: Sources/HeartwoodReading/HeartwoodReading.docc/HeartwoodReading.md
    let reader = LogFileReader(directory: "/var/log/shop")
    for try await line in try reader.lines(from: yesterday) where line.level == .error { print(line.text) }
    // end
}

private func configurationPage() throws {
    // sample: Sources/HeartwoodConfiguration/HeartwoodConfiguration.docc/HeartwoodConfiguration.md
    LogConfiguration.register(.http)
    try LogConfiguration.load("/etc/shop/logging.json").apply()
    // end
}

private func httpPage() throws {
    // sample: Sources/HeartwoodHTTP/HeartwoodHTTP.docc/HeartwoodHTTP.md
    let remote = try HTTPLogger(
        "https://logs.example.com/ingest", settings: HTTPSettings(encoding: NDJSONEncoding()), spool: "spool")
    remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
    LogDispatcher.shared.add(remote, levels: .notice)
    // end
}

private func sqlitePage() throws {
    // sample: Sources/HeartwoodSQLite/HeartwoodSQLite.docc/HeartwoodSQLite.md
    let database = try SQLiteLogger(path: "/var/lib/shop/log.sqlite")
    LogDispatcher.shared.add(database, levels: .debug)

    let reader = try SQLiteLogReader(path: "/var/lib/shop/log.sqlite")
    for record in try reader.records(LogQuery(levels: .error, limit: 20)) {
        print(record.timestamp.date, record.category, record.text)
    }
    // end
}

private func eventsPage() throws {
    // sample: Sources/HeartwoodEvents/HeartwoodEvents.docc/HeartwoodEvents.md
    enum Visit: String { case page = "page_id", index, loggedIn }

    let store = try EventStore("https://collector.example.com/events", directory: "/var/lib/app/events")
    let visits = try EventLog<Visit>(store)
    visits.append {
        $0[.page] = "/home"
        $0[.index] = 3
        $0[.loggedIn] = true
    }
    // end
}

private func testSupportPage(amount: Double) {
    // sample: Sources/HeartwoodTestSupport/HeartwoodTestSupport.docc/HeartwoodTestSupport.md
    let dispatcher = LogDispatcher()
    let logger = RecordingLogger()
    dispatcher.add(logger)
    logInfo("charged \(amount)", to: dispatcher)
    dispatcher.flush()
    #expect(logger.texts == ["charged 12.5"])
    // end
}

private func lumberjackPage(id: Int, ms: Double) {
    // sample: Sources/HeartwoodLumberjack/HeartwoodLumberjack.docc/HeartwoodLumberjack.md
    DDLog.add(DDOSLogger.sharedInstance)
    DDLog.add(DDFileLogger(), with: .info)
    DDLogInfo("request \(id) took \(ms) ms")
    // end
}
