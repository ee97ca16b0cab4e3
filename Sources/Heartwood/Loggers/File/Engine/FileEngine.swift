import CHeartwood

/// Writes records into log files: asks ``FilePlan`` what is to be done, and does it.
///
/// 1. **Whole.** Every record is in one file, once, in order, and never in part (promise 8).
/// 2. **Accounted.** What was accepted is written, is pending, or was dropped and counted; a file in which
///    records are missing says so in their place (promise 4).
/// 3. **Nothing escapes.** No failure of a system call ends the process, or is thrown to whoever logs
///    (promise 7).
/// 4. **Nothing of others.** What could not be opened, identified and locked is left alone (promise 12).
///
/// Not thread-safe: it is owned by the logger, which calls it on its queue.
final class FileEngine {
    // MARK: Constants

    let directory: Directory
    /// The directory's; here as well, since to get it from there would copy it, for each line.
    let calls: SystemCalls
    let inventory: FileInventory
    private let clock: any LogClock
    let store: FileStore
    private let opener: FileOpener
    /// The header of a new file; empty for none.
    private let header: () -> [UInt8]
    /// The record that tells how many were dropped, and why.
    private let announcement: (Int, SystemFailure?) -> [UInt8]
    private let report: (FileEvent) -> Void

    // MARK: Owned by the logger

    /// Called after each step, for the simulation.
    var didStep: ((FilePlan.Step, FilePlan) -> Void)?
    private var plan: FilePlan
    /// The file that is written; nil for none.
    private(set) var writer: FileWriter?
    /// Where the journal is told of each write before it is made.
    var slot: JournalSlot? { didSet { endLease() } }
    /// The process that the state belongs to; another one after a fork.
    private var process: ProcessOwner
    /// The file of the lease; nil for no lease.
    private var leased: FileWriter?
    /// The value of ``openingsSoFar`` at the last look.
    private var seenOpenings = 0
    /// When it ends, the bytes that it is still good for, and the quota; zero for none.
    private var (leaseEnd, leaseRoom, leaseQuota) = (Duration.zero, 0, 0)
    /// What was written within it.
    private var (leasedRecords, leasedBytes) = (0, 0)
    /// The bytes of the last write, if that was within a lease: it has changed nothing but the length of the
    /// file.
    private(set) var grownBytes: Int?
    /// Records are being written; what formats headers and announcements may not come back here meanwhile.
    private(set) var isRunning = false

    /// Makes an engine, which touches nothing before the first record.
    ///
    /// Without a `lookInterval`, it looks at the open file before each write.
    init(
        directory: Directory, settings: FileSettings, clock: any LogClock = SystemClock(),
        lookInterval: Duration = .zero, header: @escaping () -> [UInt8] = { [] },
        beginning: @escaping () -> FileBeginning = { FileBeginning() },
        announcement: @escaping (Int, SystemFailure?) -> [UInt8] = FileEngine.plainAnnouncement,
        report: @escaping (FileEvent) -> Void = { _ in }
    ) {
        self.directory = directory
        self.clock = clock
        self.header = header
        self.announcement = announcement
        self.report = report
        store = FileStore(directory, settings, clock, report)
        inventory = store.inventory
        opener = FileOpener(store, beginning: beginning)
        plan = FilePlan(settings, lookInterval: lookInterval)
        calls = directory.calls
        process = ProcessOwner(directory.calls)
    }

    /// An announcement for files of lines.
    static func plainAnnouncement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        Array((LogMessage.lossText(count, because: failure) + "\n").utf8)
    }

    var settings: FileSettings { plan.settings }
    /// The process that the state belongs to; set by whoever has made sure that it is this one.
    var owner: ProcessOwner {
        get { process }
        set {
            endLease()
            process = newValue
        }
    }
    private var names: FileNames { opener.names }
    var isStarted: Bool { store.isStarted }
    /// Whether everything that was accepted is in a file, or was dropped.
    var isIdle: Bool { plan.pending.isEmpty }

    var counters: FileCounters {
        var counters = plan.counters
        counters.failures += store.failures
        counters.written += leasedRecords
        counters.bytes += leasedBytes
        return counters
    }

    /// Reads what earlier runs left in the directory, and applies the limits.
    func start() throws {
        try store.start()
        advise()
        applyRetention()
    }

    // MARK: Writing

    /// Writes records; those that no file takes are pending until a later call, as many as the limit allows.
    ///
    /// The records are without gaps; `ends` says where each ends, and `marks` has the mark of each in the
    /// journal, if there is one. `isUrgent` ones are put on the disk.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], marks: [UInt64] = [], isUrgent: Bool = false
    ) {
        guard !ends.isEmpty else { return }
        let wasRunning = isRunning
        isRunning = true
        defer { isRunning = wasRunning }
        checkProcess()
        var done = writeByLease(bytes, ends)
        if done == ends.count { return }
        if isIdle {
            var records = Records(bytes: bytes, ends: ends, marks: marks, index: done)
            write(&records)
            done = records.index
            if let number = records.unwritable {
                let failure = SystemFailure(.write, number)
                plan.drop(failure)
                tellDropped(1, because: failure)
            }
        }
        if done < ends.count {
            let dropped = plan.park(bytes, ends, marks, from: done, announcement: announcement)
            tellDropped(dropped, because: plan.health.failure)
            if plan.health.mayTry(at: clock.uptime()) { retry() }
        }
        if plan.settings.syncPolicy != .never { run(.rest(isUrgent: isUrgent)) }
        grantLease()
    }

    /// The records of one call, and how far they are.
    private struct Records {
        let bytes: UnsafeRawBufferPointer
        let ends: [Int]
        let marks: [UInt64]
        /// The first record that is not dealt with yet.
        var index = 0
        /// Why no file can ever hold the last one that was dealt with.
        var unwritable: Int32?

        var start: Int { index == 0 ? 0 : ends[index - 1] }
        /// What is left to write.
        var demand: FilePlan.Demand { .records(unwritable == nil ? ends[index...] : [], from: start) }
    }

    /// Writes records until all are written, one can never be, or nothing can be written now.
    private func write(_ records: inout Records) {
        let isLocked = beginWrite()
        defer { endWrite() }
        run(nil, &records, isLocked)
    }

    private func spend(_ bytes: Int) throws(SystemFailure) {
        if plan.spend(bytes) { return }
        let (free, total) = try calls.freeSpace(try directory.descriptor.number)
        guard plan.spend(bytes, free: free, of: total) else { throw SystemFailure(.freeSpace, ENOSPC) }
    }

    private func append(_ count: Int, of records: inout Records) -> FileWriter.Outcome {
        guard let writer else { return FileWriter.Outcome() }
        let range = records.index..<records.index + count
        let (start, ends, marks, slot) = (records.start, records.ends, records.marks, slot)
        let part = UnsafeRawBufferPointer(rebasing: records.bytes[start..<ends[range.upperBound - 1]])
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
        records.index += outcome.records
        return outcome
    }

    /// Tries again to write what is pending.
    func retry() {
        endLease()
        guard !isIdle else { return }
        let wasRunning = isRunning
        isRunning = true
        defer { isRunning = wasRunning }
        repeat {
            guard let pending = plan.beginRetry(announcement) else { break }
            let (index, unwritable) = pending.bytes.withUnsafeBytes { bytes in
                var records = Records(bytes: bytes, ends: pending.ends, marks: pending.marks)
                write(&records)
                return (records.index, records.unwritable)
            }
            let settled = plan.noteRetry(index, never: unwritable, at: clock.uptime())
            if settled.hasDropped { tellDropped(1, because: plan.pending.reason) }
            if settled.hasUnwritableAnnouncement, !plan.pending.hasRecords { break }
        } while plan.health.failure == nil
        if plan.health.hasRecovered() { report(.resumed(dropped: plan.counters.dropped)) }
    }

    /// Opens the file of the next record, or creates it with its header.
    func openFile() {
        endLease()
        checkProcess()
        guard isIdle else { return }
        plan.lookClosely()
        let isLocked = beginWrite()
        defer { endWrite() }
        run(.file, isLocked)
    }

    /// Has the file looked at before each write for a second, since others may be about to remove it, or only
    /// before the next write.
    func lookClosely(forWhile: Bool) {
        endLease()
        plan.lookClosely(until: forWhile ? clock.uptime() + .seconds(1) : nil)
    }

    /// Takes the lock that shared writing needs, and says whether the file is this process's alone meanwhile.
    private func beginWrite() -> Bool {
        guard plan.settings.isShared else { return true }
        let isLocked = store.lock.acquire()
        guard !isLocked, !directory.isInPlace else { return isLocked }
        // It was lost with the directory.
        store.lock.release()
        try? store.followDirectory()
        return store.lock.acquire()
    }

    private func endWrite() {
        if plan.settings.isShared { store.lock.release() }
    }

    // MARK: The lease

    private func grantLease() {
        guard slot == nil, isIdle, let (end, bytes, quota) = plan.lease(moment()) else { return }
        leased = writer
        (leaseEnd, leaseRoom, leaseQuota) = (end, bytes, quota)
    }

    private func endLease() {
        guard leased != nil else { return }
        leased = nil
        plan.endLease(records: leasedRecords, bytes: leasedBytes, unspent: leaseRoom)
        (leasedRecords, leasedBytes) = (0, 0)
    }

    /// Writes records within the lease, and ends it where it does not allow them all; how many were written.
    private func writeByLease(_ bytes: UnsafeRawBufferPointer, _ ends: [Int]) -> Int {
        grownBytes = nil
        guard let writer = leased else { return 0 }
        guard bytes.count <= leaseRoom, clock.uptime() < leaseEnd,
            // Archives take a part of it on another thread.
            leaseQuota == 0 || inventory.total + bytes.count <= leaseQuota
        else {
            endLease()
            return 0
        }
        leaseRoom -= bytes.count
        let outcome = writer.append(bytes, ends: ends[...], from: 0)
        inventory.resize(writer.name, to: writer.size)
        leasedRecords += outcome.records
        leasedBytes += outcome.bytes
        if outcome.failure == nil {
            grownBytes = outcome.bytes
        } else {
            // The general way looks at the file, and tries the rest again.
            endLease()
            plan.lookClosely()
        }
        return outcome.records
    }

    // MARK: Steps

    /// How often the directory was opened, for its lock as well.
    private var openingsSoFar: Int { directory.reopenings + store.lock.openings }

    private func moment(_ isLocked: Bool = true) -> FilePlan.Moment {
        // Where the program has closed one descriptor it has closed all, and what was opened again may have
        // the number of the open file.
        let openings = openingsSoFar
        if openings != seenOpenings {
            seenOpenings = openings
            plan.lookClosely()
        }
        let (wall, uptime) = (clock.now(), clock.uptime())
        store.compareClocks(wall, uptime)
        plan.file = writer?.facts
        return FilePlan.Moment(
            wall: wall, uptime: uptime, total: inventory.total, ageCheck: store.ageCheck, isLocked: isLocked,
            isJournaled: slot != nil)
    }

    private func run(_ demand: FilePlan.Demand, _ isLocked: Bool = true) {
        var none = Records(bytes: UnsafeRawBufferPointer(start: nil, count: 0), ends: [], marks: [])
        run(demand, &none, isLocked)
    }

    /// Does what the plan says for a demand, or for records, until it is met or has failed.
    private func run(_ demand: FilePlan.Demand?, _ records: inout Records, _ isLocked: Bool) {
        plan.begin(mostRecords: slot == nil ? .max : JournalSlot.writeLimit)
        while plan.failure == nil {
            // The directory, and with it the lock, may have been replaced by the last step.
            let moment = moment((plan.settings.isShared ? store.lock.outcome : nil) ?? isLocked)
            let step = plan.next(demand ?? records.demand, moment)
            if step == .wait(because: nil) { return }
            perform(step, &records, moment)
        }
    }

    private func perform(_ step: FilePlan.Step, _ records: inout Records, _ moment: FilePlan.Moment) {
        var outcome = FilePlan.Outcome.done
        var failing = step
        do {
            switch step {
            case .examine: try examine(moment)
            case .open: try open(moment)
            case .roll:
                if try !roll(moment, isFollowed: !records.ends.isEmpty) { outcome = .postponed }
            case .makeRoom(let bytes): try makeRoom(bytes)
            case .header: try writeHeader()
            case .write(let count, let bytes):
                try spend(bytes)
                outcome = .wrote(append(count, of: &records))
            case .complete: outcome = .wrote(append(1, of: &records))
            case .never(let number):
                records.index += 1
                records.unwritable = number
            case .synchronize: try synchronizeAll()
            case .wait(let number): throw SystemFailure(.write, number ?? EIO)
            }
            note(step, outcome, moment)
            if let failure = plan.failure { tellFailed(failure) }
            // Other programs may have created the file under its fixed name, and written to it.
            failing = .examine
            if step == .open || step == .roll, outcome.isDone, let writer {
                seenOpenings = openingsSoFar
                try follow(writer)
            }
        } catch {
            fail(failing, error, moment)
        }
    }

    private func note(_ step: FilePlan.Step, _ outcome: FilePlan.Outcome, _ moment: FilePlan.Moment) {
        plan.file = writer?.facts
        plan.note(step, outcome, moment)
        didStep?(step, plan)
    }

    private func fail(
        _ step: FilePlan.Step, _ error: any Error, _ moment: FilePlan.Moment, isLeft: Bool = false
    ) {
        let lock = (error as? LogError).flatMap { $0.code == .secret ? $0 : nil }
        let failure = error as? SystemFailure ?? SystemFailure(.open, (error as? LogError)?.cause ?? EPERM)
        let wasRollFailing = plan.health.isRollFailing
        note(step, isLeft ? .left(failure) : .failed(failure), moment)
        if let lock {
            report(.locked(reason: "\(lock)"))
        } else if step == .roll, let writer {
            if !wasRollFailing { report(.continued(name: writer.name, failure)) }
        } else {
            tellFailed(failure)
        }
    }

    private func tellFailed(_ failure: SystemFailure) {
        report(.failed(failure, name: writer?.name, waiting: plan.pending.total))
    }

    private func tellDropped(_ count: Int, because failure: SystemFailure?) {
        if count > 0 { report(.dropped(records: plan.counters.dropped, failure)) }
    }

    /// Looks at the open file: releases it where others took it away or have finished it, cuts off what an
    /// earlier failure left, and ends a line that others left without its end.
    private func examine(_ moment: FilePlan.Moment) throws {
        guard let writer else { return }
        do {
            if writer.isShared, !moment.isLocked {
                // It must not be changed without its lock.
                _ = try releaseIfTakenAway(writer, writer.file.status())
                return
            }
            let wasTorn = writer.isTorn
            let status = try writer.refresh()
            inventory.resize(writer.name, to: writer.size)
            if wasTorn, !writer.isTorn {
                report(.repaired(name: writer.name, bytes: status.size - writer.size))
            }
            if releaseIfTakenAway(writer, status) || followOthers(writer, status) { return }
            writer.checkLimit()
        } catch {
            if error.number == EBADF {
                report(.closed(name: writer.name))
                return release(writer)
            }
            guard writer.mustCut else { throw error }
            // What is at its end cannot be cut off: leave it alone.
            opener.requireNew(always: true)
            store.finish(writer.file, writer.name)
            release(writer)
            return fail(.examine, error, moment, isLeft: true)
        }
        try follow(writer)
    }

    /// Goes on after what others have written to the file meanwhile.
    private func follow(_ writer: FileWriter) throws {
        if writer.isShared { writer.isForeign = try !writer.followFrames() }
        if let cut = try writer.endTornLine(mayCut: writer.isShared) {
            report(.repaired(name: writer.name, bytes: cut))
            inventory.resize(writer.name, to: writer.size)
        }
    }

    /// Opens the file of the next record; leaves the file of all, or of this process alone, for the other.
    private func open(_ moment: FilePlan.Moment) throws {
        if let old = writer {
            if old.file.isOurs, moment.isLocked, old.hasRecords,
                try !releaseIfTakenAway(old, old.refresh()), !old.isOutgoing
            {
                retire(old)
            } else if writer != nil {
                release(old)
            }
        }
        writer = try opener.open(moment.wall, moment.uptime)
    }

    private func makeRoom(_ bytes: Int) throws {
        if bytes == 0 {
            // A file that was taken away must not protect another one that has its name by now.
            if let writer, !writer.isTorn, let status = try? writer.file.status() {
                _ = releaseIfTakenAway(writer, status)
            }
            try store.start()
            store.refresh()
        }
        store.applyLimits(incoming: bytes)
    }

    private func writeHeader() throws {
        guard let writer else { return }
        let bytes = header()
        plan.headerSize = bytes.count
        guard !bytes.isEmpty else {
            writer.needsHeader = false
            return
        }
        if plan.isBeyondQuota(bytes.count, total: inventory.total) {
            store.applyLimits(incoming: bytes.count)
            if plan.isBeyondQuota(bytes.count, total: inventory.total) { throw SystemFailure(.write, EDQUOT) }
        }
        if let failure = bytes.withUnsafeBytes({ writer.writeHeader($0) }) { throw failure }
        inventory.resize(writer.name, to: writer.size)
    }

    // MARK: Leaving the file

    /// Opens the file of the next record, and leaves the open one then; keeps it where that fails.
    ///
    /// Where nothing follows yet, the next file is created with the next record, and it is only tried here
    /// whether that is possible. False where others have the lock that a shared file needs.
    private func roll(_ moment: FilePlan.Moment, isFollowed: Bool) throws -> Bool {
        guard let old = writer else { return true }
        let isLocked = store.lock.acquire()
        defer { store.lock.release() }
        guard isLocked || !old.isShared else { return false }
        if !isFollowed {
            try store.changeNames {
                try directory.tryCreating(for: settings.naming.application, isSecret: settings.encrypts)
            }
        }
        if !old.isOutgoing {
            try finish(old, moment, isFollowed: isFollowed)
        } else if isFollowed {
            try replace(old, moment)
        } else {
            if settings.syncPolicy != .never { _ = try? old.sync() }
            release(old)
        }
        store.applyLimits()
        return true
    }

    private func finish(_ old: FileWriter, _ moment: FilePlan.Moment, isFollowed: Bool) throws {
        let cipher = isFollowed ? try settings.cipher() : nil
        try store.changeNames { try names.giveFinalName(old) }
        guard isFollowed else {
            try? names.removeSurplusName()
            opener.requireNew()
            return retire(old)
        }
        writer = try opener.create(moment.wall, cipher, isShared: old.isShared)
        retire(old)
    }

    /// Opens another file instead of one that has lost its name, or is finished already.
    private func replace(_ old: FileWriter, _ moment: FilePlan.Moment) throws {
        if !old.isFinal {
            // It may be the next one, under its new name.
            inventory.protect(old.name, false)
            old.file.unlock()
        }
        store.refresh()
        do { writer = try opener.open(moment.wall, moment.uptime) } catch {
            if !old.isFinal, (try? directory.tryLock(old.file, shared: old.isShared)) != true { writer = nil }
            throw error
        }
        if old.isFinal { free(old) }
        if settings.syncPolicy != .never { _ = try? old.sync() }
    }

    /// Leaves the file that is written, or that the next line would have continued, for a new one.
    ///
    /// False where it is not possible; the file is then still written to. One without records stays as it is
    /// where `keepsEmpty` says so.
    @discardableResult
    func rollNow(keepsEmpty: Bool = true) -> Bool {
        endLease()
        checkProcess()
        retry()
        guard writer == nil else { return leave(.roll(keepsEmpty: keepsEmpty)) }
        plan.begin()
        let moment = moment()
        opener.requireNew()
        do { try opener.finishLeftovers() } catch {
            // No file is continued, so none has to wait before it may be left.
            fail(.examine, error, moment)
            return false
        }
        plan.sync.noteName()
        return true
    }

    /// Does what a demand for another file asks for; false where the open one is still written to.
    private func leave(_ demand: FilePlan.Demand) -> Bool {
        let isLocked = beginWrite()
        defer { endWrite() }
        run(demand, isLocked)
        return plan.failure == nil && plan.rollFailure == nil
    }

    /// Marks a file as finished, and closes it.
    private func retire(_ old: FileWriter) {
        if writer === old { writer = nil }
        store.finish(old.file, old.name)
        if plan.settings.syncPolicy != .never { _ = try? old.sync() }
        noteFinished(old)
        inventory.protect(old.name, false)
        // Others wait for this lock, and a child that a fork made holds the file open as well.
        old.file.unlock()
        report(.rolled(name: old.name))
    }

    private func noteFinished(_ old: FileWriter) {
        plan.noteFinished(old.name) { [inventory] in Set(inventory.entries.map(\.name)) }
        let modified = try? old.file.status().modified
        inventory.modify(old.name, at: modified ?? clock.now())
    }

    /// Releases the file, without finishing one that is not final.
    private func release(_ file: FileWriter) {
        free(file)
        writer = nil
        store.refresh()
    }

    private func free(_ file: FileWriter) {
        inventory.protect(file.name, false)
        guard process.isHere(calls) else { return }
        if file.isFinal { store.finish(file.file, file.name) }
        file.file.unlock()
    }

    /// Releases a file that others have removed, and has one that they have renamed left.
    ///
    /// Its name may be another file's by now. Returns whether it was released.
    private func releaseIfTakenAway(_ file: FileWriter, _ status: FileStatus) -> Bool {
        let place = file.place(status, in: directory)
        if place == .inPlace || place == .moved && file.isOutgoing { return false }
        report(.disturbed(name: file.name, place))
        // A file with the fixed active name that is there by now was made for us; any other is another's.
        if file.name != settings.naming.activeName { opener.requireNew() }
        if place == .removed {
            release(file)
        } else {
            file.leaveSoon()
        }
        return place == .removed
    }

    /// Leaves a file that others have finished: a process that writes to it, or who took its permission.
    ///
    /// Returns whether it was released.
    private func followOthers(_ file: FileWriter, _ status: FileStatus) -> Bool {
        guard file.isShared else {
            if directory.isFinished(status), !file.isFinal {
                file.leaveSoon()
                if file.hasRecords { makeFinal(file) }
            }
            return false
        }
        guard directory.isFinished(status) || hasSuccessor(file) else { return false }
        if settings.syncPolicy != .never { _ = try? file.sync() }
        release(file)
        return true
    }

    /// Whether there is a newer file, where files have no permissions, and only that tells of a finished one.
    private func hasSuccessor(_ file: FileWriter) -> Bool {
        guard directory.missing.contains(.modes) else { return false }
        store.refresh()
        return inventory.entries.last { $0.name == file.name }?.isFinished == true
    }

    // MARK: The disk

    /// Puts everything that was written on the disk: the open file, those that were finished, and their
    /// names.
    func synchronize() throws(SystemFailure) {
        endLease()
        plan.begin()
        let moment = moment()
        do {
            try synchronizeAll()
            note(.synchronize, .done, moment)
        } catch {
            fail(.synchronize, error, moment)
            throw error
        }
    }

    private func synchronizeAll() throws(SystemFailure) {
        while let name = plan.sync.files.first {
            // One that is gone was removed by the limits, or is an archive, which is on the disk already.
            if let file = try? directory.open(name, for: .reading, acceptsLinked: true).file {
                try calls.sync(file.number)
            }
            plan.sync.noteFileSynced()
        }
        if let writer { try writer.sync() }
        if plan.sync.hasNames {
            try directory.sync()
            plan.sync.noteNamesSynced()
        }
    }

    // MARK: Limits and archives

    /// Removes what the limits say.
    func applyRetention() {
        endLease()
        store.applyLimits()
    }

    /// Makes room for the archive of a file, by removing older files only.
    func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        endLease()
        return store.makeRoom(forArchive: bytes, of: label)
    }

    /// The finished files, oldest first.
    var finished: [String] { store.finished(except: writer?.name) }

    // MARK: Time

    /// Does what is due: tries again, synchronizes, rolls an idle file.
    func tick() {
        endLease()
        checkProcess()
        try? names.removeSurplusName()
        opener.tellMissing()
        if !isIdle, plan.health.mayTry(at: clock.uptime()) { retry() }
        run(.time)
    }

    /// How long until ``tick()`` has something to do; nil for never.
    var untilTick: Duration? {
        let delay = plan.delay(moment())
        guard names.hasSurplusName else { return delay }
        return min(delay ?? FileHealth.retryInterval, FileHealth.retryInterval)
    }

    // MARK: Settings and the end

    /// Takes new settings.
    ///
    /// Their limits hold at once. Before the engine has started nothing is done: settings come one by one,
    /// and the first must not remove what the second would keep.
    func apply(_ new: FileSettings) {
        endLease()
        checkProcess()
        let (old, wasStarted) = (settings, isStarted)
        let hasNewNames =
            old.naming !== new.naming || old.filePolicy !== new.filePolicy || old.isShared != new.isShared
        if wasStarted, hasNewNames {
            // With the old names, which the file has.
            retry()
            if let writer { finishNames(of: writer) }
            opener.requireNew()
            store.forgetStart()
        }
        store.settings = new
        plan.apply(new, isStarted: wasStarted, moment())
        guard wasStarted else { return }
        if let writer {
            let hasOtherKey = writer.isFramed != new.encrypts || writer.isFramed && !hasKey(writer)
            if hasNewNames || hasOtherKey {
                // Lines wait rather than be written without the key, or without the lock of a file of all.
                leaveFile(mayContinue: !hasOtherKey && writer.isShared == new.isShared)
            }
        }
        if plan.hasNewLimits { advise() }
        run(.time)
        if old.currentLink != new.currentLink, let writer { names.updateLink(writer.name) }
    }

    /// Whether the file is encrypted with the key that is to be used from now on.
    private func hasKey(_ file: FileWriter) -> Bool { (try? settings.cipher()) == file.cipher }

    /// Leaves the file for a new one; where that is not possible, it is continued or released.
    private func leaveFile(mayContinue: Bool) {
        guard let file = writer else { return opener.requireNew() }
        if file.hasRecords, leave(.roll(keepsEmpty: false)) || mayContinue { return }
        if writer === file { release(file) }
        opener.requireNew()
    }

    /// Finishes a file whose names are about to be others; it is written to until another one is open.
    private func finishNames(of file: FileWriter) {
        let isLocked = store.lock.acquire()
        defer { store.lock.release() }
        file.leaveSoon()
        guard file.hasRecords, isLocked || !file.isShared else { return }
        do {
            let status = try file.refresh()
            if releaseIfTakenAway(file, status) || followOthers(file, status) || file.isTorn { return }
        } catch {
            return store.report(error, name: file.name)
        }
        if !file.isFinal { makeFinal(file) }
    }

    /// Gives a file its final name, and has it finished as soon as another one is open.
    private func makeFinal(_ file: FileWriter) {
        do { try names.giveFinalName(file) } catch { return store.report(error, name: file.name) }
        file.isFinal = true
        noteFinished(file)
        report(.rolled(name: file.name))
    }

    /// Tells of settings that contradict each other.
    private func advise() {
        for advice in settings.retentionPlan.contradictions(
            maximumFileSize: settings.rollingPolicy.maximumSize)
        {
            report(.advice(advice))
        }
    }

    /// After a fork, the child forgets what its parent will write, and creates a file of its own.
    private func checkProcess() {
        if process.isHere(calls) { return }
        process = ProcessOwner(calls)
        opener.noteSharing()
        opener.requireNew()
        if let writer { inventory.protect(writer.name, true) }
        writer = nil
        slot = nil
        forgetWaiting()
    }

    /// Forgets what is pending: after a fork it is the parent's.
    func forgetWaiting() { plan.forgetPending(isDropped: false) }

    /// Releases the file; it may be continued later.
    func close() {
        retry()
        let (count, failure) = (plan.pending.count, plan.health.failure)
        if count > 0 {
            plan.forgetPending(isDropped: true)
            tellDropped(count, because: failure)
        }
        releaseSynced()
    }

    /// Leaves the file for another one if it has another name by now, or none.
    func reopen() {
        endLease()
        checkProcess()
        retry()
        if let writer, settings.syncPolicy != .never { _ = try? writer.sync() }
        _ = leave(.reopen)
    }

    private func releaseSynced() {
        endLease()
        guard let writer else { return }
        // The last chance to cut off the part of a record that is dropped, or written to another file.
        if writer.isTorn { _ = try? writer.refresh() }
        if settings.syncPolicy != .never { _ = try? writer.sync() }
        release(writer)
    }
}
