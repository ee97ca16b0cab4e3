/// Where on the calendar a new log file begins.
public enum LogCalendarBoundary: String, Hashable, Sendable, CaseIterable {
    /// Each full hour. The day on which clocks are set back has 25 of them.
    case hour
    /// Each midnight; the first moment of the day where the clock leaps over midnight.
    case day
    /// The midnight before each Monday.
    case week
    /// The midnight before the first day of each month.
    case month
}

extension LogCalendarBoundary {
    /// The first boundary after a moment, in a time zone.
    package func next(after moment: LogTimestamp, in zone: LogTimeZone) -> LogTimestamp {
        let now = moment.wholeSeconds
        let second = self == .hour ? zone.nextHour(after: now) : nextMidnight(after: now, zone)
        return LogTimestamp(seconds: second) ?? LogTimestamp(nanoseconds: .max)
    }

    private func nextMidnight(after now: Int, _ zone: LogTimeZone) -> Int {
        // The wall's time never shows a boundary twice before the next one: days are longer than any leap.
        var local = now + zone.offset(at: now)
        var second: Int
        repeat {
            local = midnight(after: local)
            second = zone.second(showing: local)
        } while second <= now
        return second
    }

    /// The first boundary of the wall's own seconds after `local`.
    private func midnight(after local: Int) -> Int {
        let day = local.dividedDown(by: 86_400)
        switch self {
        case .hour, .day: return (day + 1) * 86_400
        // 1970-01-01 was a Thursday, three days after a Monday.
        case .week: return ((day + 3).dividedDown(by: 7) * 7 + 7 - 3) * 86_400
        case .month:
            let civil = CivilTime(secondsSince1970: local)
            let isLast = civil.month == 12
            let first = CivilTime.days(isLast ? civil.year + 1 : civil.year, isLast ? 1 : civil.month + 1, 1)
            return first * 86_400
        }
    }
}
