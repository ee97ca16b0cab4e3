import Heartwood

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
