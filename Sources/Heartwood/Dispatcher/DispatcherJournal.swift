import CHeartwood
import Dispatch
import Synchronization

/// The journal that a dispatcher was asked to use: makes its file, replaces one that is gone, and says how it is.
///
/// Invariant: one thread at a time changes the journal (`isChanging`). It holds no lock meanwhile, because reports and
/// drains may run the user's code.
final class DispatcherJournal: Sendable {
    private struct State {
        var wanted: LogJournal?
        var status = LogJournal.Status.off
        var notesSignals = false
        /// Whether a thread is changing the journal.
        var isChanging = false
        /// Whether a new file is to be made for one that was removed or cut.
        var isReplacing = false
        /// The paths of journals of dead processes that wait because this one could make none.
        var stranded: [String] = []
    }

    // MARK: Constants (any thread)
    private let ring: RecordRing
    private let place: RingPlace
    private let consumer: RingConsumer
    private let clock: any LogClock
    private let diagnostics: LogDiagnostics

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

    /// The journals of dead processes that cannot be opened, or that wait because this process could make none.
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
            return state.notesSignals
        }
        if notesSignals { _ = place.setNotesSignals(true) }
    }

    /// Has a new file made, elsewhere, for a journal that was removed or cut while it was in use.
    private func replace() {
        let isFirst = state.withLock { state in
            defer { state.isReplacing = true }
            return !state.isReplacing
        }
        if !isFirst || hw_forked_child_load() { return }
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in
            guard let self, let dispatcher = consumer.dispatcher else { return }
            defer { withExtendedLifetime(dispatcher) {} }
            claimChange()
            let (wanted, status) = state.withLock { state in
                state.isReplacing = false
                return (state.wanted, state.status)
            }
            // It may have been changed meanwhile.
            guard isGone else { return finishChange(wanted, status) }
            diagnostics.report(
                .damaged,
                "the journal \(place.path ?? "") was removed or truncated while in use; a new one was started, and messages not yet written"
                    + " may be lost", key: "journal")
            let next = change(to: wanted)
            // Where not even the directory can be made, the ring must leave the old file all the same.
            if isGone { _ = exchange { _ in (nil, nil) } }
            finishChange(wanted, next)
        }
    }

    private var isGone: Bool { consumer.drain.withLock { $0.journalLook.isGone } }

    private func change(to wanted: LogJournal?) -> LogJournal.Status {
        let before = status
        guard let wanted else {
            state.withLock { $0.stranded = [] }
            return exchange { _ in (nil, nil) } ? .off : before
        }
        do {
            let directory = try LogDirectory(wanted.directory)
            let recovery = JournalRecovery(directory, diagnostics)
            var failure: (any Error)?
            let isDone = exchange { beginning in
                do {
                    let file = try JournalFile(
                        in: directory, ringSize: ring.capacity, beginning: beginning, now: clock.now())
                    return (file, recovery)
                } catch let error {
                    failure = error
                    return (nil, recovery)
                }
            }
            if !isDone { return before }
            let path = place.path
            state.withLock { $0.stranded = path == nil ? recovery.waiting : [] }
            if let path { return .active(path: path) }
            throw failure ?? LogError(.file, "Cannot map the journal", place: wanted.directory)
        } catch {
            let reason = error as? LogError ?? LogError(.file, "\(error)", place: wanted.directory)
            report(noJournal: reason)
            return .unavailable(reason)
        }
    }

    /// Has the ring go on elsewhere; false where there is no memory for that.
    private func exchange(_ make: (UInt64) -> (file: JournalFile?, recovery: JournalRecovery?)) -> Bool {
        let isDone = place.exchange(make) { [weak self] in self?.replace() }
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
                "the journal released \(count) messages that a logger has not written; a crash would lose them",
                key: "journal", count: count)
        }
        return count > 0
    }

    // MARK: - Around a fork

    func handleFork(_ fork: ForkStep) { fork.apply(to: state) }
}
