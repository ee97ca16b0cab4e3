import CHeartwood
import Dispatch
import Synchronization

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
        get { journalState.withLock { $0.wanted } }
        set { setJournal(newValue) }
    }

    /// The state of ``journal``.
    public var journalStatus: LogJournal.Status { journalState.withLock { $0.status } }

    /// Whether a fatal signal adds a last message to the journal, with its name and address; false by default.
    ///
    /// The message has the level `fatal`, and is delivered with the recovered messages. Earlier messages need
    /// no handler, because they are in the journal as soon as their calls have returned. The handler only
    /// stores a few words, and then calls the handler that was installed before it. It is installed once and
    /// stays. A stack overflow is detected on the thread that first sets this property. Without a journal,
    /// the property has no effect, which is reported.
    public var recordsFatalSignals: Bool {
        get { journalState.withLock { $0.notesSignals } }
        set {
            journalState.withLock { $0.notesSignals = newValue }
            guard let mapping = journalMapping.withLock({ $0 }) else {
                if newValue {
                    diagnostics.report(
                        .misuse,
                        "recordsFatalSignals requires a journal; set `journal` too")
                }
                return
            }
            if newValue { mapping.noteSignals() } else { mapping.ignoreSignals() }
        }
    }

    /// What waits in the journals of dead processes for loggers that have not been added.
    package var recoverable: [JournalTarget] {
        var targets: [JournalTarget] = []
        for key in drain.withLock({ $0.recovery?.keys ?? [] }) {
            let target = JournalTarget(key)
            if !targets.contains(target) { targets.append(target) }
        }
        return targets
    }

    struct JournalState {
        var wanted: LogJournal?
        var status = LogJournal.Status.off
        var notesSignals = false
        /// Whether a thread is at it.
        var isChanging = false
        /// Whether a new file is to be made for one that was removed or cut.
        var isReplacing = false
        /// The paths of journals of dead processes that wait because this one could make none.
        var stranded: [String] = []
    }

    /// The journals of dead processes that cannot be opened, or that wait because this process could make none.
    var unreadJournals: [String] {
        if !isJournaled { return journalState.withLock { $0.stranded } }
        return drain.withLock { $0.recovery?.unread ?? [] }
    }

    /// Says again, at a flush, that the journal that was asked for could not be made.
    func reportMissingJournal() {
        if isJournaled { return }
        if case .unavailable(let reason) = journalStatus { report(noJournal: reason) }
    }

    private func report(noJournal reason: LogError) {
        diagnostics.report(
            .setting, "no journal is in use, so a crash may lose messages: \(reason)", key: "journal")
    }

    private func setJournal(_ wanted: LogJournal?) {
        if ThreadState.current.isInHook {
            return diagnostics.report(
                .misuse, "a logger or formatter cannot change the journal")
        }
        claimChange()
        finishChange(wanted, change(to: wanted))
    }

    /// One at a time, and not under a lock: diagnostics and drains are user code and long ways.
    private func claimChange() {
        while true {
            let isMine = journalState.withLock { state in
                if state.isChanging { return false }
                state.isChanging = true
                return true
            }
            if isMine { return }
            usleep(1000)
        }
    }

    private func finishChange(_ wanted: LogJournal?, _ status: LogJournal.Status) {
        let notesSignals = journalState.withLock { state in
            (state.wanted, state.status, state.isChanging) = (wanted, status, false)
            return state.notesSignals
        }
        if notesSignals { journalMapping.withLock { $0 }?.noteSignals() }
    }

    /// Has a new file made, elsewhere, for a journal that was removed or cut while it was in use.
    func replaceJournal() {
        let isFirst = journalState.withLock { state in
            defer { state.isReplacing = true }
            return !state.isReplacing
        }
        if !isFirst || hw_forked_child_load() { return }
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in
            guard let self else { return }
            claimChange()
            let (wanted, status) = journalState.withLock { state in
                state.isReplacing = false
                return (state.wanted, state.status)
            }
            // It may have been changed meanwhile.
            guard drain.withLock({ $0.journalLook.isGone }) else { return finishChange(wanted, status) }
            let path = journalMapping.withLock { $0.map { $0.directory.path + "/" + $0.name } } ?? ""
            diagnostics.report(
                .damaged,
                "the journal \(path) was removed or truncated while in use; a new one was started, and messages not yet written"
                    + " may be lost", key: "journal")
            let next = change(to: wanted)
            var isDone = true
            // Where not even the directory can be made, the ring must leave the old file all the same.
            if drain.withLock({ $0.journalLook.isGone }) { exchange(&isDone) { _ in (nil, nil) } }
            finishChange(wanted, next)
        }
    }

    private func change(to wanted: LogJournal?) -> LogJournal.Status {
        var isDone = true
        let before = journalStatus
        guard let wanted else {
            journalState.withLock { $0.stranded = [] }
            exchange(&isDone) { _ in (nil, nil) }
            return isDone ? .off : before
        }
        do {
            let directory = try LogDirectory(wanted.directory)
            let recovery = JournalRecovery(directory, diagnostics)
            var failure: (any Error)?
            let path = exchange(&isDone) { beginning in
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
            journalState.withLock { $0.stranded = path == nil ? recovery.waiting : [] }
            if let path { return .active(path: path) }
            throw failure ?? LogError(.file, "Cannot map the journal", place: wanted.directory)
        } catch {
            let reason = error as? LogError ?? LogError(.file, "\(error)", place: wanted.directory)
            report(noJournal: reason)
            return .unavailable(reason)
        }
    }

    /// Replaces the ring's memory by a file, or by fresh memory without one.
    ///
    /// For a moment the ring is closed: callers wait for room. Everything that it has is handed to the loggers before.
    ///
    /// - Returns: the path of the file that the ring is in.
    @discardableResult
    private func exchange(
        _ isDone: inout Bool, _ make: (UInt64) -> (file: JournalFile?, recovery: JournalRecovery?)
    ) -> String? {
        isExchanging.store(true, ordering: .releasing)
        defer { isExchanging.store(false, ordering: .releasing) }
        isDone = true
        var (file, garbage) = drain.withLock { drain -> (JournalFile?, [AnyObject]) in
            guard let end = ring.close() else {
                isDone = false
                return (nil, [])
            }
            while ring.consumed < end {
                // Another thread may be about to publish what it has reserved.
                if !drain.drain(ring, ringGaps, upTo: end, byCaller: false) { sched_yield() }
            }
            // A call that had reserved room before the file was cut may be about to write to it.
            if ring.isCut { usleep(50_000) }
            let beginning = ring.nextBeginning
            let (file, recovery) = make(beginning)
            let target = file.map {
                (
                    descriptor: $0.mapping.descriptor, offset: $0.mapping.geometry.counters,
                    released: $0.released
                )
            }
            if let file { drain.noteClock(in: file) }
            let isMapped = ring.exchange(for: target, beginning: beginning)
            // Not before: the ring's tail would be moved as well, and open it.
            drain.journal?.ringHasLeft(at: end)
            let used = isMapped ? file : nil
            journalMapping.withLock { $0 = used?.mapping }
            drain.begin(used, used == nil ? nil : recovery, at: beginning)
            if !isMapped { file?.mapping.remove() }
            defer { drain.garbage = [] }
            return (used, drain.garbage)
        }
        if !garbage.isEmpty { ThreadState.current.runCallback { garbage = [] } }
        if !isDone {
            diagnostics.report(
                .setting, "not enough memory to change the journal; the previous one stays in use",
                key: "journal")
        }
        return file?.path
    }

    /// At the dispatcher's end: leaves the file to recovery, or removes it where there is nothing to recover.
    func closeJournal() { _ = change(to: nil) }

    // MARK: - Room

    /// Reserves room by letting records go that loggers have not written yet; nil where that is not what is in the way.
    func reserveByLettingGo(_ size: Int) -> (position: UInt64, used: Int)? {
        release() ? ring.reserve(size) : nil
    }

    /// Stops waiting for loggers that keep the ring full, if there are any.
    @discardableResult
    func release() -> Bool {
        if journalMapping.withLock({ $0 == nil }) { return false }
        drainNow()
        let count = drain.withLock { $0.release(ring) }
        if count > 0 {
            diagnostics.report(
                .messagesDropped,
                "the journal released \(count) messages that a logger has not written; a crash would lose them",
                key: "journal", count: count)
        }
        return count > 0
    }

    /// Keeps the text of a message that is too large for the ring beside the journal.
    func keepInJournal(_ large: Unmanaged<LargeBody>, _ position: UInt64) {
        guard let mapping = journalMapping.withLock({ $0 }), mapping.isOurs else { return }
        ring.noteLarge()
        do {
            try large._withUnsafeGuaranteedRef { large in
                try JournalLargeText.write(UnsafeRawBufferPointer(large.bytes), for: position, mapping)
            }
        } catch {
            diagnostics.report(
                .writeFailed,
                "cannot store a large message in the journal; a crash would lose it: \(error)",
                key: "journal")
        }
    }
}
