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
/// Everything goes to the store, which keeps it until a server has it. Several logs may share a store, each
/// with properties, metadata and scopes of its own. All members may be used from any thread, and never wait
/// for the disk or the network, except where they say so.
public final class EventLog<Property: RawRepresentable & Sendable>: Sendable
where Property.RawValue == String {
    /// Where the events go.
    package var store: EventStore { recorder.store }
    private let recorder: EventRecorder

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - store: Where the events go.
    ///   - metadata: Fields that go with every event of scopes and every custom event.
    /// - Throws: `LogError` of code `.invalidName` when a key has not 1 to 63 characters, is one of `_id`,
    ///   `timestamp`, `activity`, `event`, `data`, `part`, `of` and `first`, or is there twice.
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
    /// As ``append(_:completion:)``, without a completion.
    public func append(_ fill: (inout EventRecord<Property>) throws -> Void) rethrows {
        append(try EventRecord(fill))
    }

    /// Stores an event.
    ///
    /// Returns at once, unless as much waits for the disk as `store.uploader.backlogLimit` says, 16 MiB by
    /// default. Then it waits until there is room, as long as the store makes progress. After 10 s without
    /// any, or what `store.uploader.overflowPolicy` says, the event is dropped, counted in
    /// `store.uploader.statistics`, and reported. An event larger than the store's `payloadLimit` is not
    /// stored, and reported likewise. In the hooks of a logger it does not wait.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completion: Called when the event is in the store's files, or with the reason why it is not; as at
    ///     ``EventScope/commit(completion:)``. Without one, which is the default, events are written in
    ///     batches, and such a reason goes to the store's error handler.
    public func append(_ event: EventRecord<Property>, completion: (@Sendable ((any Error)?) -> Void)? = nil)
    {
        do {
            let event = try StoredEvent(
                fields: event.fields, text: "event", time: store.clock.now(), limit: store.payloadLimit)
            guard completion != nil else { return store.submit(.event(event)) }
            let batch = EventBatch(directory: store.path)
            try batch.add(event)
            store.submit(.batch(batch, completion))
        } catch {
            store.submit(.failure(error, completion))
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

/// The properties of a log that has none: for those who record scopes and custom events only.
public enum NoProperties: RawRepresentable, Sendable {
    /// Always nil: there are no properties.
    public init?(rawValue: String) { nil }
    /// Never asked for.
    public var rawValue: String { switch self {} }
}
