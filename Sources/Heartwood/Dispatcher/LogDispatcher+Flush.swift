import Dispatch

/// What a flush has achieved.
public struct FlushResult: Hashable, Sendable {
    /// The names of the loggers that had not finished in time.
    public let unfinished: [String]

    /// Whether all loggers have handled and written everything.
    public var isComplete: Bool { unfinished.isEmpty }
}

extension LogDispatcher {
    /// Waits until everything that was logged before has been handled by every logger and handed to the kernel.
    ///
    /// Handing to the disk is another matter: see the file logger's `synchronize()`. Inside of a logger or formatter
    /// nothing is waited for: the flush is set off, and every logger counts as unfinished.
    ///
    /// - Parameter timeout: How long to wait at the most, 10 s unless given.
    /// - Returns: which loggers have not finished.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) -> FlushResult {
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        return FlushResult(unfinished: LoggerNode.wait(for: beginFlush(), until: deadline).map(\.name))
    }

    /// Returns when everything that was logged before has been handled by every logger and handed to the kernel.
    ///
    /// - Parameter timeout: How long to wait at the most, 10 s unless given.
    /// - Returns: which loggers have not finished.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) async -> FlushResult {
        let loggers = beginFlush()
        let collector = FlushCollector(loggers)
        return await withCheckedContinuation { continuation in
            collector.whenDone { continuation.resume(returning: $0) }
            for logger in loggers { logger.node.push { collector.finish(logger) } }
            collector.giveUp(after: timeout, on: queue)
        }
    }

    private func beginFlush() -> [AbstractLogger] {
        let loggers = self.loggers
        drainNow()
        // A logger that flushes whenever it is flushed would never come to an end.
        if ThreadState.current.isFlushing { return loggers }
        for logger in loggers {
            logger.node.push {
                let thread = ThreadState.current
                thread.isFlushing = true
                logger.flush()
                thread.isFlushing = false
            }
        }
        return loggers
    }
}

/// Waits for several loggers without a thread.
private final class FlushCollector: Sendable {
    private struct State {
        var open: [AbstractLogger]
        var completion: (@Sendable (FlushResult) -> Void)?
    }

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    init(_ loggers: [AbstractLogger]) {
        state = Locked(State(open: loggers))
    }

    func whenDone(_ completion: @escaping @Sendable (FlushResult) -> Void) {
        state.withLock { $0.completion = completion }
        complete(onlyIfEmpty: true)
    }

    func finish(_ logger: AbstractLogger) {
        state.withLock { state in state.open.removeAll { $0 === logger } }
        complete(onlyIfEmpty: true)
    }

    func giveUp(after timeout: Duration, on queue: DispatchQueue) {
        let delay = DispatchTimeInterval.nanoseconds(Int(clamping: timeout.nanoseconds))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) {
            self.complete(onlyIfEmpty: false)
        }
    }

    private func complete(onlyIfEmpty: Bool) {
        let (completion, open) = state.withLock {
            state -> ((@Sendable (FlushResult) -> Void)?, [AbstractLogger]) in
            if onlyIfEmpty, !state.open.isEmpty { return (nil, []) }
            defer { state.completion = nil }
            return (state.completion, state.open)
        }
        completion?(FlushResult(unfinished: open.map(\.name)))
    }
}
