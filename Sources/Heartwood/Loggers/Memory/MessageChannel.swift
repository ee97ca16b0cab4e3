/// What waits for the readers of a stream, and readers that wait.
final class MessageChannel: Sendable {
    private struct State {
        var buffer = Deque<LogMessage>()
        /// What was there before the first message that was offered; not filtered yet.
        var earlier = Deque<LogMessage>()
        var dropped = 0
        var isFinished = false
        var readers: [Int: CheckedContinuation<LogMessage?, Never>] = [:]
        var nextReader = 0
    }

    // MARK: Constants (any thread)
    private let filter: LogFilter?
    private let limit: Int
    /// Called at the end of reading, once or several times.
    private let whenEnded: (@Sendable () -> Void)?

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(filter: LogFilter?, limit: Int, whenEnded: (@Sendable () -> Void)? = nil) {
        self.filter = filter
        self.whenEnded = whenEnded
        self.limit = Swift.max(1, limit)
    }

    deinit { whenEnded?() }

    var dropped: Int { state.withLock { $0.dropped } }

    /// Takes messages that come before all others.
    func start(with messages: [LogMessage]) {
        state.withLock { state in for message in messages { state.earlier.append(message) } }
    }

    /// Hands a message to a reader that waits, or keeps it for one.
    ///
    /// Called by the logger.
    func offer(_ message: LogMessage) {
        if let filter, !filter.passes(message) { return }
        let (reader, evicted) = state.withLock {
            state -> (CheckedContinuation<LogMessage?, Never>?, LogMessage?) in
            if state.isFinished { return (nil, nil) }
            if let (number, reader) = state.readers.min(by: { $0.key < $1.key }) {
                state.readers[number] = nil
                return (reader, nil)
            }
            state.buffer.append(message)
            if state.buffer.count <= limit { return (nil, nil) }
            state.dropped += 1
            return (nil, state.buffer.popFirst())
        }
        withExtendedLifetime(evicted) {}  // ends outside of the lock
        reader?.resumeElsewhere(returning: message)
    }

    /// Lets readers have what is there, and then no more.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return state.readers.values.map { $0 }
        }
        for reader in readers { reader.resumeElsewhere(returning: nil) }
        whenEnded?()
    }

    /// The reader's task was canceled: nothing comes any more.
    private func cancel() {
        let waiting = state.withLock { state in
            defer { (state.buffer, state.earlier) = (Deque(), Deque()) }
            return (state.buffer, state.earlier)
        }
        withExtendedLifetime(waiting) {}
        finish()
    }

    func next() async -> LogMessage? {
        while let early = state.withLock({ $0.earlier.popFirst() }) {
            if filter?.passes(early) ?? true { return early }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let (isDue, message) = state.withLock { state -> (Bool, LogMessage?) in
                    if let message = state.buffer.popFirst() { return (true, message) }
                    if state.isFinished { return (true, nil) }
                    state.readers[state.nextReader] = reader
                    state.nextReader += 1
                    return (false, nil)
                }
                if isDue { reader.resume(returning: message) }
            }
        } onCancel: {
            cancel()
        }
    }
}
