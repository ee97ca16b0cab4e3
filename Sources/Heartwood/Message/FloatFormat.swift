/// The format of a floating-point number in the text of a message; fields keep the number.
public struct FloatFormat: Sendable {
    @usableFromInline let code: ValueFormat

    /// This many digits after the decimal point (0 to 30), correctly rounded.
    public static func fixed(_ digits: Int) -> FloatFormat {
        FloatFormat(code: ValueFormat(.fixed, digits, 0))
    }
    /// One digit before the decimal point, this many after it (0 to 30), and an exponent.
    public static func scientific(_ digits: Int) -> FloatFormat {
        FloatFormat(code: ValueFormat(.scientific, digits, 0))
    }
}
