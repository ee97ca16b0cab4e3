#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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
    package func next(after moment: LogTimestamp, in zone: TimeZone) -> LogTimestamp {
        let time = LocalTime(zone)
        let now = moment.wholeSeconds
        let offset = time.offset(at: now)
        if self == .hour { return nextHour(after: now, offset, time) }
        // The wall's time never shows a boundary twice before the next one: days are longer than any leap.
        var local = boundary(after: now + offset)
        var second = time.second(showing: local)
        while second <= now {
            local = boundary(after: local)
            second = time.second(showing: local)
        }
        return LogTimestamp(seconds: second) ?? LogTimestamp(nanoseconds: .max)
    }

    /// Hours are counted by the offset in force, so that an hour which the clock shows twice has its boundary
    /// twice.
    private func nextHour(after now: Int, _ offset: Int, _ time: LocalTime) -> LogTimestamp {
        let candidate = (now + offset).dividedDown(by: 3600) * 3600 + 3600 - offset
        let changed = time.offset(at: candidate)
        guard changed != offset else {
            return LogTimestamp(seconds: candidate) ?? LogTimestamp(nanoseconds: .max)
        }
        // The offset changes before the hour is over: from the change on, hours are full by the new offset.
        var low = now
        var high = candidate
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if time.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        let local = high + changed
        let full = local.dividedDown(by: 3600) * 3600
        let second = full == local ? high : full + 3600 - changed
        return LogTimestamp(seconds: second) ?? LogTimestamp(nanoseconds: .max)
    }

    /// The first boundary of the wall's own seconds after `local`.
    private func boundary(after local: Int) -> Int {
        let day = local.dividedDown(by: 86_400)
        switch self {
        case .hour, .day:
            return (day + 1) * 86_400
        case .week:
            // 1970-01-01 was a Thursday, three days after a Monday.
            return ((day + 3).dividedDown(by: 7) * 7 + 7 - 3) * 86_400
        case .month:
            let civil = CivilTime(secondsSince1970: local)
            let isLast = civil.month == 12
            let first = CivilTime.days(isLast ? civil.year + 1 : civil.year, isLast ? 1 : civil.month + 1, 1)
            return first * 86_400
        }
    }
}
