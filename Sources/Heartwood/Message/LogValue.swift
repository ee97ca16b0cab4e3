#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that kept its type on its way to a formatter.
public enum LogValue: Hashable, Sendable {
    /// Nothing: an optional without a value.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number with a sign.
    case integer(Int64)
    /// A whole number that may be above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number; it may be infinite or not a number, which JSON cannot say.
    case double(Double)
    /// Text.
    case string(String)
    /// A moment.
    case date(LogTimestamp)
    /// A UUID.
    case uuid(UUID)
    /// A decimal number, in its digits.
    case decimal(String)
    /// A piece of valid JSON.
    case json(String)
    /// A list.
    case array([LogValue])
    /// Named values.
    case object(LogMetadata)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral,
    ExpressibleByStringInterpolation
{
    /// Makes text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a null.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a list.
    public init(arrayLiteral elements: LogValue...) { self = .array(elements) }
    /// Makes named values; a key that comes again replaces the earlier one.
    public init(dictionaryLiteral elements: (String, LogValue)...) { self = .object(LogMetadata(elements)) }
}

extension LogValue {
    /// Takes text.
    public init(_ value: some StringProtocol) { self = .string(String(value)) }

    /// Takes a whole number of any width.
    public init(_ value: some BinaryInteger) {
        if let signed = Int64(exactly: value) {
            self = .integer(signed)
        } else if let unsigned = UInt64(exactly: value) {
            self = .unsigned(unsigned)
        } else {
            self = .decimal(String(value))
        }
    }

    /// Takes a floating-point number.
    public init(_ value: Double) { self = .double(value) }

    /// Takes a floating-point number; its shortest decimal form is kept.
    public init(_ value: Float) { self = .double(Double(value.description) ?? Double(value)) }

    /// Takes a truth value.
    public init(_ value: Bool) { self = .bool(value) }

    /// Takes a date.
    public init(_ value: Date) { self = .date(LogTimestamp(value)) }

    /// Takes a UUID.
    public init(_ value: UUID) { self = .uuid(value) }

    /// Takes a URL, as text.
    public init(_ value: URL) { self = .string(value.absoluteString) }
}

extension LogValue: CustomStringConvertible {
    /// The value for a person.
    public var description: String {
        var buffer = LogBuffer()
        buffer.append(value: self)
        return buffer.text
    }
}
