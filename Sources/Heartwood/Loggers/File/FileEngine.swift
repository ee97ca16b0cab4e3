import CHeartwood

/// Writes records into log files: creates, rolls and removes files as the settings say, and copes with what
/// goes wrong.
///
/// 1. **Whole.** Every record is in one file, once, in order, and never in part (promise 8).
/// 2. **Accounted.** What was accepted is written, is pending, or was dropped and counted; a file in which
///    records are missing says so in their place (promise 4).
/// 3. **Within the quota.** At no moment do the files of this naming take more room than the quota, as far as
///    this process alone writes to them.
/// 4. **Nothing escapes.** No failure of a system call ends the process, or is thrown to whoever logs
///    (promise 7).
/// 5. **Nothing of others.** What could not be opened, identified and locked is left alone (promise 12).
///
/// Where a new file is due and cannot be created, records go on into the file that is open: a file above its
/// limit is better than a lost line. This is the one exception from the limit of the size.
///
/// The parts decide, each with a state of its own: ``WriteGate`` whether a record may be written now,
/// ``FileOpener`` into which file, ``FileRoller`` how a file is finished, ``FileLedger`` what is finished,
/// ``DiskBudget`` what is removed, ``DiskSync`` when the disk is asked to keep it, ``WaitingRecords`` what
/// waits and what is lost, and ``FileFailures`` when to try again. ``RecordWriter`` runs them for each write,
/// unless its lease says that they have just agreed: whatever could change their minds ends it here.
///
/// Not thread-safe: it is owned by the logger, which calls it on its queue.
final class FileEngine {
    // MARK: Constants

    let directory: LogDirectory
    /// The directory's; here as well, since to get it from there would copy it, for each line.
    let calls: SystemCalls
    let inventory = FileInventory()
    /// How long to wait after a failure before trying again.
    static let retryInterval = Duration.milliseconds(250)
    private let clock: any LogClock

    // MARK: Owned by the logger

    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let opener: FileOpener
    private let current: OpenFile
    private let waiting: WaitingRecords
    private let failures: FileFailures
    private let disk: DiskSync
    private let roller: FileRoller
    private let output: RecordWriter

    /// Makes an engine; nothing is read or written before the first record.
    ///
    /// - Parameters:
    ///   - directory: where the files are.
    ///   - settings: the settings in effect.
    ///   - clock: the time.
    ///   - lookInterval: how long a look at the open file is enough for; zero, which has the file looked at
    ///     before each write, unless given.
    ///   - header: the header of a new file; empty for none.
    ///   - beginning: how a new file would begin; not known unless given.
    ///   - announcement: the record that tells how many were dropped, and why.
    ///   - report: is told what happens to files.
    init(
        directory: LogDirectory, settings: FileSettings, clock: any LogClock = SystemClock(),
        lookInterval: Duration = .zero,
        header: @escaping () -> [UInt8] = { [] },
        beginning: @escaping () -> FileBeginning = { FileBeginning() },
        announcement: @escaping (Int, SystemFailure?) -> [UInt8] = FileEngine.plainAnnouncement,
        report: @escaping (FileEvent) -> Void = { _ in }
    ) {
        self.directory = directory
        calls = directory.calls
        self.clock = clock
        scene = FileScene(directory, inventory, settings, clock, beginning: beginning, report: report)
        ledger = FileLedger(scene)
        budget = DiskBudget(scene, ledger)
        opener = FileOpener(scene, ledger, budget)
        current = OpenFile(scene, ledger, opener)
        waiting = WaitingRecords(scene, announcement: announcement)
        failures = FileFailures(scene, current, waiting)
        disk = DiskSync(scene, current)
        roller = FileRoller(scene, ledger, budget, opener, current, failures, disk)
        let readiness = FileReadiness(
            scene, ledger, budget, opener, current, failures, roller, disk, lookInterval: lookInterval,
            header: header)
        output = RecordWriter(scene, ledger, budget, readiness, roller, failures, disk)
    }

    var settings: FileSettings { scene.settings }
    var counters: FileCounters { scene.counters }
    var isStarted: Bool { opener.survey.isStarted }
    /// The file that is written; nil for none.
    var writer: FileWriter? { current.writer }
    /// The process that the state belongs to; another one after a fork.
    var owner: ProcessOwner {
        get { current.owner }
        set {
            output.endLease()
            current.owner = newValue
        }
    }
    /// Whether all that processes must know of each other's files is on the disk, and was read from it.
    var isSaved: Bool { ledger.isSaved && ledger.isKnown }

    /// Where the journal is told of each write before it is made.
    var slot: JournalSlot? {
        get { output.slot }
        set {
            output.endLease()
            output.slot = newValue
        }
    }

    /// An announcement for files of lines.
    static func plainAnnouncement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        Array((LogMessage.lossText(count, because: failure) + "\n").utf8)
    }

    /// Reads what earlier runs left in the directory; once.
    func start() throws { try opener.survey.start() }

    // MARK: Writing

    /// Whether the last write has changed nothing but the length of the file.
    var hasOnlyGrown: Bool { output.hasOnlyGrown }

    /// Writes records; those that no file takes are pending until a later call, as many as the limit allows.
    ///
    /// - Parameters:
    ///   - bytes: the records, without gaps.
    ///   - ends: where each ends.
    ///   - marks: the mark of each in the journal; none without a journal.
    ///   - isUrgent: synchronize afterwards.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], marks: [UInt64] = [], isUrgent: Bool = false
    ) {
        guard !ends.isEmpty else { return }
        checkProcess()
        var done = output.writeByLease(bytes, ends)
        if done == ends.count { return }
        if waiting.isEmpty {
            let progress = output.write(bytes, ends, marks, from: done)
            done = progress.dealt
            if let number = progress.unwritable { waiting.drop(number) }
        }
        if done < ends.count {
            waiting.park(bytes, ends, marks, from: done, because: failures.health.failure)
            if failures.health.mayTry(at: clock.uptime()) { retry() }
        }
        disk.synchronizeIfDue(isUrgent)
        if waiting.isEmpty { output.grantLease(on: current.writer) }
    }

    /// Has the file looked at before each write for a second, since others may be about to remove it, or only
    /// before the next write.
    func lookClosely(forWhile: Bool) {
        output.endLease()
        output.lookClosely(forWhile: forWhile)
    }

    /// Opens the file of the next record, or creates it with its header.
    func openFile() {
        output.endLease()
        checkProcess()
        if waiting.isEmpty { output.prepare() }
    }

    /// Tries again to write what is pending.
    func retry() {
        guard !waiting.isEmpty else { return }
        failures.health.beginAttempt()
        while failures.health.failure == nil {
            let isAnnouncementLost = waiting.attempt { buffer in
                buffer.bytes.withUnsafeBytes { output.write($0, buffer.ends, buffer.marks) }
            }
            guard let isAnnouncementLost else { break }
            if isAnnouncementLost {
                failures.delayAnnouncement()
                if !waiting.hasRecords { break }
            }
        }
        if failures.health.hasRecovered() { scene.report(.resumed(dropped: counters.dropped)) }
    }

    /// Whether everything that was accepted is in a file, or was dropped.
    var isIdle: Bool { waiting.isEmpty }

    /// Forgets what is pending: after a fork it is the parent's.
    func forgetWaiting() { waiting.forget() }

    /// Puts everything that was written on the disk: the open file, those that were finished, and their
    /// names.
    func synchronize() throws(SystemFailure) {
        output.endLease()
        try disk.synchronize()
    }

    // MARK: Rolling

    /// Finishes the file that is written, or that the next line would have continued.
    ///
    /// The next line creates a file.
    ///
    /// - Parameter keepsEmpty: Whether a file without records stays as it is.
    /// - Returns: false where it was not possible; the file is then still written to.
    @discardableResult
    func rollNow(keepsEmpty: Bool = true) -> Bool {
        output.endLease()
        checkProcess()
        retry()
        return roller.finish(keepsEmpty: keepsEmpty)
    }

    private func rollIdle(_ writer: FileWriter, _ uptime: Duration) {
        let isLocked = ledger.beginWrite()
        defer { ledger.endWrite() }
        let later = uptime + .seconds(1)
        if writer.isShared {
            guard isLocked else { return failures.health.delayIdleRoll(until: later) }
            current.followOthers(writer)
        }
        if current.writer === writer, !rollNow() { failures.health.delayIdleRoll(until: later) }
    }

    // MARK: Limits and archives

    /// Looks at the directory again.
    func refreshInventory() {
        output.endLease()
        opener.survey.refresh()
    }

    /// Removes what the limits say.
    func applyRetention() {
        output.endLease()
        budget.apply()
    }

    /// Makes room for the archive of a file, by removing older files only.
    func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        output.endLease()
        return budget.makeRoom(forArchive: bytes, of: label)
    }

    /// The finished files that are not archives yet, or that the processor has not dealt with, oldest first.
    var unarchived: [String] {
        ledger.load()
        let processed = Set(ledger.catalogue.processed)
        let active = opener.survey.namesOfActive
        return inventory.entries.filter { entry in
            !active.contains(entry.name) && !entry.isUnfinished && !entry.isForeign
                && entry.name != writer?.name && ledger.isFinished(entry)
                && !processed.contains(entry.name)
        }.map(\.name)
    }

    // MARK: Time

    /// Does what is due: tries again, synchronizes, rolls an idle file.
    func tick() {
        output.endLease()
        checkProcess()
        if isStarted { ledger.saveChanges() }
        let now = clock.now()
        let uptime = clock.uptime()
        scene.watch.compare(now, uptime)
        try? opener.names.removeSurplusName()
        if !isIdle, failures.health.mayTry(at: uptime) { retry() }
        if let writer, writer.hasRecords {
            current.renewDeadlineIfSetBack(writer, now, uptime)
            if writer.deadline.isReached(wall: now, steady: uptime), failures.health.mayRollIdle(at: uptime) {
                rollIdle(writer, uptime)
            }
        }
        if isStarted, budget.isAgeCheckDue(at: uptime) {
            refreshInventory()
            applyRetention()
        }
        disk.synchronizeIfDue(false)
    }

    /// How long until ``tick()`` has something to do; nil for never.
    var untilTick: Duration? {
        let uptime = clock.uptime()
        // Asked after each batch, so without an array.
        var least: Duration?
        func consider(_ delay: Duration?) {
            guard let delay else { return }
            least = least.map { min($0, delay) } ?? delay
        }
        if !isIdle { consider(failures.health.retryDelay(at: uptime)) }
        if isStarted, !ledger.isSaved { consider(FileEngine.retryInterval) }
        if opener.names.hasSurplusName { consider(FileEngine.retryInterval) }
        if let writer, writer.hasRecords {
            // The wall clock may be set meanwhile: look again after ten minutes at the latest.
            let delay = writer.deadline.delay(wall: clock.now(), steady: uptime)
            if let delay { consider(max(failures.health.rollDelay(at: uptime), min(delay, .seconds(600)))) }
        }
        consider(disk.delay(at: uptime))
        if isStarted { consider(budget.ageCheckDelay(at: uptime)) }
        return least
    }

    // MARK: Settings and the end

    private var change: FileSettingsChange {
        FileSettingsChange(
            scene: scene, budget: budget, opener: opener, current: current, failures: failures
        ) { self.rollNow() }
    }

    /// Takes new settings; limits hold at once, or once the engine has started.
    func apply(_ new: FileSettings) {
        output.endLease()
        change.apply(new)
    }

    /// Tells of settings that contradict each other.
    func advise() { change.advise() }

    /// After a fork, the child forgets what its parent will write, and creates a file of its own.
    private func checkProcess() {
        guard current.owner.leaveParent(calls) else { return }
        output.endLease()
        opener.noteSharing()
        if !settings.isShared { opener.requireNew() }
        if let writer { inventory.protect(writer.name, true) }
        current.change(to: nil)
        slot = nil
        forgetWaiting()
    }

    /// Releases the file; it may be continued later.
    func close() {
        retry()
        waiting.giveUp(because: failures.health.failure)
        releaseSynced()
    }

    /// Closes the file, and keeps what is pending; the next record opens it again.
    func reopen() {
        retry()
        releaseSynced()
    }

    private func releaseSynced() {
        output.endLease()
        if isStarted { ledger.saveChanges() }
        guard let writer else { return }
        // The last chance to cut off the part of a record that is dropped, or written to another file.
        if writer.isTorn { _ = try? writer.refresh() }
        if settings.sync != .never { _ = try? writer.sync() }
        current.release(writer)
    }
}
