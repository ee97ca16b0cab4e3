import CHeartwood

/// What has failed: counted, reported, and remembered so that it is tried again later.
///
/// Not thread-safe: owned by the engine.
final class FileFailures {
    private let scene: FileScene
    private let current: OpenFile
    private let waiting: WaitingRecords
    /// When it is worth trying again.
    @exclusivity(unchecked) var health = FileHealth()

    init(_ scene: FileScene, _ current: OpenFile, _ waiting: WaitingRecords) {
        self.scene = scene
        self.current = current
        self.waiting = waiting
    }

    /// When what fails now is to be tried again.
    private var later: Duration { scene.clock.uptime() + FileEngine.retryInterval }

    /// Remembers that nothing could be written, and when to try again.
    func note(_ error: any Error) {
        if let error = error as? LogError, error.code == .secret { scene.report(.locked(reason: "\(error)")) }
        let failure = error as? SystemFailure ?? SystemFailure(.open, (error as? LogError)?.cause ?? EPERM)
        health.noteFailure(failure, retryAt: later)
        scene.counters.failures += 1
        scene.report(.failed(failure, name: current.writer?.name, waiting: waiting.total))
    }

    /// Remembers that an announcement could not be written, and tries it again later.
    func delayAnnouncement() { health.delay(until: later) }

    /// Remembers that a file could not be rolled, and is written to until later.
    func note(cannotRoll old: FileWriter, _ error: any Error, at uptime: Duration) {
        health.delayRoll(until: uptime + FileEngine.retryInterval)
        scene.counters.failures += 1
        let failure = error as? SystemFailure ?? SystemFailure(.open, EPERM)
        scene.report(.failed(failure, name: old.name, waiting: 0))
    }
}
