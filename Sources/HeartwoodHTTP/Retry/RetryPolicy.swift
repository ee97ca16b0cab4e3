/// Decides what is done after a failed attempt; pure: the same failure and random number give the same
/// decision.
///
/// ```swift
/// struct Patient: RetryPolicy {
///     func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision { .hold(.seconds(60)) }
/// }
/// ```
public protocol RetryPolicy: Sendable {
    /// The decision; `random` is evenly spread over 0 ..< 1.
    func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision
}

/// What is done after a failed attempt.
public enum RetryDecision: Sendable, Equatable {
    /// Send the same again after that time.
    case retry(after: Duration)
    /// Send again when the interval is over, as if nothing had been tried.
    case retryAtNextInterval
    /// Send the halves, at once.
    case split
    /// Find the unacceptable records by halving, and set them aside.
    case isolate
    /// Set the whole batch aside.
    case reject
    /// Keep everything, try again after that time, and report.
    case hold(Duration)
    /// Call the authorization hook, then send the same again.
    ///
    /// If that was done already, and the server has accepted nothing since, the next interval sends it.
    case refreshAuthorization
    /// Throw the oldest records away (counted as dropped), then go on at the next interval.
    case dropOldest(Int)
}
