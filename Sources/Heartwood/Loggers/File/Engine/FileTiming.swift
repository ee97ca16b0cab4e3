/// Decides when the open file is looked at: whether it is still there, under its name, with the size that is
/// known.
///
/// Pure: the time is given.
///
/// 1. A write that comes ``interval`` or more after the last look is preceded by another one.
/// 2. After a failure, and before anything other than a plain write, the file is looked at whatever the time.
/// 3. For a while after a program has asked which files there are, since it may be about to remove them, no
///    look is enough.
struct FileLook {
    /// How long a look is enough for; zero for one write.
    let interval: Duration
    /// When the file was last looked at, in steady time; nil where that is not enough any more.
    private var last: Duration?
    /// Until when each write is preceded by a look.
    private var closeUntil: Duration?
    /// Whether the write at hand relies on an earlier look.
    private(set) var isSkipped = false

    init(interval: Duration) { self.interval = interval }

    /// Whether the file must be looked at before a write at this moment.
    func isDue(at uptime: Duration) -> Bool {
        guard interval > .zero, let last else { return true }
        if let closeUntil, uptime < closeUntil { return true }
        return uptime < last || uptime - last >= interval
    }

    /// When the last look is not enough any more, whatever happens; nil where it is not.
    var end: Duration? { last.map { $0 + interval } }

    /// The file was looked at, or opened, at this moment.
    mutating func note(at uptime: Duration) {
        last = uptime
        isSkipped = false
    }

    /// The write at hand relies on an earlier look.
    mutating func skip() { isSkipped = true }

    /// Has the file looked at before each write until a moment.
    mutating func beClose(until uptime: Duration) { closeUntil = max(closeUntil ?? uptime, uptime) }

    /// Has the file looked at before the next write.
    mutating func expire() {
        last = nil
        isSkipped = false
    }
}

/// What was written and is not on the disk yet, and when it is to be put there.
///
/// Pure: the engine makes the calls.
struct SyncPlan {
    /// How many finished files are remembered at most; the newest are.
    private static let filesLimit = 1024

    /// When bytes were first written that are not synchronized.
    private var since: Duration?
    /// Files were created or renamed since the directory was last synchronized.
    private(set) var hasNames = false
    /// Finished files that were not synchronized when they were finished, oldest first.
    private(set) var files: [String] = []

    mutating func noteWrite(at uptime: Duration) {
        if since == nil { since = uptime }
    }

    mutating func noteName() { hasNames = true }

    /// Remembers a file that was finished without being synchronized.
    mutating func noteFinished(_ name: String, _ there: () -> Set<String>) {
        files.append(name)
        guard files.count > SyncPlan.filesLimit else { return }
        // Seldom: half of them at least are forgotten each time.
        let names = there()
        files = files.filter(names.contains).suffix(SyncPlan.filesLimit / 2)
    }

    mutating func noteFileSynced() { if !files.isEmpty { files.removeFirst() } }
    mutating func noteNamesSynced() { hasNames = false }
    mutating func noteSynced() { since = nil }

    /// After a failure: not again at once, because a disk that fails once fails for a while.
    mutating func noteFailure(at uptime: Duration) {
        if since != nil { since = uptime }
    }

    /// Whether it is time to synchronize.
    mutating func isDue(_ policy: LogSyncPolicy, isUrgent: Bool, at uptime: Duration) -> Bool {
        guard let since else { return false }
        switch policy {
        case .never:
            self.since = nil
            return false
        case .everyBatch: return true
        case .levels: return isUrgent
        case .interval(let interval): return isUrgent || uptime - since >= interval
        }
    }

    /// How long until it is time; nil for never.
    func delay(_ policy: LogSyncPolicy, at uptime: Duration) -> Duration? {
        guard case .interval(let interval) = policy, let since else { return nil }
        return max(.milliseconds(10), since + interval - uptime)
    }
}

/// What went wrong last, and when it is worth trying again.
///
/// Pure: the time is given.
struct FileHealth {
    /// How long to wait after a failure before trying again.
    static let retryInterval = Duration.milliseconds(250)

    /// Why the last attempt to write failed; nil where it did not.
    private(set) var failure: SystemFailure?
    private var hasFailed = false
    private var nextAttempt = Duration.zero
    private var nextIdleRoll = Duration.zero
    /// When a file that could not be left is left.
    private var roll = RetryPlan(GrowingPause(first: .milliseconds(250), longest: .seconds(5)))

    mutating func noteSuccess() { failure = nil }

    mutating func noteFailure(_ failure: SystemFailure, at uptime: Duration) {
        self.failure = failure
        hasFailed = true
        delay(at: uptime)
    }

    /// Puts the next attempt off, as after a failure.
    mutating func delay(at uptime: Duration) { nextAttempt = uptime + FileHealth.retryInterval }

    /// A file could not be left, and is continued until later.
    mutating func delayRoll(at uptime: Duration) { roll.fail(at: uptime) }

    /// A file was left.
    mutating func noteRoll() { roll.succeed() }

    /// Others have the lock that an idle file needs; one that is written may be left before.
    mutating func postponeIdleRoll(at uptime: Duration) { nextIdleRoll = uptime + .seconds(1) }

    /// Whether the last attempt to leave a file has failed.
    var isRollFailing: Bool { roll.isFailing }

    func mayTry(at uptime: Duration) -> Bool { failure == nil || uptime >= nextAttempt }
    func mayRoll(at uptime: Duration) -> Bool { roll.mayTry(at: uptime) }
    func retryDelay(at uptime: Duration) -> Duration { max(.zero, nextAttempt - uptime) }
    func mayRollIdle(at uptime: Duration) -> Bool { uptime >= nextIdleRoll }
    func rollDelay(at uptime: Duration) -> Duration {
        max(.zero, nextIdleRoll - uptime, roll.isFailing ? roll.due - uptime : .zero)
    }

    /// Whether writing succeeds again after a failure; true once.
    mutating func hasRecovered() -> Bool {
        guard failure == nil, hasFailed else { return false }
        hasFailed = false
        return true
    }
}
