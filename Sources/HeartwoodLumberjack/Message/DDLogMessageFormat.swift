public import Heartwood

/// The text of a message with its values: an interpolated literal in a call.
///
/// The values keep their types: Heartwood's formatters write them as typed fields, and CocoaLumberjack's see
/// the text. A text that was built elsewhere is logged as it is: `DDLogInfo(text)`. Heartwood's name for it
/// is `LogText`.
public struct DDLogMessageFormat: ExpressibleByStringInterpolation, Sendable {
    /// Literals are static strings, so no string is built.
    public typealias StringLiteralType = StaticString
    /// Literals are static strings, so no string is built.
    public typealias ExtendedGraphemeClusterLiteralType = StaticString
    /// Literals are static strings, so no string is built.
    public typealias UnicodeScalarLiteralType = StaticString

    @usableFromInline let text: LogText

    /// Makes a text from a literal without values.
    @inlinable
    public init(stringLiteral value: StaticString) { text = LogText(stringLiteral: value) }

    /// Makes a text from a string; nothing in it is a format.
    public init(stringLiteral value: String) { text = LogText(value) }

    /// Makes a text from a literal with values.
    @inlinable
    public init(stringInterpolation pieces: StringInterpolation) {
        text = LogText(stringInterpolation: pieces.pieces)
    }

    /// The text.
    @usableFromInline var formatted: String { LogMessage(text).text }

    /// Collects the pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var pieces: LogText.StringInterpolation

        /// Starts a literal.
        @inlinable
        public init(literalCapacity: Int, interpolationCount: Int) {
            pieces = LogText.StringInterpolation(
                literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        /// Appends a piece of the literal.
        @inlinable
        public mutating func appendLiteral(_ literal: StaticString) { pieces.appendLiteral(literal) }

        /// Appends a string.
        @inlinable
        public mutating func appendInterpolation(_ string: String) { pieces.appendInterpolation(string) }

        /// Appends a string.
        public mutating func appendInterpolation(_ string: some StringProtocol) {
            pieces.appendInterpolation(String(string))
        }

        /// Appends an integer.
        @inlinable
        public mutating func appendInterpolation(_ integer: some FixedWidthInteger) {
            pieces.appendInterpolation(integer)
        }

        /// Appends a floating-point number with six digits after the decimal point; fields keep all digits.
        @inlinable
        public mutating func appendInterpolation(_ double: Double) {
            pieces.appendInterpolation(double, format: .fixed(6))
        }

        /// Appends a floating-point number with six digits after the decimal point; fields keep all digits.
        @inlinable
        public mutating func appendInterpolation(_ float: Float) {
            pieces.appendInterpolation(float, format: .fixed(6))
        }

        /// Appends a Boolean as `1` or `0`; fields keep the Boolean.
        public mutating func appendInterpolation(_ bool: Bool) { pieces.append(digitOf: bool) }

        /// Appends a date as Swift writes it, `2026-11-20 10:20:30 +0000`; fields keep the date.
        public mutating func appendInterpolation(_ date: Date) {
            pieces.appendInterpolation(date, format: .swift)
        }

        /// Appends any value by its description; dates, UUIDs, URLs and decimal numbers keep their type.
        @_disfavoredOverload
        public mutating func appendInterpolation<T>(_ value: T) {
            if !appendTyped(value) { pieces.appendInterpolation(value) }
        }

        /// Appends `nil`, or the value of an optional as if it were none.
        public mutating func appendInterpolation<T>(_ value: T?) {
            guard let some = value, appendTyped(some) else { return pieces.appendInterpolation(value) }
        }

        /// Appends the value of an optional, or a default text.
        public mutating func appendInterpolation<T>(
            _ value: T?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { appendInterpolation(Optional(value)) } else { appendInterpolation(text()) }
        }

        /// Appends a value of a type that CocoaLumberjack writes otherwise than Heartwood.
        private mutating func appendTyped<T>(_ value: T) -> Bool {
            // Only where that is the type at compile time: what `Any` holds is described there, too.
            switch T.self {
            case is Bool.Type: (value as? Bool).map { appendInterpolation($0) }
            case is Double.Type: (value as? Double).map { appendInterpolation($0) }
            case is Float.Type: (value as? Float).map { appendInterpolation($0) }
            default:
                if case .bool(let bool)? = LogValue(numberObject: value) {
                    appendInterpolation(bool)
                } else if let date = value as? Date {
                    appendInterpolation(date)
                } else {
                    return false
                }
            }
            return true
        }
    }
}
