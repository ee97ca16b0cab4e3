import Heartwood

/// Runs what a ``DeliveryEngine`` decides, on the store of unsent messages; decides nothing itself.
///
/// It belongs to one logger and is used in its hooks only. Requests, timers and threads are its host's.
final class DeliveryShell {
    /// The store of unsent messages.
    private(set) var store: any UnsentStore

    private unowned let host: any DeliveryHost
    private var engine: DeliveryEngine
    private var settings: DeliverySettings
    private var deadLetters: DeadLetterFile?
    private var figures = HTTPStatistics()
    /// The attempt that just ended.
    private var hand: UploadJob.Report?
    private var parked: [SpoolPiece] = []
    /// Pieces that are parked since they cannot be set aside.
    private var kept: [SpoolPiece] = []
    private var unconfirmed: [String: SpoolPiece] = [:]
    private var newPoints = 0
    private var newCount = 0
    /// The piece of the request in flight.
    private var onTheWay: SpoolPiece?
    /// How many messages of it the user has thrown away meanwhile: the answer says whether they are lost.
    private var discardedOnTheWay = 0
    /// How many such messages were lost.
    private(set) var lostOnTheWay = 0
    private var wasNetworkTold = false
    private var credentials = CredentialWatch()

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
        tell(.appending, "appending logs")
        return true
    }

    /// Calls `work` with the store, which returns how many records it has stored, and what follows when the
    /// figures have them.
    func append(_ work: (any UnsentStore) -> (count: Int, then: () -> Void)) {
        let (count, then) = work(store)
        newCount += count
        for _ in 0..<count { tell(.appending, "appending logs") }
        publish()
        then()
    }

    /// Whether something was stored since the last ``stored()``.
    var hasNew: Bool { newCount > 0 }

    /// What was stored may be sent if it is time.
    func stored() {
        defer { (newPoints, newCount) = (0, 0) }
        if newCount > 0, !store.isClosed { run(.stored(points: newPoints)) } else { publish() }
    }

    /// Writes what is in memory only to the files.
    func save() {
        guard store.isOnDisk, store.unsavedCount > 0 else { return }
        tell(.saving, "saving remaining \(store.pending) logs")
        let isSaved = store.save()
        tell(.saving, isSaved ? "saving succeeded" : "saving failed")
        reportTroubles()
        host.noteSettled()
    }

    // MARK: - Events

    /// New settings are in force.
    func apply(_ new: DeliverySettings) {
        settings = new
        store.settings = new.spoolSettings
        deadLetters?.limit = deadLetterLimit
        run(.rules(new.rules))
    }

    /// The logger was added to a dispatcher.
    func added(atFirstUse: Bool) { run(.added(atFirstUse: atFirstUse)) }

    /// The time that was asked for has come.
    func wake() {
        switch credentials.look(at: host.uptime) {
        case .changed:
            tell(.timer, "credentialsChanged")
            run(.credentialsChanged)
        case .wait(let time): host.wake(at: time)
        case .due:
            tell(.timer, "timerTriggered")
            run(.timer)
        }
    }

    /// The network's state was told.
    func networkChanged(_ isThere: Bool) {
        wasNetworkTold = true
        tell(.network, isThere ? "Internet connected" : "Internet disconnected")
        run(.network(isThere))
    }

    /// The user, or a flush, wants pending messages to be sent.
    func wish(_ wish: DeliveryEvent.Wish) { run(.wish(wish)) }

    /// The process ends, or the logger is removed; with a time, a caller waits until then.
    func end(until deadline: Duration?) { run(deadline.map { .ending(until: $0) } ?? .closing) }

    /// The hook for new credentials has returned.
    func refreshed() { run(.refreshed) }

    /// The server has confirmed these receipts; nil: it gave no usable answer.
    func acknowledge(_ receipts: [String]?) { run(.acknowledged(receipts)) }

    /// Throws everything away; what is on its way is pending until the answer says whether the server has it.
    func discard() {
        if let onTheWay {
            discardedOnTheWay += store.complete(onTheWay, done: onTheWay.records.map(\.id))
        }
        unparkAll()
        store.dropOldest(.max)
        run(.discarded)
    }

    /// Tells the engine of the end of an attempt whose messages were thrown away: it concerns the server, but
    /// no message.
    private func finishDiscarded(_ report: UploadJob.Report) {
        var answer = answer(report)
        var taken = 0
        switch answer.outcome {
        case .accepted, .received:
            taken = discardedOnTheWay
            if case .answered(_, let verdict) = report.outcome {
                taken = verdict.items == nil ? max(0, taken - max(0, verdict.rejected)) : answer.delivered
            }
            answer.outcome = .accepted
        case .failed: taken = answer.delivered
        case .tooLarge, .nothingReadable: answer.outcome = .nothingReadable
        }
        taken = min(taken, discardedOnTheWay)
        figures.acknowledged += taken
        lostOnTheWay += discardedOnTheWay - taken
        discardedOnTheWay = 0
        hand = nil
        (answer.records, answer.delivered, answer.refused, answer.unreadable) = (0, 0, 0, 0)
        run(.answered(answer))
    }

    /// An attempt has ended.
    func finish(_ report: UploadJob.Report) {
        hand = report
        onTheWay = nil
        if report.wasSent {
            figures.requests += 1
            figures.sent += report.entries.count
            figures.bytesOnWire += report.bytesOnWire
            host.noteWritten(report.bytesOnWire)
        }
        if discardedOnTheWay > 0 { return finishDiscarded(report) }
        if !report.unreadable.isEmpty {
            host.report(
                .damaged, "\(settings.name): stored messages of another version cannot be read",
                key: settings.name, count: report.unreadable.count)
            figures.rejected += store.complete(report.piece, done: report.unreadable)
        }
        run(.answered(answer(report)))
        hand = nil
        tell(.sending, "sending done. \(store.pending) logs remain")
    }

    /// What an attempt came to, for the engine.
    private func answer(_ report: UploadJob.Report) -> DeliveryAnswer {
        var answer = DeliveryAnswer(
            outcome: .accepted, records: report.entries.count, unreadable: report.unreadable.count)
        switch report.outcome {
        case .tooLarge: answer.outcome = .tooLarge
        case .nothingReadable: answer.outcome = .nothingReadable
        case .failed(let error): answer.outcome = failure(.transport(error), .retry, "\(error)")
        case .unmade(let reason): answer.outcome = failure(.local(reason), .hold, reason)
        case .answered(let response, let verdict):
            let text = "\(response.status)" + (verdict.note.map { ": \($0)" } ?? "")
            for item in verdict.items ?? [] {
                switch item {
                case .delivered: answer.delivered += 1
                case .rejected: answer.refused += 1
                case .retry: break
                }
            }
            let wait = response.headers["Retry-After"].flatMap { RetryAfter.parse($0, now: host.wallTime) }
            if let items = verdict.items, items.count != report.entries.count {
                (answer.delivered, answer.refused) = (0, 0)
                answer.outcome = failure(.status(response.status), .retry, text, wait)
            } else if verdict.action != .deliver {
                answer.outcome = failure(.status(response.status), verdict.action, text, wait)
            } else {
                tell(.sending, "sending succeeded")
                figures.lastError = nil
                if let receipt = verdict.receipt { answer.outcome = .received(receipt: receipt) }
            }
        }
        return answer
    }

    private func failure(
        _ cause: DeliveryFailure.Cause, _ action: StatusAction, _ text: String, _ wait: Duration? = nil
    ) -> DeliveryAnswer.Outcome {
        figures.lastError = text
        tell(.sending, "sending failed: \(text)")
        return .failed(cause, action, retryAfter: wait)
    }

    // MARK: - Actions

    private var moment: DeliveryMoment {
        DeliveryMoment(
            now: host.uptime, waiting: store.pending, hasOpenBatch: store.hasOpenBatch, random: host.draw())
    }

    private func run(_ event: DeliveryEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in engine.handle(events.removeFirst(), moment) { run(action, &events) }
        }
        publish()
    }

    private func run(_ action: DeliveryAction, _ events: inout [DeliveryEvent]) {
        switch action {
        case .askCondition: events.append(.condition(settings.sendCondition?() ?? true))
        case .send(let count, let bytes, let isProbe):
            if !send(count, bytes, isProbe) { events.append(.empty) }
        case .wait(let time): host.wake(at: credentials.wake(at: time, host.uptime))
        case .rest: host.wake(at: nil)
        case .settleItems: settleItems(&events)
        case .complete: complete(&events)
        case .setAside: setAside((hand?.entries ?? []).indices.map { ($0, reason) }, &events)
        case .split:
            if let piece = hand?.piece, !store.split(piece) {
                events.append(.setAsideFailed(piece.records.count))
            }
        case .park(let receipt): park(receipt)
        case .keep: keep()
        case .unpark(let andKept):
            store.unpark(parked + (andKept ? kept : []))
            parked = []
            if andKept { kept = [] }
        case .resend(let receipts): store.unpark(receipts.compactMap { unconfirmed.removeValue(forKey: $0) })
        case .confirm(let receipts): confirm(receipts)
        case .poll(let receipts): if !poll(receipts) { events.append(.acknowledged(nil)) }
        case .refreshAuthorization:
            if let hook = settings.refreshAuthorization {
                host.refresh(hook)
            } else {
                events.append(.refreshed)
            }
        case .dropOldest(let count):
            unparkAll()
            store.dropOldest(count)
        case .countRetry: figures.retried += 1
        case .report(let report): tell(report)
        case .look: events.append(.looked)
        }
    }

    private func send(_ maximumCount: Int, _ maximumBytes: Int, _ isProbe: Bool) -> Bool {
        store.expire()
        credentials.begin(settings.credentialFiles)
        let limits = settings.encoding.limits
        let bytes = min(maximumBytes, limits.bytes.bytes)
        let piece = store.nextPiece(
            maximumCount: min(maximumCount, limits.entries, BatchState.widestBatch), maximumBytes: bytes,
            probe: isProbe)
        reportTroubles()
        guard let piece else { return false }
        host.wake(at: nil)
        if !wasNetworkTold {
            wasNetworkTold = true
            tell(.network, "Internet connected")
        }
        tell(.sending, "sending \(piece.records.count) logs")
        let job = UploadJob(
            piece: piece, names: piece.records.map { store.name(of: $0, in: piece) },
            device: settings.device,
            encoding: settings.encoding, endpoint: settings.endpoint, decorators: settings.decorators,
            transport: settings.transport, timeout: settings.requestTimeout, maximumBytes: bytes,
            compressionLevel: settings.compressionLevel,
            allowsInsecureHTTP: settings.address.allowsInsecureHTTP)
        tell(.sending, "sending started")
        onTheWay = piece
        host.start(job)
        return true
    }

    private func complete(_ events: inout [DeliveryEvent]) {
        guard let hand else { return }
        var rejected = 0
        if case .answered(_, let verdict) = hand.outcome {
            rejected = min(max(0, verdict.rejected), hand.entries.count)
            // Which of them it was, it does not say; when it was all, they can be kept.
            if rejected > 0, rejected == hand.entries.count, deadLetters != nil {
                let reason = verdict.note ?? "discarded by the server"
                return setAside(hand.entries.indices.map { ($0, reason) }, &events)
            }
            if rejected > 0 {
                host.report(
                    .writeFailed,
                    "\(settings.name): the server discarded \(rejected) messages: "
                        + (verdict.note ?? "no reason given"),
                    key: settings.name + "rejected", count: rejected)
            }
        }
        let done = store.complete(hand.piece, done: hand.piece.records.map(\.id))
        figures.rejected += min(rejected, done)
        figures.acknowledged += max(0, done - rejected)
        tellRemoved(hand.entries.count)
    }

    private func tellRemoved(_ count: Int) {
        tell(.removing, "removing \(count) logs")
        guard store.isOnDisk else { return }
        tell(.saving, "saving remaining \(store.pending) logs")
        tell(.saving, "saving succeeded")
    }

    private func settleItems(_ events: inout [DeliveryEvent]) {
        guard let hand, case .answered(_, let verdict) = hand.outcome, let items = verdict.items else {
            return
        }
        let ids = readableIDs(of: hand)
        var refused: [(Int, String)] = []
        var taken: [UInt64] = []
        for (index, item) in items.enumerated() {
            switch item {
            case .delivered: taken.append(ids[index])
            case .rejected(let reason): refused.append((index, reason))
            case .retry: break
            }
        }
        figures.acknowledged += store.complete(hand.piece, done: taken)
        setAside(refused, &events)
        tellRemoved(taken.count + refused.count)
    }

    private func readableIDs(of report: UploadJob.Report) -> [UInt64] {
        report.piece.records.map(\.id).filter { !report.unreadable.contains($0) }
    }

    /// Sets entries of the piece aside that the server will never take; those that cannot be written stay
    /// pending.
    private func setAside(_ entries: [(index: Int, reason: String)], _ events: inout [DeliveryEvent]) {
        guard let hand, !entries.isEmpty else { return }
        let ids = readableIDs(of: hand)
        var written: [(id: UInt64, reason: String)] = []
        for (index, reason) in entries {
            do throws(SystemFailure) {
                let removed = try deadLetters?.append(
                    hand.entries[index], reason: reason, key: hand.piece.key, at: host.wallTime)
                countRemoved(removed ?? 0)
                written.append((ids[index], reason))
            } catch { reportUnwritten(reason, error) }
        }
        // The store forgets a message only once the disk has its letter.
        do throws(SystemFailure) { try deadLetters?.synchronize() } catch {
            if let last = written.last { reportUnwritten(last.reason, error) }
            written = []
        }
        for letter in written {
            host.report(
                .writeFailed,
                "\(settings.name): the server rejected a message (\(letter.reason)); it is "
                    + (deadLetters == nil ? "lost" : "in rejected.ndjson in the spool's directory"),
                key: settings.name + "rejected", count: 1)
        }
        figures.rejected += store.complete(hand.piece, done: written.map(\.id))
        let kept = entries.count - written.count
        if kept > 0 { events.append(.setAsideFailed(kept)) }
    }

    private func reportUnwritten(_ reason: String, _ failure: SystemFailure) {
        let trouble = LogError(
            .file,
            "the server rejected a message (\(reason)), and "
                + "rejected.ndjson cannot be written; the message is kept",
            place: store.directory?.path, cause: failure.number)
        host.report(.writeFailed, "\(settings.name): \(trouble)", key: settings.name + "unwritten", count: 1)
    }

    /// Counts refused messages that the limit has removed.
    private func countRemoved(_ count: Int) {
        guard count > 0 else { return }
        figures.rejectedRemoved += count
        host.report(
            .writeFailed,
            "\(settings.name): rejected.ndjson has reached deadLetterLimit, "
                + "\(settings.deadLetterLimit): the oldest "
                + "rejected messages, \(count) of them, were removed",
            key: settings.name + "removed", count: count)
    }

    /// Why the piece was refused.
    private var reason: String {
        guard case .answered(let response, let verdict) = hand?.outcome else { return "too large" }
        let text = "\(response.status)" + (verdict.note.map { ": \($0)" } ?? "")
        return verdict.action == .split ? text + ", even alone" : text
    }

    // MARK: - Parking

    private func park(_ receipt: String?) {
        guard let piece = hand?.piece else { return }
        store.park(piece, isUnconfirmed: receipt != nil)
        if let receipt { unconfirmed[receipt] = piece } else { parked.append(piece) }
    }

    private func keep() {
        guard let piece = hand?.piece else { return }
        store.park(piece, isUnconfirmed: false)
        kept.append(piece)
    }

    private func unparkAll() {
        store.unpark(parked + kept + unconfirmed.values)
        (parked, kept, unconfirmed) = ([], [], [:])
    }

    private func confirm(_ receipts: [String]) {
        for receipt in receipts {
            guard let piece = unconfirmed.removeValue(forKey: receipt) else { continue }
            let count = store.complete(piece, done: piece.records.map(\.id))
            figures.acknowledged += count
            tellRemoved(count)
        }
    }

    private func poll(_ receipts: [String]) -> Bool {
        guard let encoding = settings.encoding as? any AcknowledgingEncoding else { return false }
        host.start(
            ReceiptJob(
                receipts: receipts, encoding: encoding, endpoint: settings.endpoint,
                decorators: settings.decorators, transport: settings.transport,
                timeout: settings.requestTimeout,
                allowsInsecureHTTP: settings.address.allowsInsecureHTTP))
        return true
    }

    // MARK: - Closing

    /// Ends the delivery for this attachment, and frees the store's directory.
    func close() {
        engineRemoved()
        deadLetters = nil
        let unsaved = store.counters.droppedUnsaved
        store.close()
        let lost = store.counters.droppedUnsaved - unsaved
        if lost > 0 {
            host.report(
                .writeFailed,
                "\(settings.name): \(lost) messages were lost: the disk did not accept them "
                    + "before the logger was removed",
                key: settings.name + "unsaved", count: lost)
        }
        publish()
    }

    /// Ends the delivery for this attachment; the store stays open.
    func engineRemoved() {
        // No answer comes any more.
        onTheWay = nil
        lostOnTheWay += discardedOnTheWay
        discardedOnTheWay = 0
        unparkAll()
        run(.removed)
    }

    /// Opens the store again, when the logger was removed and is added again.
    func reopen() {
        guard store.isClosed else { return }
        store.settings = settings.spoolSettings
        do {
            store = try store.reopened()
        } catch {
            host.report(
                .setting, "\(settings.name): unsent messages are kept in memory only: \(error)",
                key: settings.name, count: 1)
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

    // MARK: - Telling

    /// Says how many messages end with the process: those that are in memory only, and have not been sent.
    func tellLost() {
        guard !store.isOnDisk, store.pending > 0 else { return }
        host.report(
            .writeFailed,
            "\(settings.name): \(store.pending) messages are lost: they were in memory only, and the server"
                + " has not accepted them before the end of the process; give the logger a `spool`"
                + (figures.lastError.map { ": \($0)" } ?? ""), key: settings.name + "lost",
            count: store.pending)
    }

    private func publish() {
        // Reading may find damage, which the figures have then.
        let oldest = store.oldestTime
        let counters = store.counters
        figures.stored = counters.appended
        figures.recovered = counters.recovered
        figures.dropped = counters.lost + lostOnTheWay
        figures.pending = store.pending + discardedOnTheWay
        reportTroubles()
        host.publish(figures, oldest: oldest, isIdle: store.pending == 0 && !engine.isBusy)
    }

    private func reportTroubles() {
        for trouble in store.drainErrors() {
            host.report(
                trouble.code == .damaged ? .damaged : .writeFailed, "\(settings.name): \(trouble)",
                key: settings.name, count: 1)
        }
    }

    private func tell(_ report: DeliveryAction.Report) {
        let name = settings.name
        let last = figures.lastError ?? "no answer"
        switch report {
        case .held(let cause):
            credentials.hold()
            let problem =
                switch cause {
                case .status: "the server rejects the requests because of their setup"
                case .transport(let error) where error.reason == .unusableRequest:
                    "the requests cannot be created, so nothing is sent"
                case .transport: "the server cannot be reached with this setup, so nothing is sent"
                case .local: "the requests cannot be created, so nothing is sent"
                }
            host.report(
                .setting, "\(name): \(problem); all messages are kept: \(last)", key: name + "hold" + last,
                count: 1)
        case .refusesEverything:
            host.report(
                .setting,
                "\(name): the server rejects every message, so its address may be wrong; "
                    + "all messages are kept: \(last)",
                key: name + "hold", count: 1)
        case .keptInsteadOfDropped:
            host.report(
                .setting, "\(name): the retry policy drops messages; this store keeps them: \(last)",
                key: name + "hold", count: 1)
        case .unacknowledged(let count):
            host.report(
                .writeFailed,
                "\(name): the server did not acknowledge \(count) requests in time; they are sent again",
                key: name + "unacknowledged", count: count)
        }
    }

    func tell(_ category: TranscriptCategory, _ text: @autoclosure () -> String) {
        settings.transcript?("[Heartwood.\(settings.name).\(category.rawValue)] \(text())")
    }
}
