import Dispatch

extension LogDispatcher {
    /// Waits until every logger has handled all earlier messages and passed them to the kernel.
    ///
    /// This does not write to the disk itself: see the file logger's `synchronize()`. Inside a logger or
    /// formatter, the call starts the flush and does not wait, and all loggers count as unfinished.
    ///
    /// - Parameter timeout: How long to wait at most, 10 s unless given.
    /// - Returns: which loggers have not finished, or hold lines that cannot be written, as a file logger on a full disk does, and
    ///   which journals of dead processes cannot be opened.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) -> FlushResult {
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        let round = beginFlush()
        let late = LoggerNode.wait(for: round.loggers, until: deadline)
        return round.result(late: late)
    }

    /// Suspends until every logger has handled all earlier messages and passed them to the kernel.
    ///
    /// - Parameter timeout: How long to wait at most, 10 s unless given.
    /// - Returns: which loggers have not finished.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) async -> FlushResult {
        let round = beginFlush()
        let loggers = round.loggers
        let collector = FlushCollector(round)
        return await withCheckedContinuation { continuation in
            collector.whenDone { continuation.resume(returning: $0) }
            for logger in loggers { logger.node.inbox.push { collector.finish(logger) } }
            collector.giveUp(after: timeout)
        }
    }

    private func beginFlush() -> FlushRound {
        let round = FlushRound(members) { [weak journaling] in journaling?.unread ?? [] }
        drainNow()
        journaling.reportMissing()
        // A logger that flushes whenever it is flushed would never come to an end.
        if ThreadState.current.isFlushing { return round }
        for logger in round.loggers {
            logger.node.inbox.push { if !logger.node.flush() { round.note(logger) } }
        }
        return round
    }
}
