import Dispatch

extension LogDispatcher {
    /// Waits until every logger has handled all earlier messages and passed them to the kernel.
    ///
    /// This does not write to the disk itself: see the file logger's `synchronize()`. Inside a logger or
    /// formatter, the call starts the flush and does not wait, and all loggers count as unfinished.
    ///
    /// - Parameter timeout: How long to wait at most, 10 s unless given.
    /// - Returns: which loggers have not finished, or hold lines that cannot be written, as a file logger on
    ///   a full disk does, and which journals of dead processes cannot be opened.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) -> FlushResult {
        workIfAlone()
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
        return await withCheckedContinuation { continuation in
            round.whenDone(within: timeout) { continuation.resumeElsewhere(returning: $0) }
            for logger in round.loggers { logger.node.inbox.push { round.finish(logger) } }
            workIfAlone()
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

/// The result of a flush.
public struct FlushResult: Hashable, Sendable {
    /// The names of the loggers that did not finish in time, or that hold messages that they cannot write at
    /// the moment.
    public let unfinished: [String]

    /// The names of those unfinished loggers that hold messages because they cannot write them.
    ///
    /// Waiting helps only after the cause is removed, for example a full disk.
    public let holding: [String]

    /// The paths of journals of dead processes that could not be delivered.
    ///
    /// This process could not open them, or could not create its own journal; see ``LogDispatcher/journal``.
    ///
    /// Their messages are missing in the logs so far. Journals of other users are not included.
    public let journals: [String]

    /// Whether all loggers have handled and written everything, and all journals of dead processes were
    /// delivered.
    public var isComplete: Bool { unfinished.isEmpty && journals.isEmpty }
}

/// The loggers of one flush: which have not answered yet, and which could not hand everything on.
final class FlushRound: Sendable {
    private struct State {
        var open: [AbstractLogger]
        var holding: Set<ObjectIdentifier> = []
        var completion: (@Sendable (FlushResult) -> Void)?
    }

    // MARK: Constants (any thread)
    let loggers: [AbstractLogger]
    /// Says which journals cannot be opened.
    private let journals: @Sendable () -> [String]

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    init(_ loggers: [AbstractLogger], journals: @escaping @Sendable () -> [String]) {
        self.loggers = loggers
        self.journals = journals
        state = Locked(State(open: loggers))
    }

    /// A logger holds messages that it cannot write at the moment.
    func note(_ logger: AbstractLogger) {
        state.withLock { _ = $0.holding.insert(ObjectIdentifier(logger)) }
    }

    /// What the flush has achieved, with `late` loggers that have not answered yet.
    func result(late: [AbstractLogger]) -> FlushResult {
        let late = Set(late.map { ObjectIdentifier($0) })
        let holding = state.withLock { $0.holding }.subtracting(late)
        func names(_ chosen: Set<ObjectIdentifier>) -> [String] {
            loggers.filter { chosen.contains(ObjectIdentifier($0)) }.map(\.name)
        }
        return FlushResult(
            unfinished: names(late.union(holding)), holding: names(holding), journals: journals())
    }

    // MARK: - Without a thread that waits

    /// Has `completion` called once, when all loggers have answered or the time is over.
    func whenDone(within timeout: Duration, _ completion: @escaping @Sendable (FlushResult) -> Void) {
        state.withLock { $0.completion = completion }
        complete(onlyIfEmpty: true)
        SystemClock.call(after: timeout) { self.complete(onlyIfEmpty: false) }
    }

    /// A logger has answered.
    func finish(_ logger: AbstractLogger) {
        state.withLock { state in state.open.removeAll { $0 === logger } }
        complete(onlyIfEmpty: true)
    }

    private func complete(onlyIfEmpty: Bool) {
        let (completion, open) = state.withLock {
            state -> ((@Sendable (FlushResult) -> Void)?, [AbstractLogger]) in
            if onlyIfEmpty, !state.open.isEmpty { return (nil, []) }
            defer { state.completion = nil }
            return (state.completion, state.open)
        }
        completion?(result(late: open))
    }
}
