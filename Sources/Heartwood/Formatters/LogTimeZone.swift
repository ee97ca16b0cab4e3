import CHeartwood

/// A time zone for timestamps.
public enum LogTimeZone: Hashable, Sendable {
    /// Coordinated universal time.
    case utc
    /// The zone that the system is set to, with its daylight-saving rules.
    case local
    /// A fixed distance from UTC.
    case offset(Duration)

    /// How far the zone is ahead of UTC at a moment, in seconds.
    package func secondsFromUTC(at moment: LogTimestamp) -> Int {
        secondsFromUTC(at: CivilTime.split(moment.nanoseconds).seconds)
    }

    /// The same for seconds since 1970.
    ///
    /// No zone is farther from UTC than a day.
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

/// Writes timestamps of a zone: `2026-11-20 10:20:30.123Z`, or `+01:00` instead of `Z`.
///
/// The text of the second is kept from one message to the next.
final class TimestampText: Sendable {
    private struct Second {
        var number: Int64 = .min
        var start: [UInt8] = []
        var end: [UInt8] = []
    }

    private let zone: LogTimeZone
    // MARK: Guarded by 'second'
    private let second = Locked(Second())

    init(zone: LogTimeZone) {
        self.zone = zone
    }

    func append(_ moment: LogTimestamp, to output: inout LogBuffer) {
        let (number, nanosecond) = CivilTime.split(moment.nanoseconds)
        let milliseconds = nanosecond / 1_000_000
        second.withLock { second in
            if second.number != number { second = render(number) }
            output.append(second.start)
            output.appendDecimal(milliseconds, width: 3)
            output.append(second.end)
        }
    }

    private func render(_ number: Int64) -> Second {
        let offset = zone.secondsFromUTC(at: number)
        let time = CivilTime(seconds: number + Int64(offset), nanosecond: 0)
        var start = LogBuffer(capacity: 32)
        start.append(date: time)
        start.append(UInt8(ascii: " "))
        start.append(seconds: time)
        start.append(UInt8(ascii: "."))
        var end = LogBuffer(capacity: 16)
        if zone == .utc {
            end.append(UInt8(ascii: "Z"))
        } else {
            end.append(UInt8(ascii: offset < 0 ? "-" : "+"))
            end.appendDecimal(abs(offset) / 3600, width: 2)
            end.append(UInt8(ascii: ":"))
            end.appendDecimal(abs(offset) / 60 % 60, width: 2)
        }
        return Second(
            number: number, start: start.withUnsafeBytes { Array($0) }, end: end.withUnsafeBytes { Array($0) }
        )
    }
}
