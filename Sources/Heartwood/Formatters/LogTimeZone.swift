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
        switch self {
        case .utc: return 0
        case .offset(let offset): return Int(offset.components.seconds)
        case .local:
            var time = time_t((Double(moment.nanoseconds) / 1e9).rounded(.down))
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
        let nanoseconds = moment.nanoseconds
        var number = nanoseconds / 1_000_000_000
        if nanoseconds < 0, number * 1_000_000_000 != nanoseconds { number -= 1 }
        let milliseconds = Int((nanoseconds - number * 1_000_000_000) / 1_000_000)
        second.withLock { second in
            if second.number != number { second = render(number) }
            output.append(second.start)
            output.appendDecimal(milliseconds, width: 3)
            output.append(second.end)
        }
    }

    private func render(_ number: Int64) -> Second {
        let offset = zone.secondsFromUTC(at: LogTimestamp(nanoseconds: number * 1_000_000_000))
        let time = CivilTime(nanoseconds: (number + Int64(offset)) * 1_000_000_000)
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
