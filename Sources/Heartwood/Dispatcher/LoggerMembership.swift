/// Which dispatcher a logger belongs to, and what keeps the logger alive meanwhile.
final class LoggerMembership: Sendable {
    private struct State {
        weak var dispatcher: LogDispatcher?
        /// The logger itself, from when the drain knows it until its removal has been worked off.
        var logger: AbstractLogger?
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// The dispatcher, from `add` until the removal has been worked off.
    var dispatcher: LogDispatcher? { state.withLock { $0.dispatcher } }

    /// Where problems of the logger are reported to.
    var diagnostics: LogDiagnostics { dispatcher?.diagnostics ?? .unattached }

    /// Makes the logger belong to `dispatcher`, unless it belongs to one already: then returns that one.
    func join(_ dispatcher: LogDispatcher) -> LogDispatcher? {
        state.withLock { state in
            if let owner = state.dispatcher { return owner }
            state.dispatcher = dispatcher
            return nil
        }
    }

    /// Keeps the logger until `leave`.
    func retain(_ logger: AbstractLogger) { state.withLock { $0.logger = logger } }

    /// The logger belongs to no dispatcher any more.
    func leave() {
        let last = state.withLock { state in
            defer { state = State() }
            return state.logger
        }
        withExtendedLifetime(last) {}  // ends outside of the lock: its end may be the user's code
    }
}
