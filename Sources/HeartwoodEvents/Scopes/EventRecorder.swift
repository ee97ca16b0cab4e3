import Heartwood

/// The open scopes of an event log, and its metadata.
///
/// What is recorded goes to every scope that is open. Objects are turned into values outside of the lock:
/// that is the user's code.
final class EventRecorder: Sendable {
    private struct Scope {
        let activity: String
        let metadata: EventMetadata
        let batch: EventBatch
        /// Reads that are not in the batch yet.
        var reads = ReadFold()
        /// Why nothing of it may be stored.
        var failure: (any Error)?
    }

    private struct State {
        var metadata: EventMetadata
        var lastScope = 0
        /// By number; the order in which they were started.
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
        var scope = try end(number)
        if scope.failure == nil {
            do { try Self.settleReads(of: &scope, store.payloadLimit) } catch { scope.failure = error }
        }
        if let failure = scope.failure {
            store.submit(.failure(failure, completion))
        } else {
            store.submit(.batch(scope.batch, completion))
        }
    }

    /// Ends a scope; nothing of it remains.
    func cancel(_ number: Int) throws { _ = try end(number) }

    /// A scope was released: if it was not ended, it is canceled, and that is reported.
    func release(_ number: Int) {
        guard let scope = try? end(number) else { return }
        store.report(
            LogError(
                .scopeEnded,
                "event scope '\(number)' (\(scope.activity)) was released without commit() or cancel(): "
                    + "its events are not stored. Keep a reference to the scope until you end it"), .misuse)
    }

    private func end(_ number: Int) throws -> Scope {
        guard let scope = state.withLock({ $0.scopes.removeValue(forKey: number) }) else {
            throw LogError(
                .scopeEnded,
                "Cannot end event scope: scope '\(number)' not in "
                    + "progress. Scope may have already been ended?"
            )
        }
        return scope
    }

    // MARK: Recording

    /// Adds changes to all open scopes; `texts` is asked for their data only if there is one.
    func record(write number: Int, _ texts: () throws -> [String]) {
        guard isOpen(number) else { return }
        let time = store.clock.now()
        let limit = store.payloadLimit
        let result = Result { try texts() }
        if case .success(let texts) = result, texts.isEmpty { return }
        forEachScope { scope in
            let texts = try result.get()
            try Self.settleReads(of: &scope, limit)
            try Self.add(texts, "write", time, to: scope, limit)
        }
    }

    /// Adds objects that were read to all open scopes.
    func record(read number: Int, _ type: String, _ objects: () throws -> [ReadFold.Object]) {
        guard isOpen(number) else { return }
        let time = store.clock.now()
        let limit = store.payloadLimit
        let folds = store.foldsReads
        let result = Result { try objects() }
        if case .success(let objects) = result, objects.isEmpty { return }
        forEachScope { scope in
            let objects = try result.get()
            // Without folding, each call is an event, whatever it repeats.
            if !folds {
                try Self.settleReads(of: &scope, limit)
                try Self.add(
                    try EventPayload(limit: limit).read(type, objects.map(\.json)), "read", time, to: scope,
                    limit)
            } else if let event = scope.reads.add(objects, of: type, at: time) {
                try Self.add(event, to: scope, limit)
            }
        }
    }

    private func isOpen(_ number: Int) -> Bool {
        if isActive(number) { return true }
        store.report(
            LogError(
                .scopeEnded, "event scope '\(number)' has already ended: later events are not recorded"),
            .misuse)
        return false
    }

    /// Calls `body` with each scope that has not failed; what it throws fails the scope.
    ///
    /// Each is changed where it is: a copy beside it would have each read copy all that are in the scope.
    private func forEachScope(_ body: (inout Scope) throws -> Void) {
        state.withLock { state in
            var index = state.scopes.startIndex
            while index != state.scopes.endIndex {
                Self.change(&state.scopes.values[index], body)
                state.scopes.formIndex(after: &index)
            }
        }
    }

    private static func change(_ scope: inout Scope, _ body: (inout Scope) throws -> Void) {
        guard scope.failure == nil else { return }
        do { try body(&scope) } catch { scope.failure = error }
    }

    /// Where in memory the reads of an open scope are, for the test that they stay there.
    func placeOfReads(in number: Int) -> UnsafeRawPointer? {
        state.withLock { $0.scopes[number]?.reads.place }
    }

    private static func settleReads(of scope: inout Scope, _ limit: ByteCount) throws {
        if let event = scope.reads.take() { try add(event, to: scope, limit) }
    }

    private static func add(_ event: ReadFold.Event, to scope: Scope, _ limit: ByteCount) throws {
        let texts = try EventPayload(limit: limit).read(event.type, event.values)
        try add(texts, "read", event.time, to: scope, limit)
    }

    /// Adds an event to a scope; several where it was divided, each of which says so.
    private static func add(
        _ texts: [String], _ event: String, _ time: LogTimestamp, to scope: Scope, _ limit: ByteCount
    ) throws {
        let first = EventID(at: time)
        for (index, text) in texts.enumerated() {
            let record = AuditRecord(
                id: index == 0 ? first : EventID(at: time), time: time, activity: scope.activity,
                event: event, data: text, metadata: scope.metadata,
                part: texts.count == 1
                    ? nil : AuditRecord.Part(number: index + 1, count: texts.count, first: first))
            try scope.batch.add(record.stored(limit: limit))
        }
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
            try batch.add(record.stored(limit: store.payloadLimit))
            store.submit(.batch(batch, completion))
        } catch {
            store.submit(.failure(error, completion))
        }
    }
}
