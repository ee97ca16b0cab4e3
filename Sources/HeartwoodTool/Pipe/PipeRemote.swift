import CHeartwood
import Heartwood
import HeartwoodHTTP

/// The server that a pipe sends its lines to.
///
/// While the server answers, reading waits for it, so that nothing is dropped however fast the lines come. One that
/// has taken nothing for ``patience`` is not waited for any more: then the store takes what it can hold.
final class PipeRemote {
    let logger: HTTPLogger
    private let hasSpool: Bool
    private var taken = 0
    private var lastProgress = SystemClock().uptime()

    /// How long a server may take nothing before nobody waits for it.
    private static let patience = Duration.seconds(20)
    /// How many messages may wait before reading does.
    private static let limit = 100_000

    static let formats = ["json", "ndjson", "otlp", "loki", "elasticsearch", "splunk", "datadog"]

    /// Makes the logger for an address.
    ///
    /// - Throws: `LogError` where the address or the store cannot be used; ``UsageError`` for an unknown format.
    init(_ address: String, _ options: PipeOptions) throws {
        hasSpool = options.spool != nil
        var settings = SpoolSettings()
        if !hasSpool { settings.maximumBytes = .mebibytes(64) }
        logger = try HTTPLogger(
            address, encoding: PipeRemote.encoding(options.httpFormat, options.name ?? "pipe"),
            spool: options.spool, name: "http", settings: settings,
            allowsInsecureHTTP: options.allowsInsecureHTTP)
        logger.interval = .seconds(2)
        logger.maximumMessagesPerRequest = 1000
        logger.maximumMessageSize = .kibibytes(512)
        logger.flushWait = .zero
        if let variable = options.tokenVariable {
            logger.decorators = [.bearer(named: variable, from: EnvironmentSecrets())]
        }
    }

    private static func encoding(_ format: String, _ name: String) throws -> any RemoteEncoding {
        switch format {
        case "json": return JSONArrayEncoding()
        case "ndjson": return NDJSONEncoding()
        case "otlp": return OTLPEncoding(service: name)
        case "loki": return LokiEncoding(labels: ["job": name])
        case "elasticsearch": return ElasticsearchEncoding(index: name)
        case "splunk": return SplunkEncoding(source: name)
        case "datadog": return DatadogEncoding(service: name)
        default:
            let near = Spelling.suggestion(Spelling.nearest(to: format, among: formats))
            throw UsageError(
                "--http-format: “\(format)” is none\(near); there are \(formats.joined(separator: ", "))")
        }
    }

    /// Whether the server has taken something in the last `patience`, or nothing waits for it.
    private func isAlive(patience: Duration) -> Bool {
        let figures = logger.httpStatistics
        let now = SystemClock().uptime()
        if figures.acknowledged != taken || figures.pending == 0 {
            taken = figures.acknowledged
            lastProgress = now
        }
        return now - lastProgress < patience
    }

    /// Waits while too much waits for a server that does answer.
    func waitForRoom(unless stop: StopSignal) {
        while isAlive(patience: PipeRemote.patience), logger.httpStatistics.pending > PipeRemote.limit,
            !stop.isRequested
        {
            logger.sendNow()
            usleep(20_000)
        }
    }

    /// Waits until the server has everything, as long as it takes something now and then; not for long where a store
    /// keeps what is left for the next run, or somebody wants the process to end.
    func deliverRest(unless stop: StopSignal) {
        lastProgress = SystemClock().uptime()
        while !logger.deliver(timeout: .seconds(1)),
            isAlive(patience: hasSpool || stop.isRequested ? .seconds(3) : PipeRemote.patience)
        {}
    }

    /// What became of the messages: for the summary, and for people when something is missing.
    func figures(of records: Int) -> (summary: String, failure: String?) {
        let figures = logger.httpStatistics
        var summary =
            "http: \(Readable.count(figures.acknowledged)) delivered, \(Readable.count(figures.dropped)) dropped, "
        summary += "\(Readable.count(figures.rejected)) rejected; \(ByteCount(figures.bytesOnWire)) in "
        summary += "\(Readable.count(figures.requests, "request")) to \(logger.endpoint)"
        if figures.retried > 0 { summary += ", \(Readable.count(figures.retried)) repeated" }
        if figures.pending > 0, hasSpool {
            summary += "; \(Readable.count(figures.pending)) wait for the next run"
        }
        let lost = records + figures.recovered - figures.acknowledged - (hasSpool ? figures.pending : 0)
        if lost <= 0 { return (summary, nil) }
        let reason = figures.lastError.map { ": \($0)" } ?? ""
        return (
            summary,
            "\(Readable.count(lost)) of \(Readable.count(records, "line")) did not get to http\(reason)"
        )
    }
}
