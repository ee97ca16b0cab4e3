/// The format of an integer in the text of a message; fields keep the number.
public struct IntegerFormat: Sendable {
    @usableFromInline let code: ValueFormat

    /// Decimal digits, padded on the left to `width` characters (at most 255) with `fill`, an ASCII
    /// character; any other is a blank.
    public static func padded(_ width: Int, with fill: Character = " ") -> IntegerFormat {
        IntegerFormat(code: ValueFormat(.padded, width, Int(fill.asciiValue ?? 32)))
    }
    /// Hexadecimal digits after `0x`, at least `digits` of them (at most 255).
    public static func hex(digits: Int = 1) -> IntegerFormat {
        IntegerFormat(code: ValueFormat(.hex, digits, 0))
    }
    /// Hexadecimal digits after `0x`.
    public static let hex = IntegerFormat.hex()
    /// Octal digits after `0o`.
    public static let octal = IntegerFormat(code: ValueFormat(.octal, 1, 0))
    /// Binary digits after `0b`, at least `digits` of them (at most 255).
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

/// The format of a date in the text of a message; fields keep the date.
public struct DateFormat: Sendable {
    @usableFromInline let code: ValueFormat

    /// `2026-11-20T10:20:30.123Z`, in UTC.
    ///
    /// This is the default.
    public static let iso8601 = DateFormat(code: ValueFormat(.iso8601, 3, 0))
    /// `2026-11-20`, in UTC.
    public static let isoDate = DateFormat(code: ValueFormat(.isoDate, 0, 0))
    /// `10:20:30.123`, in UTC.
    public static let isoTime = DateFormat(code: ValueFormat(.isoTime, 3, 0))
    /// Seconds since 1970, with three digits after the decimal point.
    public static let unixSeconds = DateFormat(code: ValueFormat(.unixSeconds, 3, 0))
    /// `2026-11-20 10:20:30 +0000`, as a `Date` is written in a `String`.
    public static let swift = DateFormat(code: ValueFormat(.swiftDate, 0, 0))
}

/// The privacy of a value in a message.
///
/// ```swift
/// logInfo("mail to \(email, privacy: .private), card \(number, privacy: .sensitive)")
/// ```
public enum LogPrivacy: UInt8, Sendable {
    /// All loggers write the value.
    ///
    /// This is the default.
    case `public` = 0
    /// Only loggers whose privacy is ``LogPrivacyPolicy/reveal`` write the value; others write `<private>`.
    case `private` = 1
    /// Like ``private``, but other loggers write a keyed hash, by which equal values can be recognized.
    case privateHashed = 2
    /// No logger writes the value, because the call replaces it and never copies it.
    case sensitive = 3
}
