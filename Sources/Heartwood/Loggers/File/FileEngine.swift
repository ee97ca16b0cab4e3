import CHeartwood

/// Writes records into log files: creates, rolls and removes files as the settings say, and copes with what goes wrong.
///
/// 1. **Whole.** Every record is in one file, once, in order, and never in part (promise 8).
/// 2. **Accounted.** What was accepted is written, is pending, or was dropped and counted; a file in which records are
///    missing says so in their place (promise 4).
/// 3. **Within the quota.** At no moment do the files of this naming take more room than the quota, as far as this
///    process alone writes to them.
/// 4. **Nothing escapes.** No failure of a system call ends the process, or is thrown to whoever logs (promise 7).
/// 5. **Nothing of others.** What could not be opened, identified and locked is left alone (promise 12).
///
/// Where a new file is due and cannot be created, records go on into the file that is open: a file above its limit is
/// better than a lost line. This is the one exception from the limit of the size.
///
/// The parts decide, each with a state of its own: ``WriteGate`` whether a record may be written now, ``FileOpener`` into
/// which file, ``FileLedger`` what is finished, ``DiskBudget`` what is removed, ``SyncPlan`` when the disk is asked to
/// keep it, ``PendingRecords`` what waits and what is lost.
///
/// Not thread-safe: it is owned by the logger, which calls it on its queue.
package final class FileEngine {
    // MARK: Constants

    package let directory: LogDirectory
    package let inventory = FileInventory()
    /// How long to wait after a failure before trying again.
    package static let retryInterval = Duration.milliseconds(250)
    private let clock: any LogClock
    /// The header of a new file; empty for none.
    private let header: () -> [UInt8]
    /// The record that tells how many were dropped, and why.
    private let announcement: (Int, SystemFailure?) -> [UInt8]

    // MARK: Owned by the logger

    /// The file that is written; nil for none.
    package private(set) var writer: FileWriter?
    package private(set) var isStarted = false
    /// Where the journal is told of each write before it is made.
    package var slot: JournalSlot?
    /// The process that the state belongs to; another one after a fork.
    package var process: Int32
    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let opener: FileOpener
    private let watch: ClockWatchBox
    private var pending = PendingRecords()
    private var sync = SyncPlan()
    private var health = FileHealth()
    /// The bytes of the last header.
    private var headerSize = 0

    package init(
        directory: LogDirectory, settings: FileSettings, clock: any LogClock = SystemClock(),
        header: @escaping () -> [UInt8] = { [] },
        announcement: @escaping (Int, SystemFailure?) -> [UInt8] = FileEngine.plainAnnouncement,
        report: @escaping (FileEvent) -> Void = { _ in }
    ) {
        self.directory = directory
        self.clock = clock
        self.header = header
        self.announcement = announcement
        process = directory.calls.process
        let watch = ClockWatchBox()
        scene = FileScene(directory, inventory, settings, clock, report: report)
        ledger = FileLedger(scene)
        budget = DiskBudget(scene, ledger) { watch.value.isTrusted(at: clock.uptime()) }
        opener = FileOpener(scene, ledger, budget)
        self.watch = watch
    }

    package var settings: FileSettings { scene.settings }
    package var counters: FileCounters { scene.counters }
    package var calls: SystemCalls { directory.calls }
    /// Whether all that processes must know of each other's files is on the disk, and was read from it.
    package var isSaved: Bool { ledger.isSaved && ledger.isKnown }

    /// An announcement for files of lines.
    package static func plainAnnouncement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        let why = failure.map { " (\(LogError.reason(of: $0.number)))" } ?? ""
        return Array("\(count) \(count == 1 ? "message" : "messages") dropped here\(why)\n".utf8)
    }

    // MARK: Writing

    /// Writes records; those that no file takes are pending until a later call, as many as the limit allows.
    ///
    /// - Parameters:
    ///   - bytes: the records, without gaps.
    ///   - ends: where each ends.
    ///   - marks: the mark of each in the journal; none without a journal.
    ///   - isUrgent: synchronize afterwards.
    package func write(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], marks: [UInt64] = [], isUrgent: Bool = false
    ) {
        guard !ends.isEmpty else { return }
        checkProcess()
        var done = 0
        if pending.isEmpty {
            let progress = drive(bytes, ends, marks)
            done = progress.dealt
            if let number = progress.unwritable { drop(number) }
            if done == ends.count {
                synchronizeIfDue(isUrgent)
                return
            }
        }
        let dropped = pending.park(
            bytes, ends, marks, from: done, limit: settings.waitingLimit, because: health.failure,
            announcement: announcement)
        scene.counters.waiting = pending.count
        if dropped > 0 { countDropped(dropped, health.failure) }
        if health.mayTry(at: clock.uptime()) { retry() }
        synchronizeIfDue(isUrgent)
    }

    /// Tries again to write what is pending.
    package func retry() {
        guard !pending.isEmpty else { return }
        health.beginAttempt()
        while health.failure == nil {
            if pending.hasOnlyLoss { pending.announceLoss(announcement) }
            guard pending.hasRecords else { break }
            let buffer = pending.buffer
            let progress = buffer.bytes.withUnsafeBytes { drive($0, buffer.ends, buffer.marks) }
            let settled = pending.settle(progress.dealt, unwritable: progress.unwritable)
            scene.counters.written -= settled.announced
            scene.counters.announcements += settled.announced
            scene.counters.waiting = pending.count
            if settled.hasDropped { countDropped(1, pending.reason) }
            if settled.hasUnwritableAnnouncement {
                health.delay(until: clock.uptime() + FileEngine.retryInterval)
                if !pending.hasRecords { break }
            }
        }
        if health.hasRecovered() { scene.report(.resumed(dropped: counters.dropped)) }
    }

    /// Whether everything that was accepted is in a file, or was dropped.
    package var isIdle: Bool { pending.isEmpty }

    /// Drops what is pending, counted: the logger is removed, and there is no later.
    private func giveUpPending() {
        let count = pending.count
        guard count > 0 else { return }
        forgetWaiting()
        countDropped(count, health.failure)
    }

    /// Forgets what is pending: after a fork it is the parent's.
    package func forgetWaiting() {
        pending.removeAll()
        scene.counters.waiting = 0
    }

    /// Gives up a record that no file could ever hold.
    private func drop(_ number: Int32) {
        let why = SystemFailure(.write, number)
        pending.drop(1, because: why)
        countDropped(1, why)
    }

    private func countDropped(_ count: Int, _ why: SystemFailure?) {
        scene.counters.dropped += count
        scene.report(.dropped(records: counters.dropped, why))
    }

    // MARK: One write

    /// Writes records into as many files as it takes.
    ///
    /// - Returns: how many records are dealt with; the last of them was not written where `unwritable` says why no
    ///   file can ever hold it.
    private func drive(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64]
    ) -> (dealt: Int, unwritable: Int32?) {
        var index = 0
        // How many records a write may have; fewer, once a frame met a limit on the size of files.
        var most = slot == nil ? Int.max : JournalSlot.writeLimit
        var attempt = WriteGate.Attempt()
        do {
            while index < ends.count {
                let isLocked = beginWrite()
                defer { endWrite() }
                let writer = try readyWriter(isLocked)
                let start = index == 0 ? 0 : ends[index - 1]
                if writer.isTorn {
                    // Its last record is completed before anything else, whatever the limits say.
                    let outcome = append(bytes, ends, marks, index..<index + 1, start, writer)
                    index += outcome.records
                    if let failure = outcome.failure { throw failure }
                    continue
                }
                let situation = WriteGate.Situation(
                    size: writer.size, hasRecords: writer.hasRecords, total: inventory.total)
                switch gate(writer, most).answer(ends[index...], from: start, situation, attempt) {
                case .roll:
                    attempt.cannotRoll = !roll()
                case .makeRoom(let needed):
                    budget.apply(incoming: needed)
                    attempt.hasMadeRoom = true
                case .never(let number):
                    return (index + 1, number)
                case .wait(let number):
                    throw SystemFailure(.write, number)
                case .write(let count, let size):
                    try budget.spend(size)
                    let outcome = append(bytes, ends, marks, index..<index + count, start, writer)
                    index += outcome.records
                    attempt = WriteGate.Attempt()
                    guard let failure = outcome.failure else { continue }
                    guard failure.number == EFBIG else { throw failure }
                    // The process may not make files larger than this: go on in another one.
                    if writer.hasRecords {
                        guard roll() else { throw failure }
                    } else if writer.isFramed, count > 1 {
                        most = count / 2
                    } else {
                        return (index + 1, EFBIG)
                    }
                }
            }
            health.noteSuccess()
        } catch {
            note(error)
        }
        return (index, nil)
    }

    private func gate(_ writer: FileWriter, _ most: Int) -> WriteGate {
        WriteGate(
            rolling: scene.rolling, quota: settings.retention.quota, headerSize: headerSize,
            mostRecords: most,
            isFramed: writer.isFramed)
    }

    private func append(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], _ range: Range<Int>, _ start: Int,
        _ writer: FileWriter
    ) -> FileWriter.Outcome {
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<ends[range.upperBound - 1]])
        let outcome = writer.append(part, ends: ends[range], from: start) { written in
            if marks.isEmpty { return }
            slot?.intend(
                writer.identity, writer.name, size: writer.size, written, from: start, ends: ends[range],
                marks: marks[range], isFrame: writer.isFramed)
        }
        if !marks.isEmpty {
            slot?.settle(upTo: marks[range.lowerBound..<range.lowerBound + outcome.records].max() ?? 0)
        }
        inventory.resize(writer.name, to: writer.size)
        scene.counters.written += outcome.records
        scene.counters.bytes += outcome.bytes
        if outcome.bytes > 0 { sync.noteWrite(at: clock.uptime()) }
        return outcome
    }

    /// Takes the lock that shared writing needs.
    ///
    /// - Returns: whether the shared file is this process' alone for the moment.
    private func beginWrite() -> Bool { settings.isShared ? ledger.lock.acquire() : true }

    private func endWrite() {
        if settings.isShared { ledger.lock.release() }
    }

    /// Remembers a failure, and when to try again.
    private func note(_ error: any Error) {
        if let error = error as? LogError, error.code == .secret { scene.report(.locked(reason: "\(error)")) }
        let failure = error as? SystemFailure ?? SystemFailure(.open, (error as? LogError)?.cause ?? EPERM)
        health.noteFailure(failure, retryAt: clock.uptime() + FileEngine.retryInterval)
        scene.counters.failures += 1
        scene.report(.failed(failure, name: writer?.name, waiting: pending.total))
    }

    // MARK: The open file

    /// The file that the next record goes to, examined, with a header, and with a whole last line.
    private func readyWriter(_ isLocked: Bool) throws -> FileWriter {
        let now = clock.now()
        let uptime = clock.uptime()
        watch.value.compare(now, uptime)
        if settings.isShared, let writer { try leave(writer, isLocked, now, uptime) }
        if let writer { try examine(writer, now, uptime) }
        var ready = try writer ?? open(now, uptime)
        if ready.isShared, try !ready.followFrames() {
            // Encrypted with another key by now: it is left to the others.
            guard roll(), let next = writer else { throw SystemFailure(.open, EPERM) }
            ready = next
        }
        if let cut = try ready.endTornLine(mayCut: ready.isShared) {
            scene.report(.repaired(name: ready.name, bytes: cut))
            inventory.resize(ready.name, to: ready.size)
        }
        if ready.needsHeader { try writeHeader(ready) }
        return ready
    }

    /// Leaves the file of all while its lock cannot be had, and the file of this process alone once it can.
    private func leave(
        _ writer: FileWriter, _ isLocked: Bool, _ now: LogTimestamp, _ uptime: Duration
    ) throws {
        guard writer.isShared != isLocked else { return }
        // The part of a record is completed where it is, or cut off there.
        if writer.isTorn {
            guard writer.isShared else { return }
            if try releaseIfTakenAway(writer, calls.status(writer.file.number)) { return }
            throw SystemFailure(.lock, EAGAIN)
        }
        guard isLocked, writer.hasRecords else { return release(writer) }
        let status = try writer.refresh()
        guard !releaseIfTakenAway(writer, status), !writer.isTorn else { return }
        ledger.note(opened: nil, finished: [(writer.name, writer.label)])
        self.writer = nil
        retire(writer)
    }

    private func writeHeader(_ writer: FileWriter) throws {
        let bytes = header()
        headerSize = bytes.count
        guard !bytes.isEmpty else {
            writer.needsHeader = false
            return
        }
        try budget.makeRoom(for: bytes.count)
        if let failure = bytes.withUnsafeBytes({ writer.writeHeader($0) }) { throw failure }
        inventory.resize(writer.name, to: writer.size)
    }

    private func open(_ now: LogTimestamp, _ uptime: Duration) throws -> FileWriter {
        try start()
        let opened = try opener.open(now, uptime, currentCipher())
        sync.noteName()
        writer = opened
        return opened
    }

    /// What the next file is encrypted with; nil for plain text.
    private func currentCipher() throws -> FrameCipher? {
        settings.isEncrypted ? try FrameCipher(ofLogs: settings.key) : nil
    }

    /// Reads what earlier runs left in the directory; once.
    package func start() throws {
        guard !isStarted else { return }
        ledger.load(isFirst: true)
        try opener.read()
        isStarted = true
        opener.finishLeftovers()
    }

    /// Releases a file that others took away, and rolls one whose time is over.
    ///
    /// - Throws: why the file cannot be examined; nothing must be written to it then.
    private func examine(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) throws {
        do {
            let wasTorn = writer.isTorn
            let status = try writer.refresh()
            inventory.resize(writer.name, to: writer.size)
            if wasTorn, !writer.isTorn {
                scene.report(.repaired(name: writer.name, bytes: status.size - writer.size))
            }
            if releaseIfTakenAway(writer, status) { return }
            writer.checkLimit()
        } catch {
            guard writer.mustCut || error.number == EBADF else { throw error }
            // What is at its end cannot be cut off, or it was closed by others: leave it alone.
            note(error)
            opener.requireNew()
            ledger.note(opened: nil, finished: [(writer.name, writer.label)])
            release(writer)
            return
        }
        renewDeadlineIfSetBack(writer, now, uptime)
        if writer.isShared {
            followOthers(writer)
            guard self.writer === writer else { return }
        }
        if writer.deadline.isReached(wall: now, steady: uptime) {
            if writer.hasRecords { _ = roll(now, uptime) } else { renewDeadline(writer, now, now, uptime) }
        }
    }

    /// Releases a file that is not under its name any more: the name may be another file's by now.
    private func releaseIfTakenAway(_ writer: FileWriter, _ status: FileStatus) -> Bool {
        let place = writer.place(status, in: directory)
        guard place != .inPlace else { return false }
        scene.report(.disturbed(name: writer.name, place))
        if writer.name == settings.naming.activeName { ledger.forgetActive() }
        // A file with the fixed active name that is there by now was made for us; any other is another's.
        if writer.name != settings.naming.activeName { opener.requireNew() }
        release(writer)
        return true
    }

    private func renewDeadlineIfSetBack(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) {
        guard now < writer.deadline.earliest else { return }
        renewDeadline(writer, writer.createdAt, now, uptime)
    }

    private func renewDeadline(
        _ writer: FileWriter, _ createdAt: LogTimestamp, _ now: LogTimestamp, _ uptime: Duration
    ) {
        writer.deadline = scene.rolling.deadline(createdAt: createdAt, wall: now, steady: uptime)
    }

    /// In shared mode: leaves a file that another process has finished.
    private func followOthers(_ writer: FileWriter) {
        guard ledger.hasChanges else { return }
        ledger.load()
        // Where that cannot be read, it is looked at again before the next write.
        guard ledger.isKnown else { return }
        ledger.noteSeen()
        guard ledger.catalogue.isFinished(writer.name, writer.label) else { return }
        release(writer)
    }

    /// Releases the open file without finishing it.
    private func release(_ writer: FileWriter) {
        inventory.protect(writer.name, false)
        if process == calls.process { calls.unlock(writer.file.number) }
        self.writer = nil
        opener.refresh()
    }

    // MARK: Rolling

    /// Finishes the file and creates the next one at once; keeps the open one where that fails.
    ///
    /// - Returns: whether there is a new file.
    private func roll(_ now: LogTimestamp? = nil, _ uptime: Duration? = nil) -> Bool {
        let uptime = uptime ?? clock.uptime()
        guard let old = writer, !old.isTorn, health.mayRoll(at: uptime) else { return false }
        let now = now ?? clock.now()
        let name = old.name
        _ = ledger.lock.acquire()
        defer { ledger.lock.release() }
        do {
            let cipher = try currentCipher()
            try opener.giveFinalName(old)
            writer = try opener.begin(
                now, uptime, cipher, isShared: old.isShared, finishing: (old.name, old.label))
        } catch {
            // With its final name, it would count as finished.
            if old.name != name { ledger.note(opened: old, finished: []) }
            health.delayRoll(until: uptime + FileEngine.retryInterval)
            scene.counters.failures += 1
            let failure = error as? SystemFailure ?? SystemFailure(.open, EPERM)
            scene.report(.failed(failure, name: old.name, waiting: 0))
            return false
        }
        sync.noteName()
        retire(old)
        budget.apply()
        return true
    }

    /// Finishes the file that is written, or that the next line would have gone on with.
    ///
    /// The next line creates a file.
    ///
    /// - Returns: false where it was not possible; the file is then still written to.
    @discardableResult
    package func rollNow() -> Bool {
        checkProcess()
        retry()
        guard let old = writer else {
            opener.requireNew()
            return finishLeftover()
        }
        guard old.hasRecords else { return true }
        let isLocked = ledger.lock.acquire()
        defer { ledger.lock.release() }
        do {
            guard isLocked || !old.isShared else { throw SystemFailure(.lock, EAGAIN) }
            if try releaseIfTakenAway(old, old.refresh()) { return true }
            guard !old.isTorn else { throw SystemFailure(.truncate, EIO) }
            try opener.giveFinalName(old)
        } catch {
            note(error)
            return false
        }
        sync.noteName()
        writer = nil
        if !settings.isShared { opener.requireNew() }
        ledger.note(opened: nil, finished: [(old.name, old.label)])
        retire(old)
        budget.apply()
        return true
    }

    /// Before the first line: finishes the newest file of an earlier run.
    private func finishLeftover() -> Bool {
        do {
            try start()
            try opener.finishLeftover()
            return true
        } catch {
            note(error)
            return false
        }
    }

    /// Closes a file that is finished.
    private func retire(_ old: FileWriter) {
        if settings.sync != .never {
            _ = try? old.sync()
        } else {
            sync.noteFinished(old.name) { [inventory] in Set(inventory.entries.map(\.name)) }
        }
        scene.counters.rolls += 1
        inventory.modify(old.name, at: (try? calls.status(old.file.number).modified) ?? clock.now())
        inventory.protect(old.name, false)
        // Others wait for this lock, and a child that a fork made holds the file open as well.
        calls.unlock(old.file.number)
        scene.report(.rolled(name: old.name))
    }

    // MARK: Limits and archives

    /// Looks at the directory again.
    package func refreshInventory() { opener.refresh() }

    /// Removes what the limits say.
    package func applyRetention() { budget.apply() }

    /// Makes room for the archive of a file, by removing older files only.
    package func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        budget.makeRoom(forArchive: bytes, of: label)
    }

    /// The finished files that are not archives yet, or that the processor has not dealt with, oldest first.
    package var unarchived: [String] {
        ledger.load()
        let processed = Set(ledger.catalogue.processed)
        let active = opener.namesOfActive
        return inventory.entries.filter { entry in
            !active.contains(entry.name) && !entry.isUnfinished && !entry.isForeign
                && entry.name != writer?.name && ledger.isFinished(entry)
                && !processed.contains(entry.name)
        }.map(\.name)
    }

    // MARK: Time

    /// Does what is due: tries again, synchronizes, rolls an idle file.
    package func tick() {
        checkProcess()
        if isStarted { ledger.saveChanges() }
        let now = clock.now()
        let uptime = clock.uptime()
        watch.value.compare(now, uptime)
        try? opener.removeSurplusName()
        if !isIdle, health.mayTry(at: uptime) { retry() }
        if let writer, writer.hasRecords {
            renewDeadlineIfSetBack(writer, now, uptime)
            if writer.deadline.isReached(wall: now, steady: uptime), health.mayRollIdle(at: uptime) {
                rollIdle(writer, uptime)
            }
        }
        if isStarted, budget.isAgeCheckDue(at: uptime) {
            opener.refresh()
            applyRetention()
        }
        synchronizeIfDue(false)
    }

    private func rollIdle(_ writer: FileWriter, _ uptime: Duration) {
        let isLocked = beginWrite()
        defer { endWrite() }
        if writer.isShared {
            guard isLocked else { return health.delayIdleRoll(until: uptime + .seconds(1)) }
            followOthers(writer)
        }
        if self.writer === writer, !rollNow() { health.delayIdleRoll(until: uptime + .seconds(1)) }
    }

    /// How long until ``tick()`` has something to do; nil for never.
    package var untilTick: Duration? {
        let uptime = clock.uptime()
        var delays: [Duration?] = []
        if !isIdle { delays.append(health.retryDelay(at: uptime)) }
        if isStarted, !ledger.isSaved { delays.append(FileEngine.retryInterval) }
        if opener.hasSurplusName { delays.append(FileEngine.retryInterval) }
        if let writer, writer.hasRecords {
            // The wall clock may be set meanwhile: look again after ten minutes at the latest.
            let delay = writer.deadline.delay(wall: clock.now(), steady: uptime)
            if let delay { delays.append(max(health.rollDelay(at: uptime), min(delay, .seconds(600)))) }
        }
        delays.append(sync.delay(settings.sync, at: uptime))
        if isStarted { delays.append(budget.ageCheckDelay(at: uptime)) }
        return delays.compactMap { $0 }.min()
    }

    // MARK: The disk

    /// Puts everything that was written on the disk: the open file, those that were finished, and their names.
    package func synchronize() throws(SystemFailure) {
        do throws(SystemFailure) {
            while let name = sync.files.first {
                // One that is gone was removed by the limits, or is an archive, which is on the disk already.
                if let (file, _) = try? directory.open(name, acceptsLinked: true) {
                    try calls.sync(file.number)
                }
                sync.noteFileSynced()
            }
            if let writer { try writer.sync() }
            if sync.hasNames {
                try calls.syncDirectory(directory.descriptor.number)
                sync.noteNamesSynced()
            }
        } catch {
            scene.counters.failures += 1
            sync.noteFailure(at: clock.uptime())
            scene.report(.failed(error, name: writer?.name, waiting: 0))
            throw error
        }
        sync.noteSynced()
    }

    private func synchronizeIfDue(_ isUrgent: Bool) {
        if sync.isDue(settings.sync, isUrgent: isUrgent, at: clock.uptime()) { try? synchronize() }
    }

    // MARK: Settings and the end

    /// Takes new settings; limits hold at once.
    ///
    /// Before the engine has started nothing is done: settings come one by one, and the first must not remove what the
    /// second would keep.
    package func apply(_ new: FileSettings) {
        let old = settings
        guard isStarted else {
            scene.settings = new
            return
        }
        if old.naming !== new.naming || old.scheme !== new.scheme || old.isShared != new.isShared {
            // With the old names, which the file has.
            if let writer { finishForChange(writer) }
            isStarted = false
            opener.requireNew()
        }
        scene.settings = new
        if let writer, writer.isFramed != new.isEncrypted || (writer.isFramed && !hasKey(writer)) {
            finishForChange(writer)
            opener.requireNew()
        }
        if old.rolling != new.rolling || old.retention != new.retention { rollIfOver() }
        if old.retention != new.retention || old.rolling.maximumSize != new.rolling.maximumSize {
            advise()
            do {
                try start()
                applyRetention()
            } catch {
                note(error)
            }
        }
        if old.currentLink != new.currentLink, let writer { opener.updateLink(writer.name) }
        if old.minimumFreeSpace != new.minimumFreeSpace { budget.forgetFreeSpace() }
    }

    private func rollIfOver() {
        guard let writer else { return }
        let (now, uptime) = (clock.now(), clock.uptime())
        renewDeadline(writer, writer.createdAt, now, uptime)
        let limit = scene.rolling.maximumSize
        let isOver = limit > 0 && writer.size >= limit || writer.deadline.isReached(wall: now, steady: uptime)
        if writer.hasRecords, isOver { rollNow() }
    }

    /// Whether the file is encrypted with the key that is to be used from now on.
    private func hasKey(_ writer: FileWriter) -> Bool {
        (try? currentCipher()) == writer.cipher
    }

    /// Tells of settings that contradict each other.
    package func advise() {
        for advice in settings.retention.contradictions(maximumFileSize: settings.rolling.maximumSize) {
            scene.report(.advice(advice))
        }
    }

    private func finishForChange(_ writer: FileWriter) {
        if !writer.hasRecords || !rollNow(), self.writer === writer { release(writer) }
    }

    /// After a fork, the child forgets what its parent will write, and creates a file of its own.
    private func checkProcess() {
        let current = calls.process
        guard current != process else { return }
        process = current
        opener.noteSharing()
        if !settings.isShared { opener.requireNew() }
        if let writer { inventory.protect(writer.name, true) }
        writer = nil
        slot = nil
        forgetWaiting()
    }

    /// Releases the file; it may be continued later.
    package func close() {
        retry()
        giveUpPending()
        releaseSynced()
    }

    /// Closes the file, and keeps what is pending; the next record opens it again.
    package func reopen() {
        retry()
        releaseSynced()
    }

    private func releaseSynced() {
        if isStarted { ledger.saveChanges() }
        guard let writer else { return }
        // The last chance to cut off the part of a record that is dropped, or written to another file.
        if writer.isTorn { _ = try? writer.refresh() }
        if settings.sync != .never { _ = try? writer.sync() }
        release(writer)
    }
}

/// Holds the watch where the engine and its budget both look at it.
private final class ClockWatchBox {
    var value = ClockWatch()
}
