public import Heartwood
import HeartwoodHTTP

/// An event of a scope, or a custom one.
///
/// It has exactly these fields: `_id`, `event`, `activity`, `timestamp`, `data`, and one per metadata key.
/// What is not there is null. One of several that a large read or transaction was divided into has `part`,
/// `of` and `first` too.
struct AuditRecord {
    /// Which part of a divided event it is.
    struct Part {
        /// From 1 on.
        let number: Int
        /// How many there are.
        let count: Int
        /// The key of the first part.
        let first: EventID
    }

    var id: EventID
    var time: LogTimestamp
    var activity: String
    var event: String?
    var data: String?
    var metadata: EventMetadata
    var part: Part?

    var fields: LogMetadata {
        var fields: LogMetadata = [
            "_id": id.description, "event": event, "activity": activity, "timestamp": time.description,
            "data": data,
        ]
        if let part {
            fields["part"] = LogValue(part.number)
            fields["of"] = LogValue(part.count)
            fields["first"] = .string(part.first.description)
        }
        for (key, value) in metadata.fields { fields[key] = .string(value) }
        return fields
    }

    /// The record as it is stored.
    ///
    /// - Throws: `LogError` of code `.invalidEvent` when its data is larger than `limit`.
    func stored(limit: ByteCount) throws -> StoredEvent {
        if let data, data.utf8.count > limit.bytes { throw StoredEvent.tooLarge(data.utf8.count, limit) }
        return try StoredEvent(
            fields: fields, text: event.map { "\(activity): \($0)" } ?? activity, time: time,
            limit: ByteCount(SpoolRecord.largestPayload))
    }
}

extension LogCategory {
    /// The category of events that go to loggers as messages.
    public static let events = LogCategory("events")
}
