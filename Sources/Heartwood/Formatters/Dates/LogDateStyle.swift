/// A date format of other systems, which can be written and read.
///
/// ```swift
/// let text = LogDateStyle.rfc822.string(from: moment)  // Thu, 09 May 2002 15:21:00 GMT
/// let back = LogDateStyle.rfc822.timestamp(from: text)
/// ```
public enum LogDateStyle: Hashable, Sendable, CaseIterable {
    /// `Thu, 09 May 2002 15:21:00 GMT`, in GMT and whole seconds (RFC 822 with the four-digit years of RFC
    /// 1123).
    ///
    /// Read are also: without the weekday, with a wrong one, a day of one digit, without seconds, without a
    /// zone (then GMT), years of two digits (50 to 99 are 19xx), the zones `UT`, `Z`, `+0100`, `+01:00`,
    /// `EST` and the like, and the older forms of HTTP: `Thursday, 09-May-02 15:21:00 GMT` and
    /// `Thu May  9 15:21:00 2002`.
    case rfc822
    /// `2002-05-09T15:21:00Z`, in UTC and whole seconds (RFC 3339).
    ///
    /// Read are also: a fraction, a zone (`+01:00` or `+0100`), no zone at all (then UTC), small letters, and
    /// a blank in place of the T.
    case rfc3339
    /// `2002-05-09T15:21:00.000Z`, in UTC and milliseconds (ISO 8601).
    ///
    /// Read are also: the basic form `20020509T152100Z`, a date alone (then midnight), hours or minutes
    /// alone, a fraction of seconds after a point or comma, and a zone of hours alone.
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
        case .rfc822: RFC822Reader.read(text).flatMap { $0.time.checkedMoment(offset: $0.offset) }
        case .rfc3339: ISODateReader.timestamp(text, isStrict: true)
        case .iso8601: ISODateReader.timestamp(text, isStrict: false)
        }
    }
}

extension LogTimestamp: CustomStringConvertible {
    /// The time in UTC and milliseconds: `2002-05-09T15:21:00.000Z`.
    public var description: String { LogDateStyle.iso8601.string(from: self) }
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

/// Reads dates of ISO 8601, or of the part of it that RFC 3339 takes over.
private struct ISODateReader {
    private var scanner: DateScanner
    private let isStrict: Bool
    /// Whether the date had hyphens: date and time are written the same way.
    private var isExtended = true

    static func timestamp(_ text: String, isStrict: Bool) -> LogTimestamp? {
        var reader = ISODateReader(scanner: DateScanner(text.uppercased()), isStrict: isStrict)
        return reader.read()
    }

    private mutating func read() -> LogTimestamp? {
        guard var time = readDate() else { return nil }
        if scanner.isAtEnd { return isStrict ? nil : time.checkedMoment(offset: 0) }
        guard scanner.take("T") || scanner.take(" "),
            readTime(into: &time)
        else { return nil }
        guard let offset = readZone(), scanner.isAtEnd else { return nil }
        // 24:00 is the midnight at the end of the day.
        if !isStrict, time.hour == 24, time.minute == 0, time.second == 0, time.nanosecond == 0 {
            time.hour = 0
            return time.checkedMoment(offset: offset).map { $0 + .seconds(86_400) }
        }
        return time.checkedMoment(offset: offset)
    }

    private mutating func readDate() -> CivilTime? {
        guard let year = scanner.number(4) else { return nil }
        isExtended = scanner.take("-")
        if isStrict, !isExtended { return nil }
        guard scanner.digits == (isExtended ? 2 : 4), let month = scanner.number(2) else { return nil }
        if isExtended, !scanner.take("-") { return nil }
        guard scanner.digits >= 2, let day = scanner.number(2) else { return nil }
        let date = CivilTime(year: year, month: month, day: day)
        return date.isValid ? date : nil
    }

    private mutating func readTime(into time: inout CivilTime) -> Bool {
        guard let hour = scanner.number(2) else { return false }
        time.hour = hour
        let hasMinutes = isExtended ? scanner.take(":") : scanner.digits >= 2
        if !hasMinutes { return !isStrict }
        guard let minute = scanner.number(2) else { return false }
        time.minute = minute
        let hasSeconds = isExtended ? scanner.take(":") : scanner.digits >= 2
        if !hasSeconds { return !isStrict }
        guard let second = scanner.number(2) else { return false }
        time.second = second
        if scanner.take(".") || (!isStrict && scanner.take(",")) {
            guard let fraction = scanner.fraction() else { return false }
            time.nanosecond = fraction
        }
        return true
    }

    /// Seconds ahead of UTC; 0 where there is no zone.
    private mutating func readZone() -> Int? {
        if scanner.isAtEnd || scanner.take("Z") { return 0 }
        return scanner.offset(allowsHours: !isStrict)
    }
}

/// Reads `Thu, 09 May 2002 15:21:00 GMT` and what is near it, with the older forms that HTTP has: `Sunday,
/// 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
package enum RFC822Reader {
    private static let zones = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    /// The date, which need not exist, with its distance from UTC in seconds; nil for another text.
    package static func read(_ text: String) -> (time: CivilTime, offset: Int)? {
        var scanner = DateScanner(text)
        func skip() {
            scanner.skipBlanks()
            if scanner.take("-") { scanner.skipBlanks() }
        }
        scanner.skipBlanks()
        var isYearLast = false
        if scanner.digits == 0 {
            // A weekday, right or wrong, and its comma. Where the month is next, the year is last.
            guard scanner.takeWeekday() else { return nil }
            let hasComma = scanner.take(",")
            scanner.skipBlanks()
            isYearLast = !hasComma && scanner.digits == 0
        }
        var month = isYearLast ? scanner.month() : nil
        scanner.skipBlanks()
        guard let day = scanner.number(min(2, scanner.digits)) else { return nil }
        skip()
        if !isYearLast { month = scanner.month() }
        skip()
        var year = isYearLast ? nil : Self.year(&scanner)
        scanner.skipBlanks()
        guard let hour = scanner.number(min(2, scanner.digits)), scanner.take(":"),
            let minute = scanner.number(2)
        else { return nil }
        var second = 0
        if scanner.take(":") {
            guard let value = scanner.number(2) else { return nil }
            second = value
        }
        scanner.skipBlanks()
        if isYearLast { year = Self.year(&scanner) }
        guard let offset = isYearLast ? 0 : zone(&scanner), let month, let year else { return nil }
        scanner.skipBlanks()
        let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return scanner.isAtEnd ? (time, offset) : nil
    }

    private static func year(_ scanner: inout DateScanner) -> Int? {
        switch scanner.digits {
        case 4: scanner.number(4)
        case 2: scanner.number(2).map { $0 < 50 ? 2000 + $0 : 1900 + $0 }
        default: nil
        }
    }

    private static func zone(_ scanner: inout DateScanner) -> Int? {
        if scanner.isAtEnd { return 0 }
        if scanner.next == UInt8(ascii: "+") || scanner.next == UInt8(ascii: "-") { return scanner.offset() }
        return zones[scanner.word()].map { $0 * 3600 }
    }
}
