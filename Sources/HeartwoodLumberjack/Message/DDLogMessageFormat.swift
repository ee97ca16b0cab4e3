public import Heartwood

/// The text of a message with its values: an interpolated literal in a call.
///
/// The values keep their types: Heartwood's formatters write them as typed fields, and CocoaLumberjack's see the text. A
/// text that was built elsewhere is logged as it is: `DDLogInfo(text)`. Heartwood's name for it is `LogText`.
public struct DDLogMessageFormat: ExpressibleByStringInterpolation, Sendable {
    /// Literals are static: no string is made of them.
    public typealias StringLiteralType = StaticString
    /// Literals are static: no string is made of them.
    public typealias ExtendedGraphemeClusterLiteralType = StaticString
    /// Literals are static: no string is made of them.
    public typealias UnicodeScalarLiteralType = StaticString

    @usableFromInline let text: LogText

    /// Takes a literal without values.
    @inlinable
    public init(stringLiteral value: StaticString) { text = LogText(stringLiteral: value) }

    /// Takes a text that was built elsewhere; nothing in it is a format.
    public init(stringLiteral value: String) { text = LogText(value) }

    /// Takes a literal with values.
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

        /// Adds a part of the literal.
        @inlinable
        public mutating func appendLiteral(_ literal: StaticString) { pieces.appendLiteral(literal) }

        /// Adds a text.
        @inlinable
        public mutating func appendInterpolation(_ string: String) { pieces.appendInterpolation(string) }

        /// Adds a text.
        public mutating func appendInterpolation(_ string: some StringProtocol) {
            pieces.appendInterpolation(String(string))
        }

        /// Adds a whole number.
        @inlinable
        public mutating func appendInterpolation(_ integer: some FixedWidthInteger) {
            pieces.appendInterpolation(integer)
        }

        /// Adds a floating-point number.
        @inlinable
        public mutating func appendInterpolation(_ double: Double) { pieces.appendInterpolation(double) }

        /// Adds a floating-point number.
        @inlinable
        public mutating func appendInterpolation(_ float: Float) { pieces.appendInterpolation(float) }

        /// Adds `true` or `false`.
        @inlinable
        public mutating func appendInterpolation(_ bool: Bool) { pieces.appendInterpolation(bool) }

        /// Adds any value, as it describes itself; dates, UUIDs, URLs and decimal numbers keep their type.
        @_disfavoredOverload
        public mutating func appendInterpolation<T>(_ value: T) { pieces.appendInterpolation(value) }

        /// Adds the value of an optional, or `nil`.
        public mutating func appendInterpolation<T>(_ value: T?) { pieces.appendInterpolation(value) }

        /// Adds the value of an optional, or the text that is given for none.
        public mutating func appendInterpolation<T>(
            _ value: T?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { pieces.appendInterpolation(Optional(value)) } else { appendInterpolation(text()) }
        }
    }
}
