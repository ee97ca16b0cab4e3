/// The format of an integer in the text of a message; fields keep the number.
public struct IntegerFormat: Sendable {
    @usableFromInline let code: ValueFormat

    /// Decimal digits, padded on the left with `fill` to `width` characters.
    public static func padded(_ width: Int, with fill: Character = " ") -> IntegerFormat {
        IntegerFormat(code: ValueFormat(.padded, width, Int(fill.asciiValue ?? 32)))
    }
    /// Hexadecimal digits after `0x`, at least `digits` of them.
    public static func hex(digits: Int = 1) -> IntegerFormat {
        IntegerFormat(code: ValueFormat(.hex, digits, 0))
    }
    /// Hexadecimal digits after `0x`.
    public static let hex = IntegerFormat.hex()
    /// Octal digits after `0o`.
    public static let octal = IntegerFormat(code: ValueFormat(.octal, 1, 0))
    /// Binary digits after `0b`, at least `digits` of them.
    public static func binary(digits: Int = 1) -> IntegerFormat {
        IntegerFormat(code: ValueFormat(.binary, digits, 0))
    }
    /// Binary digits after `0b`.
    public static let binary = IntegerFormat.binary()
    /// An amount of storage: `1.5 MiB`.
    public static let bytes = IntegerFormat(code: ValueFormat(.bytes, 0, 0))

    /// Not available: an integer has no digits after the decimal point.
    @available(
        *, unavailable,
        message: "fixed is for floating-point numbers; write \\(Double(value), format: .fixed(2))"
    )
    public static func fixed(_ digits: Int) -> IntegerFormat { padded(digits) }
}
