import Heartwood

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the JSON object that a message's fields were saved as.
enum JSONFields: Decodable {
    case value(LogValue)

    /// The fields, in the order of their names; none where the text is no object.
    static func decode(_ text: String?) -> LogMetadata {
        guard let text, let found = try? JSONDecoder().decode(JSONFields.self, from: Data(text.utf8)),
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
