import Heartwood

/// Records events: typed ones, activities with what was read and changed in them, and custom ones.
///
/// ```swift
/// enum Visit: String { case page = "page_id", index, loggedIn }
///
/// let store = try EventStore("https://collector.example.com/events", directory: "/var/lib/app/events")
/// let events = try EventLog<Visit>(store, metadata: ["device": "till 1"])
///
/// events.append {
///     $0[.page] = "/home"
///     $0[.index] = 3
/// }
///
/// let scope = events.beginScope(activity: "change of address")
/// scope.record(read: [person])
/// scope.record(old: person, new: moved)
/// try scope.commit()
/// ```
///
/// Everything goes to the store, which keeps it until a server has it. Several logs may share a store, each with
/// properties, metadata and scopes of its own. All members may be used from any thread, and never wait for the disk or
/// the network, except where they say so.
public final class EventLog<Property: RawRepresentable & Sendable>: Sendable
where Property.RawValue == String {
    /// Where the events go.
    public var store: EventStore { recorder.store }
    private let recorder: EventRecorder

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - store: Where the events go.
    ///   - metadata: Fields that go with every event of scopes and every custom event.
    /// - Throws: `LogError` of code `.invalidName` when a key has not 1 to 63 characters, is one of `_id`, `timestamp`,
    ///   `activity`, `event`, `data`, `part`, `of` and `first`, or is there twice.
    public init(
        _ store: EventStore, metadata: some Sequence<(key: String, value: String)> = [String: String]()
    )
        throws
    {
        recorder = EventRecorder(store: store, metadata: try EventMetadata(metadata))
    }

    /// Replaces the metadata, for scopes and custom events that begin after it; open scopes keep theirs.
    ///
    /// - Throws: `LogError` of code `.invalidName`, as at the beginning; the metadata stays as it was then.
    public func updateMetadata(_ metadata: some Sequence<(key: String, value: String)>) throws {
        recorder.update(try EventMetadata(metadata))
    }

    /// Stores an event of the log's own properties; its JSON has these and nothing else.
    ///
    /// Returns at once, unless 16 MiB of events wait for the disk: then it waits for up to a second, and after that the
    /// event is dropped and the error handler told. An event larger than the store's `payloadLimit` is not stored, and
    /// reported likewise.
    public func append(_ fill: (inout EventRecord<Property>) throws -> Void) rethrows {
        append(try EventRecord(fill))
    }

    /// Stores an event.
    public func append(_ event: EventRecord<Property>) {
        do {
            store.submit(
                .event(
                    try StoredEvent(
                        fields: event.fields, text: "event", time: store.clock.now(),
                        limit: store.payloadLimit)))
        } catch {
            store.submit(.failure(error, nil))
        }
    }

    /// Begins an activity.
    ///
    /// - Parameter activity: What is being done; it goes with each of its events.
    /// - Returns: the scope, which must be kept until it is ended.
    public func beginScope(activity: String) -> EventScope {
        EventScope(activity: activity, recorder: recorder)
    }

    /// Stores an event of any kind, at once and whether scopes are open or not; it belongs to none of them.
    ///
    /// - Parameters:
    ///   - activity: What is being done.
    ///   - eventType: What happened; `read` and `write` are what scopes have.
    ///   - data: Any text.
    ///   - completion: Called when the event is in the store's files, or with the reason why it is not; as at
    ///     ``EventScope/commit(completion:)``.
    public func recordEvent(
        activity: String, eventType: String? = nil, data: String? = nil,
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        recorder.recordEvent(activity, eventType, data, completion)
    }
}

/// A log for scopes and custom events only.
public typealias AuditLog = EventLog<NoProperties>
