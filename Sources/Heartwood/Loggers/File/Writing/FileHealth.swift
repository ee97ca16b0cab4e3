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
