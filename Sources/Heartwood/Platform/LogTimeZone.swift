import CHeartwood

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The time zone of timestamps, of the dates in file names, and of the calendar by which files are rolled.
public enum LogTimeZone: Hashable, Sendable {
    /// Coordinated universal time.
    case utc
    /// The system's time zone, with its daylight-saving rules.
    case local
    /// A fixed offset from UTC; one of more than a day counts as a day.
    case offset(Duration)
    /// A zone of Foundation. On Linux those with a name need a program that imports Foundation.
    case region(TimeZone)

    /// Finds the zone with a name, or returns nil.
    ///
    /// - Parameter name: `"utc"`, `"local"`, an offset such as `"+02:00"`, or a region such as
    ///   `"Europe/Paris"`, which on Linux needs a program that imports Foundation.
    public init?(_ name: String) {
        switch name.lowercased() {
        case "utc": self = .utc
        case "local": self = .local
        default:
            if name.hasPrefix("+") || name.hasPrefix("-") {
                guard let offset = LogTimeZone.offset(name) else { return nil }
                self = .offset(offset)
            } else {
                guard let zone = TimeZone(identifier: name) else { return nil }
                self = .region(zone)
            }
        }
    }

    private static func offset(_ text: String) -> Duration? {
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }),
            let hours = UInt8(parts[0]), let minutes = UInt8(parts[1]), hours < 24, minutes < 60
        else { return nil }
        let seconds = Int(hours) * 3600 + Int(minutes) * 60
        return .seconds(text.hasPrefix("-") ? -seconds : seconds)
    }

    /// The zone for Foundation, which sees the system's zone on Linux only where the program imports it.
    var foundation: TimeZone {
        switch self {
        case .utc: .gmt
        case .local: .current
        case .offset: TimeZone(secondsFromGMT: offset(at: 0)) ?? .gmt
        case .region(let zone): zone
        }
    }

    /// Whether the zone never differs from UTC.
    var isUTC: Bool {
        switch self {
        case .utc: true
        case .local: LogTimeZone.systemIsUTC
        case .offset: offset(at: 0) == 0
        case .region(let zone): zone == .gmt || zone.identifier == "UTC" || zone.identifier == "GMT"
        }
    }

    // Zones that only pass through UTC, such as London's, have another abbreviation there.
    private static var systemIsUTC: Bool {
        var (time, parts) = (time_t(0), tm())
        guard localtime_r(&time, &parts) != nil, parts.tm_gmtoff == 0, let name = parts.tm_zone else {
            return false
        }
        return String(cString: name) == "UTC"
    }

    /// Seconds that the zone is ahead of UTC at `second` after 1970; no zone is farther from it than a day.
    package func offset(at second: Int) -> Int {
        switch self {
        case .utc: return 0
        case .offset(let offset): return Int(max(-86_400, min(86_400, offset.components.seconds)))
        case .region(let zone): return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
        case .local:
            var (time, parts) = (time_t(second), tm())
            return localtime_r(&time, &parts) == nil ? 0 : parts.tm_gmtoff
        }
    }
}

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

/// The clock on the wall, right through changes of daylight-saving time.
///
/// It needs only the zone's distance from UTC at a moment. Where a clock shows a time twice, the first of the
/// two moments counts; where it leaps over a time, the moment of the leap.
extension LogTimeZone {
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
