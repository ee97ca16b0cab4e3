#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood

/// Makes of what an `Encodable` encodes the value that events have, by the table of ``EventObject``.
enum ObjectEncoder {
    /// An object's fields, or what it says itself.
    static func object(_ object: some EventObject, _ links: LinkExpansion = .none) throws -> LogValue {
        if let custom = object as? any CustomEventRepresentable { return try representation(custom) }
        return try fields(of: object, depth: 0, links)
    }

    /// Any value; null for one that has no JSON form.
    static func value(of value: some Encodable) throws -> LogValue {
        try encode(value, depth: 0, .none) ?? .null
    }

    /// Nil for what is left out.
    static func encode(_ value: some Encodable, depth: Int, _ links: LinkExpansion) throws -> LogValue? {
        if let scalar = scalar(value) { return scalar }
        if value is Data { return nil }
        if let custom = value as? any CustomEventRepresentable { return try representation(custom) }
        if let object = value as? any EventObject, !links.isExpanded { return try link(object) }
        let fields = try fields(of: value, depth: depth, links)
        switch fields {
        case .object(let content) where value is any StringKeyed:
            return .object(LogMetadata(content.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        case .array(let members) where value is any Unordered:
            let sorted = members.map { ($0.eventJSON, $0) }.sorted { $0.0 < $1.0 }
            return .array(sorted.map(\.1))
        default: return fields
        }
    }

    private static func scalar(_ value: some Encodable) -> LogValue? {
        switch value {
        case let value as String: .string(value)
        case let value as Int: .integer(Int64(value))
        case let value as Bool: .bool(value)
        case let value as Double: .event(value)
        case let value as Date: .event(value)
        case let value as UUID: .event(value)
        case let value as Decimal: .event(value)
        case let value as Float: .event(value)
        case let value as URL: .string(value.absoluteString)
        case let value as any BinaryInteger: LogValue(value)
        default: nil
        }
    }

    private static func link(_ object: some EventObject) throws -> LogValue { try value(of: object.id) }

    private static func fields(
        of value: some Encodable, depth: Int, _ links: LinkExpansion
    ) throws -> LogValue {
        guard depth < StoredEventValue.maximumDepth else { return .tooDeep }
        let slot = Slot()
        try value.encode(to: SlotEncoder(slot: slot, depth: depth, links: links))
        return slot.value
    }

    private static func representation(_ custom: any CustomEventRepresentable) throws -> LogValue {
        let text = try custom.customEventRepresentation()
        var buffer = LogBuffer(capacity: text.utf8.count)
        guard buffer.append(validJSON: text) else {
            throw LogError(
                .invalidEvent,
                "the representation of \(type(of: custom)) is not valid JSON: \(text.prefix(80))")
        }
        return .json(buffer.text)
    }
}

/// A dictionary whose keys become those of an object: they come in no order.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

/// A collection whose members come in no order.
private protocol Unordered {}
extension Set: Unordered {}
