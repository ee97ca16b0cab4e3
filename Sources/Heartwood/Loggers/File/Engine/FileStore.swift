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
    /// Taken where processes must not find, create or remove files at the same time.
    let lock: DirectoryLock
    let clock: any LogClock
    /// The settings in effect.
    var settings: FileSettings { didSet { lock.isPatient = settings.isShared } }
    /// Calls of the kernel for single files that failed.
    private(set) var failures = 0
    /// Whether what earlier runs left was read, with the naming in effect.
    private(set) var isStarted = false
    private let tell: (FileEvent) -> Void
    /// When all files were last looked at.
    private var lastRefresh: Duration?
    /// When the directory had last changed then.
    private var seen: Int64?
    /// The label of the newest file that this run knows of, there or gone.
    private var latest: LogFileLabel?
    private var nextAgeCheck = Duration.zero
    private var jumps: ClockJumps

    init(
        _ directory: Directory, _ settings: FileSettings, _ clock: any LogClock,
        _ tell: @escaping (FileEvent) -> Void
    ) {
        self.directory = directory
        self.settings = settings
        self.clock = clock
        jumps = ClockJumps(clock.now(), clock.uptime())
        self.tell = tell
        lock = DirectoryLock(directory)
        lock.isPatient = settings.isShared
    }

    var calls: SystemCalls { directory.calls }
    /// Whether others may have changed the directory since the last look.
    ///
    /// A look costs a call per file, so not where there are very many.
    var mayBeOutdated: Bool {
        inventory.count <= 200 || hasChanges
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
        // Where files have no permissions, only the names tell that others have finished one.
        if settings.isShared { try? directory.tryCreating(for: settings.naming.application) }
        try read()
        isStarted = true
        FormerCatalogue.takeOver(self)
        adviseAboutOthers()
        finishLeftovers()
    }

    /// Has ``start()`` read everything again: with another naming, other files belong to the logger.
    func forgetStart() { (isStarted, latest) = (false, nil) }

    private func read() throws {
        seen = changed
        try inventory.refresh(directory, settings.naming, settings.filePolicy)
        lastRefresh = clock.uptime()
    }

    /// Looks at all files again; what prevents it is reported.
    func refresh() {
        do { try read() } catch { report(error, name: directory.path) }
    }

    /// When a name of the directory came or went last; nil where that is not known.
    private var changed: Int64? { try? directory.descriptor.status().modifiedNanoseconds }

    /// Whether names have come or gone since the last look.
    ///
    /// File systems round the time: of two changes within a few milliseconds, the second may be missed.
    var hasChanges: Bool { seen == nil || seen != changed }

    /// Changes names of this logger's files, which is no reason to look again.
    func changeNames<Result>(_ change: () throws -> Result) rethrows -> Result {
        let isCurrent = !hasChanges
        defer { if isCurrent { seen = changed } }
        return try change()
    }

    /// Looks again where names have come or gone since the last look.
    func follow() { if hasChanges { refresh() } }

    /// Goes on in the directory that has the name now, where the one that was open has lost it.
    func followDirectory() throws {
        guard !directory.isInPlace else { return }
        try directory.reopen()
        lock.reset()
        if isStarted { refresh() }
    }

    /// The label after which the next one comes: that of the newest file, there or gone.
    func newest(at now: LogTimestamp) -> LogFileLabel? {
        [inventory.newest, newestOwn(at: now)].compactMap { $0 }.max()
    }

    /// The label of the newest file that this user has created, there or gone.
    ///
    /// A date in the future is ignored if no file with it is left: it came from a wrong clock.
    func newestOwn(at now: LogTimestamp) -> LogFileLabel? {
        let told = (try? directory.descriptor).flatMap { calls.attribute(newestAttribute, of: $0.number) }
        let label = told.flatMap { settings.naming.recognize(String(decoding: $0, as: UTF8.self)) }
        let known = [latest, label].compactMap { $0 }
        latest = known.filter { $0.createdAt.map { $0 <= now } ?? true }.max()
        return latest
    }

    // MARK: What files say of themselves

    /// The attribute of a file that has the name of the application that began it.
    private static let applicationAttribute = "heartwood.application"
    /// Of how many files it is read, the newest.
    private static let attributeLimit = 32
    /// The attribute of the directory that has the name of the newest file, or the one that it gets.
    private var newestAttribute: String { "heartwood.newest.\(settings.naming.application).\(calls.user)" }

    /// Notes that a file was created, or is continued.
    func noteOpened(_ file: FileWriter) {
        latest = max(latest ?? file.label, file.label)
        let application = Array(settings.naming.application.utf8)
        let attribute = FileStore.applicationAttribute
        if !file.hasRecords || calls.attribute(attribute, of: file.file.number) == nil {
            try? calls.setAttribute(attribute, to: application, of: file.file.number)
        }
        let isActive = file.name == settings.naming.activeName
        if !file.hasRecords, let number = try? directory.descriptor.number {
            let name = isActive ? settings.naming.name(for: file.label) : file.name
            try? calls.setAttribute(newestAttribute, to: Array(name.utf8), of: number)
        }
        if isActive { tell(file.label, to: file.file) }
    }

    /// Tells of files that the naming takes for this logger's, and that say that they are another one's.
    private func adviseAboutOthers() {
        var known: Set<String> = [settings.naming.application]
        for entry in inventory.entries.suffix(FileStore.attributeLimit) where !entry.isForeign {
            guard let (file, _) = try? directory.open(entry.name, for: .reading, acceptsLinked: true),
                let value = calls.attribute(FileStore.applicationAttribute, of: file.number),
                case let application = String(decoding: value, as: UTF8.self),
                known.insert(application).inserted
            else { continue }
            report(
                .advice(
                    "\(entry.name) belongs to \(application), but this logger's naming recognizes it, so its"
                        + " limits can remove the file; give each program a directory or a template of its"
                        + " own"))
        }
    }

    /// Has the file with the fixed active name say which one it gets.
    ///
    /// Where the file system has no attributes, the file's birth tells when it was created.
    func tell(_ label: LogFileLabel, to file: Descriptor) {
        let name = Array(settings.naming.name(for: label).utf8)
        try? calls.setAttribute(FileInventory.nameAttribute, to: name, of: file.number)
    }

    /// Marks a file as finished, whose lock is held; returns whether it had no mark, and has one by now.
    @discardableResult
    func finish(_ file: Descriptor, _ name: String) -> Bool {
        inventory.finish(name)
        return directory.markFinished(file)
    }

    // MARK: What a crash left

    /// Completes what a crash has cut in two: renaming, and archiving.
    private func finishLeftovers() {
        for (name, reason) in inventory.refused { report(reason, name: name) }
        if lock.acquire() { finishRenaming() }
        lock.release()
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

    /// The finished files, oldest first: those that are not archives yet, or not processed, are among them.
    func finished(except written: String?) -> [String] {
        let active = namesOfActive
        return inventory.entries.filter { entry in
            !active.contains(entry.name) && !entry.isUnfinished && !entry.isForeign
                && entry.name != written && entry.isFinished
        }.map(\.name)
    }

    // MARK: Retention

    /// Compares the clocks, so that the ages of files are not believed after the wall clock was set.
    func compareClocks(_ wall: LogTimestamp, _ uptime: Duration) { jumps.compare(wall, uptime) }

    /// When files may be too old, in steady time; nil for never.
    var ageCheck: Duration? { isStarted && settings.maximumFileAge.limit != nil ? nextAgeCheck : nil }

    /// Removes what the limits say, in one process at a time.
    ///
    /// Looks at the directory before, unless that `isFresh`: files of others may be older than those known.
    func applyLimits(incoming: Int = 0, incomingFiles: Int = 0, isFresh: Bool = false) {
        let isLocked = lock.acquire(waits: false)
        defer { lock.release() }
        let uptime = clock.uptime()
        // Where there is no lock, the lock of each file decides alone.
        guard isLocked || !lock.isBusy || incoming > 0 || incomingFiles > 0 else {
            nextAgeCheck = uptime + .seconds(1)
            return
        }
        nextAgeCheck = uptime + untilTooOld
        let now = jumps.tellsAges(at: uptime) ? clock.now() : nil
        var held: Set<String> = []
        var (isFresh, isSettled) = (isFresh || !mayBeOutdated, false)
        while !isSettled {
            isSettled = true
            let removals = inventory.removals(
                settings.retentionPlan, now: now, incoming: incoming, incomingFiles: incomingFiles,
                held: held, order: order)
            guard !removals.isEmpty else { return }
            if !isFresh {
                refresh()
                (isFresh, isSettled) = (true, false)
                continue
            }
            var removed: Set<String> = []
            changeNames {
                for file in removals {
                    if remove(file, &held) { removed.insert(file.name) } else { isSettled = false }
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

    /// Removes a file unless others use it, when it becomes one of those that are held, or have written to it
    /// since it was last looked at.
    private func remove(_ plan: RetentionPlan.File, _ held: inout Set<String>) -> Bool {
        let name = plan.name
        do {
            guard let file = try directory.hold(name) else {
                held.insert(name)
                return false
            }
            defer { calls.unlock(file.number) }
            let status = try calls.status(file.number)
            if status.modified > plan.modified {
                inventory.modify(name, at: status.modified)
                inventory.resize(name, to: status.size)
                return false
            }
            try directory.remove(name)
            report(.removed(name: name))
            return true
        } catch  where error.isError(ENOENT) {
            return true
        } catch {
            report(error, name: name)
            held.insert(name)
            return false
        }
    }
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
