#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Describes and encodes values of any type, but none that is nested deeper than `LogValue.maximumDepth`:
/// Swift prints and encodes level by level on the stack of the thread, which a longer chain would overflow.
///
/// What a type prints of itself, by a `description` of its own, is that type's.
package enum ValueDepth {
    /// How many values there may be in one that is printed: a tree of references can have any number.
    private static let mostParts = 100_000

    /// What `String(describing:)` writes; for a value that is nested too deep or too large, or has a date in
    /// it that is not a number, its type and that it is.
    package static func description(of value: Any) -> String {
        if let excess = excess(of: value) { return "\(type(of: value))\(excess)" }
        return String(describing: value)
    }

    /// The value as JSON; nil for one that cannot be encoded, or is nested too deep.
    static func json(of value: Any) -> Data? {
        guard let value = value as? any Encodable else { return nil }
        do {
            try EncodingProbe(depth: 0).encode(value)
            return try JSONEncoder().encode(value)
        } catch {
            return nil
        }
    }

    /// Decodes JSON that others have written, or may have changed.
    ///
    /// - Throws: what `JSONDecoder` throws, also for JSON that is nested twice as deep as a value may be: a
    ///   field has objects around it.
    package static func decode<Value: Decodable>(_ type: Value.Type, json: [UInt8]) throws -> Value {
        let depth = depth(of: json)
        if depth <= shallow { return try JSONDecoder().decode(type, from: Data(json)) }
        guard depth <= 2 * LogValue.maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "nested too deep"))
        }
        return try DetachedThread.onLargeStack {
            Result { try JSONDecoder().decode(type, from: Data(json)) }
        }.get()
    }

    /// How deep Foundation's decoder may recurse on any stack.
    private static let shallow = 16

    /// How deep JSON is nested, at most.
    private static func depth(of json: [UInt8]) -> Int {
        var (depth, most) = (0, 0)
        var (isInText, isEscaped) = (false, false)
        for byte in json {
            if isEscaped {
                isEscaped = false
            } else if isInText {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                most = max(most, depth)
            }
        }
        return most
    }

    /// What is to be said of a value that is nested too deep, or too large, to be printed, or that must not
    /// be; nil for others.
    private static func excess(of value: Any) -> StaticString? {
        var count = 0
        /// What is left of each value that the one at hand is inside of.
        var levels: [AnyIterator<Any>] = []
        var next: Any? = value
        while let value = next {
            if let date = value as? Date, date.timeIntervalSinceReferenceDate.isNaN {
                // Foundation's description of such a date ends the process.
                return "…[a date that is not a number]"
            }
            if let parts = parts(of: value) {
                if levels.count == LogValue.maximumDepth { return LogValue.cutText }
                levels.append(parts)
                count += 1
                if count > mostParts { return "…[more than 100000 values]" }
            }
            next = nil
            while let level = levels.last {
                next = level.next()
                if next != nil { break }
                levels.removeLast()
            }
        }
        return nil
    }

    /// The values that are printed when this one is; nil for one that is printed as a whole.
    private static func parts(of value: Any) -> AnyIterator<Any>? {
        if value is any LosslessStringConvertible { return nil }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .tuple: break
        case .collection, .set, .dictionary:
            guard let values = value as? any Collection, hasParts(values) else { return nil }
        case .struct, .enum:
            let isCustom =
                value is any CustomStringConvertible || value is any CustomDebugStringConvertible
                || value is any TextOutputStreamable
            if isCustom { return nil }
        default: return nil
        }
        return AnyIterator(mirror.children.lazy.map(\.value).makeIterator())
    }

    private static func hasParts<Values: Collection>(_ values: Values) -> Bool {
        !(Values.Element.self is any LosslessStringConvertible.Type)
    }
}

/// Goes through all that a value encodes, and throws where that is nested too deep.
private struct EncodingProbe: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
    struct TooDeep: Error {}

    let depth: Int
    var count: Int { 0 }
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func encode(_ value: some Encodable) throws {
        // The encoder for JSON does not ask these.
        let isWhole =
            value is any LosslessStringConvertible || value is Date || value is Data || value is URL
            || value is Decimal
        if isWhole { return }
        guard depth < LogValue.maximumDepth else { throw TooDeep() }
        try value.encode(to: EncodingProbe(depth: depth + 1))
    }

    func encodeNil() {}
    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(probe: self))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func nestedContainer<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let probe: EncodingProbe
        var codingPath: [any CodingKey] { [] }

        func encode(_ value: some Encodable, forKey key: Key) throws { try probe.encode(value) }
        func encodeNil(forKey key: Key) {}
        func nestedContainer<Inner>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> { probe.container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { probe }
        func superEncoder() -> any Encoder { probe }
        func superEncoder(forKey key: Key) -> any Encoder { probe }
    }
}
