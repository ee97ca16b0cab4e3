// Options of a value in another order than that of the other forms, as people write them who come from elsewhere.

extension LogText.StringInterpolation {
    /// Adds a whole number with a format before its privacy.
    @inlinable
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ value: T, as name: StaticString? = nil, format: IntegerFormat, privacy: LogPrivacy
    ) {
        appendInterpolation(value, as: name, privacy: privacy, format: format)
    }

    /// Adds a floating-point number with a format before its privacy.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Double, as name: StaticString? = nil, format: FloatFormat, privacy: LogPrivacy
    ) {
        appendInterpolation(value, as: name, privacy: privacy, format: format)
    }

    /// Adds any value with a privacy before its name.
    ///
    /// It keeps its type where the type is known while the program runs.
    @_disfavoredOverload
    public mutating func appendInterpolation<T>(_ value: T, privacy: LogPrivacy, as name: StaticString) {
        appendInterpolation(value as Any, as: name, privacy: privacy)
    }

    /// Not available: formatters align columns, and `format: .padded(10)` a whole number.
    @available(*, unavailable, message: "align is not supported; use format: .padded(10) for an integer")
    @_disfavoredOverload
    public mutating func appendInterpolation<T>(_ value: T, align: LogAlignment) {}
}

/// The alignment of a value in other logging systems, which Heartwood's values do not have.
///
/// It is there for the compiler's message only.
public struct LogAlignment: Sendable {
    /// Not available.
    public static func left(columns: Int) -> LogAlignment { LogAlignment() }
    /// Not available.
    public static func right(columns: Int) -> LogAlignment { LogAlignment() }
}
