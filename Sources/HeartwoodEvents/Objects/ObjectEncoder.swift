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
        if let scalar = LogValue(scalar: value) { return scalar.inEvents }
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

    private static func link(_ object: some EventObject) throws -> LogValue { try value(of: object.id) }

    private static func fields(
        of value: some Encodable, depth: Int, _ links: LinkExpansion
    ) throws -> LogValue {
        guard depth < LogValue.deepestObject else { return .tooDeep }
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

/// Fills a slot.
struct SlotEncoder: Encoder, SingleValueEncodingContainer {
    let slot: Slot
    let depth: Int
    let links: LinkExpansion
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.becomeObject()
        return KeyedEncodingContainer(KeyedSlot<Key>(slot: slot, depth: depth, links: links))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.becomeArray()
        return UnkeyedSlot(slot: slot, depth: depth, links: links)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    mutating func encodeNil() { slot.set(.null) }

    mutating func encode(_ value: some Encodable) throws {
        slot.set(try ObjectEncoder.encode(value, depth: depth, links) ?? .null)
    }
}

private struct KeyedSlot<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let depth: Int
    let links: LinkExpansion
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) { slot.field(key.stringValue).set(.null) }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        let links = links.inside(key.stringValue)
        guard let value = try ObjectEncoder.encode(value, depth: depth + 1, links) else { return }
        slot.field(key.stringValue).set(value)
    }

    // What is nil is null, and not left out. The types that the protocol names have to be named here, too.

    private mutating func orNull(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        try orNull(value, key)
    }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try orNull(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try orNull(value, key) }

    mutating func nestedContainer<Nested>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key.stringValue).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key.stringValue).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested("super") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }

    private func nested(_ key: String) -> SlotEncoder {
        SlotEncoder(slot: slot.field(key), depth: depth + 1, links: links.inside(key))
    }
}

private struct UnkeyedSlot: UnkeyedEncodingContainer {
    let slot: Slot
    let depth: Int
    let links: LinkExpansion
    var codingPath: [any CodingKey] { [] }
    var count: Int { slot.count }

    mutating func encodeNil() { slot.append().set(.null) }

    mutating func encode(_ value: some Encodable) throws {
        guard let value = try ObjectEncoder.encode(value, depth: depth + 1, links) else { return }
        slot.append().set(value)
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nested() }

    private func nested() -> SlotEncoder { SlotEncoder(slot: slot.append(), depth: depth + 1, links: links) }
}
