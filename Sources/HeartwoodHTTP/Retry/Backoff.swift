import Heartwood

/// Pauses that grow with each failure and are drawn at random, so that many clients do not come back
/// together.
public struct Backoff: Sendable, Equatable {
    /// The longest first pause, 1 s by default.
    var initial: Duration
    /// What each further failure multiplies it by, 2 by default.
    var multiplier: Double
    /// The longest pause at all, 5 min by default.
    var maximum: Duration

    /// Sets the pauses.
    ///
    /// - Parameters:
    ///   - initial: The longest first pause.
    ///   - multiplier: What each further failure multiplies it by; less than 1 counts as 1.
    ///   - maximum: The longest pause at all.
    public init(initial: Duration = .seconds(1), multiplier: Double = 2, maximum: Duration = .seconds(300)) {
        self.initial = initial
        self.multiplier = multiplier
        self.maximum = maximum
    }

    /// The longest pause after `failures` failures in a row (at least 1).
    func ceiling(failures: Int) -> Duration {
        growing.ceiling(failures: failures)
    }

    /// A pause between nothing and the ceiling ("full jitter"), for a random number in 0 ..< 1.
    func pause(failures: Int, random: Double) -> Duration {
        growing.length(failures: failures, random: 1 - random)
    }

    private var growing: GrowingPause {
        GrowingPause(first: initial, longest: maximum, factor: multiplier, jitter: 1)
    }
}
