public import Dispatch
public import Heartwood

/// A clock that does not move until a test advances it.
///
/// Timers fire in their order when the clock passes their time.
///
/// Every member may be used from any thread.
public final class ManualClock: LogClock {
    private struct State {
        var wall: LogTimestamp
        var uptime: Duration = .zero
        var timers: [ManualTimer] = []
    }

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    /// Makes a clock that starts at `start`; 2026-01-01 00:00:00 UTC unless given.
    public init(_ start: LogTimestamp = LogTimestamp(nanoseconds: 1_767_225_600_000_000_000)) {
        state = Locked(State(wall: start))
    }

    /// The time of the wall clock.
    public func now() -> LogTimestamp { state.withLock { $0.wall } }

    /// The steady time since the clock was made.
    public func uptime() -> Duration { state.withLock { $0.uptime } }

    /// Sets only the wall clock, as an administrator or a time server does; fires no timer.
    public func setWall(_ moment: LogTimestamp) { state.withLock { $0.wall = moment } }

    /// Schedules `work` for the moment when the clock has been advanced by `delay` in total.
    ///
    /// - Parameters:
    ///   - delay: The delay. Zero or less means the next call of ``advance(by:)``.
    ///   - queue: The queue on which `work` is called.
    ///   - work: The function to call once.
    /// - Returns: The timer. Keep it: a timer that is released does not fire.
    public func schedule(
        after delay: Duration, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void
    ) -> any LogTimer {
        state.withLock { state in
            let timer = ManualTimer(due: state.uptime + max(delay, .zero), queue: queue, work: work)
            state.timers.append(timer)
            return timer
        }
    }

    /// Advances both clocks, and fires the timers that are due on their queues.
    ///
    /// Returns when all of them have been called, those too that they have set up and that fell due
    /// meanwhile.
    public func advance(by duration: Duration) {
        let end = state.withLock { $0.uptime } + duration
        while let timer = next(until: end) {
            timer.fire()
        }
        state.withLock { state in
            state.wall = state.wall + (end - state.uptime)
            state.uptime = end
        }
    }

    /// The number of scheduled timers.
    package var pendingTimers: Int {
        state.withLock { state in
            state.timers.removeAll { $0.isCancelled }
            return state.timers.count
        }
    }

    private func next(until end: Duration) -> ManualTimer? {
        state.withLock { state in
            state.timers.removeAll { $0.isCancelled }
            guard let first = state.timers.min(by: { $0.due < $1.due }), first.due <= end else { return nil }
            state.timers.removeAll { $0 === first }
            if first.due > state.uptime {
                state.wall = state.wall + (first.due - state.uptime)
                state.uptime = first.due
            }
            return first
        }
    }
}

private final class ManualTimer: LogTimer {
    let due: Duration
    private let queue: DispatchQueue
    private let work: Locked<(@Sendable () -> Void)?>

    init(due: Duration, queue: DispatchQueue, work: @escaping @Sendable () -> Void) {
        self.due = due
        self.queue = queue
        self.work = Locked(work)
    }

    var isCancelled: Bool { work.withLock { $0 == nil } }

    func cancel() { work.withLock { $0 = nil } }

    func fire() {
        let call = work.withLock { work in
            defer { work = nil }
            return work
        }
        if let call { queue.sync(execute: call) }
    }
}
