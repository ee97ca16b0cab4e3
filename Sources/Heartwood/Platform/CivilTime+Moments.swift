#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CivilTime {
    /// What a clock `offset` seconds ahead of UTC shows at `moment`.
    package init(_ moment: LogTimestamp, offset: Int) {
        let (seconds, nanosecond) = CivilTime.split(moment.nanoseconds)
        self.init(seconds: seconds + Int64(offset), nanosecond: nanosecond)
    }

    /// The moment at which a clock `offset` seconds ahead of UTC shows this.
    package func moment(offset: Int) -> LogTimestamp {
        LogTimestamp(nearestTo: secondsSince1970 - offset, nanosecond)
    }
}

/// The clock on the wall of a time zone, right through changes of daylight-saving time.
///
/// Needs of the zone only how far it is from UTC at a moment. Where a clock shows a time twice, the first of
/// the two moments counts; where it leaps over a time, the moment of the leap.
extension TimeZone {
    /// Seconds that the zone is ahead of UTC at `second` after 1970.
    func offset(at second: Int) -> Int {
        secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The first moment at which the wall shows this time, or the moment at which it leaps over it.
    func moment(of civil: CivilTime) -> LogTimestamp {
        LogTimestamp(nearestTo: second(showing: civil.secondsSince1970), civil.nanosecond)
    }

    /// As ``moment(of:)``, in whole seconds: `local` of the wall's seconds, the result in UTC's.
    func second(showing local: Int) -> Int {
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
    func nextHour(after now: Int) -> Int {
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
