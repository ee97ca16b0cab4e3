import CHeartwood

/// Creates files, and notes in the same step which others are finished.
///
/// 1. A new label is after those of all files that are there, and of all that are finished.
/// 2. Whatever has the fixed active name and refuses, the logger continues with a file of another name.
///
/// Not thread-safe: owned by the engine.
final class FileCreator {
    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let survey: DirectorySurvey
    private let locks: FileLocks
    private let names: FileNames

    init(
        _ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget, _ survey: DirectorySurvey,
        _ locks: FileLocks, _ names: FileNames
    ) {
        self.scene = scene
        self.ledger = ledger
        self.budget = budget
        self.survey = survey
        self.locks = locks
        self.names = names
    }

    private var directory: LogDirectory { scene.directory }
    private var inventory: FileInventory { scene.inventory }
    private var settings: FileSettings { scene.settings }
    private var calls: SystemCalls { scene.calls }

    /// Creates a file, and notes in the same step that another one is finished.
    func create(
        _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?, isShared: Bool,
        finishing old: (name: String, label: LogFileLabel)?
    ) throws -> FileWriter {
        try names.removeSurplusName()
        // Others may have changed the directory. Looking costs a call per file, so not where there are very
        // many.
        let hasChanges = ledger.hasChanges
        if hasChanges { ledger.load() }
        if hasChanges || inventory.count <= 200 || survey.isOutdated { survey.refresh() }
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
                guard let file = try createLocked(name, isShared: isShared) else {
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
                case .refused:
                    isActiveRefused = true
                    // The file with the dated name is after it, also when it can be used again.
                    if let entry = inventory.entries.last(where: { $0.name == name }) {
                        ledger.keepActive(entry.label)
                    }
                }
            }
        }
        throw SystemFailure(.open, EEXIST)
    }

    /// The label of a new file, which the naming can write and read.
    private func newLabel(_ now: LogTimestamp, isShared: Bool) throws -> LogFileLabel {
        let naming = settings.naming
        let newest = ledger.newest(at: now)
        let process = (locks.sharesDirectory || settings.isShared) && !isShared ? calls.process : nil
        let usual = naming.next(at: now, after: newest, process: process)
        var label = usual
        if type(of: settings.scheme) != LogFileScheme.self {
            label = settings.scheme.label(at: now, after: newest, naming: naming)
            label.process = process ?? label.process
            let name = naming.name(for: label)
            let isLater = newest.map { $0 < label } ?? true
            let isOurs = naming.recognize(name) != nil && settings.scheme.owns(name, label: label)
            if !isLater || !isOurs {
                let why = isOurs ? "is not after the newest file" : "does not belong to the logger"
                scene.report(
                    .advice("The label of a new file (“\(name)”) \(why), so the usual label is used"))
                label = usual
            }
        }
        let name = naming.name(for: label)
        guard naming.recognize(name) != nil else {
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
    private func createLocked(_ name: String, isShared: Bool) throws -> Descriptor? {
        let usual = UInt16(truncatingIfNeeded: settings.fileMode)
        let mode = UInt32(settings.scheme.permissions(of: name, usual: usual)) & 0o777
        let file = try directory.create(name, mode: mode)
        calls.protect(file.number, as: settings.protection)
        guard try locks.lock(new: file, name, isShared: isShared) else { return nil }
        // Until it was locked, others may have taken it for a file without a writer, and removed it.
        guard try directory.status(name)?.identity == calls.status(file.number).identity else { return nil }
        settings.scheme.didCreate(directory.path + "/" + name)
        return file
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
        names.updateLink(name)
        return writer
    }

    // MARK: The fixed active name

    /// What became possible with a file that has the fixed active name.
    private enum ActiveFile {
        case taken(FileWriter)
        /// It could not be continued, and has its dated name by now.
        case renamed
        /// It must not be touched; the new file gets its dated name at once.
        case refused
    }

    /// The fixed active name is taken: by a file that logrotate or another program made for the logger, or by
    /// a trap.
    private func takeActive(
        _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?
    ) throws -> ActiveFile {
        do {
            guard let taken = try locks.take(name) else { return .refused }
            let (file, status) = (taken.file, taken.status)
            if let active = ledger.catalogue.active,
                inventory.entries.contains(where: { $0.name != name && active < $0.label })
            {
                // It was refused once, and files with dated names are after it: its lines are older than
                // theirs.
                return names.putAside(name) ? .renamed : .refused
            }
            if settings.isShared, taken.isAlone { _ = try calls.tryLock(file.number, shared: true) }
            let tail: FrameTail?
            do {
                tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
                guard try cipher == nil ? !FrameTail.isFramed(file, calls) : tail?.end == status.size,
                    try !taken.isAlone || scene.beginning().fits(file, size: status.size, cipher, calls)
                else {
                    return names.putAside(name) ? .renamed : .refused
                }
            } catch {
                scene.report(error, name: name)
                return names.putAside(name) ? .renamed : .refused
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
}
