import Heartwood
import HeartwoodHTTP

/// An event's bytes, ready for the store.
struct StoredEvent: Sendable {
    var payload: [UInt8]
    var time: LogTimestamp

    init(payload: [UInt8], time: LogTimestamp) {
        self.payload = payload
        self.time = time
    }

    /// Takes an event's fields.
    ///
    /// - Throws: `LogError` of code `.invalidEvent` when it is larger than `limit`.
    init(fields: LogMetadata, text: String, time: LogTimestamp, limit: ByteCount) throws {
        var entry = RemoteEntry()
        entry.time = time
        entry.levelName = LogLevel.info.name
        entry.severity = .info
        entry.category = LogCategory.events.name
        entry.text = text
        entry.metadata = fields
        payload = EntryCoder.encode(entry)
        self.time = time
        guard payload.count <= limit.bytes else { throw Self.tooLarge(payload.count, limit) }
    }

    static func tooLarge(_ size: Int, _ limit: ByteCount) -> LogError {
        LogError(
            .invalidEvent,
            "an event of \(ByteCount(size)) is too large: the store's payloadLimit is \(limit)")
    }

    /// What was stored, for those who want to see it as a message.
    var entry: RemoteEntry? { EntryCoder.decode(payload, id: "") }
}
