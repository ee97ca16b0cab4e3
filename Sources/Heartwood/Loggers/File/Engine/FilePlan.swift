import CHeartwood

/// Decides what happens to the open file, and when: the one place that says whether to write, roll, look,
/// make room, synchronize, try again, or give a record up.
///
/// Pure: it knows no disk and no clock. ``next(_:_:)`` says what is to be done now; ``FileEngine`` does it,
/// tells the outcome by ``note(_:_:_:)``, and asks again.
///
/// 1. Records are written only to a file that was looked at, or whose last look is still enough, that has its
///    header, and that is neither over nor torn.
/// 2. Each demand ends: whatever fails is not tried again for the same demand, or ends it.
/// 3. What is written, waits and was dropped adds up to what came in (promise 4).
/// 4. A file is left only when its successor can be opened, whatever the reason: size, time, a call, a
///    signal, other settings, or another name. Where none can be opened, records go on into it: a file above
///    its limit is better than a lost line.
struct FilePlan {
    /// What the engine is asked to do.
    enum Demand {
        /// Write records: where each ends, and where the first of them begins.
        case records(ArraySlice<Int>, from: Int)
        /// Get the file of the next record ready.
        case file
        /// Leave the file for another one; one without records only where `keepsEmpty` does not keep it.
        case roll(keepsEmpty: Bool)
        /// Leave the file if it has another name by now.
        case reopen
        /// Do what a batch leaves to do; urgently, where one of its records asks for that.
        case rest(isUrgent: Bool)
        /// Do what the time, or a change of the settings, asks for.
        case time
    }

    /// What is to be done now.
    enum Step: Equatable {
        /// Look at the open file: whether it is in its place, whole, and ours to write.
        case examine
        /// Open the file of the next record, and leave the one that is open, if any.
        case open
        /// Leave the open file for the one of the next record, which is opened before; where no record is
        /// there yet, it is only tried whether it can be.
        case roll
        /// Remove files: for so many bytes, or what is beyond the limits.
        case makeRoom(bytes: Int)
        /// Write the header of the new file.
        case header
        /// Write so many records, of so many bytes on the disk.
        case write(records: Int, bytes: Int)
        /// Complete the record whose part is at the end of the file.
        case complete
        /// Nothing can be done now, for this reason; without one, nothing is left to do.
        case wait(because: Int32?)
        /// Give up the first record: no file can ever hold it.
        case never(Int32)
        /// Put what was written on the disk.
        case synchronize
    }

    /// How a step ended.
    enum Outcome {
        case done
        case wrote(FileWriter.Outcome)
        case failed(SystemFailure)
        /// The open file cannot be used, and was left.
        case left(SystemFailure)
        /// Others have the lock that it needs.
        case postponed

        var isDone: Bool { if case .done = self { true } else { false } }
    }

    /// The open file, as far as decisions need it.
    struct File: Equatable {
        /// Its bytes.
        var size: Int
        /// Whether it has more than a header.
        var hasRecords: Bool
        var needsHeader: Bool
        /// A part of a record is at its end, and could not be cut off.
        var isTorn: Bool
        /// Other processes write to it as well.
        var isShared: Bool
        /// Records become encrypted frames.
        var isFramed: Bool
        /// Others have written to it with another key.
        var isForeign = false
        /// It is to be left in any case: it has another name by now, or is one of earlier settings.
        var isOutgoing = false
        var createdAt: LogTimestamp
    }

    /// The moment of a decision.
    struct Moment {
        var wall: LogTimestamp
        var uptime: Duration
        /// The bytes of all files.
        var total: Int
        /// When files may be too old, in steady time; nil for never.
        var ageCheck: Duration?
        /// Whether a shared file is this process's alone.
        var isLocked = true
        /// Whether the journal is told of each write, and so of the exact size of the file.
        var isJournaled = false
    }

    /// What was tried for the demand at hand.
    private struct Round {
        /// The file needs no look before the next step.
        var isReady = false
        /// The file was left, as the demand asks for.
        var hasRolled = false
        var attempt = WriteGate.Attempt()
        /// The most records of a write.
        var most = Int.max
        /// Why the file must be rolled: the process may not make it larger.
        var mustRoll: Int32?
        /// Why no file can ever hold the first record.
        var never: Int32?
        var hasSynchronized = false
        /// Why the file could not be left.
        var rollFailure: SystemFailure?
        /// Why the demand has failed.
        var failure: SystemFailure?
    }

    private(set) var settings: FileSettings
    /// When files are rolled, with the limit that the quota allows.
    private(set) var rolling: RollingPolicy
    /// The open file, as the engine says before each question; nil for none.
    var file: File?
    private(set) var deadline = RollingPolicy.Deadline()
    private(set) var counters = FileCounters()
    private(set) var pending = PendingRecords()
    var health = FileHealth()
    var sync = SyncPlan()
    private var look: FileLook
    private var round = Round()
    /// The bytes of the header of the last file; zero for none.
    var headerSize = 0
    /// Bytes that may be written before the free space is looked at again.
    private var credit = 0
    /// The limits have changed, and what is beyond them was not removed yet.
    private(set) var hasNewLimits = false
    /// The open file may be over by the new settings.
    private var hasNewPolicy = false

    /// Makes a plan for which a look at the open file is enough for `lookInterval`.
    init(_ settings: FileSettings, lookInterval: Duration) {
        self.settings = settings
        rolling = settings.effectiveRolling
        look = FileLook(interval: lookInterval)
    }

    // MARK: What is to be done

    /// Begins with a demand.
    mutating func begin(mostRecords: Int = .max) {
        round = Round()
        round.most = mostRecords
    }

    /// What is to be done now for a demand; after ``begin(mostRecords:)``, until it is a wait.
    mutating func next(_ demand: Demand, _ moment: Moment) -> Step {
        switch demand {
        case .records(let ends, let start):
            if !ends.isEmpty { return nextWrite((ends, start), moment) }
            health.noteSuccess()
            return .wait(because: nil)
        case .file: return nextWrite(nil, moment)
        case .roll(let keepsEmpty): return nextRoll(moment) { $0.hasRecords || !keepsEmpty }
        case .reopen: return nextRoll(moment, isWanted: \.isOutgoing)
        case .rest(let isUrgent): return rest(isUrgent, moment)
        case .time: return due(moment)
        }
    }

    private mutating func nextWrite(_ records: (ends: ArraySlice<Int>, start: Int)?, _ moment: Moment) -> Step
    {
        if let number = round.never { return .never(number) }
        guard let file else { return .open }
        if settings.isShared, file.isShared != moment.isLocked {
            // Leaves the file of all while its lock cannot be had, and the one of this process alone once it
            // can; but the part of a record is completed where it is, or cut off there.
            if !file.isTorn { return .open }
            if file.isShared { return round.isReady ? .wait(because: EAGAIN) : .examine }
        }
        if !round.isReady {
            guard mayRelyOnLook(at: file, moment) else { return examine() }
            look.skip()
            round.isReady = true
        }
        if let step = rollDue(file, moment) { return step }
        if file.needsHeader { return .header }
        guard let records else { return .wait(because: nil) }
        let gate = WriteGate(
            rolling: rolling, quota: settings.diskQuota.limit ?? 0, headerSize: headerSize,
            mostRecords: round.most
        )
        let step = gate.step(
            for: records.ends, from: records.start, into: file, total: moment.total, round.attempt)
        if case .write = step { return step }
        // Anything but a plain write is decided by a file that was just looked at.
        if look.isSkipped { return examine() }
        guard step == .roll, !mayRoll(file, moment) else { return step }
        round.attempt.cannotRoll = true
        return nextWrite(records, moment)
    }

    private mutating func examine() -> Step {
        look.expire()
        return .examine
    }

    /// The roll of a file that is over, if it can be rolled.
    private mutating func rollDue(_ file: File, _ moment: Moment) -> Step? {
        let mustRoll = round.mustRoll ?? (file.isForeign ? EPERM : nil)
        if mustRoll != nil || isOver(file, moment), mayRoll(file, moment) { return .roll }
        return mustRoll.map { .wait(because: $0) }
    }

    /// The roll that a call asks for, of a file that was just looked at.
    private mutating func nextRoll(_ moment: Moment, isWanted: (File) -> Bool) -> Step {
        guard let file, !round.hasRolled, round.rollFailure == nil else { return .wait(because: nil) }
        if file.isShared, !moment.isLocked { return .wait(because: EAGAIN) }
        if !round.isReady { return examine() }
        guard isWanted(file) else { return .wait(because: nil) }
        return file.isTorn ? .wait(because: EIO) : .roll
    }

    /// Whether a file is to be left: one that is outgoing, or has records and whose time is over; the time
    /// of one without begins again.
    private mutating func isOver(_ file: File, _ moment: Moment) -> Bool {
        if file.isOutgoing { return true }
        if state(at: moment) == .outdated { renewDeadline(from: file.createdAt, moment) }
        guard state(at: moment) == .reached else { return false }
        if !file.hasRecords { renewDeadline(from: moment.wall, moment) }
        return file.hasRecords
    }

    private func state(at moment: Moment) -> RollingPolicy.Deadline.State {
        deadline.state(wall: moment.wall, steady: moment.uptime)
    }

    private mutating func renewDeadline(from createdAt: LogTimestamp, _ moment: Moment) {
        deadline = rolling.deadline(createdAt: createdAt, wall: moment.wall, steady: moment.uptime)
    }

    private func mayRoll(_ file: File, _ moment: Moment) -> Bool {
        !round.attempt.cannotRoll && !file.isTorn && health.mayRoll(at: moment.uptime)
    }

    /// Whether the last look at the file is enough for a write now.
    ///
    /// Not where what others do to the file meanwhile could do harm: other processes write to a file that is
    /// shared, the first bytes of encrypted files and of files with a header must be there, and the journal
    /// needs the exact size.
    private func mayRelyOnLook(at file: File, _ moment: Moment) -> Bool {
        !look.isDue(at: moment.uptime) && !moment.isJournaled && !settings.isShared && !file.isShared
            && !file.isFramed && !file.isOutgoing && settings.fileHeader == nil && headerSize == 0
            && !file.needsHeader && !file.isTorn && state(at: moment) == .running
    }

    private mutating func rest(_ isUrgent: Bool, _ moment: Moment) -> Step {
        if !round.hasSynchronized, sync.isDue(settings.syncPolicy, isUrgent: isUrgent, at: moment.uptime) {
            return .synchronize
        }
        return .wait(because: nil)
    }

    private mutating func due(_ moment: Moment) -> Step {
        if let file, file.hasRecords || file.isOutgoing, mayRoll(file, moment),
            health.mayRollIdle(at: moment.uptime)
        {
            let limit = hasNewPolicy ? rolling.maximumSize : 0
            if isOver(file, moment) || limit > 0 && file.size >= limit {
                return round.isReady ? .roll : examine()
            }
            hasNewPolicy = false
        }
        let isAgeDue = moment.ageCheck.map { moment.uptime >= $0 } ?? false
        if !round.attempt.hasMadeRoom, hasNewLimits || isAgeDue { return .makeRoom(bytes: 0) }
        return rest(false, moment)
    }

    /// How long until ``Demand/time`` has something to do; nil for never.
    func delay(_ moment: Moment) -> Duration? {
        // Asked after each batch, so without an array.
        var least = sync.delay(settings.syncPolicy, at: moment.uptime)
        func consider(_ delay: Duration) { least = least.map { min($0, delay) } ?? delay }
        if !pending.isEmpty { consider(health.retryDelay(at: moment.uptime)) }
        if let file, file.hasRecords, let delay = deadline.delay(wall: moment.wall, steady: moment.uptime) {
            // The wall clock may be set meanwhile: look again after ten minutes at the latest.
            consider(max(health.rollDelay(at: moment.uptime), min(delay, .seconds(600))))
        }
        if hasNewPolicy && file?.hasRecords == true || file?.isOutgoing == true {
            consider(health.rollDelay(at: moment.uptime))
        }
        if let ageCheck = moment.ageCheck { consider(max(.seconds(1), ageCheck - moment.uptime)) }
        return least
    }

    // MARK: Outcomes

    /// Takes how a step ended; ``file`` is the open file after it.
    mutating func note(_ step: Step, _ outcome: Outcome, _ moment: Moment) {
        switch (step, outcome) {
        case (.roll, .failed(let failure)):
            // Not by the pause alone: the attempt may have taken longer than that.
            round.attempt.cannotRoll = true
            round.rollFailure = failure
            // Others may have finished the file: records go on into it only after another look.
            round.isReady = false
            counters.failures += 1
            health.delayRoll(at: moment.uptime)
        case (.roll, .postponed):
            round.attempt.cannotRoll = true
            round.rollFailure = SystemFailure(.lock, EAGAIN)
            health.postponeIdleRoll(at: moment.uptime)
        case (.synchronize, .failed):
            round.hasSynchronized = true
            counters.failures += 1
            sync.noteFailure(at: moment.uptime)
        case (_, .left(let failure)):
            fail(failure, moment)
            round.failure = nil
        case (_, .failed(let failure)): fail(failure, moment)
        case (.examine, _):
            guard file != nil else { break }
            look.note(at: moment.uptime)
            round.isReady = true
        case (.open, _): noteOpened(moment)
        case (.roll, _):
            health.noteRoll()
            round.hasRolled = true
            sync.noteName()
            noteOpened(moment)
        case (.makeRoom, _):
            round.attempt.hasMadeRoom = true
            round.isReady = false
            hasNewLimits = false
        case (.synchronize, _):
            round.hasSynchronized = true
            sync.noteSynced()
        case (.write(let records, _), .wrote(let written)):
            noteWritten(written, moment)
            if let failure = written.failure { noteFailedWrite(failure, of: records, moment) }
        case (.complete, .wrote(let written)):
            noteWritten(written, moment)
            if let failure = written.failure { fail(failure, moment) }
        default: break
        }
    }

    private mutating func fail(_ failure: SystemFailure, _ moment: Moment) {
        counters.failures += 1
        health.noteFailure(failure, at: moment.uptime)
        round.failure = failure
        look.expire()
    }

    private mutating func noteOpened(_ moment: Moment) {
        guard let file else { return }
        sync.noteName()
        renewDeadline(from: file.createdAt, moment)
        look.note(at: moment.uptime)
        round.isReady = true
        round.mustRoll = nil
        hasNewPolicy = false
    }

    private mutating func noteWritten(_ written: FileWriter.Outcome, _ moment: Moment) {
        counters.written += written.records
        counters.bytes += written.bytes
        if written.bytes > 0 { sync.noteWrite(at: moment.uptime) }
        round.isReady = false
        guard written.records > 0 else { return }
        round.attempt = WriteGate.Attempt()
    }

    private mutating func noteFailedWrite(_ failure: SystemFailure, of count: Int, _ moment: Moment) {
        defer { look.expire() }
        // Others may have closed or removed the file, or lowered a limit, since it was last looked at: it is
        // looked at before the next write, which ends the demand if it fails as well.
        if look.isSkipped { return }
        guard failure.number == EFBIG, let file else { return fail(failure, moment) }
        // The process may not make this file larger: another one, or fewer records in one frame.
        if file.hasRecords {
            round.mustRoll = EFBIG
        } else if file.isFramed, count > 1 {
            round.most = count / 2
        } else {
            round.never = EFBIG
        }
    }

    /// Why the demand at hand has failed; nil where it has not.
    var failure: SystemFailure? { round.failure }
    /// Why this demand could not leave the file, which is continued; nil where it was not to be
    /// left.
    var rollFailure: SystemFailure? { round.rollFailure }

    // MARK: The look

    /// Has the file looked at before the next write, and before each one until a moment.
    mutating func lookClosely(until uptime: Duration? = nil) {
        look.expire()
        if let uptime { look.beClose(until: uptime) }
    }

    // MARK: The lease

    /// For how long, for how many bytes and within which quota records may go into the open file without a
    /// question, since everything that decides has agreed to the last write, and cannot change its mind
    /// meanwhile; nil for none.
    ///
    /// What others do to the file is noticed at the next look that is due, as without it.
    mutating func lease(_ moment: Moment) -> (end: Duration, bytes: Int, quota: Int)? {
        guard !moment.isJournaled, settings.syncPolicy == .never, health.failure == nil, pending.isEmpty,
            let file, file.hasRecords, mayRelyOnLook(at: file, moment), var end = look.end
        else { return nil }
        if let delay = deadline.delay(wall: moment.wall, steady: moment.uptime) {
            end = min(end, moment.uptime + delay)
        }
        guard end > moment.uptime else { return nil }
        var room = rolling.maximumSize > 0 ? max(0, rolling.maximumSize - file.size) : Int.max
        room = min(room, 64 * 1024)
        if settings.minimumFreeSpace > .zero { room = min(room, credit) }
        _ = spend(room)
        return (end, room, settings.diskQuota.limit ?? 0)
    }

    /// Takes what was written within a lease, and how many of its bytes were not.
    mutating func endLease(records: Int, bytes: Int, unspent: Int) {
        counters.written += records
        counters.bytes += bytes
        if settings.minimumFreeSpace > .zero { credit += unspent }
    }

    // MARK: Room

    /// Whether so many bytes more are too many.
    func isBeyondQuota(_ bytes: Int, total: Int) -> Bool {
        settings.diskQuota.limit.map { total + bytes > $0 } ?? false
    }

    /// Takes bytes of the free space that is known; false where it must be looked at first.
    mutating func spend(_ bytes: Int) -> Bool {
        guard settings.minimumFreeSpace > .zero else { return true }
        guard bytes <= credit else { return false }
        credit -= bytes
        return true
    }

    /// Takes bytes of the free space that was just looked at; false where they would leave too little.
    mutating func spend(_ bytes: Int, free: Int, of total: Int) -> Bool {
        let minimum = min(settings.minimumFreeSpace.bytes, total / 100)
        guard free - bytes > minimum else { return false }
        credit = max(bytes, min((free - minimum) / 4, 16 << 20)) - bytes
        return true
    }

    // MARK: What waits

    /// Keeps the records from `first` on, as many as the limit allows; how many were dropped.
    mutating func park(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], from first: Int,
        announcement: (Int, SystemFailure?) -> [UInt8]
    ) -> Int {
        let dropped = pending.park(
            bytes, ends, marks, from: first, limit: settings.waitingLimit.bytes, because: health.failure,
            announcement: announcement)
        counters.waiting = pending.count
        counters.dropped += dropped
        return dropped
    }

    /// What waits, with the announcement of what was lost, to be written now; nil for nothing.
    mutating func beginRetry(_ announcement: (Int, SystemFailure?) -> [UInt8]) -> RecordBuffer? {
        health.noteSuccess()
        if pending.hasOnlyLoss { pending.announceLoss(announcement) }
        return pending.hasRecords ? pending.buffer : nil
    }

    /// Takes how many of the records that wait were dealt with, and why no file can hold the last of them.
    mutating func noteRetry(
        _ dealt: Int, never number: Int32?, at uptime: Duration
    ) -> PendingRecords.Settled {
        let settled = pending.settle(dealt, unwritable: number)
        counters.written -= settled.announced
        counters.announcements += settled.announced
        counters.waiting = pending.count
        if settled.hasDropped { counters.dropped += 1 }
        if settled.hasUnwritableAnnouncement { health.delay(at: uptime) }
        return settled
    }

    /// Gives up a record that no file could ever hold.
    mutating func drop(_ failure: SystemFailure) {
        pending.drop(1, because: failure)
        counters.dropped += 1
    }

    /// Forgets what waits; it counts as dropped, unless it belongs to another process.
    mutating func forgetPending(isDropped: Bool) {
        if isDropped { counters.dropped += pending.count }
        pending.removeAll()
        counters.waiting = 0
    }

    // MARK: The disk

    /// Counts a file that was finished; one that was not synchronized is remembered.
    mutating func noteFinished(_ name: String, _ there: () -> Set<String>) {
        counters.rolls += 1
        if settings.syncPolicy == .never { sync.noteFinished(name, there) }
    }

    // MARK: Settings

    /// Takes new settings, whose limits hold at once where the directory was read already.
    mutating func apply(_ new: FileSettings, isStarted: Bool, _ moment: Moment) {
        let old = settings
        settings = new
        rolling = new.effectiveRolling
        if old.minimumFreeSpace != new.minimumFreeSpace { credit = 0 }
        guard isStarted else { return }
        if old.rollingPolicy != new.rollingPolicy || old.retentionPlan != new.retentionPlan {
            if let file { renewDeadline(from: file.createdAt, moment) }
            hasNewPolicy = file != nil
        }
        if old.retentionPlan != new.retentionPlan || old.maximumFileSize != new.maximumFileSize {
            hasNewLimits = true
        }
    }
}

/// What the engine has done since it was made.
struct FileCounters: Sendable, Hashable {
    /// Records that are in a file.
    var written = 0
    var bytes = 0
    /// Records that were given up.
    var dropped = 0
    /// Records that wait for a file that takes them.
    var waiting = 0
    /// Files that were finished.
    var rolls = 0
    /// Calls of the kernel that failed.
    var failures = 0
    /// Records of the engine's own about dropped ones; not in `written`.
    var announcements = 0

    /// Tells a logger's statistics what has changed since the last state they know, which this is, and
    /// becomes the new one.
    ///
    /// There, records count as delivered once they were handed over, or at the end of their batch: those that
    /// no file has are taken off.
    mutating func settle(as now: FileCounters, in counters: LoggerCounters) {
        if now.bytes != bytes { counters.count(bytes: now.bytes - bytes) }
        if now.dropped != dropped { counters.fail(later: now.dropped - dropped) }
        if now.waiting != waiting { counters.wait(for: now.waiting) }
        self = now
    }
}
