import CHeartwood
public import Dispatch

/// The clocks of the system.
public struct SystemClock: LogClock {
    /// Makes a clock; all system clocks show the same time.
    public init() {}

    /// The time of `CLOCK_REALTIME`.
    public func now() -> LogTimestamp {
        LogTimestamp(nanoseconds: hw_clock(CLOCK_REALTIME))
    }

    /// The time of `CLOCK_MONOTONIC`.
    public func uptime() -> Duration {
        .nanoseconds(hw_clock(CLOCK_MONOTONIC))
    }

    /// Starts a dispatch timer, with a leeway of a tenth of the delay, up to one second.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - queue: The queue on which `work` is called.
    ///   - work: The function to call once.
    /// - Returns: The timer. Keep it: a timer that is released does not fire.
    public func schedule(
        after delay: Duration, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer {
        SystemTimer(after: delay, on: queue, work)
    }
}

/// A dispatch timer that fires once.
private final class SystemTimer: LogTimer {
    // Thread-safe by Dispatch, which does not say so to the compiler.
    nonisolated(unsafe) private let source: any DispatchSourceTimer

    init(after delay: Duration, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        let nanoseconds = Int(clamping: max(0, delay.nanoseconds))
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(
            deadline: .now() + .nanoseconds(nanoseconds),
            leeway: .nanoseconds(min(nanoseconds / 10, 1_000_000_000)))
        source.setEventHandler(handler: work)
        source.activate()
    }

    deinit { source.cancel() }

    func cancel() { source.cancel() }
}
