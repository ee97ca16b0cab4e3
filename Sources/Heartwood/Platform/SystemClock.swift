import CHeartwood
public import Dispatch
import Synchronization

/// The clocks of the system.
public struct SystemClock: LogClock {
    /// Makes a clock; all system clocks show the same time.
    public init() {}

    /// The time of `CLOCK_REALTIME`; stops at the ends of what ``LogTimestamp`` can say.
    public func now() -> LogTimestamp {
        LogTimestamp(nanoseconds: SystemClock.wall())
    }

    /// The nanoseconds since 1970, or the nearest that there are.
    static func wall() -> Int64 {
        let nanoseconds = hw_clock(CLOCK_REALTIME)
        return nanoseconds >= 0 ? nanoseconds : unwrapped(nanoseconds, seconds: Int(time(nil)))
    }

    /// What nanoseconds before 1970 mean: after 2262 they have wrapped around, as the seconds tell.
    static func unwrapped(_ nanoseconds: Int64, seconds: Int) -> Int64 {
        LogTimestamp(seconds: seconds) == nil ? (seconds < 0 ? .min : .max) : nanoseconds
    }

    /// The time of `CLOCK_MONOTONIC`, on Apple's systems of `CLOCK_UPTIME_RAW`, which timers follow there.
    public func uptime() -> Duration {
        .nanoseconds(hw_uptime())
    }

    /// Starts a timer.
    ///
    /// On Apple's systems it is one of Dispatch, with a leeway of a tenth of the delay, up to one second. On
    /// Linux a thread of Heartwood's own waits for all timers, and enters `queue` by `sync`: no call waits
    /// until the system has a thread to give.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - queue: The queue on which `work` is called.
    ///   - work: The function to call once.
    /// - Returns: The timer. Keep it: a timer that is released does not fire.
    public func schedule(
        after delay: Duration, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer {
        #if canImport(Darwin)
        return SystemTimer(after: delay, on: queue, work)
        #else
        return timer(after: delay, on: WorkQueue(queue), work)
        #endif
    }

    #if !canImport(Darwin)
    fileprivate func timer(
        after delay: Duration, on queue: WorkQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer {
        let isCancelled = SharedFlag()
        return SystemTimer(after: delay, flag: isCancelled) {
            queue.enqueue { if !isCancelled.isSet { work() } }
        }
    }
    #endif

    /// The same for `work` that waits for nothing: it is called on the thread of all timers.
    fileprivate func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LogTimer {
        #if canImport(Darwin)
        SystemTimer(after: delay, on: .global(qos: .utility), work)
        #else
        SystemTimer(after: delay, work)
        #endif
    }
}

extension SystemClock {
    /// Calls `work`, which waits for nothing, once after `delay`; it cannot be cancelled.
    package static func call(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
        let nanoseconds = DispatchTimeInterval.nanoseconds(Int(clamping: delay.nanoseconds))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + nanoseconds, execute: work)
        #else
        _ = TimerThread.shared.schedule(after: delay, work)
        #endif
    }

    /// Sees to it that timers have their thread; false where the system has none to give.
    static func keepThread() -> Bool {
        #if canImport(Darwin)
        true
        #else
        // What waits for a task must not wait for a thread either.
        WorkQueue.chores.keepThread() && TimerThread.shared.start()
        #endif
    }

    /// Creates the timer thread if it is missing; if that fails, calls the due timers on this thread.
    static func callDueWithoutThread() {
        #if !canImport(Darwin)
        TimerThread.shared.callDue()
        #endif
    }
}

extension LogClock {
    /// Calls `work`, which waits for nothing, once after `delay`.
    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LogTimer {
        if let system = self as? SystemClock { return system.schedule(after: delay, work) }
        return schedule(after: delay, on: .global(qos: .utility), work)
    }

    /// Calls `work` once on a queue of Heartwood's own after `delay`.
    package func schedule(
        after delay: Duration, on queue: WorkQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer {
        #if !canImport(Darwin)
        if let system = self as? SystemClock { return system.timer(after: delay, on: queue, work) }
        #endif
        return schedule(after: delay, on: queue.queue, work)
    }
}

#if canImport(Darwin)
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
#else
/// A timer that fires once.
private final class SystemTimer: LogTimer {
    private let number: UInt64
    private let flag: SharedFlag?

    /// Sets `flag` when it is cancelled: what waits for its queue then is not called either.
    init(after delay: Duration, flag: SharedFlag? = nil, _ work: @escaping @Sendable () -> Void) {
        self.flag = flag
        number = TimerThread.shared.schedule(after: delay, work)
    }

    deinit { cancel() }

    func cancel() {
        flag?.set()
        TimerThread.shared.cancel(number)
    }
}

private final class SharedFlag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
#endif
