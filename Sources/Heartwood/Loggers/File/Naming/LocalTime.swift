#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The clock on the wall of a time zone, right through changes of daylight-saving time.
///
/// Needs of the zone only how far it is from UTC at a moment. Where a clock shows a time twice, the first of
/// the two moments counts; where it leaps over a time, the moment of the leap.
struct LocalTime: Sendable {
    let zone: TimeZone

    init(_ zone: TimeZone) {
        self.zone = zone
    }

    /// Seconds that the zone is ahead of UTC at `second` after 1970.
    func offset(at second: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The first moment at which the wall shows this time, or the moment at which it leaps over it.
    func moment(of civil: CivilTime) -> LogTimestamp {
        let local = civil.secondsSince1970
        return LogTimestamp(nearestTo: second(showing: local), civil.nanosecond)
    }

    /// As ``moment(of:)``, in whole seconds: `local` of the wall's seconds, the result in UTC's.
    func second(showing local: Int) -> Int {
        // No zone is further than 26 hours from UTC; a change of its offset lies in between or does not
        // matter.
        let early = offset(at: local - 26 * 3600)
        let late = offset(at: local + 26 * 3600)
        for candidate in [local - max(early, late), local - min(early, late)]
        where candidate + offset(at: candidate) == local {
            return candidate
        }
        // The wall never shows it, or the offset changes more than once around it: look for the first moment
        // at which the wall clock has reached it.
        var low = local - 26 * 3600
        var high = local + 26 * 3600
        while low < high {
            let middle = low + (high - low) / 2
            if middle + offset(at: middle) >= local { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
