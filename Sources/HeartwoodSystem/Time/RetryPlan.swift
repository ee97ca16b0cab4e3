/// When something that failed is tried again; pure, so that a table can test it.
///
/// Times are those of a clock that only moves forward.
package struct RetryPlan: Sendable {
    /// How long it waits after each failure.
    package let pause: GrowingPause
    /// The number of failures since the last success.
    package private(set) var failures = 0
    /// When it is tried again; meaningful after a failure.
    package private(set) var due = Duration.zero

    package init(_ pause: GrowingPause) { self.pause = pause }

    /// Whether the last attempt failed.
    package var isFailing: Bool { failures > 0 }

    /// Whether it can be tried at `now`.
    package func mayTry(at now: Duration) -> Bool { failures == 0 || now >= due }

    /// An attempt succeeded.
    package mutating func succeed() { failures = 0 }

    /// An attempt failed at `now`; returns the pause before the next one.
    ///
    /// - Parameters:
    ///   - now: The time of the failure.
    ///   - random: A number from 0 to 1: how much of the pause's jitter is left out.
    /// - Returns: the pause.
    @discardableResult
    package mutating func fail(at now: Duration, random: Double = 0) -> Duration {
        failures += 1
        let length = pause.length(failures: failures, random: random)
        due = now + length
        return length
    }
}
