/// Decides what is done after a failed attempt; pure: the same failure and random number give the same decision.
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
