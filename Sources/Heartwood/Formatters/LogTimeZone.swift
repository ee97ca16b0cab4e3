import CHeartwood

/// A time zone for timestamps.
public enum LogTimeZone: Hashable, Sendable {
    /// Coordinated universal time.
    case utc
    /// The system's time zone, with its daylight-saving rules.
    case local
    /// A fixed offset from UTC.
    case offset(Duration)

    /// How far the zone is ahead of UTC at a moment, in seconds.
    func secondsFromUTC(at moment: LogTimestamp) -> Int {
        secondsFromUTC(at: CivilTime.split(moment.nanoseconds).seconds)
    }

    /// The same for seconds since 1970; no zone is farther from UTC than a day.
    func secondsFromUTC(at seconds: Int64) -> Int {
        switch self {
        case .utc: return 0
        case .offset(let offset): return Int(max(-86_400, min(86_400, offset.components.seconds)))
        case .local:
            var time = time_t(seconds)
            var parts = tm()
            return localtime_r(&time, &parts) == nil ? 0 : parts.tm_gmtoff
        }
    }
}
