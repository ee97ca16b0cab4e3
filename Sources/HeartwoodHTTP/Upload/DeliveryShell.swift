import Heartwood

/// Performs the actions of a ``DeliveryEngine`` on the store of unsent messages; decides nothing itself.
///
/// It belongs to one logger and is used in its hooks only. Requests, timers and threads are its host's.
final class DeliveryShell {
    /// What a line of the transcript is about, in Scrooge's words.
    private enum TranscriptCategory: String {
        case appending = "Appending"
        case network = "Network"
        case sending = "Sending"
        case removing = "Removing"
        case saving = "Saving"
        case timer = "Timer"
    }

    /// The store of unsent messages.
    private(set) var store: any UnsentStore

    private unowned let host: any DeliveryHost
    private var engine: DeliveryEngine
    private var settings: DeliverySettings
    private var deadLetters: DeadLetterFile?
    private var figures = HTTPStatistics()
    private var credentials = CredentialWatch()
    /// The points and the number of messages that were stored since ``stored()``.
    private var (newPoints, newCount) = (0, 0)
    /// The piece of the request in flight.
    private var inFlight: SpoolPiece?
    /// How many messages in flight the user has thrown away: the answer shows whether they are lost.
    private var discardedInFlight = 0
    /// How many messages were lost in that way.
    private(set) var lostInFlight = 0
    /// The finished attempt, while the engine handles its answer.
    private var attempt: UploadJob.Attempt?
    private var parked: [SpoolPiece] = []
    /// Pieces that are parked since they cannot be set aside.
    private var kept: [SpoolPiece] = []
    private var unconfirmed: [String: SpoolPiece] = [:]
    private var hasNetworkState = false

    init(_ store: any UnsentStore, _ settings: DeliverySettings, _ host: any DeliveryHost) {
        self.store = store
        self.host = host
        self.settings = settings
        engine = DeliveryEngine(settings.rules)
        openDeadLetters()
        publish()
    }

    /// Whether an attempt is under way.
    var isBusy: Bool { engine.isBusy }

    /// Whether a process that ends has something to wait for: an attempt, or the confirmation of one.
    var isAwaited: Bool { engine.isAwaited }

    // MARK: - Storing

    /// Stores a message; false when there is no room.
    func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64, points: Int) -> Bool {
        guard store.append(payload, time: time, level: level, mark: mark) else { return false }
        newPoints += points
        newCount += 1
        transcribe(.appending, "appending logs")
        return true
    }

    /// Calls `work` with the store, which returns how many records it has stored, and what follows when the
    /// figures have them.
    func append(_ work: (any UnsentStore) -> (count: Int, then: () -> Void)) {
        let (count, then) = work(store)
        newCount += count
        for _ in 0..<count { transcribe(.appending, "appending logs") }
        publish()
        then()
    }

    /// Whether something was stored since the last ``stored()``.
    var hasNew: Bool { newCount > 0 }

    /// Sends new messages if it is time.
    func stored() {
        defer { (newPoints, newCount) = (0, 0) }
        if hasNew, !store.isClosed { handle(.stored(points: newPoints)) } else { publish() }
    }

    /// Writes what is in memory only to the files; false when there was nothing to write.
    @discardableResult
    func save() -> Bool {
        guard store.isOnDisk, store.unsavedCount > 0 else { return false }
        transcribe(.saving, "saving remaining \(store.pending) logs")
        let isSaved = store.save()
        transcribe(.saving, isSaved ? "saving succeeded" : "saving failed")
        reportStoreErrors()
        return true
    }

    // MARK: - Events

    /// New settings are in force.
    func apply(_ new: DeliverySettings) {
        settings = new
        store.settings = new.spoolSettings
        deadLetters?.limit = deadLetterLimit
        handle(.rules(new.rules))
    }

    /// The timer has fired.
    func wake() {
        guard let event = credentials.timerFired(at: host.uptime) else {
            return host.wake(at: credentials.wakeTime)
        }
        if case .timer = event {
            transcribe(.timer, "timerTriggered")
        } else {
            transcribe(.timer, "credentialsChanged")
        }
        handle(event)
    }

    /// The network is there, or not.
    func networkChanged(_ isThere: Bool) {
        hasNetworkState = true
        transcribe(.network, isThere ? "Internet connected" : "Internet disconnected")
        handle(.network(isThere))
    }

    /// Throws everything away; what is in flight is pending until the answer shows whether the server has it.
    func discard() {
        if let inFlight { discardedInFlight += store.complete(inFlight, done: inFlight.records.map(\.id)) }
        unparkAll()
        store.dropOldest(.max)
        handle(.discarded)
    }

    /// An attempt has ended.
    func finish(_ finished: UploadJob.Attempt) {
        inFlight = nil
        if finished.wasSent {
            figures.requests += 1
            figures.sent += finished.entries.count
            figures.bytesOnWire += finished.bytesOnWire
        }
        if discardedInFlight > 0 { return handle(.answered(answerToDiscarded(finished))) }
        if !finished.unreadable.isEmpty {
            report(.unreadable(finished.unreadable.count))
            figures.rejected += store.complete(finished.piece, done: finished.unreadable)
        }
        attempt = finished
        handle(.answered(answer(to: finished)))
        attempt = nil
        transcribe(.sending, "sending done. \(store.pending) logs remain")
    }

    /// What an attempt came to, for the engine.
    private func answer(to attempt: UploadJob.Attempt) -> DeliveryAnswer {
        var answer = DeliveryAnswer(
            outcome: attempt.outcome, records: attempt.entries.count, unreadable: attempt.unreadable.count)
        guard let (response, verdict) = attempt.answer else {
            switch attempt.outcome {
            case .failed(.transport(let error), _, _): requestFailed("\(error)")
            case .failed(.local(let reason), _, _): requestFailed(reason)
            default: break
            }
            return answer
        }
        var action = verdict.action
        if let items = verdict.items {
            if items.count == attempt.entries.count {
                answer.delivered = items.count { $0 == .delivered }
                answer.refused = items.count { if case .rejected = $0 { true } else { false } }
            } else {
                action = .retry
            }
        }
        if action == .deliver {
            transcribe(.sending, "sending succeeded")
            figures.lastError = nil
            answer.outcome = verdict.receipt.map { .received(receipt: $0) } ?? .accepted
        } else {
            let wait = response.headers["Retry-After"].flatMap { RetryAfter.parse($0, now: host.wallTime) }
            requestFailed(attempt.answerText ?? "")
            answer.outcome = .failed(.status(response.status), action, retryAfter: wait)
        }
        return answer
    }

    private func requestFailed(_ text: String) {
        figures.lastError = text
        transcribe(.sending, "sending failed: \(text)")
    }

    /// What an attempt came to whose messages were thrown away: it concerns the server, but no message.
    private func answerToDiscarded(_ attempt: UploadJob.Attempt) -> DeliveryAnswer {
        var answer = answer(to: attempt)
        var taken = answer.delivered
        switch answer.outcome {
        case .accepted, .received:
            if let verdict = attempt.answer?.verdict, verdict.items == nil {
                taken = max(0, discardedInFlight - max(0, verdict.rejected))
            }
            answer.outcome = .accepted
        case .failed: break
        case .tooLarge, .nothingReadable: answer.outcome = .nothingReadable
        }
        taken = min(taken, discardedInFlight)
        figures.acknowledged += taken
        lostInFlight += discardedInFlight - taken
        discardedInFlight = 0
        (answer.records, answer.delivered, answer.refused, answer.unreadable) = (0, 0, 0, 0)
        return answer
    }

    // MARK: - Actions

    /// Passes an event to the engine, and performs its actions.
    func handle(_ event: DeliveryEvent) {
        var events = [event]
        while !events.isEmpty {
            let moment = DeliveryMoment(
                now: host.uptime, waiting: store.pending, hasOpenBatch: store.hasOpenBatch,
                random: host.draw())
            let actions = engine.handle(events.removeFirst(), moment)
            events += actions.compactMap(perform)
        }
        publish()
    }

    /// Performs an action; returns the event that follows from it.
    private func perform(_ action: DeliveryAction) -> DeliveryEvent? {
        switch action {
        case .askCondition: return .condition(settings.sendCondition?() ?? true)
        case .send(let count, let isProbe): return send(count, isProbe) ? nil : .empty
        case .wait(let time): host.wake(at: credentials.wake(at: time, host.uptime))
        case .rest: host.wake(at: nil)
        case .settleItems: return settleItems()
        case .complete: return complete()
        case .setAside: return setAside(refusal)
        case .split:
            guard let piece = attempt?.piece, !store.split(piece) else { return nil }
            return .setAsideFailed(piece.records.count)
        case .park(let receipt):
            guard let piece = attempt?.piece else { return nil }
            store.park(piece, isUnconfirmed: receipt != nil)
            if let receipt { unconfirmed[receipt] = piece } else { parked.append(piece) }
        case .keep:
            guard let piece = attempt?.piece else { return nil }
            store.park(piece, isUnconfirmed: false)
            kept.append(piece)
        case .unpark(let andKept):
            store.unpark(parked + (andKept ? kept : []))
            parked = []
            if andKept { kept = [] }
        case .resend(let receipts): store.unpark(receipts.compactMap { unconfirmed.removeValue(forKey: $0) })
        case .confirm(let receipts): confirm(receipts)
        case .poll(let receipts): return poll(receipts) ? nil : .acknowledged(nil)
        case .refreshAuthorization:
            guard let hook = settings.refreshAuthorization else { return .refreshed }
            host.refresh(hook)
        case .dropOldest(let count):
            unparkAll()
            store.dropOldest(count)
        case .countRetry: figures.retried += 1
        case .report(let report):
            if case .held = report { credentials.hold() }
            self.report(report)
        case .look: return .looked
        }
        return nil
    }

    private func send(_ maximumCount: Int, _ isProbe: Bool) -> Bool {
        store.expire()
        credentials.begin(settings.credentialFiles)
        let piece = store.nextPiece(
            maximumCount: min(maximumCount, settings.encoding.limits.entries, BatchState.widestBatch),
            maximumBytes: settings.maximumBodySize, probe: isProbe)
        reportStoreErrors()
        guard let piece else { return false }
        host.wake(at: nil)
        if !hasNetworkState {
            hasNetworkState = true
            transcribe(.network, "Internet connected")
        }
        transcribe(.sending, "sending \(piece.records.count) logs")
        let names = piece.records.map { store.name(of: $0, in: piece) }
        transcribe(.sending, "sending started")
        inFlight = piece
        host.start(UploadJob(piece: piece, names: names, settings: settings))
        return true
    }

    private func poll(_ receipts: [String]) -> Bool {
        guard let encoding = settings.encoding as? any AcknowledgingEncoding else { return false }
        host.start(ReceiptJob(receipts: receipts, encoding: encoding, settings: settings))
        return true
    }

    private func confirm(_ receipts: [String]) {
        for receipt in receipts {
            guard let piece = unconfirmed.removeValue(forKey: receipt) else { continue }
            let count = store.complete(piece, done: piece.records.map(\.id))
            figures.acknowledged += count
            transcribeRemoval(of: count)
        }
    }

    private func unparkAll() {
        store.unpark(parked + kept + unconfirmed.values)
        (parked, kept, unconfirmed) = ([], [], [:])
    }

    // MARK: - Settling

    private func complete() -> DeliveryEvent? {
        guard let attempt else { return nil }
        let verdict = attempt.answer?.verdict
        let rejected = min(max(0, verdict?.rejected ?? 0), attempt.entries.count)
        if rejected > 0 {
            // The server does not name them; when it was all, they can be kept.
            if rejected == attempt.entries.count, deadLetters != nil {
                return setAside(verdict?.note ?? "discarded by the server")
            }
            report(.discarded(rejected, note: verdict?.note))
        }
        let done = store.complete(attempt.piece, done: attempt.piece.records.map(\.id))
        figures.rejected += min(rejected, done)
        figures.acknowledged += max(0, done - rejected)
        transcribeRemoval(of: attempt.entries.count)
        return nil
    }

    private func settleItems() -> DeliveryEvent? {
        guard let attempt, let items = attempt.answer?.verdict.items else { return nil }
        let ids = attempt.ids
        var refused: [(Int, String)] = []
        var taken: [UInt64] = []
        for (index, item) in items.enumerated() {
            switch item {
            case .delivered: taken.append(ids[index])
            case .rejected(let reason): refused.append((index, reason))
            case .retry: break
            }
        }
        figures.acknowledged += store.complete(attempt.piece, done: taken)
        let event = setAside(refused)
        transcribeRemoval(of: taken.count + refused.count)
        return event
    }

    /// Why the piece was refused.
    private var refusal: String {
        guard let attempt, let text = attempt.answerText else { return "too large" }
        return attempt.answer?.verdict.action == .split ? text + ", even alone" : text
    }

    private func setAside(_ reason: String) -> DeliveryEvent? {
        setAside((attempt?.entries ?? []).indices.map { ($0, reason) })
    }

    /// Sets entries of the piece aside that the server will never take; those that cannot be written stay
    /// pending.
    private func setAside(_ entries: [(index: Int, reason: String)]) -> DeliveryEvent? {
        guard let attempt, !entries.isEmpty else { return nil }
        let ids = attempt.ids
        var written: [(id: UInt64, reason: String)] = []
        for (index, reason) in entries {
            do throws(SystemFailure) {
                let removed = try deadLetters?.append(
                    attempt.entries[index], reason: reason, key: attempt.piece.key, at: host.wallTime)
                if let removed, removed > 0 {
                    figures.rejectedRemoved += removed
                    report(.deadLettersRemoved(removed, limit: settings.deadLetterLimit))
                }
                written.append((ids[index], reason))
            } catch { reportNotSetAside(reason, error.number) }
        }
        // The store forgets a message only once the disk has its letter.
        do throws(SystemFailure) { try deadLetters?.synchronize() } catch {
            if let last = written.last { reportNotSetAside(last.reason, error.number) }
            written = []
        }
        for letter in written { report(.rejected(reason: letter.reason, isLost: deadLetters == nil)) }
        figures.rejected += store.complete(attempt.piece, done: written.map(\.id))
        let kept = entries.count - written.count
        return kept > 0 ? .setAsideFailed(kept) : nil
    }

    // MARK: - Closing

    /// Ends the delivery for this attachment, and frees the store's directory.
    func close() {
        detach()
        deadLetters = nil
        let unsaved = store.counters.droppedUnsaved
        store.close()
        let lost = store.counters.droppedUnsaved - unsaved
        if lost > 0 { report(.lostAtRemoval(lost)) }
        publish()
    }

    /// Ends the delivery for this attachment; the store stays open.
    func detach() {
        // No answer can come.
        inFlight = nil
        lostInFlight += discardedInFlight
        discardedInFlight = 0
        unparkAll()
        handle(.removed)
    }

    /// Opens the store again, when the logger was removed and is added again.
    func reopen() {
        guard store.isClosed else { return }
        store.settings = settings.spoolSettings
        do {
            store = try store.reopened()
        } catch {
            report(.memoryOnly("\(error)"))
            store = store.reopenedInMemory()
        }
        openDeadLetters()
    }

    /// The limit of the dead letters; nil: none is ever removed.
    private var deadLetterLimit: ByteCount? {
        settings.neverDrops || store.keepsEverything ? nil : settings.deadLetterLimit
    }

    private func openDeadLetters() {
        deadLetters = store.directory.map { DeadLetterFile(in: $0, limit: deadLetterLimit) }
    }

    // MARK: - Reporting

    /// Reports how many messages end with the process: those that are in memory only, and have not been sent.
    func reportLost() {
        if !store.isOnDisk, store.pending > 0 { report(.lostAtExit(store.pending)) }
    }

    private func reportStoreErrors() {
        for error in store.drainErrors() {
            report(.storeError("\(error)", isDamage: error.code == .damaged))
        }
    }

    private func reportNotSetAside(_ reason: String, _ error: Int32) {
        report(.notSetAside(reason: reason, place: store.directory?.path, cause: error))
    }

    private func report(_ report: DeliveryReport) {
        host.report(report, lastError: figures.lastError)
    }

    private func publish() {
        // Reading may find damage, which the figures have then.
        let oldest = store.oldestTime
        let counters = store.counters
        figures.stored = counters.appended
        figures.recovered = counters.recovered
        figures.dropped = counters.lost + lostInFlight
        figures.pending = store.pending + discardedInFlight
        reportStoreErrors()
        host.publish(figures, oldest: oldest, isIdle: store.pending == 0 && !engine.isBusy)
    }

    private func transcribe(_ category: TranscriptCategory, _ text: @autoclosure () -> String) {
        settings.transcript?("[Heartwood.\(settings.name).\(category.rawValue)] \(text())")
    }

    private func transcribeRemoval(of count: Int) {
        transcribe(.removing, "removing \(count) logs")
        guard store.isOnDisk else { return }
        transcribe(.saving, "saving remaining \(store.pending) logs")
        transcribe(.saving, "saving succeeded")
    }
}
