import Dispatch
import Heartwood

/// What goes on in the hooks: deciding, sending, and drawing the conclusions.
extension HTTPLogger {
    var schedule: UploadScheduler.Settings {
        UploadScheduler.Settings(
            interval: isInBackground ? backgroundInterval ?? interval : interval, jitter: jitter,
            threshold: threshold, maximumCount: requestCount)
    }

    private var requestCount: Int {
        min(max(1, maximumMessagesPerRequest), encoding.limits.entries, BatchState.widestBatch)
    }

    func draw() -> Double { Double.random(in: 0..<1, using: &random) }

    // MARK: Deciding

    /// Somebody wants what waits to be sent.
    func ask(_ request: UploadScheduler.Request) {
        scheduler.asked(
            request, waiting: spool.pending, breakerAllows: breaker.allows(at: clock.uptime()))
        pump()
    }

    func connectivityChanged(_ isThere: Bool) {
        let returned = isThere && (!isConnected || wasConnectionTold)
        isConnected = isThere
        wasConnectionTold = true
        tell(.network, isThere ? "Internet connected" : "Internet disconnected")
        if returned { ask(.connectivity) } else { pump() }
    }

    /// Sends if it is time, or sees to it that somebody looks again when it is.
    func pump() {
        defer { publish() }
        timer?.cancel()
        timer = nil
        guard !spool.isClosed else { return }
        let now = clock.uptime()
        switch scheduler.decide(at: now, waiting: spool.pending, schedule) {
        case .idle: break
        case .wait(let time): look(after: time - now)
        case .send:
            guard !isPaused, isConnected || endpoint.isLoopback else { return }
            guard condition?() ?? true else {
                scheduler.leaveToInterval(at: now, random: draw(), schedule)
                return look(after: schedule.interval)
            }
            send()
        }
    }

    private func look(after delay: Duration) {
        timer = clock.schedule(after: max(.zero, delay), on: queue) { [weak self] in
            guard let self else { return }
            perform {
                self.tell(.timer, "timerTriggered")
                self.pump()
            }
        }
    }

    func save() {
        saveTimer?.cancel()
        saveTimer = nil
        guard spool.isOnDisk, spool.unsavedCount > 0 else { return }
        tell(.saving, "saving remaining \(spool.pending) logs")
        let isSaved = spool.save()
        tell(.saving, isSaved ? "saving succeeded" : "saving failed")
        reportTroubles()
    }

    // MARK: Sending

    private func send() {
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
            allowsInsecureHTTP: allowsInsecureHTTP)
        tell(.sending, "sending started")
        reportTroubles()
        let attachment = attachment
        inFlight = Task.detached(executorPreference: UploadExecutor.shared, priority: .utility) { [self] in
            post(await job.run(), attachment)
        }
    }

    /// Hands a report to the hooks: to the next one, or to a flush that waits for it.
    private func post(_ report: UploadJob.Report, _ attachment: Int) {
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

    private func conclude(_ report: UploadJob.Report) {
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

    private func judge(_ report: UploadJob.Report, _ response: HTTPResponse, _ verdict: DeliveryVerdict) {
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
    private func settle(_ report: UploadJob.Report, _ verdict: DeliveryVerdict) -> Int {
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

    private func succeed(_ report: UploadJob.Report, _ verdict: DeliveryVerdict, _ settled: Int) {
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

    private func resetFailures() {
        breaker.succeeded()
        consecutiveFailures = 0
        consecutiveAnswers = 0
    }

    // MARK: Failing

    private func fail(
        _ report: UploadJob.Report, _ failure: DeliveryFailure, _ text: String, settled: Int = 0
    ) {
        var failure = failure
        consecutiveFailures += 1
        if case .status = failure.cause { consecutiveAnswers += 1 }
        failure.consecutiveFailures = consecutiveFailures
        failure.consecutiveAnswers = consecutiveAnswers
        failure.hasRefreshedAuthorization = hasRefreshedAuthorization || refreshAuthorization == nil
        figures.lastError = text
        tell(.sending, "sending failed: \(text)")
        let now = clock.uptime()
        // What the server says of the data does not make it a dead server.
        if failure.action == .retry || failure.action == .hold { breaker.failed(at: now) }

        switch retryPolicy.decide(after: failure, random: draw()) {
        case .retry(let delay):
            figures.retried += 1
            scheduler.pause(until: now + delay, isBinding: failure.retryAfter != nil)
        case .retryAtNextInterval:
            figures.retried += 1
            end(report, settled: settled, goesOn: false)
            scheduler.leaveToInterval(at: now, random: draw(), schedule)
            return pump()
        case .split: return divide(report, reason: "\(text), even alone", settled: settled)
        case .isolate: return divide(report, reason: text, settled: settled)
        case .reject:
            for entry in report.entries { bury(entry, text, report.piece.key) }
            spool.complete(report.piece, done: report.piece.records.map(\.id))
            return end(report, settled: report.entries.count)
        case .hold(let delay):
            diagnostics.report(
                .setting, "\(name): the server cannot be used as it is set up, everything is kept: \(text)",
                key: name + "hold")
            scheduler.pause(until: now + delay, isBinding: failure.retryAfter != nil)
        case .refreshAuthorization: return refresh(report, settled)
        case .dropOldest(let count):
            spool.dropOldest(count)
            resetFailures()
            end(report, settled: settled, goesOn: false)
            scheduler.leaveToInterval(at: now, random: draw(), schedule)
            return pump()
        }
        end(report, settled: settled)
    }

    /// Sends the halves; a single entry is set aside instead.
    private func divide(_ report: UploadJob.Report, reason: String, settled: Int = 0) {
        if !spool.split(report.piece) {
            for entry in report.entries { bury(entry, reason, report.piece.key) }
            spool.complete(report.piece, done: report.piece.records.map(\.id))
            return end(report, settled: settled + report.entries.count)
        }
        // It was an answer about the data: the server is well.
        resetFailures()
        end(report, settled: settled)
    }

    private func refresh(_ report: UploadJob.Report, _ settled: Int) {
        hasRefreshedAuthorization = true
        let attachment = attachment
        guard let refreshAuthorization else { return end(report, settled: settled) }
        Task.detached(executorPreference: UploadExecutor.shared) { [self] in
            // Whatever comes of it, the next answer tells; a second refusal holds.
            await refreshAuthorization()
            var report = report
            report.wasSent = false
            report.unreadable = []
            report.outcome = .refreshed(settled: settled)
            post(report, attachment)
        }
    }

    /// Sets an entry aside that the server will never take.
    private func bury(_ entry: RemoteEntry, _ reason: String, _ key: String) {
        figures.rejected += 1
        let isKept = deadLetters?.append(entry, reason: reason, key: key, at: clock.now()) ?? false
        diagnostics.report(
            .writeFailed,
            "\(name): the server refuses a message (\(reason)); it is "
                + (isKept ? "in rejected.ndjson in the spool's directory" : "lost"), key: name + "rejected")
    }

    // MARK: Ending

    private func end(_ report: UploadJob.Report, settled: Int, goesOn: Bool = true) {
        scheduler.ended(
            settling: settled, waiting: spool.pending, at: clock.uptime(), random: draw(), schedule)
        tell(.sending, "sending done. \(spool.pending) logs remain")
        if goesOn { pump() }
        settle()
    }

    /// Brings the figures up to date, and releases those who wait for the end.
    func settle() {
        reportTroubles()
        publish()
        if spool.pending == 0 && !scheduler.isInFlight { releaseWaiters() }
    }

    func publish() {
        let counters = spool.counters
        figures.stored = counters.appended
        figures.recovered = counters.recovered
        figures.dropped = counters.lost
        figures.pending = spool.pending
        let oldest = spool.oldestTime
        published.withLock { $0 = (figures, oldest) }
        releaseObservers()
    }

    private func reportTroubles() {
        for trouble in spool.takeTroubles() {
            diagnostics.report(
                trouble.code == .damaged ? .damaged : .writeFailed, "\(name): \(trouble)", key: name)
        }
    }

    func tell(_ category: TranscriptCategory, _ text: @autoclosure () -> String) {
        transcript?("[Heartwood.\(name).\(category.rawValue)] \(text())")
    }
}
