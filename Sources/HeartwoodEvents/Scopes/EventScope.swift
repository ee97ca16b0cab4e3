/// An activity that is being recorded, from ``EventLog/beginScope(activity:)`` to ``commit(completion:)``.
///
/// What is recorded goes to every scope of the log that is open at that moment, whichever of them it is
/// recorded by. At the end all events of a scope are stored or none is, also when the process is killed
/// meanwhile; until then nothing of it is in the store. Scopes are stored in the order in which they are
/// committed.
///
/// Recording turns the objects into JSON on the caller's thread; beyond 64 KiB it also writes to a nameless
/// file there, so that a scope of any length takes little memory. All members may be used from any thread. A
/// scope that is released without having been ended is canceled, and that is reported. It may outlive its
/// log.
public final class EventScope: Sendable {
    /// What is being done.
    public let activity: String
    /// The scope's number in its log, from 1.
    package let number: Int
    private let recorder: EventRecorder

    init(activity: String, recorder: EventRecorder) {
        self.activity = activity
        self.recorder = recorder
        number = recorder.begin(activity)
    }

    deinit { recorder.release(number) }

    /// Whether it is open: neither committed nor canceled.
    public var isActive: Bool { recorder.isActive(number) }

    // MARK: Recording

    /// Records that objects were read, as an event of type `read`; no objects are no event.
    ///
    /// Reads of one type in a row become one event, with the time of the first of them, and an object that is
    /// read again as it is there already is not repeated. The event is complete at 512 KiB, when an object is
    /// read that was changed meanwhile, when a change is recorded, and when the scope ends.
    /// ``EventStore/foldsReads`` turns that off.
    ///
    /// What is larger than the store's `payloadLimit` becomes several events, with `part`, `of` and `first`,
    /// the key of the first part. An object that is larger by itself, or whose JSON cannot be made, is an
    /// error: each scope that is open then fails when it is committed.
    ///
    /// - Parameters:
    ///   - objects: What was read.
    ///   - links: Which links in them become full objects instead of ids: the names of fields as they are
    ///     encoded, with points between those of fields in fields, `["manager", "orders.product"]` for
    ///     instance. A link is expanded only where the one that it is in is. None unless given.
    public func record<Object: EventObject>(read objects: [Object], expanding links: [String] = []) {
        recorder.record(read: number, Object.eventType) {
            let expansion = LinkExpansion(links)
            return try objects.map { object in
                let snapshot = try ObjectSnapshot(object, expanding: expansion)
                return ReadFold.Object(identity: snapshot.identity, json: snapshot.value.eventJSON)
            }
        }
    }

    /// Records that an object was read, with those of its links that are named as full objects.
    public func record<Object: EventObject>(read object: Object, expanding links: [String] = []) {
        record(read: [object], expanding: links)
    }

    /// Records that an object was `old` and is `new`, as a transaction of its own; nil before an insertion
    /// and after a deletion.
    public func record<Object: EventObject>(old: Object?, new: Object?) {
        transaction { $0.record(old: old, new: new) }
    }

    /// Records that a collection was `old` and is `new`, as a transaction of its own.
    public func record<Object: EventObject>(old: [Object], new: [Object]) {
        transaction { $0.record(old: old, new: new) }
    }

    /// Records changes that were made together, as one event of type `write`; no changes are no event.
    ///
    /// - Throws: what `body` throws; nothing of the transaction is recorded then.
    public func transaction(_ body: (inout EventTransaction) throws -> Void) rethrows {
        var transaction = EventTransaction()
        try body(&transaction)
        let limit = recorder.store.payloadLimit
        recorder.record(write: number) {
            if let failure = transaction.failure { throw failure }
            return try EventPayload(limit: limit).write(transaction.fold.changes)
        }
    }

    /// Changes a collection, and records what was inserted, changed and deleted in it as a transaction of its
    /// own.
    ///
    /// ```swift
    /// scope.transaction(on: &people) { people in
    ///     people[0].name = "Tony"
    ///     people.removeLast()
    /// }
    /// ```
    ///
    /// Nothing has to be copied by hand. Objects are told apart by their `id`; all of them are turned into
    /// JSON before and after, also those that do not change.
    ///
    /// - Parameters:
    ///   - objects: The collection; it has its new content when the call returns.
    ///   - body: Changes it.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; the collection is what it was then, and nothing is recorded.
    public func transaction<Object: EventObject, Result>(
        on objects: inout [Object], _ body: (inout [Object]) throws -> Result
    ) rethrows -> Result {
        var result: Result?
        var changed = objects
        try transaction { result = try $0.record(on: &changed, body) }
        objects = changed
        // `body` has returned, or this is not reached.
        return result.unsafelyUnwrapped
    }

    /// Changes an object, and records what was changed in it as a transaction of its own.
    ///
    /// - Parameters:
    ///   - object: The object; it has its new content when the call returns.
    ///   - body: Changes it.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; the object is what it was then, and nothing is recorded.
    public func transaction<Object: EventObject, Result>(
        on object: inout Object, _ body: (inout Object) throws -> Result
    ) rethrows -> Result {
        var objects = [object]
        let result = try transaction(on: &objects) { try body(&$0[0]) }
        object = objects[0]
        return result
    }

    // MARK: Ending

    /// Ends the scope and has its events stored; returns at once.
    ///
    /// - Parameter completion: Called when the events are in the store's files, on a queue of the store's
    ///   own, in the order of the commits; with nil, or with the reason why nothing of the scope was stored.
    ///   It does not wait for the upload. Without one, such a reason goes to the store's error handler.
    /// - Throws: `LogError` of code `.scopeEnded` when the scope was ended before.
    public func commit(completion: (@Sendable ((any Error)?) -> Void)? = nil) throws {
        try recorder.commit(number, completion)
    }

    /// Ends the scope; returns when its events are in the store's files.
    ///
    /// - Throws: `LogError` of code `.scopeEnded` when the scope was ended before; what kept it from being
    ///   stored.
    public func commit() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                try recorder.commit(number) { error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume()
                    }
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Ends the scope and forgets its events; other open scopes keep theirs.
    ///
    /// - Throws: `LogError` of code `.scopeEnded` when the scope was ended before.
    public func cancel() throws { try recorder.cancel(number) }
}
