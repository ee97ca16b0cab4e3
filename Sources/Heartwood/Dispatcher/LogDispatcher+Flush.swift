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
            for logger in loggers { logger.node.push { collector.finish(logger) } }
            collector.giveUp(after: timeout)
        }
    }

    private func beginFlush() -> FlushRound {
        let round = FlushRound(members) { [weak self] in self?.unreadJournals ?? [] }
        drainNow()
        reportMissingJournal()
        // A logger that flushes whenever it is flushed would never come to an end.
        if ThreadState.current.isFlushing { return round }
        for logger in round.loggers {
            logger.node.push {
                // It may have been removed since, and hears nothing after its `willRemove`.
                if logger.node.dispatcher == nil { return }
                let thread = ThreadState.current
                thread.isFlushing = true
                logger.node.holdsBack = false
                logger.node.recover()
                logger.reportRepeats()
                logger.flush()
                // What the logger held until now may have been all that was in the way.
                if logger.node.isRecovering, !logger.node.holdsBack { logger.node.recover() }
                if logger.node.holdsBack || logger.node.isRecovering { round.note(logger) }
                thread.isFlushing = false
            }
        }
        return round
    }
}

/// The loggers of one flush, and those of them that could not hand everything on.
private final class FlushRound: Sendable {
    // MARK: Constants (any thread)
    let loggers: [AbstractLogger]

    /// Says which journals cannot be opened.
    private let journals: @Sendable () -> [String]

    // MARK: Guarded by themselves
    private let holding = Locked<Set<ObjectIdentifier>>([])

    init(_ loggers: [AbstractLogger], journals: @escaping @Sendable () -> [String]) {
        self.loggers = loggers
        self.journals = journals
    }

    func note(_ logger: AbstractLogger) {
        holding.withLock { _ = $0.insert(ObjectIdentifier(logger)) }
    }

    /// What the flush has achieved, with `late` loggers that have not answered yet.
    func result(late: [AbstractLogger]) -> FlushResult {
        let late = Set(late.map { ObjectIdentifier($0) })
        let holding = self.holding.withLock { $0 }.subtracting(late)
        func names(_ chosen: Set<ObjectIdentifier>) -> [String] {
            loggers.filter { chosen.contains(ObjectIdentifier($0)) }.map(\.name)
        }
        return FlushResult(
            unfinished: names(late.union(holding)), holding: names(holding), journals: journals())
    }
}

/// Waits for several loggers without a thread.
private final class FlushCollector: Sendable {
    private struct State {
        var open: [AbstractLogger]
        var completion: (@Sendable (FlushResult) -> Void)?
    }

    // MARK: Constants (any thread)
    private let round: FlushRound

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    init(_ round: FlushRound) {
        self.round = round
        state = Locked(State(open: round.loggers))
    }

    func whenDone(_ completion: @escaping @Sendable (FlushResult) -> Void) {
        state.withLock { $0.completion = completion }
        complete(onlyIfEmpty: true)
    }

    func finish(_ logger: AbstractLogger) {
        state.withLock { state in state.open.removeAll { $0 === logger } }
        complete(onlyIfEmpty: true)
    }

    func giveUp(after timeout: Duration) {
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
        completion?(round.result(late: open))
    }
}
