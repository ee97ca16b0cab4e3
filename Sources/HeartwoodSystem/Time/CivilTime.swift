/// A day and a time of the Gregorian calendar, without a zone.
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var nanosecond: Int

    /// Reads the calendar at `nanoseconds` since 1970; the algorithm of H.
    ///
    /// Hinnant's "chrono-compatible low-level date algorithms", which holds for every date of the proleptic
    /// Gregorian calendar.
    @inlinable
    package init(nanoseconds: Int64) {
        let (seconds, nanosecond) = CivilTime.split(nanoseconds)
        self.init(seconds: seconds, nanosecond: nanosecond)
    }

    /// The whole seconds since 1970, rounded down, and the nanoseconds that come on top.
    @inlinable
    @inline(__always)
    package static func split(_ nanoseconds: Int64) -> (seconds: Int64, nanosecond: Int) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, Int(rest + 1_000_000_000)) : (seconds, Int(rest))
    }

    /// Reads the calendar at `seconds` since 1970; for some billion years around it.
    @inlinable
    package init(seconds: Int64, nanosecond: Int) {
        self.nanosecond = nanosecond
        let days = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
        let rest = Int(seconds - days * 86_400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)

        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The nanoseconds since 1970 at this day and time in UTC; stops at the ends of `Int64`.
    @inlinable
    package var nanosecondsSince1970: Int64 {
        let adjusted = month <= 2 ? year - 1 : year
        let era = (adjusted >= 0 ? adjusted : adjusted - 399) / 400
        let yearOfEra = adjusted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = Int64(era * 146_097 + dayOfEra - 719_468)
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(Int64(nanosecond))
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }

    @inlinable
    package init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
    ) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second, self.nanosecond) = (hour, minute, second, nanosecond)
    }
}
