import Heartwood

/// In the hooks: what is done after an attempt that has failed.
extension HTTPLogger {
    func fail(
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
    func divide(_ report: UploadJob.Report, reason: String, settled: Int = 0) {
        if !spool.split(report.piece) {
            for entry in report.entries { bury(entry, reason, report.piece.key) }
            spool.complete(report.piece, done: report.piece.records.map(\.id))
            return end(report, settled: settled + report.entries.count)
        }
        // It was an answer about the data: the server is well.
        resetFailures()
        end(report, settled: settled)
    }

    func refresh(_ report: UploadJob.Report, _ settled: Int) {
        hasRefreshedAuthorization = true
        let attachment = attachment
        guard let refreshAuthorization else { return end(report, settled: settled) }
        Task.detached(executorPreference: executor) { [self] in
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
    func bury(_ entry: RemoteEntry, _ reason: String, _ key: String) {
        figures.rejected += 1
        let outcome = deadLetters?.append(entry, reason: reason, key: key, at: clock.now())
        let isKept = outcome?.isKept ?? false
        if let removed = outcome?.removed, removed > 0 {
            figures.rejectedRemoved += removed
            diagnostics.report(
                .writeFailed,
                "\(name): rejected.ndjson has reached deadLetterLimit, \(deadLetterLimit): the oldest refused "
                    + "messages, \(removed) of them, were removed", key: name + "removed", count: removed)
        }
        diagnostics.report(
            .writeFailed,
            "\(name): the server refuses a message (\(reason)); it is "
                + (isKept ? "in rejected.ndjson in the spool's directory" : "lost"), key: name + "rejected")
    }

    func end(_ report: UploadJob.Report, settled: Int, goesOn: Bool = true) {
        scheduler.ended(
            settling: settled, waiting: spool.pending, at: clock.uptime(), random: draw(), schedule)
        tell(.sending, "sending done. \(spool.pending) logs remain")
        if goesOn { pump() }
        settle()
    }
}
