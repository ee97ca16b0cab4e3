/// A date format of other systems, which can be written and read.
///
/// ```swift
/// let text = LogDateStyle.rfc822.string(from: moment)  // Thu, 09 May 2002 15:21:00 GMT
/// let back = LogDateStyle.rfc822.timestamp(from: text)
/// ```
public enum LogDateStyle: Hashable, Sendable, CaseIterable {
    /// `Thu, 09 May 2002 15:21:00 GMT`, in GMT and whole seconds (RFC 822 with the four-digit years of RFC 1123).
    ///
    /// Read are also: without the weekday, with a wrong one, a day of one digit, without seconds, without a zone (then
    /// GMT), years of two digits (50 to 99 are 19xx), and the zones `UT`, `Z`, `+0100`, `EST` and the like.
    case rfc822
    /// `2002-05-09T15:21:00Z`, in UTC and whole seconds (RFC 3339).
    ///
    /// Read are also: a fraction, a zone (`+01:00` or `+0100`), no zone at all (then UTC), small letters, and a blank in
    /// place of the T.
    case rfc3339
    /// `2002-05-09T15:21:00.000Z`, in UTC and milliseconds (ISO 8601).
    ///
    /// Read are also: the basic form `20020509T152100Z`, a date alone (then midnight), hours or minutes alone, a fraction
    /// of seconds after a point or comma, a zone of hours alone, days of the year (`2002-129`), and weeks
    /// (`2002-W19-4`).
    case iso8601

    /// Formats a time stamp.
    public func string(from moment: LogTimestamp) -> String {
        var buffer = LogBuffer(capacity: 32)
        buffer.append(moment, style: self)
        return buffer.text
    }

    /// Parses a time stamp; nil if the text is not a date in this style, or out of range.
    public func timestamp(from text: String) -> LogTimestamp? {
        switch self {
        case .rfc822: RFC822Reader.timestamp(text)
        case .rfc3339: ISODateReader.timestamp(text, isStrict: true)
        case .iso8601: ISODateReader.timestamp(text, isStrict: false)
        }
    }
}

extension LogBuffer {
    /// Appends a time stamp in a date style.
    public mutating func append(_ moment: LogTimestamp, style: LogDateStyle) {
        let time = CivilTime(nanoseconds: moment.nanoseconds)
        switch style {
        case .iso8601: append(iso8601: moment)
        case .rfc3339:
            append(date: time)
            append(UInt8(ascii: "T"))
            append(seconds: time)
            append(UInt8(ascii: "Z"))
        case .rfc822:
            append(String(LogBuffer.weekdays[time.weekday].prefix(3)))
            append(", " as StaticString)
            appendDecimal(time.day, width: 2)
            append(UInt8(ascii: " "))
            append(String(LogBuffer.months[time.month - 1].prefix(3)))
            append(UInt8(ascii: " "))
            appendDecimal(time.year, width: 4)
            append(UInt8(ascii: " "))
            append(seconds: time)
            append(" GMT" as StaticString)
        }
    }
}
