import CHeartwood
import Dispatch
import Synchronization

/// The journal that a dispatcher was asked to use: makes its file, replaces one that is gone, and says how it
/// is.
///
/// Invariant: one thread at a time changes the journal (`isChanging`). It holds no lock meanwhile, because
/// reports and drains may run the user's code.
final class DispatcherJournal: Sendable {
    private struct State {
        var wanted: LogJournal?
        var status = LogJournal.Status.off
        var notesSignals = false
        /// Whether a thread is changing the journal.
        var isChanging = false
        /// Whether a new file is to be made for one that was lost, or could not be made.
        var isReplacing = false
        /// How many messages were reported as lost with a file.
        var reportedVanished = 0
        /// When that is tried again, while there is none.
        var retry: RetryPlan?
        /// The paths of journals of dead processes that wait because this one could make none.
        var stranded: [String] = []
    }

    /// A journal is tried again after a second, then half as often each time, down to once a minute.
    private static let pace = GrowingPause(first: .seconds(1), longest: .seconds(60))

    // MARK: Constants (any thread)
    private let ring: RecordRing
    private let place: RingPlace
    private let consumer: RingConsumer
    private let clock: any LogClock
    private let diagnostics: LogDiagnostics
    private let replacing = WorkQueue("heartwood.journal")

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(
        _ ring: RecordRing, _ place: RingPlace, _ consumer: RingConsumer, _ clock: any LogClock,
        _ diagnostics: LogDiagnostics
    ) {
        self.ring = ring
        self.place = place
        self.consumer = consumer
        self.clock = clock
        self.diagnostics = diagnostics
    }

    // MARK: - What is known

    var wanted: LogJournal? { state.withLock { $0.wanted } }
    var status: LogJournal.Status { state.withLock { $0.status } }
    var notesSignals: Bool { state.withLock { $0.notesSignals } }
    /// Whether it is being changed, or is about to be.
    var isBusy: Bool { state.withLock { $0.isChanging || $0.isReplacing } }

    /// The journals of dead processes that cannot be opened, or that wait because this process could make
    /// none.
    var unread: [String] {
        if !place.isFile { return state.withLock { $0.stranded } }
        return consumer.drain.withLock { $0.recovery?.unread ?? [] }
    }

    /// The keys of the loggers that something waits for in the journals of dead processes.
    var recoverable: [JournalKey] { consumer.drain.withLock { $0.recovery?.keys ?? [] } }

    /// Says again, at a flush, that the journal that was asked for could not be made.
    func reportMissing() {
        if place.isFile { return }
        if case .unavailable(let reason) = status { report(noJournal: reason) }
    }

    private func report(noJournal reason: LogError) {
        diagnostics.report(
            .setting, "no journal is in use, so a crash may lose messages: \(reason)", key: "journal")
    }

    // MARK: - Changing

    /// Has fatal signals noted in the file or not; false where there is no file.
    func setNotesSignals(_ notes: Bool) -> Bool {
        state.withLock { $0.notesSignals = notes }
        return place.setNotesSignals(notes)
    }

    /// Uses another journal from now on, or none.
    func set(_ wanted: LogJournal?) {
        if ThreadState.current.isInHook {
            return diagnostics.report(
                .misuse, "a logger or formatter cannot change the journal")
        }
        claimChange()
        finishChange(wanted, change(to: wanted))
    }

    /// At the dispatcher's end: leaves the file to recovery, or removes it where there is nothing to recover.
    func close() {
        if status != .off { _ = change(to: nil) }
    }

    private func claimChange() {
        while true {
            let isMine = state.withLock { state in
                if state.isChanging { return false }
                state.isChanging = true
                return true
            }
            if isMine { return }
            usleep(1000)
        }
    }

    private func finishChange(_ wanted: LogJournal?, _ status: LogJournal.Status) {
        let notesSignals = state.withLock { state in
            (state.wanted, state.status, state.isChanging) = (wanted, status, false)
            if !status.isWorthRetry {
                state.retry = nil
            } else if state.retry == nil {
                state.retry = RetryPlan(DispatcherJournal.pace)
                state.retry?.fail(at: clock.uptime())
            }
            return state.notesSignals
        }
        consumer.drain.withLock { drain in
            drain.watchJournal(isLacking: status.isWorthRetry) { [weak self] in self?.lookAfter() }
        }
        if notesSignals { _ = place.setNotesSignals(true) }
    }

    /// Has a new file made, elsewhere, for a journal that was lost while it was in use, or could not be made
    /// before.
    private func lookAfter() {
        let loss = self.loss
        let isDue = state.withLock { state in
            if state.isReplacing || loss == nil && !(state.retry?.mayTry(at: clock.uptime()) ?? false) {
                return false
            }
            state.isReplacing = true
            return true
        }
        if !isDue || hw_forked_child_load() { return }
        replacing.enqueue { [weak self] in
            guard let self, let dispatcher = consumer.dispatcher else { return }
            defer { withExtendedLifetime(dispatcher) {} }
            claimChange()
            let (wanted, status) = state.withLock { state in
                state.isReplacing = false
                return (state.wanted, state.status)
            }
            // It may have been changed meanwhile.
            if self.loss != nil {
                finishChange(wanted, replace(wanted))
            } else if status.isWorthRetry, let wanted {
                finishChange(wanted, tryAgain(wanted, status))
            } else {
                finishChange(wanted, status)
            }
        }
    }

    private func replace(_ wanted: LogJournal?) -> LogJournal.Status {
        let path = place.path ?? ""
        var loss = self.loss
        var next = change(to: wanted)
        let total = consumer.drain.withLock { $0.vanished }
        let vanished = state.withLock { state in
            defer { state.reportedVanished = total }
            return total - state.reportedVanished
        }
        diagnostics.report(
            .damaged,
            "the journal \(path) \(loss?.description ?? ""); "
                + (place.isFile
                    ? "a new one was started" : "messages are in memory only until there is a new one")
                + (vanished > 0 ? ", and about \(vanished) messages are lost" : ""),
            key: "journal", count: max(1, vanished))
        loss = self.loss
        if let loss {
            // Where not even the directory can be made, or the new file is lost as well, the ring must leave
            // it all the same.
            _ = exchange(for: nil, nil)
            if case .active(let path) = next {
                next = .unavailable(LogError(.file, "The journal \(loss.description)", place: path))
            }
        }
        return next
    }

    /// Makes a journal that could not be made before; messages go on in memory meanwhile.
    private func tryAgain(_ wanted: LogJournal, _ status: LogJournal.Status) -> LogJournal.Status {
        state.withLock { _ = $0.retry?.fail(at: clock.uptime()) }
        let next = change(to: wanted, reports: false)
        if case .active(let path) = next {
            diagnostics.report(.note, "the journal \(path) is in use again", key: "journal")
        }
        return next
    }

    private var loss: JournalLoss? { consumer.drain.withLock { $0.journalLook.loss } }

    private func change(to wanted: LogJournal?, reports: Bool = true) -> LogJournal.Status {
        let before = status
        guard let wanted else {
            state.withLock { $0.stranded = [] }
            return exchange(for: nil, nil) ? .off : before
        }
        do {
            let directory = try Directory(wanted.directory)
            let key = try wanted.key.map { try FrameCipher(ofLogs: $0) }
            let recovery = JournalRecovery(directory, diagnostics, key: key)
            let file: JournalFile
            do {
                // Before the ring is closed: callers wait no longer than for the change of the memory.
                file = try JournalFile(
                    in: directory, ringSize: ring.capacity, now: clock.now(), key: key)
            } catch {
                if place.isFile, !exchange(for: nil, nil) { return before }
                state.withLock { $0.stranded = recovery.waiting }
                throw error
            }
            guard exchange(for: file, recovery) else {
                file.mapping.remove()
                return before
            }
            let path = place.path
            state.withLock { $0.stranded = path == nil ? recovery.waiting : [] }
            if let path { return .active(path: path) }
            throw LogError(.file, "Cannot map the journal", place: wanted.directory)
        } catch {
            let reason = error as? LogError ?? LogError(.file, "\(error)", place: wanted.directory)
            if reports { report(noJournal: reason) }
            return .unavailable(reason)
        }
    }

    /// Has the ring go on elsewhere; false where there is no memory for that.
    private func exchange(for file: JournalFile?, _ recovery: JournalRecovery?) -> Bool {
        let isDone = place.exchange(for: file, recovery)
        if !isDone {
            diagnostics.report(
                .setting, "not enough memory to change the journal; the previous one stays in use",
                key: "journal")
        }
        return isDone
    }

    // MARK: - Room

    /// Frees the ring of messages that slow loggers have not written yet.
    ///
    /// - Returns: false if there are no such loggers.
    @discardableResult
    func release() -> Bool {
        if !place.isFile { return false }
        consumer.consumeAll()
        let count = consumer.drain.withLock { $0.release(ring) }
        if count > 0 {
            diagnostics.report(
                .messagesDropped,
                "the journal released \(count) messages that a logger has "
                    + "not written; a crash would lose them",
                key: "journal", count: count)
        }
        return count > 0
    }

    // MARK: - Around a fork

    func handleFork(_ fork: ForkStep) { fork.apply(to: state) }
}

extension LogJournal.Status {
    /// Whether what keeps the journal from being used may pass.
    fileprivate var isWorthRetry: Bool {
        if case .unavailable(let reason) = self { reason.code != .setting } else { false }
    }
}

extension LogDispatcher {
    /// The journal, which preserves accepted messages when the process dies; nil, the default, keeps messages
    /// in memory only.
    ///
    /// ```swift
    /// LogDispatcher.shared.journal = .file("/var/lib/shop/journal")
    /// LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    /// ```
    ///
    /// With a journal, a message is safe as soon as its call has returned, even after `kill -9` or a trap
    /// (promise 10), but not after a power failure. Loggers that make messages durable, such as file and
    /// SQLite loggers, first get the messages that dead processes have left in the directory, once and in
    /// order. Set the journal before you add loggers, so that these older messages are written first. A
    /// record stays in the ring until those loggers have written it. Therefore ``overflowPolicy`` of the ring
    /// also applies when a disk is full: after its time limit, records are released, which is reported, and
    /// are then only as safe as without a journal.
    ///
    /// If the file cannot be created, the ring stays in memory. ``journalStatus`` and ``diagnostics`` report
    /// this, and nothing is thrown. Changing the journal makes callers wait for a moment. Never change it in
    /// a logger or formatter.
    public var journal: LogJournal? {
        get { journaling.wanted }
        set { journaling.set(newValue) }
    }

    /// The state of ``journal``.
    public var journalStatus: LogJournal.Status { journaling.status }

    /// Whether a fatal signal adds a last message to the journal, with its name and address; false by
    /// default.
    ///
    /// The message has the level `fatal`, and is delivered with the recovered messages. Earlier messages need
    /// no handler, because they are in the journal as soon as their calls have returned. The handler only
    /// stores a few words, and then calls the handler that was installed before it. It is installed once and
    /// stays. A stack overflow is detected on the thread that first sets this property. Without a journal,
    /// the property has no effect, which is reported.
    public var recordsFatalSignals: Bool {
        get { journaling.notesSignals }
        set {
            if journaling.setNotesSignals(newValue) || !newValue { return }
            diagnostics.report(.misuse, "recordsFatalSignals requires a journal; set `journal` too")
        }
    }

    /// What waits in the journals of dead processes for loggers that have not been added.
    package var recoverable: [JournalKey] {
        journaling.recoverable.reduce(into: []) { keys, key in if !keys.contains(key) { keys.append(key) } }
    }

    /// Whether the ring is in a file.
    var isJournaled: Bool { place.isFile }
}
