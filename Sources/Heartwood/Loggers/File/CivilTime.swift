/// A moment as a calendar and a clock on the wall show it; the proleptic Gregorian calendar, no leap seconds.
///
/// Arithmetic only: whoever makes one says how far the wall is from UTC.
package struct CivilTime: Hashable, Sendable {
    package var year = 1970
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var millisecond = 0

    package init(
        year: Int = 1970, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0,
        millisecond: Int = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }

    /// What a clock `offset` seconds ahead of UTC shows at `moment`.
    package init(_ moment: LogTimestamp, offset: Int) {
        let milliseconds = moment.nanoseconds.dividedDown(by: 1_000_000)
        let local = Int(milliseconds.dividedDown(by: 1000)) + offset
        self.init(secondsSince1970: local)
        millisecond = Int(milliseconds - milliseconds.dividedDown(by: 1000) * 1000)
    }

    /// The wall's own seconds since its 1970-01-01 00:00:00.
    package init(secondsSince1970 seconds: Int) {
        let days = seconds.dividedDown(by: 86_400)
        let rest = seconds - days * 86_400
        (year, month, day) = CivilTime.date(daysSince1970: days)
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// The inverse of ``init(secondsSince1970:)``, without the milliseconds.
    package var secondsSince1970: Int {
        CivilTime.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// The moment at which a clock `offset` seconds ahead of UTC shows this; nil outside of the range of timestamps.
    package func moment(offset: Int) -> LogTimestamp? {
        let (scaled, overflow) = Int64(secondsSince1970 - offset).multipliedReportingOverflow(by: 1000)
        let (value, carry) = (scaled + Int64(millisecond)).multipliedReportingOverflow(by: 1_000_000)
        return overflow || carry ? nil : LogTimestamp(nanoseconds: value)
    }

    /// Whether every field is one that a calendar and a clock can show.
    package var isValid: Bool {
        guard (1...12).contains(month), (1...31).contains(day), (1600...9999).contains(year) else { return false }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return false }
        let midnight = CivilTime(year: year, month: month, day: day)
        return CivilTime(secondsSince1970: midnight.secondsSince1970).day == day
    }

    // MARK: Days

    /// Days since 1970-01-01; the algorithm of Howard Hinnant's `days_from_civil`.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedDown(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }
}

extension BinaryInteger {
    /// The quotient rounded towards minus infinity.
    package func dividedDown(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
