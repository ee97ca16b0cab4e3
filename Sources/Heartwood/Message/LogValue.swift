#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value with its type.
public enum LogValue: Hashable, Sendable {
    /// Null: an optional without a value.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A signed integer.
    case integer(Int64)
    /// An unsigned integer, which can be greater than `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number; it can be infinite or not a number, which JSON cannot represent.
    case double(Double)
    /// A string.
    case string(String)
    /// A time.
    case date(LogTimestamp)
    /// A UUID.
    case uuid(UUID)
    /// A decimal number, as its digits.
    case decimal(String)
    /// A piece of valid JSON.
    case json(String)
    /// A list.
    case array([LogValue])
    /// An object: named values.
    case object(LogMetadata)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral,
    ExpressibleByStringInterpolation
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes null.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a list.
    public init(arrayLiteral elements: LogValue...) { self = .array(elements) }
    /// Makes an object; if a key is repeated, the last value is kept.
    public init(dictionaryLiteral elements: (String, LogValue)...) { self = .object(LogMetadata(elements)) }
}

extension LogValue {
    /// Makes a string.
    public init(_ value: some StringProtocol) { self = .string(String(value)) }

    /// Makes an integer of any width.
    public init(_ value: some BinaryInteger) {
        if let signed = Int64(exactly: value) {
            self = .integer(signed)
        } else if let unsigned = UInt64(exactly: value) {
            self = .unsigned(unsigned)
        } else {
            self = .decimal(String(value))
        }
    }

    /// Makes a floating-point number.
    public init(_ value: Double) { self = .double(value) }

    /// Makes a floating-point number that keeps the shortest decimal form.
    public init(_ value: Float) { self = .double(Double(value.description) ?? Double(value)) }

    /// Makes a Boolean.
    public init(_ value: Bool) { self = .bool(value) }

    /// Makes a time from a date.
    public init(_ value: Date) { self = .date(LogTimestamp(value)) }

    /// Makes a UUID.
    public init(_ value: UUID) { self = .uuid(value) }

    /// Makes a string from a URL.
    public init(_ value: URL) { self = .string(value.absoluteString) }
}

extension LogValue: CustomStringConvertible {
    /// The value in a form for people.
    public var description: String {
        var buffer = LogBuffer()
        buffer.append(value: self)
        return buffer.text
    }
}
