extension CivilTime {
    /// The wall's own seconds since its 1970-01-01 00:00:00.
    package init(secondsSince1970 seconds: Int) {
        let (nanoseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        self.init(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : nanoseconds)
    }

    /// The inverse, without the fraction.
    package var secondsSince1970: Int {
        CivilTime.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        Int(CivilTime(year: year, month: month, day: day).nanosecondsSince1970 / 86_400_000_000_000)
    }

    /// Whether every field is one that a calendar and a clock can show, in the years that a timestamp can have.
    package var isValid: Bool {
        guard (1...12).contains(month), (1...31).contains(day), (1678...2261).contains(year) else {
            return false
        }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
            return false
        }
        let midnight = CivilTime(year: year, month: month, day: day)
        return CivilTime(nanoseconds: midnight.nanosecondsSince1970).day == day
    }
}

extension BinaryInteger {
    /// The quotient rounded towards minus infinity.
    package func dividedDown(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
