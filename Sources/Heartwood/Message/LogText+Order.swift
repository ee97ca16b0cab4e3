// Options in the order that other logging systems use.

extension LogText.StringInterpolation {
    /// Adds an integer, with its format before its privacy.
    ///
    /// - Parameters:
    ///   - value: The integer.
    ///   - name: The name of the field in structured formats, as JSON; nil unless given. It must be a
    ///     literal.
    ///   - format: How it is written as text.
    ///   - privacy: Who may see the value.
    @inlinable
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ value: T, as name: StaticString? = nil, format: IntegerFormat, privacy: LogPrivacy
    ) {
        appendInterpolation(value, as: name, privacy: privacy, format: format)
    }

    /// Adds a floating-point number, with its format before its privacy.
    ///
    /// - Parameters:
    ///   - value: The number.
    ///   - name: The name of the field in structured formats, as JSON; nil unless given. It must be a
    ///     literal.
    ///   - format: How it is written as text.
    ///   - privacy: Who may see the value.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Double, as name: StaticString? = nil, format: FloatFormat, privacy: LogPrivacy
    ) {
        appendInterpolation(value, as: name, privacy: privacy, format: format)
    }

    /// Adds any value, with its privacy before its name.
    ///
    /// The value keeps its type if it is one of the known types, such as an integer, a string or a date.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - privacy: Who may see the value.
    ///   - name: The name of the field in structured formats, as JSON. It must be a literal.
    @_disfavoredOverload
    public mutating func appendInterpolation<T>(_ value: T, privacy: LogPrivacy, as name: StaticString) {
        appendInterpolation(value as Any, as: name, privacy: privacy)
    }

    /// Not available: formatters align columns, and `format: .padded(10)` pads an integer.
    @available(*, unavailable, message: "align is not supported; use format: .padded(10) for an integer")
    @_disfavoredOverload
    public mutating func appendInterpolation<T>(_ value: T, align: LogAlignment) {}
}
