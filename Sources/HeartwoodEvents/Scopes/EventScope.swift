/// An activity that is being recorded, from ``EventLog/beginScope(activity:)`` to ``commit(completion:)``.
///
/// What is recorded goes to every scope of the log that is open at that moment, whichever of them it is recorded by. At
/// the end all events of a scope are stored or none is, also when the process is killed meanwhile; until then nothing of
/// it is in the store. Scopes are stored in the order in which they are committed.
///
/// Recording turns the objects into JSON on the caller's thread; beyond 64 KiB it also writes to a nameless file there, so
/// that a scope of any length takes little memory. All members may be used from any thread. A scope that is released
/// without having been ended is cancelled, and that is reported. It may outlive its log.
public final class EventScope: Sendable {
    /// What is being done.
    public let activity: String
    /// The scope's number in its log, from 1.
    public let number: Int
    private let recorder: EventRecorder

    init(activity: String, recorder: EventRecorder) {
        self.activity = activity
        self.recorder = recorder
        number = recorder.begin(activity)
    }

    deinit { recorder.release(number) }

    /// Whether it is open: neither committed nor cancelled.
    public var isActive: Bool { recorder.isActive(number) }

    // MARK: Recording

    /// Records that objects were read, as one event of type `read`; no objects are no event.
    ///
    /// An event becomes several of the same kind where its JSON would exceed 512 KiB. An object whose JSON is larger
    /// than 1 MiB, or cannot be made, is an error: each scope that is open then fails when it is committed.
    public func record<Object: EventObject>(read objects: [Object]) {
        recorder.record("read", by: number) {
            EventPayload().read(Object.eventType, try objects.map { try ObjectSnapshot($0).value })
        }
    }

    /// Records that an object was read.
    public func record<Object: EventObject>(read object: Object) { record(read: [object]) }

    /// Records that an object was `old` and is `new`, as a transaction of its own; nil before an insertion and after a
    /// deletion.
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
        recorder.record("write", by: number) {
            if let failure = transaction.failure { throw failure }
            return EventPayload().write(transaction.fold.changes)
        }
    }

    // MARK: Ending

    /// Ends the scope and has its events stored; returns at once.
    ///
    /// - Parameter completion: Called when the events are in the store's files, on a queue of the store's own, in the
    ///   order of the commits; with nil, or with the reason why nothing of the scope was stored. It does not wait for
    ///   the upload. Without one, such a reason goes to the store's error handler.
    /// - Throws: `LogError` of code `.scopeEnded` when the scope was ended before.
    public func commit(completion: (@Sendable ((any Error)?) -> Void)? = nil) throws {
        try recorder.commit(number, completion)
    }

    /// Ends the scope; returns when its events are in the store's files.
    ///
    /// - Throws: `LogError` of code `.scopeEnded` when the scope was ended before; what kept it from being stored.
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
