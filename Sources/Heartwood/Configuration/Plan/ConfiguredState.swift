import CHeartwood

/// What configurations have made of a dispatcher so far: the loggers, and what to go back to.
final class ConfiguredState: Sendable {
    /// That of a dispatcher.
    static func of(_ dispatcher: LogDispatcher) -> ConfiguredState {
        dispatcher.configured.withLock { state in
            if let state = state as? ConfiguredState { return state }
            let new = ConfiguredState()
            state = new
            return new
        }
    }

    /// A logger that a configuration has made.
    struct Entry {
        let name: String
        let kind: String
        let logger: AbstractLogger
        let fixed: [String: LogSetting]
        var tuned: TunedSettings
    }

    struct Content {
        var entries: [Entry] = []
        var dispatcher = TunedSettings()
        var categoryRules: [LogLevelRule] = []
        var sourceRules: [LogLevelRule] = []
    }

    // MARK: Guarded by themselves
    private let content = Locked(Content())
    /// Whether a thread applies a configuration: one at a time, and not under a lock, as loggers are made meanwhile.
    private let turn = Locked<Turn?>(nil)

    private struct Turn: Equatable {
        let owner = ProcessOwner()
        let thread = ThreadState.current.id
    }

    /// What is there; only who is `busy` may put something else in its place.
    var current: Content {
        get { content.withLock { $0 } }
        set {
            let old = content.withLock { content in
                defer { content = newValue }
                return content
            }
            // Ends outside of the lock: it may hold the last reference to a logger.
            withExtendedLifetime(old) {}
        }
    }

    /// Takes the turn; false where another thread has it.
    func begin() -> Bool {
        let own = Turn()
        return turn.withLock { turn in
            // In the child of a fork a thread of the parent's has it, which does not exist.
            if let turn, turn.owner == own.owner { return false }
            turn = own
            return true
        }
    }

    /// Whether the calling thread itself has the turn, as where the making of a logger applies a configuration.
    var isOwn: Bool { turn.withLock { $0 == Turn() } }

    func end() { turn.withLock { $0 = nil } }
}
