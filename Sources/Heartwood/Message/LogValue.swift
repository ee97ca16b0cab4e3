#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value with its type.
///
/// Lists and objects may be nested ``maximumDepth`` deep. In what is logged, formatted, stored and sent, a
/// text replaces anything deeper, so a deeper value costs a call no more stack and no more time.
public enum LogValue: Sendable {
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
    /// A date of any year.
    ///
    /// One that has no day, as it is not a number, infinite or 146 billion years away, is `null` in JSON
    /// and `nan`, `inf` or `-inf` in text.
    case date(Date)
    /// A time stamp, to the nanosecond.
    case timestamp(LogTimestamp)
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

    /// How many lists and objects may be nested, 64; one that is nested deeper becomes the text
    /// `…[nested deeper than 64]`.
    public static let maximumDepth = 64
    /// The replacement of a list or an object that is nested too deep.
    package static let cutText: StaticString = "…[nested deeper than 64]"
    /// That as a value.
    package static var cut: LogValue { .string("\(cutText)") }

    /// Whether it has values inside.
    package var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}

extension LogValue: Hashable {
    /// Whether two values have the same type and content, at any depth.
    public static func == (left: LogValue, right: LogValue) -> Bool {
        // What is left to compare, so that the depth of the values is not that of the stack.
        var rest: [(LogValue, LogValue)] = []
        if !isEqual(left, right, &rest) { return false }
        while let (left, right) = rest.popLast() {
            if !isEqual(left, right, &rest) { return false }
        }
        return true
    }

    /// Compares two values but for what is inside of them, which goes to `rest`.
    private static func isEqual(
        _ left: LogValue, _ right: LogValue, _ rest: inout [(LogValue, LogValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        case (.unsigned(let left), .unsigned(let right)): return left == right
        case (.double(let left), .double(let right)): return left == right
        case (.date(let left), .date(let right)): return left == right
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.uuid(let left), .uuid(let right)): return left == right
        case (.string(let left), .string(let right)), (.decimal(let left), .decimal(let right)),
            (.json(let left), .json(let right)):
            return left == right
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            if !left.isSameStorage(as: right) { rest += zip(left, right) }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            if left.isSameStorage(as: right) { return true }
            for (left, right) in zip(left, right) {
                guard left.key == right.key else { return false }
                rest.append((left.value, right.value))
            }
            return true
        default: return false
        }
    }

    /// Adds the value to a hash; of a list or an object, what is not nested any deeper.
    public func hash(into hasher: inout Hasher) {
        switch self {
        // Equal ones can have different texts.
        case .double(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .array(let values):
            hasher.combine(values.count)
            for value in values where !value.isNested { value.hash(into: &hasher) }
        case .object(let fields):
            for (key, value) in fields {
                hasher.combine(key)
                if !value.isNested { value.hash(into: &hasher) }
            }
        default: hasher.combine(description)
        }
    }
}

extension LogValue {
    /// A copy in which `change` was applied to each value that contains no others, at any depth.
    ///
    /// What is nested too deep is cut. `member` returns what takes the place of a whole member of an object,
    /// or nil for its values to be changed one by one.
    package func mapped(
        depth: Int = 0, _ change: (LogValue) -> LogValue,
        member: (LogValue, String) -> LogValue? = { _, _ in nil }
    ) -> LogValue {
        guard isNested else { return change(self) }
        if depth == LogValue.maximumDepth { return .cut }
        var (values, fields) = ([LogValue](), LogMetadata())
        // Loops: closures would need more stack for each level.
        if case .object(let old) = self {
            for (key, value) in old {
                let new = member(value, key) ?? value.mapped(depth: depth + 1, change, member: member)
                fields.appendUnchecked(key, new)
            }
            return .object(fields)
        }
        if case .array(let old) = self {
            for value in old { values.append(value.mapped(depth: depth + 1, change, member: member)) }
        }
        return .array(values)
    }
}

extension Array {
    /// Whether both are copies that share their elements.
    func isSameStorage(as other: [Element]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
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

    /// Makes a date.
    public init(_ value: Date) { self = .date(value) }

    /// Makes a UUID.
    public init(_ value: UUID) { self = .uuid(value) }

    /// Makes a value of one whose type is known only while the program runs; nil for a type that is neither a
    /// string, a number, a Boolean, a date, a UUID nor a URL.
    package init?(scalar value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as any FixedWidthInteger: self.init(value)
        case let value as Double: self = .double(value)
        case let value as Float: self.init(value)
        case let value as Bool: self = .bool(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as Decimal: self = value.logValue
        case let value as URL: self.init(value)
        default: return nil
        }
    }

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
