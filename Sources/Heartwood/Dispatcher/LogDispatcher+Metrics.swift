import Dispatch

/// Passes a dispatcher's figures on at regular times, until it is cancelled or released.
///
/// ``LogDispatcher/observeMetrics(every:_:)`` makes it. Any thread may use it.
public final class LogMetricsObserver: Sendable {
    private struct State {
        var last = LogStatistics()
        var timer: (any LogTimer)?
        var isCancelled = false
    }

    // MARK: Constants (any thread)
    private let interval: Duration
    private let body: @Sendable ([LogMetric]) -> Void
    private let queue = WorkQueue("heartwood.metrics")

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    fileprivate init(
        _ dispatcher: LogDispatcher, _ interval: Duration, _ body: @escaping @Sendable ([LogMetric]) -> Void
    ) {
        self.interval = max(interval, .milliseconds(1))
        self.body = body
        arm(dispatcher)
    }

    deinit { cancel() }

    /// Ends the calls; one that runs already is finished.
    public func cancel() {
        let timer = state.withLock { state in
            state.isCancelled = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    private func arm(_ dispatcher: LogDispatcher) {
        let timer = dispatcher.clock.schedule(after: interval, on: queue) { [weak self, weak dispatcher] in
            guard let self, let dispatcher else { return }
            fire(dispatcher)
        }
        state.withLock { if !$0.isCancelled { $0.timer = timer } }
    }

    private func fire(_ dispatcher: LogDispatcher) {
        let now = dispatcher.statistics
        let (last, isCancelled) = state.withLock { state in
            defer { state.last = now }
            return (state.last, state.isCancelled)
        }
        if isCancelled { return }
        body(now.metrics(since: last))
        arm(dispatcher)
    }
}

extension LogDispatcher {
    /// Has the dispatcher's figures passed to your metrics library at regular times.
    ///
    /// ```swift
    /// let observer = LogDispatcher.shared.observeMetrics(every: .seconds(10)) { metrics in
    ///     for metric in metrics where metric.increase > 0 { counters.add(metric.increase, to: metric.name) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The time between two calls, by the dispatcher's clock; 10 seconds unless given, and a
    ///     millisecond at least.
    ///   - body: Called on a queue of its own with all figures, each with its increase since the previous
    ///     call. It may log.
    /// - Returns: The observer. Keep it: the calls end when it is released.
    public func observeMetrics(
        every interval: Duration = .seconds(10), _ body: @escaping @Sendable ([LogMetric]) -> Void
    ) -> LogMetricsObserver {
        LogMetricsObserver(self, interval, body)
    }
}
