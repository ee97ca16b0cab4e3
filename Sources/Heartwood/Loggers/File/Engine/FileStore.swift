import CHeartwood

/// The files of a logger in its directory: which there are, what a crash has cut in two, and which of them
/// are removed.
///
/// 1. At no moment do the files take more room than the quota, as far as this process alone writes to them.
/// 2. Only what could be opened, identified and locked is removed, and only while it is still the file of
///    that name (promise 12).
///
/// Not thread-safe: owned by the engine.
final class FileStore {
    let directory: Directory
    let inventory = FileInventory()
    let ledger: FileLedger
    let clock: any LogClock
    /// The settings in effect.
    var settings: FileSettings { didSet { ledger.naming = settings.naming } }
    /// Calls of the kernel for single files that failed.
    private(set) var failures = 0
    /// Whether what earlier runs left was read, with the naming in effect.
    private(set) var isStarted = false
    private let tell: (FileEvent) -> Void
    /// When all files were last looked at.
    private var lastRefresh: Duration?
    private var nextAgeCheck = Duration.zero
    private var watch = ClockWatch()

    init(
        _ directory: Directory, _ settings: FileSettings, _ clock: any LogClock,
        _ tell: @escaping (FileEvent) -> Void
    ) {
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.tell = tell
        ledger = FileLedger(directory, inventory, settings.naming)
        ledger.report = { [unowned self] in report($1, name: $0) }
    }

    var calls: SystemCalls { directory.calls }
    /// Whether others may have changed the directory since the last look.
    ///
    /// One who has died has told no one, but a look costs a call per file, so not where there are very many.
    var mayBeOutdated: Bool {
        inventory.count <= 200 || ledger.hasChanges
            || (lastRefresh.map { clock.uptime() - $0 > .seconds(60) } ?? true)
    }

    func report(_ event: FileEvent) { tell(event) }

    /// Reports why a file cannot be used, by its name.
    func report(_ error: any Error, name: String) {
        if let failure = error as? SystemFailure, failure.refusal == nil { failures += 1 }
        tell(.unusable(error, name: name))
    }

    // MARK: Looking

    /// Reads what earlier runs left in the directory; once.
    func start() throws {
        guard !isStarted else { return }
        try followDirectory()
        ledger.load(isFirst: true)
        try read()
        isStarted = true
        finishLeftovers()
    }

    /// Has ``start()`` read everything again: with another naming, other files belong to the logger.
    func forgetStart() { isStarted = false }

    private func read() throws {
        try inventory.refresh(
            directory, settings.naming, settings.filePolicy, activeLabel: ledger.catalogue.active)
        lastRefresh = clock.uptime()
    }

    /// Looks at all files again; what prevents it is reported.
    func refresh() {
        do { try read() } catch { report(error, name: directory.path) }
    }

    /// Looks again where others have created or finished files since the last look.
    func follow() {
        guard ledger.hasChanges else { return }
        ledger.load()
        refresh()
    }

    /// Goes on in the directory that has the name now, where the one that was open has lost it.
    func followDirectory() throws {
        guard !directory.isInPlace else { return }
        try directory.reopen()
        ledger.lock.reset()
        if isStarted { refresh() }
    }

    /// Notes that a file is finished; what others have changed before is known afterwards.
    func noteFinished(_ name: String, _ label: LogFileLabel) {
        _ = ledger.lock.acquire()
        defer { ledger.lock.release() }
        follow()
        ledger.note(opened: nil, finished: [(name, label)])
    }

    // MARK: What a crash left

    /// Completes what a crash has cut in two: renaming, and archiving.
    private func finishLeftovers() {
        for (name, reason) in inventory.refused { report(reason, name: name) }
        if ledger.lock.acquire() { finishRenaming() }
        ledger.lock.release()
        finishArchiving()
    }

    private func finishRenaming() {
        guard let active = settings.naming.activeName, namesOfActive.count > 1 else { return }
        // A process that lives does it itself.
        guard let file = try? directory.hold(active) else { return }
        defer { calls.unlock(file.number) }
        guard (try? calls.status(file.number))?.links ?? 1 > 1 else { return }
        if (try? directory.remove(active)) != nil { inventory.remove(active) }
    }

    /// The names of the file with the fixed active name: two of them where it could not be renamed
    /// completely.
    private var namesOfActive: Set<String> {
        guard let active = settings.naming.activeName else { return [] }
        guard let status = try? directory.status(active), status.kind == .regular, status.links > 1,
            status.owner == calls.user
        else { return [active] }
        let others = inventory.entries.lazy.map(\.name).filter {
            $0 != active && (try? self.directory.status($0))?.identity == status.identity
        }
        return Set(others).union([active])
    }

    /// Removes what a crash left of archives: those that were never completed, and logs whose archive is
    /// complete.
    private func finishArchiving() {
        let archived = inventory.archivedLogs
        for entry in inventory.entries where !entry.isProtected && !entry.isForeign {
            let hasArchive = entry.stage == .plain && archived.contains(entry.name)
            guard entry.isUnfinished || hasArchive, let file = try? directory.hold(entry.name) else {
                continue
            }
            if (try? directory.remove(entry.name)) == true { inventory.remove(entry.name) }
            calls.unlock(file.number)
        }
    }

    /// The finished files that are not archives yet, or that the processor has not dealt with, oldest first.
    func unarchived(except written: String?) -> [String] {
        ledger.load()
        let processed = Set(ledger.catalogue.processed)
        let active = namesOfActive
        return inventory.entries.filter { entry in
            !active.contains(entry.name) && !entry.isUnfinished && !entry.isForeign
                && entry.name != written && ledger.isFinished(entry) && !processed.contains(entry.name)
        }.map(\.name)
    }

    // MARK: Retention

    /// Compares the clocks, so that the ages of files are not believed after the wall clock was set forward.
    func compareClocks(_ wall: LogTimestamp, _ uptime: Duration) { watch.compare(wall, uptime) }

    /// When files may be too old, in steady time; nil for never.
    var ageCheck: Duration? { isStarted && settings.maximumFileAge.limit != nil ? nextAgeCheck : nil }

    /// Removes what the limits say, in one process at a time.
    ///
    /// Looks at the directory before, unless that `isFresh`: files of others may be older than those known.
    func applyLimits(incoming: Int = 0, incomingFiles: Int = 0, isFresh: Bool = false) {
        let outcome = ledger.lock.take(waits: false)
        defer { ledger.lock.release() }
        let uptime = clock.uptime()
        // Where there is no lock, the lock of each file decides alone.
        guard outcome != .busy || incoming > 0 || incomingFiles > 0 else {
            nextAgeCheck = uptime + .seconds(1)
            return
        }
        nextAgeCheck = uptime + untilTooOld
        let now = watch.isTrusted(at: uptime) ? clock.now() : nil
        var held: Set<String> = []
        var (isFresh, isSettled) = (isFresh || !mayBeOutdated, false)
        while !isSettled {
            isSettled = true
            let removals = inventory.removals(
                settings.retentionPlan, now: now, incoming: incoming, incomingFiles: incomingFiles,
                held: held, order: order)
            guard !removals.isEmpty else { return }
            if !isFresh {
                ledger.load()
                refresh()
                (isFresh, isSettled) = (true, false)
                continue
            }
            var removed: Set<String> = []
            for file in removals {
                switch remove(file) {
                case .removed: removed.insert(file.name)
                case .kept:
                    // In use, or not ours to remove: the plan must do without it.
                    held.insert(file.name)
                    isSettled = false
                case .changed: isSettled = false
                }
            }
            inventory.remove(removed)
        }
    }

    /// Makes room for the archive of a file, by removing older files only.
    func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        guard let quota = settings.diskQuota.limit, inventory.total + bytes > quota else { return true }
        follow()
        let removals = inventory.removals(settings.retentionPlan, now: nil, incoming: bytes)
        guard removals.allSatisfy({ $0.label < label }) else { return false }
        applyLimits(incoming: bytes)
        return inventory.total + bytes <= quota
    }

    /// The order in which the policy of the logger lets files be removed; nil for the oldest first.
    private var order: (([FileInventory.Entry]) -> [String])? {
        let policy = settings.filePolicy
        if policy.isStandard { return nil }
        return { [directory] entries in
            policy.removalOrder(entries.map { LogFileInfo($0, directory) }).map(\.name)
        }
    }

    /// How long until the oldest file is too old: from a minute to an hour, so that a clock that is set does
    /// no harm.
    private var untilTooOld: Duration {
        guard let age = settings.maximumFileAge.limit, let oldest = inventory.oldest else {
            return .seconds(3600)
        }
        return min(max(oldest.modified + age - clock.now(), .seconds(60)), .seconds(3600))
    }

    private enum Removal { case removed, kept, changed }

    /// Removes a file unless another process or logger uses it, or has written to it since it was last looked
    /// at.
    private func remove(_ plan: RetentionPlan.File) -> Removal {
        let name = plan.name
        do {
            guard let file = try directory.hold(name) else { return .kept }
            defer { calls.unlock(file.number) }
            let status = try calls.status(file.number)
            if status.modified > plan.modified {
                inventory.modify(name, at: status.modified)
                inventory.resize(name, to: status.size)
                return .changed
            }
            try directory.remove(name)
            report(.removed(name: name))
            return .removed
        } catch  where error.isError(ENOENT) {
            return .removed
        } catch {
            report(error, name: name)
            return .kept
        }
    }
}

/// Notices that the wall clock was set forward; the ages of files are then not believed for an hour.
private struct ClockWatch {
    /// The two clocks when they were last compared.
    private var last: (wall: LogTimestamp, steady: Duration)?
    private var distrustedUntil = Duration.zero

    mutating func compare(_ wall: LogTimestamp, _ steady: Duration) {
        if let last, wall - last.wall > (steady - last.steady) + .seconds(3600) {
            distrustedUntil = steady + .seconds(3600)
        }
        last = (wall, steady)
    }

    /// Whether the wall clock tells how old a file is.
    func isTrusted(at steady: Duration) -> Bool { steady >= distrustedUntil }
}

/// What happened to log files, told by the engine to the logger.
enum FileEvent: Sendable {
    /// A file was finished, and the next line goes to another one.
    case rolled(name: String)
    /// A file that an earlier run left was found finished.
    case foundFinished(name: String)
    /// A file was removed by the retention limits.
    case removed(name: String)
    /// The file was removed, renamed or replaced by another program.
    case disturbed(name: String, FileWriter.Place)
    /// The program has closed the file's descriptor; the file is opened again.
    case closed(name: String)
    /// A torn last line was cut off.
    case repaired(name: String, bytes: Int)
    /// A call failed; lines wait, or a file could not be removed or renamed.
    case failed(SystemFailure, name: String?, waiting: Int)
    /// The file was to be left, and is continued, because no other one can be opened.
    case continued(name: String, SystemFailure)
    /// The file system does not have something that files can do without.
    case missing(Directory.Feature)
    /// There is no key to encrypt with; lines wait.
    case locked(reason: String)
    /// A file of the directory was refused, or cannot be opened, locked, replaced or removed; logging
    /// continues without it.
    case unusable(any Error, name: String)
    /// Lines were dropped; the total since the last time that all was well.
    case dropped(records: Int, SystemFailure?)
    /// Writing goes on after a failure.
    case resumed(dropped: Int)
    /// Something that a person should know about the settings.
    case advice(String)
}
