import CHeartwood
import Heartwood
import HeartwoodHTTP

/// The server that a pipe sends its lines to.
///
/// While the server answers, reading waits for it, so that nothing is dropped however fast the lines come.
/// One that has taken nothing for ``DeliveryWatch/patience`` is no longer waited for: the store then
/// takes what it can hold.
final class PipeRemote {
    let logger: HTTPLogger
    private let hasSpool: Bool
    private var watch: DeliveryWatch

    /// How many messages may wait before reading does.
    private static let limit = 100_000

    /// Makes the logger.
    ///
    /// - Throws: `LogError` where the address, the secret or the store cannot be used.
    init(_ remote: RemoteOptions, _ options: PipeOptions) throws {
        hasSpool = options.spool != nil
        var settings = SpoolSettings()
        if !hasSpool { settings.maximumBytes = .mebibytes(64) }
        logger = try remote.makeLogger(
            service: options.name, spool: options.spool, limits: settings)
        logger.sendInterval = .seconds(2)
        // On a slow line a request of this size is over before the patience is.
        logger.maximumBytesPerRequest = .kibibytes(256)
        watch = DeliveryWatch(logger)
    }

    /// Waits while too much waits for a server that does answer.
    ///
    /// Batches are full then, so that the logger sends them by itself, and keeps to the pauses after
    /// failures.
    func waitForRoom(unless stop: StopSignal) {
        while watch.isAlive(), logger.httpStatistics.pending > PipeRemote.limit, !stop.isRequested {
            usleep(20_000)
        }
    }

    /// Waits until the server has everything, as long as it takes something now and then; not for long where
    /// a store keeps what is left for the next run, or the process is asked to end.
    func deliverRest(unless stop: StopSignal) {
        _ = watch.deliver { hasSpool || stop.isRequested ? .seconds(3) : DeliveryWatch.patience }
    }

    /// Counts of the messages: for the summary, and for people when something is missing.
    func figures(of records: Int) -> (summary: String, failure: String?) {
        let figures = logger.httpStatistics
        let reason = figures.lastError.map { ": \($0)" } ?? ""
        var summary =
            "http: \(Readable.count(figures.acknowledged)) delivered, "
            + "\(Readable.count(figures.dropped)) dropped, "
        summary += "\(Readable.count(figures.rejected)) rejected; \(ByteCount(figures.bytesOnWire)) in "
        summary += "\(Readable.count(figures.requests, "request")) to \(logger.endpoint)"
        if figures.retried > 0 { summary += ", \(Readable.count(figures.retried)) repeated" }
        if figures.pending > 0, hasSpool {
            summary += "; \(Readable.count(figures.pending)) wait for the next run" + reason
        }
        let lost = records + figures.recovered - figures.acknowledged - (hasSpool ? figures.pending : 0)
        if lost <= 0 { return (summary, nil) }
        return (
            summary,
            "\(Readable.count(lost)) of \(Readable.count(records, "line")) did not reach http\(reason)"
        )
    }
}
