import CHeartwood

/// The base class of loggers that write to a database: it collects messages, and decides when to save and
/// delete.
///
/// A subclass says what it keeps of a message until it is saved, its `Row`, which may be the message itself,
/// and overrides ``save(_:)`` and ``deleteMessages(before:)``. `Docs/Databases.md` has a sample.
///
/// - **Saving**: when ``DatabaseSettings/saveThreshold`` messages wait, when the oldest of them has waited
///   for ``DatabaseSettings/saveInterval``, at every flush, and with that at the end of the process, and
///   before the logger is removed.
/// - **Deleting**: messages older than ``DatabaseSettings/maximumAge``, with the first save, then every
///   ``DatabaseSettings/deleteInterval``.
/// - **Failures**: a save that fails loses nothing. Its rows stay, in order, up to
///   ``DatabaseSettings/unsavedLimit``, and are tried again after 1, 2, 4 and so on up to 30 seconds, and at
///   every flush, whose result names the logger while rows are left. What comes when the limit is reached
///   counts as failed, and a row in its place says how many are missing. All of this is reported to the
///   dispatcher's diagnostics.
///
/// All hooks are called on ``AbstractLogger/queue``, one at a time. The settings are the members of
/// ``DatabaseSettings``. They may be changed at any time on any thread, take effect in order with the
/// messages (promise 2), and are looked at again at once. In a forked child, which has no timers, every
/// batch is saved.
// Unchecked: settings are `Ordered`, the rest is owned by the queue.
open class AbstractDatabaseLogger<Row: Sendable>: AbstractLogger, ConfigurableLogger, @unchecked Sendable {
    /// The settings; their members are properties of the logger.
    public final let orderedSettings = Ordered(wrappedValue: DatabaseSettings())

    // MARK: Constants (any thread)

    /// The clock.
    public final let clock: any LogClock

    // MARK: Owned by the hooks
    private var schedule: SaveSchedule
    private var rows: [Row] = [] { didSet { noteWaiting(rows.count) } }
    private var size = 0
    /// Messages that found no room after the rows.
    private var missing = 0
    private var timer = DueTimer()
    private var owner = ProcessOwner()
    /// Every batch is saved: a journal waits for it, or there are no timers.
    private var savesBatches = false
    /// The journal's mark of the last row; 0 without a row.
    private(set) package final var lastMark: UInt64 = 0

    /// Makes a logger, which gets messages after you add it to a dispatcher.
    ///
    /// - Parameters:
    ///   - name: Its name; the name of its class unless given.
    ///   - formatter: Its first formatter, for subclasses that save formatted text.
    ///   - clock: Where the time comes from; a test hands over a clock that it moves by hand.
    public init(name: String? = nil, formatter: LogFormatter? = nil, clock: any LogClock = SystemClock()) {
        self.clock = clock
        schedule = SaveSchedule(at: clock.uptime())
        super.init(name: name, formatter: formatter)
    }

    // MARK: - Override points

    /// Converts a message to the row that is kept until it is saved; called for each message, in order.
    ///
    /// Settings have the values that they had when the message was logged. nil leaves the message out, and
    /// counts it as filtered. The base class returns the message itself if `Row` is `LogMessage`, and nil
    /// otherwise.
    open func row(for message: LogMessage) -> Row? { message as? Row }

    /// Saves rows, either all of them or none; does nothing unless overridden.
    ///
    /// The method can block the queue. It is never called without rows. If it can take longer than callers
    /// wait for a logger without progress, which is 250 ms unless ``AbstractLogger/overflowPolicy`` says
    /// otherwise, call ``AbstractLogger/noteProgress()`` from time to time, for example after each row.
    ///
    /// - Throws: An error if the rows were not saved. They are kept, and passed again together with later
    ///   ones.
    open func save(_ rows: [Row]) throws {}

    /// Deletes messages that were logged before a moment; does nothing unless overridden.
    ///
    /// - Throws: An error if messages were not deleted. It is reported, and the logger tries again after the
    ///   next interval.
    open func deleteMessages(before moment: LogTimestamp) throws {}

    /// Saves rows and deletes old messages, when both are due; calls one method after the other unless
    /// overridden.
    ///
    /// Override this method if your database can do both in one transaction. An error means that nothing was
    /// saved.
    ///
    /// - Throws: An error if the rows were not saved.
    open func saveAndDelete(_ rows: [Row], before moment: LogTimestamp) throws {
        try save(rows)
        attemptDelete(before: moment)
    }

    /// Called when the logger has been added to a dispatcher, before its first message.
    open func begin() {}

    /// Called after the last save, before the logger is removed from its dispatcher; close the database here.
    open func end() {}

    /// Called when a setting has taken effect, before the logger acts on it.
    open func applySettings() {}

    // MARK: - Acting

    /// Saves all messages that were logged before on this thread; never waits.
    public final func saveNow() { performInOrder { [unowned self] in saveEverything() } }

    /// Deletes messages that are older than ``DatabaseSettings/maximumAge``; never waits.
    public final func deleteNow() {
        performInOrder { [unowned self] in
            if let moment = oldestKept { attemptDelete(before: moment) }
            armTimer()
        }
    }

    // MARK: - Hooks of the base class

    /// Keeps the message until it is saved.
    public final override func log(_ message: LogMessage) {
        leaveToParent()
        let weight = message.weight
        if size + weight > limit, !rows.isEmpty {
            if schedule.action(at: clock.uptime()) != .nothing { actNow() }
            if size + weight > limit, !rows.isEmpty {
                missing += 1
                return reportFailure("unsaved messages reached the limit of \(ByteCount(limit))")
            }
        }
        guard let row = row(for: message) else { return countFiltered() }
        announceMissing()
        keep(row, weight)
        if schedule.isFull || size >= limit / 4 { actNow() }
    }

    /// Starts the timer of the next save.
    public final override func batchDidEnd() {
        if savesBatches || isLastFlush || hw_forked_child_load() { actNow(savesAll: !schedule.isFailing) }
        armTimer()
    }

    /// Saves all messages; if that fails, the result of the flush names the logger.
    ///
    /// An override must call `super`.
    open override func flush() {
        leaveToParent()
        saveEverything()
        if !rows.isEmpty { reportPending() }
    }

    /// Calls ``begin()``.
    public final override func didAdd() {
        begin()
        armTimer()
    }

    /// Saves all messages, then calls ``end()``; messages that cannot be saved are lost, counted and
    /// reported.
    public final override func willRemove() {
        leaveToParent()
        saveEverything()
        timer.cancel()
        if !rows.isEmpty {
            reportDeferredFailure(of: rows.count, "the logger was removed before it saved all messages")
            forget()
        }
        end()
    }

    /// Applies changed settings, calls ``applySettings()``, and does what is due now.
    public final override func settingsDidChange() {
        schedule.settings = orderedSettings.inEffect
        applySettings()
        actNow()
        armTimer()
    }

    // MARK: - Inside

    private func keep(_ row: Row, _ weight: Int) {
        rows.append(row)
        size += weight
        lastMark = max(lastMark, journalMark)
        schedule.noteBuffered(at: clock.uptime())
    }

    /// Puts a row in the place of what was dropped.
    @discardableResult
    private func announceMissing() -> Bool {
        guard missing > 0 else { return false }
        let message = LogMessage.ofLoss(missing, at: clock.now())
        missing = 0
        guard let row = row(for: message) else { return false }
        keep(row, message.weight)
        return true
    }

    /// The memory limit of unsaved rows in bytes.
    private var limit: Int { schedule.settings.unsavedLimit.limit ?? .max }

    private var oldestKept: LogTimestamp? {
        schedule.settings.maximumAge.limit.map { clock.now() + (.zero - $0) }
    }

    /// Does what is due, or saves in any case.
    private func actNow(savesAll: Bool = false) {
        let now = clock.uptime()
        var action = schedule.action(at: now)
        if savesAll, !rows.isEmpty { action = schedule.savesWithDelete(at: now) ? .saveAndDelete : .save }
        // A limit in bytes that is reached saves as well, unless the last save has failed a moment ago.
        if action == .nothing, size >= limit / 4, !schedule.isFailing { action = .save }
        switch action {
        case .nothing: break
        case .save: attemptSave(deletingBefore: nil)
        case .saveAndDelete: attemptSave(deletingBefore: oldestKept)
        case .delete: if let moment = oldestKept { attemptDelete(before: moment) }
        }
    }

    private func saveEverything() {
        actNow(savesAll: true)
        // What was dropped for want of room is announced as soon as there is some.
        if rows.isEmpty, announceMissing() { actNow(savesAll: true) }
        armTimer()
    }

    private func attemptSave(deletingBefore moment: LogTimestamp?) {
        do {
            if let moment {
                try saveAndDelete(rows, before: moment)
                schedule.noteDeleted(at: clock.uptime())
            } else {
                try save(rows)
            }
            forget()
        } catch {
            schedule.noteSaveFailed(at: clock.uptime())
            diagnostics.report(
                .writeFailed,
                "\(name): cannot save \(rows.count) messages, will try again: \(error)",
                key: name)
        }
        noteSettled()
    }

    private func attemptDelete(before moment: LogTimestamp) {
        schedule.noteDeleted(at: clock.uptime())
        do {
            try deleteMessages(before: moment)
        } catch {
            diagnostics.report(
                .writeFailed, "\(name): cannot delete old messages: \(error)", key: "\(name) delete")
        }
    }

    private func forget() {
        rows.removeAll(keepingCapacity: rows.count <= 1024)
        (size, lastMark) = (0, 0)
        schedule.noteSaved()
    }

    /// In the child of a fork: what waits is the parent's.
    private func leaveToParent() {
        guard owner.leaveParent() else { return }
        missing = 0
        timer.cancel()
        forget()
    }

    private func armTimer() {
        guard let due = schedule.due, !hw_forked_child_load() else { return timer.cancel() }
        if timer.serves(due) { return }
        timer.arm(for: due, of: clock) { [weak self] in
            self?.perform { [weak self] in self?.timerFired() }
        }
    }

    private func timerFired() {
        timer.didFire()
        leaveToParent()
        actNow()
        armTimer()
    }

    // MARK: - For the journal

    /// Whether nothing waits to be saved.
    package final var isSaved: Bool {
        assertOwned()
        return rows.isEmpty
    }

    /// Saves what waits, and from now on every batch, or no longer.
    package final func beginJournal(_ isJournaled: Bool) {
        assertOwned()
        saveEverything()
        savesBatches = isJournaled
    }

    /// Drops what waits, uncounted.
    package final func forgetUnsaved() {
        assertOwned()
        forget()
    }

    private func assertOwned(_ entrance: StaticString = #function) {
        assert(isOwnedHere, "\(entrance) was called outside of the logger's hooks; call it in a hook")
    }
}

extension LogMessage {
    /// About how much memory keeping it takes, in bytes.
    var weight: Int { storage.textSize + storage.fieldsSize + 160 }
}
