import CHeartwood

/// Works on one finished file: makes its archive, and has it processed.
///
/// 1. A file is worked on only while its lock is held, so by one process and logger at a time, and not while
///    another writes to it.
/// 2. That the processor has dealt with a file is noted before the lock is released, and looked up after it
///    was taken: so each file is processed once, however many processes and loggers there are. Only a crash
///    between the work and the note makes it twice.
struct ArchiveWorker: Sendable {
    /// What happened to a file.
    enum Outcome: Sendable {
        /// There is nothing left to do with it.
        case done
        /// Another process or logger has its lock.
        case busy
    }

    let directory: LogDirectory
    let application: String
    let inventory: FileInventory
    /// Makes room for `bytes` of an archive of the file `label`, removing older files only.
    let makeRoom: @Sendable (_ bytes: Int, _ label: LogFileLabel) -> Bool
    let describe: @Sendable (String) -> LogFileInfo?
    let tell: @Sendable (FileArchiver.Event) -> Void
    /// Files that the processor has dealt with, which the catalogue does not say yet.
    private let unnoted = Locked<Set<String>>([])
    /// The name that an archive has while it is made, and whether no more are made.
    private let making = Locked<(name: String?, hasStopped: Bool)>((nil, false))

    init(
        directory: LogDirectory, application: String, inventory: FileInventory,
        makeRoom: @escaping @Sendable (_ bytes: Int, _ label: LogFileLabel) -> Bool,
        describe: @escaping @Sendable (String) -> LogFileInfo?,
        tell: @escaping @Sendable (FileArchiver.Event) -> Void
    ) {
        self.directory = directory
        self.application = application
        self.inventory = inventory
        self.makeRoom = makeRoom
        self.describe = describe
        self.tell = tell
    }

    var isStopped: Bool { making.withLock { $0.hasStopped } }

    /// Gives up the archive that is being made, and removes what there is of it: the process ends.
    ///
    /// Does not wait for the work itself, which notices that. The next run makes the archive.
    func stop() {
        let unfinished = making.withLock { making in
            making.hasStopped = true
            return making.name
        }
        if let unfinished { _ = try? directory.remove(unfinished) }
    }

    /// Works on a file; `name` is what it is called afterwards.
    ///
    /// - Throws: what prevented it; the file is worked on again later.
    func work(on name: inout String, _ settings: FileArchiver.Settings) throws -> Outcome {
        var held: Descriptor
        do {
            guard let file = try directory.hold(name) else { return .busy }
            held = file
        } catch let failure as SystemFailure where failure.number == ENOENT {
            inventory.remove(name)
            return .done
        }
        defer { directory.calls.unlock(held.number) }
        // The archiver's queue is not the engine's, so it has a lock of its own.
        let lock = DirectoryLock(directory, name: ".\(application).lock")
        let catalogue = CatalogueFile(directory, application: application, lock: lock) { _, _ in }
        let (_, stage, _) = ArchiveStage.split(name)
        // Until the catalogue says that it is finished, another process may go on with it.
        if stage == .plain, let entry = inventory.entries.last(where: { $0.name == name }) {
            let isFinished = catalogue.load().isFinished(name, entry.label)
            guard catalogue.isKnown, isFinished else { return .busy }
        }
        if stage == .plain, settings.format != .plain, try !isLocked(name, settings) {
            guard let entry = inventory.entries.last(where: { $0.name == name }) else { return .done }
            guard let (archive, archiveName) = try makeArchive(of: entry, held, settings) else {
                return .busy
            }
            directory.calls.unlock(held.number)
            held = archive
            let original = name
            name = archiveName
            tell(.archived(name: original, archive: archiveName))
        }
        guard let processor = settings.processor, let info = describe(name) else { return .done }
        let isNoted = catalogue.load().processed.contains(name)
        guard catalogue.isKnown else { return .busy }
        guard !isNoted else { return .done }
        if unnoted.withLock({ $0.contains(name) }) { return note(name, catalogue) }
        switch try processor.process(info) {
        case .keep:
            return note(name, catalogue)
        case .remove:
            do {
                try directory.remove(name)
            } catch {
                // It stays, and must not be processed again.
                _ = note(name, catalogue)
                throw error
            }
            inventory.remove(name)
            tell(.removed(name: name))
        }
        return .done
    }

    /// Notes that the processor has dealt with a file; again later where that fails.
    private func note(_ name: String, _ catalogue: CatalogueFile) -> Outcome {
        catalogue.update { $0.processed = $0.processed.filter { $0 != name } + [name] }
        let isNoted = !catalogue.hasUnsaved
        unnoted.withLock { names in
            if isNoted { names.remove(name) } else { names.insert(name) }
        }
        return isNoted ? .done : .busy
    }

    /// Whether the file is encrypted already, and there is no key any more: it stays as it is.
    private func isLocked(_ name: String, _ settings: FileArchiver.Settings) throws -> Bool {
        settings.format != .encrypted && settings.key == nil && directory.isFramed(name)
    }

    private func makeArchive(
        of entry: FileInventory.Entry, _ held: Descriptor, _ settings: FileArchiver.Settings
    ) throws -> (archive: Descriptor, name: String)? {
        // What was encrypted stays so, whatever the setting is by now.
        let isEncrypted = settings.format == .encrypted || directory.isFramed(entry.name)
        let stage = isEncrypted ? ArchiveStage.encrypted : .gzip
        let unfinished = entry.name + stage.rawValue + ArchiveStage.unfinished
        let job = ArchiveJob(
            directory: directory, name: entry.name, stage: stage,
            cipher: isEncrypted ? try FrameCipher(ofLogs: settings.key) : nil, mode: settings.mode,
            reserve: { [makeRoom, inventory] bytes in
                // What was set aside before counts already.
                let before = inventory.reserve(unfinished, 0)
                inventory.reserve(unfinished, before)
                guard makeRoom(bytes - before, entry.label) else { return false }
                inventory.reserve(unfinished, bytes)
                return true
            }, isGivenUp: { isStopped })
        let hasStopped = making.withLock { making in
            making.name = unfinished
            return making.hasStopped
        }
        defer {
            making.withLock { $0.name = nil }
            inventory.reserve(unfinished, 0)
        }
        if hasStopped { return nil }
        guard let (archive, size) = try job.run(held) else { return nil }
        inventory.rename(entry.name, to: job.archiveName, stage: job.stage)
        inventory.resize(job.archiveName, to: size)
        return (archive, job.archiveName)
    }
}
