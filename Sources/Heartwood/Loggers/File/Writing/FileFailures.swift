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

/// What went wrong last, and when it is worth trying again.
struct FileHealth {
    /// Why the last attempt to write failed; nil where it did not.
    private(set) var failure: SystemFailure?
    private var hasFailed = false
    private var nextAttempt = Duration.zero
    private var nextRoll = Duration.zero
    private var nextIdleRoll = Duration.zero

    mutating func beginAttempt() { failure = nil }
    mutating func noteSuccess() { failure = nil }

    mutating func noteFailure(_ failure: SystemFailure, retryAt: Duration) {
        self.failure = failure
        hasFailed = true
        nextAttempt = retryAt
    }

    mutating func delay(until moment: Duration) { nextAttempt = moment }
    mutating func delayRoll(until moment: Duration) { nextRoll = moment }

    func mayTry(at moment: Duration) -> Bool { failure == nil || moment >= nextAttempt }
    /// An idle file is not rolled before; one that is written is.
    mutating func delayIdleRoll(until moment: Duration) { nextIdleRoll = moment }

    func mayRollIdle(at moment: Duration) -> Bool { mayRoll(at: moment) && moment >= nextIdleRoll }
    func mayRoll(at moment: Duration) -> Bool { moment >= nextRoll }
    func retryDelay(at moment: Duration) -> Duration { max(.zero, nextAttempt - moment) }
    func rollDelay(at moment: Duration) -> Duration { max(nextRoll, nextIdleRoll) - moment }

    /// Whether writing succeeds again after a failure; true once.
    mutating func hasRecovered() -> Bool {
        guard failure == nil, hasFailed else { return false }
        hasFailed = false
        return true
    }
}
