public import Heartwood
import HeartwoodHTTP

/// An event of a scope, or a custom one.
///
/// It has exactly these fields: `_id`, `event`, `activity`, `timestamp`, `data`, and one per metadata key. What is not
/// there is null.
struct AuditRecord {
    var id: EventID
    var time: LogTimestamp
    var activity: String
    var event: String?
    var data: String?
    var metadata: EventMetadata

    var fields: LogMetadata {
        var fields: LogMetadata = [
            "_id": .string(id.description), "event": event.map { .string($0) } ?? .null,
            "activity": .string(activity), "timestamp": .event(time),
            "data": data.map { .string($0) } ?? .null,
        ]
        for (key, value) in metadata.fields { fields[key] = .string(value) }
        return fields
    }

    /// The record as it is stored.
    ///
    /// - Throws: `LogError` of code `.invalidEvent` when it is too large.
    func stored() throws -> StoredEvent {
        try StoredEvent(fields: fields, text: event.map { "\(activity): \($0)" } ?? activity, time: time)
    }
}

/// An event's bytes, ready for the store.
struct StoredEvent: Sendable {
    var payload: [UInt8]
    var time: LogTimestamp

    init(payload: [UInt8], time: LogTimestamp) {
        self.payload = payload
        self.time = time
    }

    init(fields: LogMetadata, text: String, time: LogTimestamp) throws {
        var entry = RemoteEntry()
        entry.time = time
        entry.levelName = LogLevel.info.name
        entry.severity = .info
        entry.category = LogCategory.events.name
        entry.text = text
        entry.metadata = fields
        payload = EntryCoder.encode(entry)
        self.time = time
        guard payload.count <= SpoolRecord.payloadLimit else {
            throw LogError(
                .invalidEvent, "an event of \(ByteCount(payload.count)) is too large: it may have 1 MiB")
        }
    }

    /// What was stored, for those who want to see it as a message.
    var entry: RemoteEntry? { EntryCoder.decode(payload, id: "") }
}

extension LogCategory {
    /// The category of events that go to loggers as messages.
    public static let events = LogCategory("events")
}
