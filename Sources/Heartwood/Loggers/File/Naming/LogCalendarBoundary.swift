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
        let now = moment.wholeSeconds
        let second = self == .hour ? zone.nextHour(after: now) : nextMidnight(after: now, zone)
        return LogTimestamp(seconds: second) ?? LogTimestamp(nanoseconds: .max)
    }

    private func nextMidnight(after now: Int, _ zone: TimeZone) -> Int {
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

/// The clock on the wall of a time zone, right through changes of daylight-saving time.
///
/// Needs of the zone only how far it is from UTC at a moment. Where a clock shows a time twice, the first of
/// the two moments counts; where it leaps over a time, the moment of the leap.
extension TimeZone {
    /// Seconds that the zone is ahead of UTC at `second` after 1970.
    fileprivate func offset(at second: Int) -> Int {
        secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The first moment at which the wall shows this time, or the moment at which it leaps over it.
    func moment(of civil: CivilTime) -> LogTimestamp {
        LogTimestamp(nearestTo: second(showing: civil.secondsSince1970), civil.nanosecond)
    }

    /// As ``moment(of:)``, in whole seconds: `local` of the wall's seconds, the result in UTC's.
    fileprivate func second(showing local: Int) -> Int {
        // No zone is further than 26 hours from UTC; its offset changes in between, or that does not matter.
        let (low, high) = (local - 26 * 3600, local + 26 * 3600)
        let (early, late) = (offset(at: low), offset(at: high))
        for candidate in [local - max(early, late), local - min(early, late)]
        where candidate + offset(at: candidate) == local {
            return candidate
        }
        // The wall never shows it, or the offset changes more than once around it: look for the first moment
        // at which the wall clock has reached it.
        return first(low, high) { $0 + offset(at: $0) >= local }
    }

    /// The first full hour after `now`, by the offset in force: an hour that is shown twice ends twice.
    fileprivate func nextHour(after now: Int) -> Int {
        let offset = offset(at: now)
        let candidate = (now + offset).dividedDown(by: 3600) * 3600 + 3600 - offset
        let changed = self.offset(at: candidate)
        if changed == offset { return candidate }
        // The offset changes before the hour is over: from the change on, hours are full by the new offset.
        let change = first(now + 1, candidate) { self.offset(at: $0) != offset }
        let full = (change + changed).dividedDown(by: 3600) * 3600
        return full == change + changed ? change : full + 3600 - changed
    }

    /// The first second from `low` on that has reached something, which `high` has.
    private func first(_ low: Int, _ high: Int, where hasReached: (Int) -> Bool) -> Int {
        var (low, high) = (low, high)
        while low < high {
            let middle = low + (high - low) / 2
            if hasReached(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
