public import Dispatch

/// A source of time: the system's clocks, or a clock that a test controls.
public protocol LogClock: Sendable {
    /// The time of the wall clock.
    func now() -> LogTimestamp

    /// A time that only moves forward, at a steady rate, from any starting point.
    func uptime() -> Duration

    /// Calls `work` once, after `delay` of steady time.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - queue: The queue on which `work` is called.
    ///   - work: The function to call.
    /// - Returns: The timer. Keep it: a timer that is released does not fire.
    func schedule(
        after delay: Duration, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer
}
