extension CivilTime {
    /// The wall's own seconds since its 1970-01-01 00:00:00.
    package init(secondsSince1970 seconds: Int) {
        self.init(seconds: Int64(seconds), nanosecond: 0)
    }

    /// Reads the calendar at seconds since 1970, rounded to milliseconds.
    ///
    /// Returns nil where there is no day: for what is not a number, infinite, or 146 billion years away.
    package init?(secondsSince1970 seconds: Double) {
        guard CivilTime.reaches(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let milliseconds = Int(((seconds - whole) * 1000).rounded())
        self.init(
            seconds: Int64(whole) + Int64(milliseconds / 1000), nanosecond: milliseconds % 1000 * 1_000_000)
    }

    /// Whether the calendar can be read at these seconds since 1970.
    package static func reaches(_ seconds: Double) -> Bool { abs(seconds) < 0x1p62 }

    /// The inverse, without the fraction.
    package var secondsSince1970: Int {
        CivilTime.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01, also where a timestamp does not reach; the inverse of what
    /// ``init(seconds:nanosecond:)`` does.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let adjusted = month <= 2 ? year - 1 : year
        let era = adjusted.dividedDown(by: 400)
        let yearOfEra = adjusted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether every field is one that a calendar and a clock can show, in the years that a timestamp can
    /// have.
    package var isValid: Bool {
        guard (1...12).contains(month), (1...31).contains(day), (1677...2262).contains(year) else {
            return false
        }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
            return false
        }
        // Every month has 28 days.
        return day <= 28 || CivilTime(secondsSince1970: CivilTime.days(year, month, day) * 86_400).day == day
    }
}

extension BinaryInteger {
    /// The quotient rounded towards minus infinity.
    package func dividedDown(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
