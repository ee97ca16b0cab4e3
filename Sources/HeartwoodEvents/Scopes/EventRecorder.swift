import Heartwood

/// The open scopes of an event log, and its metadata.
///
/// What is recorded goes to every scope that is open. Objects are turned into values outside of the lock: that is the
/// user's code.
final class EventRecorder: Sendable {
    private struct Scope {
        let activity: String
        let metadata: EventMetadata
        let batch: EventBatch
        /// Why nothing of it may be stored.
        var failure: (any Error)?
    }

    private struct State {
        var metadata: EventMetadata
        var lastScope = 0
        /// By number; the order in which they were begun.
        var scopes: [Int: Scope] = [:]
    }

    // MARK: Constants (any thread)
    let store: EventStore

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    init(store: EventStore, metadata: EventMetadata) {
        self.store = store
        state = Locked(State(metadata: metadata))
    }

    /// Takes other metadata, for scopes and events that begin later.
    func update(_ metadata: EventMetadata) { state.withLock { $0.metadata = metadata } }

    // MARK: Scopes

    /// Begins a scope; returns its number.
    func begin(_ activity: String) -> Int {
        let batch = EventBatch(directory: store.path)
        return state.withLock { state in
            state.lastScope += 1
            state.scopes[state.lastScope] = Scope(
                activity: activity, metadata: state.metadata, batch: batch)
            return state.lastScope
        }
    }

    func isActive(_ number: Int) -> Bool { state.withLock { $0.scopes[number] != nil } }

    /// Ends a scope and has its events stored.
    func commit(_ number: Int, _ completion: EventStore.Completion?) throws {
        let scope = try end(number)
        if let failure = scope.failure {
            store.submit(.failure(failure, completion))
        } else {
            store.submit(.batch(scope.batch, completion))
        }
    }

    /// Ends a scope; nothing of it remains.
    func cancel(_ number: Int) throws { _ = try end(number) }

    /// A scope was released: if nobody has ended it, it is cancelled, which somebody should know.
    func release(_ number: Int) {
        guard let scope = try? end(number) else { return }
        store.report(
            LogError(
                .scopeEnded,
                "event scope '\(number)' (\(scope.activity)) was released without commit() or cancel(): "
                    + "its events are not stored. Keep the scope until you end it"), .misuse)
    }

    private func end(_ number: Int) throws -> Scope {
        guard let scope = state.withLock({ $0.scopes.removeValue(forKey: number) }) else {
            throw LogError(
                .scopeEnded,
                "Cannot end event scope: scope '\(number)' not in progress. Scope may have already been ended?"
            )
        }
        return scope
    }

    // MARK: Recording

    /// Adds events to all open scopes; `texts` is asked for their data only if there is one.
    func record(_ event: String, by number: Int, _ texts: () throws -> [String]) {
        guard isActive(number) else {
            return store.report(
                LogError(
                    .scopeEnded, "event scope '\(number)' has ended: what it is given now is not recorded"),
                .misuse)
        }
        let time = store.clock.now()
        let result = Result { try texts() }
        state.withLock { state in
            for number in state.scopes.keys where state.scopes[number]?.failure == nil {
                do {
                    for text in try result.get() { try Self.add(text, event, time, to: state.scopes[number]) }
                } catch {
                    state.scopes[number]?.failure = error
                }
            }
        }
    }

    private static func add(_ text: String, _ event: String, _ time: LogTimestamp, to scope: Scope?) throws {
        guard let scope else { return }
        let record = AuditRecord(
            id: EventID(at: time), time: time, activity: scope.activity, event: event, data: text,
            metadata: scope.metadata)
        try scope.batch.add(record.stored())
    }

    /// Stores an event that belongs to no scope.
    func recordEvent(
        _ activity: String, _ event: String?, _ data: String?, _ completion: EventStore.Completion?
    ) {
        let time = store.clock.now()
        let metadata = state.withLock { $0.metadata }
        do {
            let batch = EventBatch(directory: store.path)
            let record = AuditRecord(
                id: EventID(at: time), time: time, activity: activity, event: event, data: data,
                metadata: metadata)
            try batch.add(record.stored())
            store.submit(.batch(batch, completion))
        } catch {
            store.submit(.failure(error, completion))
        }
    }
}
