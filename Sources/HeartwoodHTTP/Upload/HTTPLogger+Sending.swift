import Dispatch
import Heartwood

/// In the hooks: a request goes out, and its answer comes back.
extension HTTPLogger {
    func send() {
        spool.expire()
        let bytes = min(maximumBytesPerRequest, encoding.limits.bytes).bytes
        guard let piece = spool.nextPiece(maximumCount: requestCount, maximumBytes: bytes) else {
            reportTroubles()
            return settle()
        }
        if !wasConnectionTold {
            wasConnectionTold = true
            tell(.network, "Internet connected")
        }
        tell(.sending, "sending \(piece.records.count) logs")
        scheduler.began()
        let job = UploadJob(
            piece: piece, names: piece.records.map { spool.name(of: $0.id) }, device: deviceDictionary,
            encoding: encoding, endpoint: endpoint, decorators: decorators, transport: transport,
            timeout: timeout, maximumBytes: bytes, compressionLevel: compressionLevel,
            allowsInsecureHTTP: address.allowsInsecureHTTP)
        tell(.sending, "sending started")
        reportTroubles()
        let attachment = attachment
        inFlight = Task.detached(executorPreference: executor, priority: .utility) { [self] in
            post(await job.run(), attachment)
        }
    }

    /// Hands a report to the hooks: to the next one, or to a flush that waits for it.
    func post(_ report: UploadJob.Report, _ attachment: Int) {
        mailbox.withLock { $0.append((report, attachment)) }
        mail.signal()
        perform { self.collect() }
    }

    /// Draws the conclusions from the attempts that have ended.
    func collect() {
        let reports = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        // What a request of before the removal has brought came too late: the store is closed.
        for (report, number) in reports where number == attachment { conclude(report) }
    }

    func conclude(_ report: UploadJob.Report) {
        if report.wasSent {
            figures.requests += 1
            figures.sent += report.entries.count
            figures.bytesOnWire += report.bytesOnWire
            noteWritten(report.bytesOnWire)
        }
        if !report.unreadable.isEmpty {
            diagnostics.report(
                .damaged, "\(name): stored messages of another version cannot be read", key: name)
            figures.rejected += report.unreadable.count
            spool.complete(report.piece, done: report.unreadable)
        }
        switch report.outcome {
        case .answered(let response, let verdict): judge(report, response, verdict)
        case .tooLarge:
            if report.entries.isEmpty {
                return end(report, settled: report.unreadable.count)
            }
            divide(report, reason: "too large")
        case .refreshed(let settled): end(report, settled: settled)
        case .failed(let error):
            fail(report, DeliveryFailure(cause: .transport(error), action: .retry), "\(error)")
        case .unmade(let reason): fail(report, DeliveryFailure(cause: .local(reason), action: .hold), reason)
        }
    }

    func judge(_ report: UploadJob.Report, _ response: HTTPResponse, _ verdict: DeliveryVerdict) {
        let settled = settle(report, verdict)
        let text = "\(response.status)" + (verdict.note.map { ": \($0)" } ?? "")
        guard verdict.action != .deliver else { return succeed(report, verdict, settled) }
        let retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.parse($0, now: clock.now()) }
        // A server that has taken some of it is alive.
        if settled > 0 { resetFailures() }
        fail(
            report,
            DeliveryFailure(cause: .status(response.status), action: verdict.action, retryAfter: retryAfter),
            text,
            settled: settled)
    }

    /// Takes away what the answer settles entry by entry; returns how many those were.
    func settle(_ report: UploadJob.Report, _ verdict: DeliveryVerdict) -> Int {
        guard let items = verdict.items, items.count == report.entries.count else { return 0 }
        let ids = report.piece.records.map(\.id).filter { !report.unreadable.contains($0) }
        var done: [UInt64] = []
        for (index, item) in items.enumerated() {
            switch item {
            case .retry: continue
            case .delivered: figures.acknowledged += 1
            case .rejected(let reason): bury(report.entries[index], reason, report.piece.key)
            }
            done.append(ids[index])
        }
        if !done.isEmpty { spool.complete(report.piece, done: done) }
        return done.count
    }

    func succeed(_ report: UploadJob.Report, _ verdict: DeliveryVerdict, _ settled: Int) {
        tell(.sending, "sending succeeded")
        let count = report.entries.count
        if verdict.items == nil {
            let rejected = min(verdict.rejected, count)
            figures.acknowledged += count - rejected
            figures.rejected += rejected
            if rejected > 0 || verdict.note != nil {
                diagnostics.report(
                    .writeFailed,
                    "\(name): the server threw away \(rejected) messages: \(verdict.note ?? "no reason given")",
                    key: name + "rejected", count: max(1, rejected))
            }
            spool.complete(report.piece, done: report.piece.records.map(\.id))
        }
        resetFailures()
        hasRefreshedAuthorization = false
        figures.lastError = nil
        tell(.removing, "removing \(count) logs")
        if spool.isOnDisk {
            tell(.saving, "saving remaining \(spool.pending) logs")
            tell(.saving, "saving succeeded")
        }
        end(report, settled: count + report.unreadable.count)
    }

    func resetFailures() {
        breaker.succeeded()
        consecutiveFailures = 0
        consecutiveAnswers = 0
    }
}
