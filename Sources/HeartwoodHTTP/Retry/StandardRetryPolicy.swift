import Heartwood

/// The policy that loses nothing.
///
/// Transient failures are repeated forever, with growing pauses; failures that need intervention are held;
/// only single messages that the server refuses are set aside.
public struct StandardRetryPolicy: RetryPolicy, Equatable {
    /// The pauses between attempts: 1 s, doubled each time, 5 min at most, drawn at random below that.
    var backoff: Backoff
    /// The shortest and the longest wait that a server may ask for with `Retry-After`: 1 s to 1 h.
    var retryAfterRange: ClosedRange<Duration>
    /// How long a wrong setting holds the sending back before the next attempt: 5 min.
    var holdTime: Duration

    /// Sets the policy.
    ///
    /// - Parameters:
    ///   - backoff: The pauses between attempts.
    ///   - retryAfterRange: The shortest and the longest wait that a server may ask for.
    ///   - holdTime: How long a wrong setting holds the sending back.
    public init(
        backoff: Backoff = Backoff(), retryAfterRange: ClosedRange<Duration> = .seconds(1) ... .seconds(3600),
        holdTime: Duration = .seconds(300)
    ) {
        self.backoff = backoff
        self.retryAfterRange = retryAfterRange
        self.holdTime = holdTime
    }

    /// The decision; a wait that the server asked for is kept to, with up to a tenth more, where the policy's
    /// own is not longer.
    public func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
        if case .transport(let error) = failure.cause {
            return error.isTransient ? .retry(after: pause(failure, random)) : .hold(holdTime)
        }
        switch failure.action {
        case .retry, .deliver: return .retry(after: pause(failure, random))
        case .split: return .split
        case .isolate: return .isolate
        case .reject: return .reject
        case .hold: return .hold(max(asked(failure, random), holdTime))
        case .authorize: return failure.hasRefreshedAuthorization ? .hold(holdTime) : .refreshAuthorization
        }
    }

    private func pause(_ failure: DeliveryFailure, _ random: Double) -> Duration {
        max(asked(failure, random), backoff.pause(failures: failure.consecutiveFailures, random: random))
    }

    /// What the server has asked for; a server that asks for nothing, or for a time that has passed, gets no
    /// more attempts for that.
    private func asked(_ failure: DeliveryFailure, _ random: Double) -> Duration {
        guard let asked = failure.retryAfter else { return .zero }
        let clamped = min(max(asked, retryAfterRange.lowerBound), retryAfterRange.upperBound)
        return clamped + .seconds(clamped.seconds * 0.1 * random)
    }
}
