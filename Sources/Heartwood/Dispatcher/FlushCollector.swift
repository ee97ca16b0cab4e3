import Dispatch

/// Waits for several loggers without a thread.
final class FlushCollector: Sendable {
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
