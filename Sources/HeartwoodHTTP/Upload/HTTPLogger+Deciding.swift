import Dispatch
import Heartwood

/// In the hooks: when something is sent, and what is told of it.
extension HTTPLogger {
    var schedule: UploadScheduler.Settings {
        UploadScheduler.Settings(
            interval: isInBackground ? backgroundInterval ?? interval : interval, jitter: jitter,
            threshold: threshold, maximumCount: requestCount)
    }

    var requestCount: Int {
        min(max(1, maximumMessagesPerRequest), encoding.limits.entries, BatchState.widestBatch)
    }

    func draw() -> Double { Double.random(in: 0..<1, using: &random) }

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
        guard !spool.isClosed else { return stopLooking() }
        let now = clock.uptime()
        switch scheduler.decide(at: now, waiting: spool.pending, schedule) {
        case .idle: stopLooking()
        case .wait(let time): look(at: time)
        case .send:
            stopLooking()
            guard !isPaused, isConnected || endpoint.isLoopback else { return }
            guard condition?() ?? true else {
                scheduler.leaveToInterval(at: now, random: draw(), schedule)
                return look(at: now + schedule.interval)
            }
            send()
        }
    }

    /// Sees to it that somebody looks again at that time.
    ///
    /// A timer for the same time stays: one that is cancelled takes memory until the queue has a pause, and under a
    /// load without end there is none.
    func look(at time: Duration) {
        if timer != nil, timerDue == time { return }
        stopLooking()
        timerDue = time
        timer = clock.schedule(after: max(.zero, time - clock.uptime()), on: queue) { [weak self] in
            guard let self else { return }
            perform {
                self.timer = nil
                self.tell(.timer, "timerTriggered")
                self.pump()
            }
        }
    }

    func stopLooking() {
        timer?.cancel()
        timer = nil
    }

    func save() {
        saveTimer?.cancel()
        saveTimer = nil
        guard spool.isOnDisk, spool.unsavedCount > 0 else { return }
        tell(.saving, "saving remaining \(spool.pending) logs")
        let isSaved = spool.save()
        tell(.saving, isSaved ? "saving succeeded" : "saving failed")
        reportTroubles()
        noteSettled()
    }

    // MARK: Telling

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
    }

    func reportTroubles() {
        for trouble in spool.takeTroubles() {
            diagnostics.report(
                trouble.code == .damaged ? .damaged : .writeFailed, "\(name): \(trouble)", key: name)
        }
    }

    func tell(_ category: TranscriptCategory, _ text: @autoclosure () -> String) {
        transcript?("[Heartwood.\(name).\(category.rawValue)] \(text())")
    }
}
