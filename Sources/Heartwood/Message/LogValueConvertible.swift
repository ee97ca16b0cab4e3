#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that can be a field: what a plain variable must be to be in a literal of ``LogMetadata``.
///
/// Strings, numbers, truth values, dates, UUIDs and URLs are, and optionals, arrays and dictionaries of
/// these. Your own type becomes one with a property:
///
/// ```swift
/// extension Money: LogValueConvertible {
///     var logValue: LogValue { ["amount": .decimal(amount), "currency": .string(currency)] }
/// }
/// ```
///
/// The property is read on the caller's thread, and only if a logger wants the message.
public protocol LogValueConvertible {
    /// The value as a field keeps it.
    var logValue: LogValue { get }
}

extension LogValue: LogValueConvertible {
    /// The value itself.
    public var logValue: LogValue { self }
}

extension LogMetadata: LogValueConvertible {
    /// The fields as one value.
    public var logValue: LogValue { .object(self) }
}

extension String: LogValueConvertible {
    /// The text.
    public var logValue: LogValue { .string(self) }
}

extension Substring: LogValueConvertible {
    /// The text.
    public var logValue: LogValue { .string(String(self)) }
}

extension Character: LogValueConvertible {
    /// The text.
    public var logValue: LogValue { .string(String(self)) }
}

extension Bool: LogValueConvertible {
    /// True or false.
    public var logValue: LogValue { .bool(self) }
}

extension Double: LogValueConvertible {
    /// The number.
    public var logValue: LogValue { .double(self) }
}

extension Float: LogValueConvertible {
    /// The number in its shortest decimal form.
    public var logValue: LogValue { LogValue(self) }
}

extension LogValueConvertible where Self: FixedWidthInteger {
    /// The number.
    public var logValue: LogValue { LogValue(self) }
}
extension Int: LogValueConvertible {}
extension Int8: LogValueConvertible {}
extension Int16: LogValueConvertible {}
extension Int32: LogValueConvertible {}
extension Int64: LogValueConvertible {}
extension UInt: LogValueConvertible {}
extension UInt8: LogValueConvertible {}
extension UInt16: LogValueConvertible {}
extension UInt32: LogValueConvertible {}
extension UInt64: LogValueConvertible {}
extension Int128: LogValueConvertible {}
extension UInt128: LogValueConvertible {}

extension Date: LogValueConvertible {
    /// The moment.
    public var logValue: LogValue { LogValue(self) }
}

extension UUID: LogValueConvertible {
    /// The UUID.
    public var logValue: LogValue { .uuid(self) }
}

extension Decimal: LogValueConvertible {
    /// The number, in its digits; as a floating-point number if it is not a number.
    public var logValue: LogValue { isNaN ? .double(.nan) : .decimal(description) }
}

extension URL: LogValueConvertible {
    /// The URL as text.
    public var logValue: LogValue { LogValue(self) }
}

extension Optional: LogValueConvertible where Wrapped: LogValueConvertible {
    /// The value, or null.
    public var logValue: LogValue { self?.logValue ?? .null }
}

extension Array: LogValueConvertible where Element: LogValueConvertible {
    /// The list.
    public var logValue: LogValue { .array(map(\.logValue)) }
}

extension Dictionary: LogValueConvertible where Key == String, Value: LogValueConvertible {
    /// The named values, in the order of their names.
    public var logValue: LogValue {
        .object(LogMetadata(sorted { $0.key < $1.key }.map { ($0.key, $0.value.logValue) }))
    }
}

// What makes `.string(name)` and the like work beside plain variables; where a `LogValue` is asked for, its
// own cases are meant.
extension LogValueConvertible where Self == LogValue {
    /// Nothing.
    @_disfavoredOverload public static var null: LogValue { LogValue.null }
    /// True or false.
    @_disfavoredOverload public static func bool(_ value: Bool) -> LogValue { LogValue.bool(value) }
    /// A whole number with a sign.
    @_disfavoredOverload public static func integer(_ value: Int64) -> LogValue { LogValue.integer(value) }
    /// A whole number that may be above `Int64.max`.
    @_disfavoredOverload public static func unsigned(_ value: UInt64) -> LogValue { LogValue.unsigned(value) }
    /// A floating-point number.
    @_disfavoredOverload public static func double(_ value: Double) -> LogValue { LogValue.double(value) }
    /// Text.
    @_disfavoredOverload public static func string(_ value: String) -> LogValue { LogValue.string(value) }
    /// A date of any year.
    @_disfavoredOverload public static func date(_ value: Date) -> LogValue { LogValue.date(value) }
    /// A time stamp, to the nanosecond.
    @_disfavoredOverload public static func timestamp(_ value: LogTimestamp) -> LogValue {
        LogValue.timestamp(value)
    }
    /// A UUID.
    @_disfavoredOverload public static func uuid(_ value: UUID) -> LogValue { LogValue.uuid(value) }
    /// A decimal number, in its digits.
    @_disfavoredOverload public static func decimal(_ value: String) -> LogValue { LogValue.decimal(value) }
    /// A piece of valid JSON.
    @_disfavoredOverload public static func json(_ value: String) -> LogValue { LogValue.json(value) }
    /// A list.
    @_disfavoredOverload public static func array(_ value: [LogValue]) -> LogValue { LogValue.array(value) }
    /// Named values.
    @_disfavoredOverload public static func object(_ value: LogMetadata) -> LogValue {
        LogValue.object(value)
    }
    /// An error as named values: `type`, `message`, `domain`, `code` and `underlying`.
    @_disfavoredOverload public static func error(_ value: any Error) -> LogValue { LogValue(error: value) }
}
