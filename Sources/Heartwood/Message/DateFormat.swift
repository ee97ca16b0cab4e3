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
