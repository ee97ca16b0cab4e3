import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodConfiguration
import HeartwoodHTTP
import HeartwoodReading
import HeartwoodTestSupport

// The code of Docs/Cookbook.md, word for word; `SampleTests` compares them.

func cookbookAFirstLogger(order: String) {
    // sample: Docs/Cookbook.md
    LogDispatcher.shared.add(ConsoleLogger())
    logInfo("shop is open")
    logError("cannot charge card of order \(order, as: "order")")
    // end
}

func cookbookConsoleAndFile() throws {
    // sample: Docs/Cookbook.md
    LogDispatcher.shared.add(ConsoleLogger(), levels: .debug)
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"), levels: .info)
    // end
}

func cookbookSetup() throws {
    // sample: Docs/Cookbook.md
    LogDispatcher.shared.add(ConsoleLogger())
    let json = try FileLogger(directory: "/var/log/shop", formatter: JSONLinesFormatter())
    json.maximumFileAge = .seconds(7 * 86_400)
    (json.maximumFileCount, json.diskQuota) = (nil, .gibibytes(2))  // not only the newest 10
    LogDispatcher.shared.add(json, levels: .info)
    let remote = try HTTPLogger(
        "https://logs.example.com/in", settings: HTTPSettings(encoding: NDJSONEncoding()),
        spool: "/var/lib/shop/spool")
    remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
    LogDispatcher.shared.add(remote, levels: .warning)
    logNotice("shop is open")
    // end
}

func cookbookJsonLines(ms: Double) throws {
    // sample: Docs/Cookbook.md
    let json = try FileLogger(directory: "/var/log/shop", formatter: JSONLinesFormatter())
    LogDispatcher.shared.add(json)
    logInfo("request took \(ms, as: "ms") ms", metadata: ["route": "/cart"])
    // end
}

func cookbookLevelsPerCategory(host: String) {
    // sample: Docs/Cookbook.md
    logDebug("connected to \(host)", category: LogCategory("net.http"))
    LogCategory("net").levels = .warning
    LogCategory("net.http").levels = .debug
    // end
}

func cookbookChangeLevelsAtRunTime(file: FileLogger) {
    // sample: Docs/Cookbook.md
    LogDispatcher.shared.levels = .verbose  // of all loggers
    file.levels = .debug  // of one logger
    LogCategory.setLevels(.warning, matching: "net.*")
    // end
}

func cookbookLogMoreForAWhile(file: FileLogger) {
    // sample: Docs/Cookbook.md
    LogCategory.setLevels(.debug, matching: "net.*", for: .seconds(600))
    file.setLevels(.verbose, for: .seconds(600))
    // end
}

func cookbookContextOfARequest(
    id: String, request: CookbookRequest, handle: @Sendable (CookbookRequest) async throws -> Void
) async throws {
    // sample: Docs/Cookbook.md
    try await withLogContext(["request_id": id]) {
        logInfo("start")
        try await handle(request)
    }
    // end
}

func cookbookTrace(header: String) {
    // sample: Docs/Cookbook.md
    let trace = LogTrace(traceparent: header)?.child() ?? .random()
    withLogTrace(trace) {
        logInfo("order accepted")
    }
    // end
}

func cookbookError(order: String, charge: () throws -> Void) {
    // sample: Docs/Cookbook.md
    do {
        try charge()
    } catch {
        logError("payment failed", error: error, metadata: ["order": order])
    }
    // end
}

func cookbookRedactSecrets(email: String, file: FileLogger) {
    // sample: Docs/Cookbook.md
    logInfo("login of \(email, privacy: .private)")
    file.redaction = .standard  // passwords, tokens, keys, cards, accounts, email addresses
    // end
}

func cookbookRotateDaily(file: FileLogger) {
    // sample: Docs/Cookbook.md
    file.rollingBoundary = .day
    file.rollingInterval = nil
    file.maximumFileSize = nil
    // end
}

func cookbookKeepAWeek(file: FileLogger) {
    // sample: Docs/Cookbook.md
    file.maximumFileAge = .seconds(7 * 86_400)
    file.maximumFileCount = nil  // no limit
    file.diskQuota = .gibibytes(1)
    // end
}

func cookbookCompressFinishedFiles(file: FileLogger) {
    // sample: Docs/Cookbook.md
    file.archiveFormat = .gzip
    // end
}

func cookbookEncryptFiles(file: FileLogger) {
    // sample: Docs/Cookbook.md
    file.archiveKey = FileSecrets(directory: "/etc/shop/keys")
    file.archiveFormat = .encrypted
    // end
}

func cookbookSendToOpentelemetry() throws {
    // sample: Docs/Cookbook.md
    let otlp = try HTTPLogger(
        "https://otel.example.com:4318", settings: HTTPSettings(encoding: OTLPEncoding(service: "shop")),
        spool: "/var/lib/shop/spool")
    LogDispatcher.shared.add(otlp, levels: .info)
    // end
}

func cookbookTestWhatIsLogged(checkOut: (_ log: LogDispatcher) -> Void) throws {
    // sample: Docs/Cookbook.md
    let dispatcher = LogDispatcher()
    let recorder = RecordingLogger()
    dispatcher.add(recorder)
    checkOut(dispatcher)
    try recorder.expect(.error, containing: "card", category: .payments)
    try recorder.expectNone(above: .error)
    // end
}

// sample: Docs/Cookbook.md
extension LogCategory {
    static let images = LogCategory("com.example.images")
}

func decode(_ bytes: [UInt8]) {
    logDebug("decoding \(bytes.count) bytes", category: .images)
}
// end

func cookbookSigterm() {
    // sample: Docs/Cookbook.md
    LogDispatcher.flushOnSignals([.term, .int], timeout: .seconds(5))
    // end
}

func cookbookSystemdAndDocker() {
    // sample: Docs/Cookbook.md
    let isService = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
    let console = ConsoleLogger(.standardOutput, formatter: JSONLinesFormatter())
    LogDispatcher.shared.add(isService ? SystemLogger() : console)
    // end
}

func cookbookContainers() throws -> LogConfigurationWatch {
    // sample: Docs/Cookbook.md
    LogConfiguration.register(.http)
    LogDispatcher.flushOnSignals([.term, .int], timeout: .seconds(5))
    let watch = try LogConfigurationWatch("/etc/shop/logging.json")
    logNotice("shop is open")
    // end
    return watch
}

func cookbookContainerToken() throws {
    // sample: Docs/Cookbook.md
    let remote = try HTTPLogger(
        "https://logs.example.com/in", settings: HTTPSettings(encoding: NDJSONEncoding()),
        spool: "/var/lib/shop/spool")
    remote.decorators = [.bearer(named: "token", from: FileSecrets(directory: "/run/secrets/shop"))]
    // end
}

func cookbookSupport() throws {
    // sample: Docs/Cookbook.md
    var options = LogSupportReport.Options()
    options.from = LogTimestamp(Date(timeIntervalSinceNow: -86_400))
    options.attachments = ["version.txt": "shop 4.2 (1234)"]
    let report = try LogDispatcher.shared.makeSupportReport(in: NSTemporaryDirectory(), options)
    logNotice("wrote \(report.path), \(report.size.description)")
    // end
}

/// What the samples call instead of a metrics library.
struct SampleCounters: Sendable {
    func increment(_ name: String, logger: String?, by amount: Int) {}
    func add(_ amount: Int, to name: String) {}
}

func cookbookMetrics(counters: SampleCounters) -> LogMetricsObserver {
    // sample: Docs/Cookbook.md
    let observer = LogDispatcher.shared.observeMetrics(every: .seconds(10)) { metrics in
        for metric in metrics where metric.isLoss && metric.increase > 0 {
            counters.increment(metric.name, logger: metric.logger, by: metric.increase)
        }
    }
    // end
    return observer
}

func metricsReference(counters: SampleCounters) -> LogMetricsObserver {
    // sample: Sources/Heartwood/Dispatcher/LogDispatcher+Metrics.swift
    let observer = LogDispatcher.shared.observeMetrics(every: .seconds(10)) { metrics in
        for metric in metrics where metric.increase > 0 { counters.add(metric.increase, to: metric.name) }
    }
    // end
    return observer
}

func supportReference(temporaryDirectory: String, share: (String) -> Void) throws {
    // sample: Sources/HeartwoodReading/Report/LogSupportReport.swift
    let report = try LogDispatcher.shared.makeSupportReport(in: temporaryDirectory)
    share(report.path)
    // end
}

func cookbookSurviveACrash() throws {
    // sample: Docs/Cookbook.md
    LogDispatcher.shared.journal = .file("/var/lib/shop/journal")  // before the first add
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    // end
}

struct CookbookRequest {}
