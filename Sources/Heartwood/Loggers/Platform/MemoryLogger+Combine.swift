#if canImport(Combine)
public import Combine

extension MemoryLogger {
    /// Publishes the messages that are logged from now on; up to 1000 wait for each subscriber.
    ///
    /// Completes when the logger is removed from its dispatcher or freed. Not tested by Heartwood's own
    /// tests, which run on Linux.
    public var publisher: AnyPublisher<LogMessage, Never> {
        Deferred { [weak self] in
            guard let self else { return Empty<LogMessage, Never>().eraseToAnyPublisher() }
            return MessagePublisher(stream: stream()).eraseToAnyPublisher()
        }.eraseToAnyPublisher()
    }
}

/// Publishes a stream, no faster than its subscriber asks for.
private struct MessagePublisher: Publisher {
    typealias Output = LogMessage
    typealias Failure = Never

    let stream: LogMessageStream

    func receive<Target: Subscriber<LogMessage, Never>>(subscriber: Target) {
        subscriber.receive(subscription: MessageSubscription(stream, subscriber))
    }
}

/// Reads the stream in a task while there is demand.
private final class MessageSubscription: Subscription, Sendable {
    private struct State {
        var target: (any Subscriber<LogMessage, Never>)?
        var demand = Subscribers.Demand.none
        var task: Task<Void, Never>?
    }

    private let stream: LogMessageStream
    private let state: Locked<State>

    init(_ stream: LogMessageStream, _ target: some Subscriber<LogMessage, Never>) {
        self.stream = stream
        nonisolated(unsafe) let first = State(target: target)
        state = Locked(first)
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { state in
            state.demand += demand
            guard state.task == nil, state.target != nil, state.demand > .none else { return }
            state.task = Task { await self.run() }
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.target = nil
            return state.task
        }
        task?.cancel()
    }

    private func run() async {
        var iterator = stream.makeAsyncIterator()
        while true {
            let mayGoOn = state.withLock { state in
                let mayGoOn = state.target != nil && state.demand > .none
                if !mayGoOn { state.task = nil }
                return mayGoOn
            }
            if !mayGoOn { return }
            let message = await iterator.next()
            nonisolated(unsafe) let target = state.withLock { state in
                if message != nil, state.demand != .unlimited { state.demand -= 1 }
                return state.target
            }
            guard let target else { return }
            guard let message else { return target.receive(completion: .finished) }
            let more = target.receive(message)
            state.withLock { $0.demand += more }
        }
    }
}
#endif
