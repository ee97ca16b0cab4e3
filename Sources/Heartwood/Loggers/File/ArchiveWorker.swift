import CHeartwood

/// Works on one finished file: makes its archive, and has it processed.
///
/// 1. A file is worked on only while its lock is held, so by one process and logger at a time, and not while another
///    writes to it.
/// 2. That the processor has dealt with a file is noted before the lock is released, and looked up after it was taken: so
///    each file is processed once, however many processes and loggers there are. Only a crash between the work and the
///    note makes it twice.
package struct ArchiveWorker: Sendable {
    /// What happened to a file.
    package enum Outcome: Sendable {
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

    /// Works on a file; `name` is what it is called afterwards.
    ///
    /// - Throws: what prevented it; the file is worked on again later.
    package func work(on name: inout String, _ settings: FileArchiver.Settings) throws -> Outcome {
        var held: Descriptor
        do {
            guard let file = try directory.hold(name) else { return .busy }
            held = file
        } catch let failure as SystemFailure where failure.number == ENOENT {
            inventory.remove(name)
            return .done
        }
        defer { directory.calls.unlock(held.number) }
        let (_, stage, _) = ArchiveStage.split(name)
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
        // The archiver's queue is not the engine's, so it has a lock of its own.
        let lock = DirectoryLock(directory, name: ".\(application).lock")
        let catalogue = CatalogueFile(directory, application: application, lock: lock) { _, _ in }
        guard !catalogue.load().processed.contains(name) else { return .done }
        switch try processor.process(info) {
        case .keep:
            let name = name
            catalogue.update { $0.processed = $0.processed.filter { $0 != name } + [name] }
        case .remove:
            try directory.remove(name)
            inventory.remove(name)
            tell(.removed(name: name))
        }
        return .done
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
            })
        defer { inventory.reserve(unfinished, 0) }
        guard let (archive, size) = try job.run(held) else { return nil }
        inventory.rename(entry.name, to: job.archiveName, stage: job.stage)
        inventory.resize(job.archiveName, to: size)
        return (archive, job.archiveName)
    }
}
