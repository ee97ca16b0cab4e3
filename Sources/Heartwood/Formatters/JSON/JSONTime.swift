/// The format of times in JSON objects.
public enum JSONTime: Hashable, Sendable {
    /// `"2026-11-20T10:20:30.123456789Z"`.
    case rfc3339
    /// `"2026-11-20T10:20:30.123Z"`.
    case milliseconds
    /// A number of seconds since 1970 with nine digits after the decimal point.
    case unixSeconds
    /// An integer: milliseconds since 1970.
    case unixMilliseconds
}
