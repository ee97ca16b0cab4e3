import Dispatch

// What a logger does with messages that are not to be written, or not now. All of it runs like a hook.
extension AbstractLogger {
    /// Handles a message unless it is to be left out, or held back.
    @inline(__always)
    func handle(_ message: LogMessage) {
        if selection == nil { log(message) } else { select(message) }
    }

    private func select(_ message: LogMessage) {
        guard let selection else { return }
        if !selection.passes(message) { return node.delivery.leaveOut() }
        if selection.flight != nil {
            if hold(message, selection) { return node.delivery.note(.filtered) }
            if let record = selection.flight?.take(for: message) { handOn(record, selection) }
        }
        switch selection.step(message) {
        case .write: log(message)
        case .writeAfter(let note):
            logOwn(note)
            node.delivery.note(.delivered)
            log(message)
        case .skip: node.delivery.note(.filtered)
        case .skipAfter(let note):
            logOwn(note)
            node.delivery.note(.filtered)
        }
        if selection.owesReport, repeatTimer == nil, let interval = selection.interval {
            startTimer(interval)
        }
    }

    /// What the logger logs about a note of its own would be collapsed, and noted, and so on.
    private func logOwn(_ note: LogMessage) {
        let thread = ThreadState.current
        let outer = thread.handlesReentrantMessage
        thread.handlesReentrantMessage = true
        log(note)
        thread.handlesReentrantMessage = outer
    }

    // MARK: - Holding back

    /// Releases all messages that ``flightRecorder`` holds, of all recordings, as if a trigger had occurred.
    ///
    /// The release takes place in order with the messages of the calling thread. This method does not wait
    /// for it; a flush does.
    public func releaseHeldMessages() {
        performInOrder { [unowned self] in
            guard let selection, let record = selection.flight?.takeAll() else { return }
            handOn(record, selection)
            batchDidEnd()
        }
    }

    /// Holds a message back if that is what is to be done with it.
    private func hold(_ message: LogMessage, _ selection: MessageSelection) -> Bool {
        guard selection.flight?.holds(message) == true else { return false }
        let gone = selection.flight?.hold(message) ?? 0
        selection.flight?.recorder.note(recorded: 1, discarded: gone)
        return true
    }

    /// Writes what was held back.
    private func handOn(_ record: FlightMemory.Record, _ selection: MessageSelection) {
        guard let recorder = selection.flight?.recorder else { return }
        let count = record.messages.count
        recorder.note(released: count, triggers: 1)
        if count == 0 { return }
        if let note = selection.owed() { logOwn(note) }
        if recorder.announces { logOwn(note(of: record)) }
        for message in record.messages { node.delivery.deliverLate(message) }
    }

    private func note(of record: FlightMemory.Record) -> LogMessage {
        let count = record.messages.count
        var fields: LogMetadata = ["recorded": .integer(Int64(count))]
        var text = count == 1 ? "1 earlier message follows" : "\(count) earlier messages follow"
        if record.gone > 0 {
            fields["discarded"] = .integer(Int64(record.gone))
            text += "; \(record.gone) older ones were discarded"
        }
        return LogMessage.ofFramework(text, level: .notice, fields: fields, at: currentTime)
    }

    /// Forgets what is held back, when the logger is removed.
    func discardHeldMessages() { selection?.release() }

    /// Reports repeats that have waited long enough, when no message comes.
    private func startTimer(_ interval: Duration) {
        let clock: any LogClock = node.dispatcher?.clock ?? SystemClock()
        repeatTimer = clock.schedule(after: interval) { [weak self] in
            self?.perform { [weak self] in
                self?.repeatTimer = nil
                self?.reportRepeats()
            }
        }
    }

    /// Says how often the last message came again, if it did since that was said last.
    ///
    /// Runs like a hook: at a flush, before the removal, and when the timer says so.
    func reportRepeats() {
        guard let note = selection?.owed() else { return }
        logOwn(note)
        batchDidEnd()
    }
}
