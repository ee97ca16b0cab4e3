#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Heartwood

// Every member below gives the value as it is stored; ``EventValue`` has the table.

extension EventValue where Self: BinaryInteger {
    /// A JSON number, with all its digits.
    public var eventValue: StoredEventValue { StoredEventValue(LogValue(self)) }
}
extension Int: EventValue {}
extension Int8: EventValue {}
extension Int16: EventValue {}
extension Int32: EventValue {}
extension Int64: EventValue {}
extension Int128: EventValue {}
extension UInt: EventValue {}
extension UInt8: EventValue {}
extension UInt16: EventValue {}
extension UInt32: EventValue {}
extension UInt64: EventValue {}
extension UInt128: EventValue {}

extension Bool: EventValue {
    /// `true` or `false`.
    public var eventValue: StoredEventValue { StoredEventValue(.bool(self)) }
}

extension String: EventValue {
    /// A JSON string.
    public var eventValue: StoredEventValue { StoredEventValue(.string(self)) }
}

extension Double: EventValue {
    /// A JSON number, or a string for infinity and NaN.
    public var eventValue: StoredEventValue { StoredEventValue(.event(self)) }
}

extension Float: EventValue {
    /// A JSON number in the fewest digits that say it, or a string for infinity and NaN.
    public var eventValue: StoredEventValue { StoredEventValue(.event(self)) }
}

extension Date: EventValue {
    /// A string in UTC, with milliseconds.
    public var eventValue: StoredEventValue { StoredEventValue(.event(self)) }
}

extension UUID: EventValue {
    /// A string in lower case.
    public var eventValue: StoredEventValue { StoredEventValue(.event(self)) }
}

extension Decimal: EventValue {
    /// A string.
    public var eventValue: StoredEventValue { StoredEventValue(.event(self)) }
}

extension Optional: EventValue where Wrapped: EventValue {
    /// The value, or null.
    public var eventValue: StoredEventValue { self?.eventValue ?? StoredEventValue(.null) }
}

extension Array: EventValue where Element: EventValue {
    /// A JSON array.
    public var eventValue: StoredEventValue {
        let values = map(\.eventValue)
        return StoredEventValue(.array(values.map(\.value)), depth: 1 + (values.map(\.depth).max() ?? 0))
    }
}

extension Dictionary: EventValue where Key == String, Value: EventValue {
    /// A JSON object, its keys sorted.
    public var eventValue: StoredEventValue {
        let fields = sorted { $0.key < $1.key }.map { ($0.key, $0.value.eventValue) }
        return StoredEventValue(
            .object(LogMetadata(fields.map { ($0.0, $0.1.value) })),
            depth: 1 + (fields.map(\.1.depth).max() ?? 0))
    }
}
