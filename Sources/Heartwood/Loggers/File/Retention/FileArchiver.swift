import CHeartwood
import Dispatch

/// Compresses or encrypts finished files, one after the other, the oldest first, and has them processed.
///
/// Runs on a queue of its own, so that neither logging nor the user's hooks wait for it. A crash loses
/// nothing: the files say themselves what is to be done.
final class FileArchiver: Sendable {
    struct Settings: Sendable {
        var format = ArchiveStage.plain
        var key: (any SecretProvider)?
        var mode: UInt32 = 0o600
        var processor: LogArchiveProcessor?
    }

    enum Event: Sendable {
        case archived(name: String, archive: String)
        /// The processor has dealt with the file, and wanted it removed.
        case removed(name: String)
        /// The work is tried again.
        case failed(name: String, String)
    }

    private struct State {
        var settings = Settings()
        var waiting: [String] = []
        var isRunning = false
        var timer: (any LogTimer)?
    }

    // MARK: Constants (any thread)
    private let worker: ArchiveWorker
    private let clock: any LogClock
    private let queue = WorkQueue("heartwood.FileLogger.archives", qos: .background)

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(_ worker: ArchiveWorker, _ clock: any LogClock) { (self.worker, self.clock) = (worker, clock) }

    /// Takes new settings; returns whether they mean other work for files that are finished already.
    func apply(_ settings: Settings) -> Bool {
        state.withLock { state in
            let old = state.settings
            state.settings = settings
            let hasKey = settings.key != nil && old.key == nil
            return settings.format != old.format || settings.processor !== old.processor || hasKey
        }
    }

    /// Adds finished files to those that are to be worked on, unless they are there already.
    func enqueue(_ names: [String]) {
        let mustStart = state.withLock { state in
            for name in names where !state.waiting.contains(name) { state.waiting.append(name) }
            if state.waiting.isEmpty || state.isRunning { return false }
            state.isRunning = true
            state.timer = nil
            return true
        }
        if mustStart { queue.enqueue { self.run() } }
    }

    /// Gives up what is being worked on: the process ends, and the next run does it.
    func stop() {
        if state.withLock({ $0.isRunning }) { worker.stop() }
    }

    /// Waits for what is being worked on.
    func drain() { queue.sync {} }

    func run() {
        dispatchPrecondition(condition: .onQueue(queue.queue))
        var failed: [String] = []
        while true {
            let next = state.withLock { state -> (String, Settings)? in
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), state.settings) }
                state.waiting = failed
                state.isRunning = false
                return nil
            }
            guard case (var name, let settings)? = next else { break }
            guard worker.inventory.claim(name) else { continue }
            defer { worker.inventory.protect(name, false) }
            do {
                // What another process or logger works on is looked at again: it may die before it is done.
                if try !worker.work(on: &name, settings) { failed.append(name) }
            } catch {
                if worker.isStopped { return }
                failed.append(name)
                worker.tell(.failed(name: name, "\(error)"))
            }
        }
        if failed.isEmpty { return }
        let delay = state.withLock { $0.settings.processor?.retryDelay ?? .seconds(60) }
        let timer = clock.schedule(after: delay) { [weak self] in self?.enqueue([]) }
        state.withLock { if !$0.isRunning { $0.timer = timer } }
    }
}

/// Works on one finished file: makes its archive, and has it processed.
///
/// 1. A file is worked on only while its lock is held, so by one process and logger at a time, and not while
///    another writes to it.
/// 2. A file that was processed says so itself, by an attribute that is set before its lock is released: so
///    each file is processed once, by however many processes and loggers. Only a crash between the work and
///    the attribute makes it twice; where the file system has no attributes, each run does it once.
struct ArchiveWorker: Sendable {
    let directory: Directory
    let inventory: FileInventory
    /// Makes room for `bytes` of an archive of the file `label`, removing older files only.
    let makeRoom: @Sendable (_ bytes: Int, _ label: LogFileLabel) -> Bool
    let describe: @Sendable (String) -> LogFileInfo?
    let tell: @Sendable (FileArchiver.Event) -> Void
    /// Files that the processor has dealt with, and that could not be told so.
    private let unnoted = Locked<Set<String>>([])
    /// The name that an archive has while it is made, and whether no more are made.
    private let making = Locked<(name: String?, hasStopped: Bool)>((nil, false))

    var isStopped: Bool { making.withLock { $0.hasStopped } }

    /// Gives up the archive that is being made, and removes what there is of it; does not wait for the work.
    func stop() {
        let unfinished = making.withLock { making in
            making.hasStopped = true
            return making.name
        }
        if let unfinished { _ = try? directory.remove(unfinished) }
    }

    /// Works on a file; `name` is what it is called afterwards.
    ///
    /// Returns false where others may work on it or write to it; then, and after an error, it is tried again.
    func work(on name: inout String, _ settings: FileArchiver.Settings) throws -> Bool {
        var held: Descriptor
        do throws(SystemFailure) {
            guard let file = try directory.hold(name) else { return false }
            held = file
        } catch {
            guard error.isError(ENOENT) else { throw error }
            inventory.remove(name)
            return true
        }
        defer { directory.calls.unlock(held.number) }
        let isPlain = ArchiveStage.split(name).stage == .plain
        let entry = inventory.entries.last { $0.name == name }
        // Until it is finished, another process may go on with it.
        if isPlain, let entry {
            let isKnown = directory.missing.contains(.modes) && entry.isFinished
            guard try isKnown || directory.isFinished(held.status()) else { return false }
        }
        // What is encrypted already stays as it is where there is no key any more.
        if isPlain, settings.format != .plain,
            settings.format == .encrypted || settings.key != nil || !directory.isFramed(name)
        {
            guard let entry else { return true }
            guard let made = try makeArchive(of: entry, held, settings) else { return false }
            directory.calls.unlock(held.number)
            (held, name) = made
            tell(.archived(name: entry.name, archive: name))
        }
        guard let processor = settings.processor, let info = describe(name) else { return true }
        let calls = directory.calls
        if calls.attribute(FileInventory.processedAttribute, of: held.number) != nil { return true }
        if unnoted.withLock({ $0.contains(name) }) { return note(name, held) }
        guard try processor.process(info) == .remove else { return note(name, held) }
        do { try directory.remove(name) } catch {
            // It stays, and must not be processed again.
            _ = note(name, held)
            throw error
        }
        inventory.remove(name)
        tell(.removed(name: name))
        return true
    }

    /// Has a file say that the processor has dealt with it; returns false where that is tried again.
    private func note(_ name: String, _ file: Descriptor) -> Bool {
        var isNoted = true
        do { try ArchiveWorker.markProcessed(file, directory.calls) } catch {
            isNoted = false
            // Where files have no attributes, only this run knows.
            if error.isUnsupported { directory.note(missing: .attributes) }
        }
        unnoted.withLock { names in
            if isNoted { names.remove(name) } else { names.insert(name) }
        }
        return isNoted || directory.missing.contains(.attributes)
    }

    static func markProcessed(_ file: Descriptor, _ calls: SystemCalls) throws(SystemFailure) {
        try calls.setAttribute(FileInventory.processedAttribute, to: [], of: file.number)
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
            reserve: { bytes in
                // What was set aside before counts already.
                let before = inventory.reserved(unfinished)
                guard makeRoom(bytes - before, entry.label) else { return false }
                inventory.reserve(unfinished, bytes)
                return true
            }, isGivenUp: { isStopped })
        making.withLock { $0.name = unfinished }
        defer {
            making.withLock { $0.name = nil }
            // A look at the directory may have found it; where it still is there, the next one does again.
            inventory.remove(unfinished)
            inventory.reserve(unfinished, 0)
        }
        if isStopped { return nil }
        guard let (archive, size) = try job.run(held) else { return nil }
        inventory.rename(entry.name, to: job.archiveName, stage: stage)
        inventory.resize(job.archiveName, to: size)
        return (archive, job.archiveName)
    }
}
