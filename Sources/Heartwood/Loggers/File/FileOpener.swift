import CHeartwood

/// Finds the file that is written next: one that an earlier run left, or a new one; and gives files their names.
///
/// 1. Whatever a file that is there refuses, the logger goes on with another one, and reports the file by its name.
/// 2. A file is written only while its lock is held.
/// 3. A new label is after those of all files that are there, and of all that are finished.
///
/// Not thread-safe: owned by the engine.
final class FileOpener {
    /// How many files that are not finished are looked at.
    private static let candidateLimit = 32

    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    /// The next file must not be one that is there already.
    private var mustBegin = false
    /// Another process or logger writes to this directory, so names say whose they are.
    private var sharesDirectory = false
    /// A name that a renamed file has still to lose.
    private var surplus: (name: String, identity: FileStatus.Identity)?
    /// When all files were last looked at.
    private var lastRefresh: Duration?

    init(_ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget) {
        self.scene = scene
        self.ledger = ledger
        self.budget = budget
    }

    private var directory: LogDirectory { scene.directory }
    private var inventory: FileInventory { scene.inventory }
    private var settings: FileSettings { scene.settings }
    private var calls: SystemCalls { scene.calls }

    /// Whether a renamed file has still to lose its old name.
    var hasSurplusName: Bool { surplus != nil }

    /// Has the next file be a new one.
    func requireNew() { mustBegin = true }

    /// Another process or logger writes to this directory.
    func noteSharing() { sharesDirectory = true }

    // MARK: The directory

    /// Reads what is in the directory.
    func read() throws {
        try inventory.refresh(
            directory, settings.naming, settings.scheme, activeLabel: ledger.catalogue.active)
        lastRefresh = scene.clock.uptime()
    }

    func refresh() {
        do { try read() } catch { scene.report(error, name: directory.path) }
    }

    /// Completes what a crash has cut in two: renaming, and archiving.
    func finishLeftovers() {
        for name in inventory.refused { scene.report(.refused(.notRegular, name: name)) }
        for entry in inventory.entries where entry.isForeign {
            scene.report(.refused(.foreignOwner, name: entry.name))
        }
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

    /// The names of the file with the fixed active name: two of them where it could not be renamed completely.
    var namesOfActive: Set<String> {
        guard let active = settings.naming.activeName else { return [] }
        guard let status = try? directory.status(active), status.kind == .regular, status.links > 1,
            status.owner == calls.user
        else { return [active] }
        let others = inventory.entries.lazy.map(\.name).filter {
            $0 != active && (try? self.directory.status($0))?.identity == status.identity
        }
        return Set(others).union([active])
    }

    /// Removes what a crash left of archives: those that were never completed, and logs whose archive is complete.
    private func finishArchiving() {
        let entries = inventory.entries
        let complete = Set(entries.lazy.filter { $0.stage != .plain && !$0.isUnfinished }.map(\.name))
        for entry in entries where !entry.isProtected && !entry.isForeign {
            let hasArchive =
                entry.stage == .plain
                && ArchiveStage.allCases.contains {
                    $0 != .plain && complete.contains(entry.name + $0.rawValue)
                }
            guard entry.isUnfinished || hasArchive, let file = try? directory.hold(entry.name) else {
                continue
            }
            if (try? directory.remove(entry.name)) == true { inventory.remove(entry.name) }
            calls.unlock(file.number)
        }
    }

    // MARK: Opening

    /// Opens the file to write to.
    func open(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter {
        if !directory.isInPlace {
            try directory.reopen()
            ledger.lock.reset()
            refresh()
        }
        let isLocked = ledger.lock.acquire()
        defer { ledger.lock.release() }
        let hasChanges = ledger.hasChanges
        ledger.load()
        if isLocked, hasChanges {
            refresh()
            ledger.noteSeen()
        }
        // A file that several processes write to is opened only while no other one writes.
        let isShared = settings.isShared && isLocked
        if isShared == settings.isShared, ledger.isKnown, let found = try reuse(now, uptime, cipher) {
            return found
        }
        let new = try begin(now, uptime, cipher, isShared: isShared, finishing: nil)
        mustBegin = false
        return new
    }

    /// Continues the newest file that is not finished and that nobody writes to, where that is allowed and sensible.
    ///
    /// Others of those that are over are finished on the way.
    private func reuse(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter?
    {
        if mustBegin { return nil }
        let candidates = inventory.entries.reversed().lazy
            .filter { [ledger] in
                !$0.isUnfinished && !$0.isProtected && !$0.isForeign && !ledger.isFinished($0)
            }
            .prefix(FileOpener.candidateLimit)
        var chosen: FileWriter?
        for entry in Array(candidates) {
            do {
                // In shared mode all follow the newest file; an older one would not be found by the others.
                let isOld = settings.isShared && ledger.catalogue.finished.map { entry.label <= $0 } ?? false
                let mayContinue = chosen == nil && !isOld
                guard let found = try examine(entry, now, uptime, cipher, mayContinue: mayContinue) else {
                    continue
                }
                chosen = found
            } catch let failure as SystemFailure where failure.isShortage {
                if chosen == nil { throw failure }
                break
            } catch let failure as SystemFailure where failure.number == ENOENT {
                continue
            } catch {
                scene.report(error, name: entry.name)
            }
        }
        guard let chosen else { return nil }
        inventory.protect(chosen.name, true)
        // Another process may have finished it before this one had its lock, and could not note that yet.
        if !ledger.catalogue.open.contains(chosen.name) { ledger.note(opened: chosen, finished: []) }
        updateLink(chosen.name)
        return chosen
    }

    /// Looks at a file that is not finished; finishes it where it is over and nobody's.
    private func examine(
        _ entry: FileInventory.Entry, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?,
        mayContinue: Bool
    ) throws -> FileWriter? {
        guard let opened = try openLocked(entry.name) else { return nil }
        let (file, isAlone) = (opened.file, opened.isAlone)
        var status = opened.status
        // Until the lock was taken, its writer may have finished it.
        ledger.load()
        guard ledger.isKnown, !ledger.isFinished(entry) else { return nil }
        let createdAt = self.createdAt(file, entry, status)
        let deadline = scene.rolling.deadline(createdAt: createdAt, wall: now, steady: uptime)
        let limit = scene.rolling.maximumSize
        let isOver = limit > 0 && status.size >= limit || deadline.isReached(wall: now, steady: uptime)
        let isKept = settings.reusesFiles || settings.isShared
        let isOtherVariant = entry.label.variant != settings.naming.variant
        if !mayContinue {
            // In shared mode all follow the newest file, also those that write to this one still.
            if settings.isShared || isOver && isAlone { finishFound(entry) }
            return nil
        }
        let isFramed = try FrameTail.isFramed(file, calls)
        var tail: FrameTail?
        if isFramed || cipher != nil {
            tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
        }
        if isAlone { try repair(file, entry, &status, tail, isFramed: isFramed) }
        // Encrypted and plain text do not mix, and neither do two keys.
        let isOurs = cipher == nil ? !isFramed : tail != nil
        guard isKept, isOurs, !isOver, !isOtherVariant else {
            finishFound(entry)
            return nil
        }
        let writer = FileWriter(
            file: file, status: status, name: entry.name, label: entry.label, createdAt: createdAt,
            isNew: false,
            hasHeader: true, endsLines: settings.repairsTornLines, isWhole: isAlone,
            frames: try cipher.map { try FrameEncoder($0, behind: tail?.last) }, isShared: settings.isShared,
            calls: calls)
        writer.deadline = deadline
        if settings.isShared, isAlone { _ = try calls.tryLock(file.number, shared: true) }
        return writer
    }

    /// Opens a file and takes its lock: alone, or with others where all write to one file.
    ///
    /// - Returns: nil where another process or logger writes to it.
    /// - Throws: `ENOENT` where the name was another file's before the lock was taken.
    private func openLocked(
        _ name: String
    ) throws -> (file: Descriptor, status: FileStatus, isAlone: Bool)? {
        let (file, _) = try directory.open(name)
        let isAlone = try calls.tryLock(file.number)
        guard try isAlone || settings.isShared && calls.tryLock(file.number, shared: true) else {
            sharesDirectory = true
            return nil
        }
        let status = try calls.status(file.number)
        guard try directory.status(name)?.identity == status.identity else {
            throw SystemFailure(.open, ENOENT)
        }
        return (file, status, isAlone)
    }

    private func finishFound(_ entry: FileInventory.Entry) {
        let (name, label) = finishedName(entry)
        ledger.note(opened: nil, finished: [(name, label)])
        scene.report(.foundFinished(name: name))
    }

    /// Cuts off what a crash left after the last whole line or frame.
    private func repair(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: inout FileStatus, _ tail: FrameTail?,
        isFramed: Bool
    ) throws(SystemFailure) {
        var cut = 0
        if let tail {
            cut = status.size - tail.end
            if cut > 0 { try calls.truncate(file.number, to: tail.end) }
        } else if !isFramed, settings.repairsTornLines {
            cut = try TornLineRepair.repair(file, size: status.size, calls: calls)
        }
        guard cut > 0 else { return }
        scene.report(.repaired(name: entry.name, bytes: cut))
        status = try calls.status(file.number)
        inventory.resize(entry.name, to: status.size)
    }

    /// When a file was created, as exactly as can be known without believing the file system where the name knows better.
    private func createdAt(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: FileStatus
    ) -> LogTimestamp {
        let birth = calls.birth(file.number) ?? status.modified
        guard let createdAt = entry.label.createdAt else { return min(birth, status.modified) }
        // A name that tells only the day may be completed by the birth, if that rounds to the same name.
        let naming = settings.naming
        let told = naming.name(for: LogFileLabel(createdAt: createdAt))
        let seen = naming.name(for: LogFileLabel(createdAt: birth))
        return told == seen ? max(createdAt, birth) : createdAt
    }

    /// Finishes the newest file that an earlier run left, unless another process or logger uses it.
    func finishLeftover() throws {
        let newest = inventory.entries.last { !$0.isUnfinished && !$0.isForeign }
        guard let newest, !newest.isProtected, !ledger.isFinished(newest) else { return }
        guard let (file, _, isAlone) = try openLocked(newest.name), isAlone else { return }
        finishFound(newest)
        calls.unlock(file.number)
    }

    // MARK: A new file

    /// Creates a file, and notes in the same step that another one is finished.
    func begin(
        _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?, isShared: Bool,
        finishing old: (name: String, label: LogFileLabel)?
    ) throws -> FileWriter {
        try removeSurplusName()
        // Others may have changed the directory. Looking costs a call per file, so not where there are very many.
        let isOutdated = lastRefresh.map { uptime - $0 > .seconds(60) } ?? true
        let hasChanges = ledger.hasChanges
        if hasChanges { ledger.load() }
        if hasChanges || inventory.count <= 200 || isOutdated { refresh() }
        // The open file is about to be finished, so it may be removed, too, where only one is kept.
        budget.apply(incomingFiles: 1)
        var label = try newLabel(now, isShared: isShared)
        // The fixed name is that of the file of all.
        var isActiveRefused = isShared != settings.isShared
        for _ in 0..<10_000 {
            let naming = settings.naming
            let name =
                isActiveRefused ? naming.name(for: label) : naming.activeName ?? naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw LogDirectory.Refusal.badName }
            do {
                guard let file = try create(name, isShared: isShared) else {
                    label.count()
                    continue
                }
                let writer: FileWriter
                do {
                    writer = try adopt(file, name, label, now, uptime, cipher, isShared: isShared)
                } catch {
                    _ = try? directory.remove(name)
                    throw error
                }
                ledger.note(opened: writer, finished: old.map { [$0] } ?? [])
                return writer
            } catch let failure as SystemFailure where failure.number == EEXIST {
                guard name == naming.activeName else {
                    label.count()
                    continue
                }
                switch try takeActive(name, label, now, uptime, cipher) {
                case .taken(let writer):
                    ledger.note(opened: writer, finished: old.map { [$0] } ?? [])
                    return writer
                case .renamed: continue
                case .refused: isActiveRefused = true
                }
            }
        }
        throw SystemFailure(.open, EEXIST)
    }

    /// The label of a new file, which the naming can write and read.
    private func newLabel(_ now: LogTimestamp, isShared: Bool) throws -> LogFileLabel {
        let naming = settings.naming
        let newest = ledger.newest(at: now)
        let process = (sharesDirectory || settings.isShared) && !isShared ? calls.process : nil
        let usual = naming.next(at: now, after: newest, process: process)
        var label = usual
        if type(of: settings.scheme) != LogFileScheme.self {
            label = settings.scheme.label(at: now, after: newest, naming: naming)
            label.process = process ?? label.process
            let name = naming.name(for: label)
            let isLater = newest.map { $0 < label } ?? true
            let isOurs = naming.recognise(name) != nil && settings.scheme.owns(name, label: label)
            if !isLater || !isOurs {
                let why = isOurs ? "is not after the newest file" : "does not belong to the logger"
                scene.report(
                    .advice("The label of a new file (“\(name)”) \(why), so the usual label is used"))
                label = usual
            }
        }
        let name = naming.name(for: label)
        guard naming.recognise(name) != nil else {
            scene.report(
                .advice(
                    "The naming cannot read its own name “\(name)”, so no file is created;"
                        + " override label(of:) together with name(for:)"))
            throw SystemFailure(.open, EINVAL)
        }
        return label
    }

    /// Creates a file and takes its lock.
    ///
    /// - Returns: nil where another process took the lock or removed the file first.
    private func create(_ name: String, isShared: Bool) throws -> Descriptor? {
        let usual = UInt16(truncatingIfNeeded: settings.fileMode)
        let mode = UInt32(settings.scheme.permissions(of: name, usual: usual)) & 0o777
        let file = try directory.create(name, mode: mode)
        calls.protect(file.number, as: settings.protection)
        guard try lock(file, name, isShared: isShared) else { return nil }
        // Until it was locked, others may have taken it for a file without a writer, and removed it.
        guard try directory.status(name)?.identity == calls.status(file.number).identity else { return nil }
        settings.scheme.didCreate(directory.path + "/" + name)
        return file
    }

    private func lock(_ file: Descriptor, _ name: String, isShared: Bool) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            return try calls.tryLock(file.number, shared: isShared)
        } catch {
            // Where locks do not work at all, no other process can have taken this one.
            if [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(error.number) {
                _ = try? directory.remove(name)
                throw error
            }
            return try calls.tryLock(file.number, shared: isShared)
        }
    }

    private func adopt(
        _ file: Descriptor, _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ uptime: Duration,
        _ cipher: FrameCipher?, tail: FramePlace? = nil, isWhole: Bool = true, isShared: Bool
    ) throws -> FileWriter {
        let status = try calls.status(file.number)
        let writer = FileWriter(
            file: file, status: status, name: name, label: label, createdAt: now, isNew: true,
            hasHeader: true,
            endsLines: settings.repairsTornLines, isWhole: isWhole,
            frames: try cipher.map { try FrameEncoder($0, behind: tail) }, isShared: isShared, calls: calls)
        writer.deadline = scene.rolling.deadline(createdAt: now, wall: now, steady: uptime)
        inventory.insert(
            FileInventory.Entry(
                name: name, label: label, stage: .plain, size: status.size, modified: now, isProtected: true))
        updateLink(name)
        return writer
    }

    /// What became possible with a file that has the fixed active name.
    private enum ActiveFile {
        case taken(FileWriter)
        /// It could not be continued, and has its dated name by now.
        case renamed
        /// It must not be touched; the new file gets its dated name at once.
        case refused
    }

    /// The fixed active name is taken: by a file that logrotate or another program made for the logger, or by a trap.
    private func takeActive(
        _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?
    ) throws -> ActiveFile {
        do {
            guard let (file, status, isAlone) = try openLocked(name) else { return .refused }
            if settings.isShared, isAlone { _ = try calls.tryLock(file.number, shared: true) }
            let tail: FrameTail?
            do {
                tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
                guard try cipher == nil ? !FrameTail.isFramed(file, calls) : tail?.end == status.size else {
                    return putAside(name)
                }
            } catch {
                scene.report(error, name: name)
                return putAside(name)
            }
            let writer = try adopt(
                file, name, label, now, uptime, cipher, tail: tail?.last, isWhole: false,
                isShared: settings.isShared)
            writer.hasRecords = status.size > 0
            return .taken(writer)
        } catch let failure as SystemFailure where failure.isShortage {
            throw failure
        } catch let failure as SystemFailure where failure.number == ENOENT {
            // Its writer has just given it its dated name.
            return .renamed
        } catch {
            scene.report(error, name: name)
            return .refused
        }
    }

    /// Gives a file that cannot be continued the name that it keeps.
    private func putAside(_ active: String) -> ActiveFile {
        guard let entry = inventory.entries.last(where: { $0.name == active }) else { return .refused }
        let (name, label) = finishedName(entry)
        guard name != active, !hasSurplusName else { return .refused }
        ledger.note(opened: nil, finished: [(name, label)])
        scene.report(.foundFinished(name: name))
        return .renamed
    }

    // MARK: Names

    /// Gives a file with the fixed active name the name that it keeps.
    func giveFinalName(_ file: FileWriter) throws {
        guard file.name == settings.naming.activeName else { return }
        let old = file.name
        (file.name, file.label) = try renameFinal(old, file.label)
        inventory.rename(old, to: file.name, label: file.label)
    }

    /// Gives a file the first name that is free, from its label on.
    private func renameFinal(_ old: String, _ first: LogFileLabel) throws -> (String, LogFileLabel) {
        var label = first
        for _ in 0..<10_000 {
            let name = settings.naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw LogDirectory.Refusal.badName }
            do {
                let identity = try directory.status(old)?.identity
                if try !directory.rename(old, to: name), let identity { surplus = (old, identity) }
                return (name, label)
            } catch let failure as SystemFailure where failure.number == EEXIST {
                label.count()
            }
        }
        throw SystemFailure(.rename, EEXIST)
    }

    /// The name and label of a finished file that an earlier run left; one with the fixed active name gets its own.
    private func finishedName(_ entry: FileInventory.Entry) -> (String, LogFileLabel) {
        guard entry.name == settings.naming.activeName,
            let (name, label) = try? renameFinal(entry.name, entry.label)
        else { return (entry.name, entry.label) }
        inventory.rename(entry.name, to: name, label: label)
        return (name, label)
    }

    /// Removes the old name that a file kept when it was renamed; until that is done, no file is created under it.
    func removeSurplusName() throws {
        guard let (name, identity) = surplus else { return }
        // By now it may be the name of another file.
        if let status = try directory.status(name), status.identity == identity, status.links > 1 {
            try directory.remove(name)
            refresh()
        }
        surplus = nil
    }

    /// Points the symbolic link to the file that is written.
    func updateLink(_ name: String) {
        guard let link = settings.currentLink, link != name else { return }
        do { try directory.pointLink(link, to: name) } catch { scene.report(error, name: link) }
    }
}
