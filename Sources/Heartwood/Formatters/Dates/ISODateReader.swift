/// Reads dates of ISO 8601, or of the part of it that RFC 3339 takes over.
struct ISODateReader {
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
        // A year alone is followed by a hyphen, or by a week.
        let digits = scanner.digits
        guard digits >= 4, let year = scanner.number(4) else { return nil }
        isExtended = scanner.take("-")
        if isStrict, !isExtended { return nil }
        if !isStrict, scanner.take("W") { return readWeek(of: year) }
        let rest = scanner.digits
        if !isStrict, rest == 3, let day = scanner.number(3) { return ordinal(year, day) }
        guard isExtended ? rest == 2 : rest == 4, let month = scanner.number(2) else { return nil }
        if isExtended, !scanner.take("-") { return nil }
        guard scanner.digits >= 2, let day = scanner.number(2) else { return nil }
        let date = CivilTime(year: year, month: month, day: day)
        return date.isValid ? date : nil
    }

    private func ordinal(_ year: Int, _ day: Int) -> CivilTime? {
        let first = CivilTime(year: year, month: 1, day: 1)
        guard first.isValid, day >= 1 else { return nil }
        let date = CivilTime(seconds: Int64(CivilTime.days(year, 1, 1) + day - 1) * 86_400, nanosecond: 0)
        return date.year == year ? date : nil
    }

    private mutating func readWeek(of year: Int) -> CivilTime? {
        guard let week = scanner.number(2), (1...53).contains(week) else { return nil }
        var weekday = 1
        if isExtended ? scanner.take("-") : scanner.digits == 1 {
            guard let value = scanner.number(1), (1...7).contains(value) else { return nil }
            weekday = value
        }
        guard CivilTime(year: year, month: 1, day: 4).isValid else { return nil }
        // The fourth of January is always in the first week, which begins on a Monday.
        let fourth = CivilTime.days(year, 1, 4)
        let monday = fourth - (CivilTime(year: year, month: 1, day: 4).weekday + 6) % 7
        let date = CivilTime(
            seconds: Int64(monday + (week - 1) * 7 + weekday - 1) * 86_400, nanosecond: 0)
        // A year without a 53rd week: its Thursday would be in the next one.
        if week == 53 {
            let thursday = CivilTime(seconds: Int64(monday + 52 * 7 + 3) * 86_400, nanosecond: 0)
            guard thursday.year == year else { return nil }
        }
        return date
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
        let isNegative = scanner.next == UInt8(ascii: "-")
        guard scanner.take("+") || scanner.take("-"), let hours = scanner.number(2) else { return nil }
        var minutes = 0
        if scanner.take(":") || scanner.digits > 0 {
            guard let value = scanner.number(2) else { return nil }
            minutes = value
        } else if isStrict {
            return nil
        }
        guard hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
    }
}
