import CHeartwood

/// Finds the file of an earlier run that is to be continued, and finishes those that are over.
///
/// 1. Only the newest file is continued. An older one would take lines that are newer than those of the files
///    after it, and would be the first that the limits remove.
/// 2. A file that has no writer and is not the newest is finished, whatever its size and age.
/// 3. A file that another process or logger has locked is left to it.
///
/// Whatever a file that is there refuses, it is reported by its name, and the search continues with the next.
///
/// Not thread-safe: owned by the engine.
final class FileFinder {
    /// How many files that are not finished are looked at.
    private static let candidateLimit = 32

    private let scene: FileScene
    private let ledger: FileLedger
    private let locks: FileLocks
    private let names: FileNames

    init(_ scene: FileScene, _ ledger: FileLedger, _ locks: FileLocks, _ names: FileNames) {
        self.scene = scene
        self.ledger = ledger
        self.locks = locks
        self.names = names
    }

    private var inventory: FileInventory { scene.inventory }
    private var settings: FileSettings { scene.settings }
    private var calls: SystemCalls { scene.calls }

    /// The files that are not finished, newest first, as many as are looked at.
    private var candidates: [FileInventory.Entry] {
        Array(
            inventory.entries.reversed().lazy
                .filter { [ledger] in
                    !$0.isUnfinished && !$0.isProtected && !$0.isForeign && !ledger.isFinished($0)
                }
                .prefix(FileFinder.candidateLimit))
    }

    /// The name of the only file that may be continued; nil where a newer one was finished.
    private var continuable: String? {
        let files = inventory.entries.filter { !$0.isUnfinished && !$0.isForeign }
        guard let newest = files.last else { return nil }
        // What was finished last may be gone, and then only the catalogue knows of it. The names on the disk
        // tell more exactly where they can: a naming need not give a file the same label in each run.
        let asksCatalogue = settings.isShared || !files.contains { ledger.isFinished($0) }
        if asksCatalogue, let finished = ledger.catalogue.finished, newest.label <= finished { return nil }
        return newest.name
    }

    /// Continues the newest file, where it is not finished, has no writer, and that is allowed and sensible.
    ///
    /// Others that are not finished and have no writer are finished on the way.
    func find(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter? {
        let continuable = continuable
        var chosen: FileWriter?
        for entry in candidates {
            do {
                let mayContinue = entry.name == continuable
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
        // Another process may have finished it before this one had its lock, and could not note that yet. A
        // file with the fixed active name that others have made has no label of its own before.
        let hasLabel = chosen.name != settings.naming.activeName || ledger.catalogue.active != nil
        if !hasLabel || !ledger.catalogue.open.contains(chosen.name) {
            ledger.note(opened: chosen, finished: [])
        }
        names.updateLink(chosen.name)
        return chosen
    }

    /// Looks at a file that is not finished; finishes it where it is not to be continued and has no writer.
    private func examine(
        _ entry: FileInventory.Entry, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?,
        mayContinue: Bool
    ) throws -> FileWriter? {
        guard let taken = try locks.take(entry.name) else { return nil }
        let (file, isAlone) = (taken.file, taken.isAlone)
        var status = taken.status
        // Until the lock was taken, its writer may have finished it.
        ledger.load()
        guard ledger.isKnown, !ledger.isFinished(entry) else { return nil }
        let createdAt = self.createdAt(file, entry, status)
        let deadline = scene.rolling.deadline(createdAt: createdAt, wall: now, steady: uptime)
        let limit = scene.rolling.maximumSize
        let isOver = limit > 0 && status.size >= limit || deadline.isReached(wall: now, steady: uptime)
        let isKept = settings.reusesFiles || settings.isShared
        let isOtherVariant = entry.label.variant != settings.naming.variant
        let isFramed = try FrameTail.isFramed(file, calls)
        var tail: FrameTail?
        if isFramed || cipher != nil {
            tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
        }
        if isAlone { try repair(file, entry, &status, tail, isFramed: isFramed) }
        // Encrypted and plain text do not mix, and neither do two keys.
        let isOurs = cipher == nil ? !isFramed : tail != nil
        // In shared mode all follow the newest file, also those that write to an older one still, and those
        // that would begin another way.
        guard mayContinue, isKept, isOurs, !isOver, !isOtherVariant,
            try !isAlone || scene.beginning().fits(file, size: status.size, cipher, calls)
        else {
            names.finishFound(entry)
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

    /// When a file was created, as exactly as can be known without believing the file system where the name
    /// knows better.
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

    /// Finishes the files that earlier runs left, but those that other processes and loggers use.
    func finishLeftovers() throws {
        for entry in candidates {
            guard let taken = try locks.take(entry.name) else { continue }
            if taken.isAlone { names.finishFound(entry) }
            calls.unlock(taken.file.number)
        }
    }
}
