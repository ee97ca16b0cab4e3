#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import Heartwood

/// A message that was read from the database.
public struct LogRecord: Hashable, Sendable, Identifiable {
    /// The position of a message in the order of time.
    public struct Position: Hashable, Sendable {
        let timestamp: LogTimestamp
        let id: Int64
    }

    /// The number of the message in the database: later saves have higher numbers, and no number is used
    /// twice.
    public let id: Int64
    /// The time at which the message was logged.
    public let timestamp: LogTimestamp
    /// The level; a custom level has its name only in programs that declare it.
    public let level: LogLevel
    /// The name of the category.
    public let category: String
    /// The text.
    public let text: String
    /// The named values and the fields as a JSON object; nil if the message has none.
    public let metadataJSON: String?
    /// The `context` of the call; 0 unless the call set it.
    public let context: Int
    /// The location of the call: `Module/File.swift`.
    public let file: String
    /// The function of the call.
    public let function: String
    /// The line of the call.
    public let line: Int
    /// The kernel's number of the thread that logged the message.
    public let threadID: UInt64
    /// The name of that thread, if it had one.
    public let threadName: String?
    /// The label of the dispatch queue, if there was one.
    public let queueLabel: String?
    /// The name of the task, if it had one.
    public let taskName: String?
    /// The number of the message in its dispatcher.
    public let sequence: UInt64
    /// The number of the process that saved the message.
    public let processID: Int

    /// The position of the message, for the next page of a query: see ``LogQuery/after``.
    public var position: Position { Position(timestamp: timestamp, id: id) }

    /// The named values and the fields, in the order of their names.
    ///
    /// Numbers with a fraction or an exponent are doubles, other numbers integers; dates and UUIDs are text.
    public var metadata: LogMetadata { JSONFields.decode(metadataJSON) }

    static let columns = """
        id, time, level, category, message, metadata, context, file, function, line, thread, thread_name, \
        queue, task, sequence, process
        """

    init(_ row: SQLiteStatement) {
        id = row.integer(0)
        timestamp = LogTimestamp(nanoseconds: row.integer(1))
        level = LogLevel(index: Int(row.integer(2))) ?? .info
        category = row.text(3) ?? ""
        text = row.text(4) ?? ""
        metadataJSON = row.text(5)
        context = Int(row.integer(6))
        file = row.text(7) ?? ""
        function = row.text(8) ?? ""
        line = Int(row.integer(9))
        threadID = UInt64(bitPattern: row.integer(10))
        threadName = row.text(11)
        queueLabel = row.text(12)
        taskName = row.text(13)
        sequence = UInt64(bitPattern: row.integer(14))
        processID = Int(row.integer(15))
    }
}

/// Reads the JSON object that a message's fields were saved as.
enum JSONFields: Decodable {
    case value(LogValue)

    /// The fields, in the order of their names; none where the text is no object.
    static func decode(_ text: String?) -> LogMetadata {
        guard let text, let found = try? ValueDepth.decode(JSONFields.self, json: Array(text.utf8)),
            case .value(.object(let fields)) = found
        else { return [:] }
        return fields
    }

    init(from decoder: any Decoder) throws {
        self = .value(try JSONFields.read(decoder.singleValueContainer()))
    }

    private static func read(_ container: any SingleValueDecodingContainer) throws -> LogValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let list = try? container.decode([JSONFields].self) { return .array(list.map(\.content)) }
        let fields = try container.decode([String: JSONFields].self)
        return .object(LogMetadata(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.content) }))
    }

    private var content: LogValue {
        switch self {
        case .value(let value): value
        }
    }
}
