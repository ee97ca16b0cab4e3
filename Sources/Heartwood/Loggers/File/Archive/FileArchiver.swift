import CHeartwood
import Dispatch

/// Works on finished files, one after the other, the oldest first: compresses or encrypts them, and has them
/// processed.
///
/// Runs on a queue of its own, so that neither logging nor the user's hooks wait for it. Nothing here is lost
/// by a crash: what is to be done is found again by what the directory and the catalogue say.
final class FileArchiver: Sendable {
    /// What to do with finished files.
    struct Settings: Sendable {
        var format = ArchiveStage.plain
        var key: (any SecretProvider)?
        var mode: UInt32 = 0o600
        var processor: LogArchiveProcessor?
    }

    /// What happened to a file.
    enum Event: Sendable {
        /// `name` is now `archive`, of `size` bytes.
        case archived(name: String, archive: String)
        /// The processor has dealt with a file, which was removed then.
        case removed(name: String)
        /// A file could not be worked on; it is tried again.
        case failed(name: String, String)
    }

    private struct State {
        var settings = Settings()
        var waiting: [String] = []
        var isRunning = false
        var timer: (any LogTimer)?
    }

    // MARK: Constants (any thread)
    private let inventory: FileInventory
    private let clock: any LogClock
    private let worker: ArchiveWorker
    private let queue = DispatchQueue(label: "heartwood.FileLogger.archives", qos: .background)
    private let tell: @Sendable (Event) -> Void

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(
        directory: LogDirectory, application: String, inventory: FileInventory, clock: any LogClock,
        makeRoom: @escaping @Sendable (Int, LogFileLabel) -> Bool,
        describe: @escaping @Sendable (String) -> LogFileInfo?,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        self.inventory = inventory
        self.clock = clock
        self.tell = tell
        worker = ArchiveWorker(
            directory: directory, application: application, inventory: inventory, makeRoom: makeRoom,
            describe: describe, tell: tell)
    }

    /// Takes new settings; returns whether they mean other work for files that are finished already.
    func apply(_ settings: Settings) -> Bool {
        state.withLock { state in
            let old = state.settings
            state.settings = settings
            let hasKey = settings.key != nil && old.key == nil
            return settings.format != old.format || settings.processor !== old.processor || hasKey
        }
    }

    /// Adds finished files to those that are to be worked on; those that are there already are not added
    /// twice.
    func enqueue(_ names: [String]) {
        let mustStart = state.withLock { state in
            for name in names where !state.waiting.contains(name) { state.waiting.append(name) }
            if state.waiting.isEmpty || state.isRunning { return false }
            state.isRunning = true
            state.timer = nil
            return true
        }
        if mustStart { queue.async { self.run() } }
    }

    /// Gives up what is being worked on: the process ends, and the next run does it.
    func stop() {
        if state.withLock({ $0.isRunning }) { worker.stop() }
    }

    /// Waits until nothing is being worked on; for tests, and for the end of a program.
    func drain() { queue.sync {} }

    // MARK: On 'queue'

    func run() {
        dispatchPrecondition(condition: .onQueue(queue))
        var failed: [String] = []
        while true {
            let next = state.withLock { state -> (String, Settings)? in
                if let name = state.waiting.first {
                    state.waiting.removeFirst()
                    return (name, state.settings)
                }
                state.waiting = failed
                state.isRunning = false
                return nil
            }
            guard let (first, settings) = next else { break }
            var name = first
            guard inventory.claim(name) else { continue }
            defer { inventory.protect(name, false) }
            do {
                // What another process or logger works on is looked at again: it may die before it is done.
                if try worker.work(on: &name, settings) == .busy { failed.append(name) }
            } catch {
                if worker.isStopped { return }
                failed.append(name)
                tell(.failed(name: name, "\(error)"))
            }
        }
        if !failed.isEmpty { retryLater() }
    }

    private func retryLater() {
        dispatchPrecondition(condition: .onQueue(queue))
        let delay = state.withLock { $0.settings.processor?.retryDelay ?? .seconds(60) }
        let timer = clock.schedule(after: delay, on: queue) { [weak self] in self?.enqueue([]) }
        state.withLock { if !$0.isRunning { $0.timer = timer } }
    }
}
