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
