package import Heartwood

/// Reads the time that a line begins with, or that is alone in a field, in the forms that programs write it.
///
/// - `2026-11-20 10:20:30.123Z`, with `T` or a space, `/` or `-`, `.` or `,`, any fraction, and `Z`, `+01:00`
///   or nothing (UTC)
/// - `Nov 20 10:20:30`, of syslog; the year is the one that makes it the latest time which is not in the
///   future
/// - `E1120 10:20:30.123456`, of glog and Kubernetes; the year as above
/// - `20/Nov/2026:10:20:30 +0100`, of web servers, and `Fri Nov 20 10:20:30.123 2026`
/// - `1763634030.123456`: seconds, milliseconds, microseconds or nanoseconds since 1970, by their size
///
/// Each may be in brackets, and the first three may have a syslog priority in front.
struct LogTimeReader {
    package typealias Bytes = UnsafeRawBufferPointer

    /// The present, by which a time without a year is understood.
    private let now: LogTimestamp

    init(now: LogTimestamp) {
        self.now = now
    }

    /// The time that the line begins with.
    func moment(atStartOf line: Bytes) -> LogTimestamp? {
        guard let first = line.first else { return nil }
        if LogTimeReader.isDigit(first) { return iso(line, 0)?.moment ?? numeric(line) ?? access(line) }
        var index = 0
        if first == UInt8(ascii: "<") { index = LogTimeReader.afterPriority(line) }
        if index < line.count, line[index] == UInt8(ascii: "[") { index += 1 }
        guard index < line.count else { return nil }
        if let (moment, _) = iso(line, index) { return moment }
        return named(line, index) ?? google(line) ?? access(line)
    }

    /// The time that a text is, as a field's value has it.
    func moment(of text: Bytes) -> LogTimestamp? { moment(atStartOf: text) }

    // MARK: Forms

    /// `2026-11-20 10:20:30.123Z`, and where it ends.
    func iso(_ line: Bytes, _ start: Int) -> (moment: LogTimestamp, end: Int)? {
        guard line.count - start >= 10, let year = LogTimeReader.number(line, start, 4) else { return nil }
        let separator = line[start + 4]
        guard separator == 0x2D || separator == 0x2F, line[start + 7] == separator,
            let month = LogTimeReader.number(line, start + 5, 2),
            let day = LogTimeReader.number(line, start + 8, 2)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        var index = start + 10
        if index + 6 <= line.count, line[index] == 0x20 || line[index] == 0x54,
            let end = LogTimeReader.clock(line, index + 1, &civil)
        {
            index = end
        }
        guard civil.isValid else { return nil }
        let (offset, end) = LogTimeReader.zone(line, index)
        return (civil.moment(offset: offset), end)
    }

    /// `Nov 20 10:20:30`, or `Fri Nov 20 10:20:30.123 2026`.
    private func named(_ line: Bytes, _ start: Int) -> LogTimestamp? {
        var index = start
        if LogTimeReader.month(line, index) == nil, index + 4 < line.count, line[index + 3] == 0x20 {
            index += 4
        }
        guard let month = LogTimeReader.month(line, index), index + 12 < line.count, line[index + 3] == 0x20
        else { return nil }
        let digits = line[index + 4] == 0x20 ? 1 : 2
        guard let day = LogTimeReader.number(line, index + 6 - digits, digits), line[index + 6] == 0x20 else {
            return nil
        }
        var civil = CivilTime(year: 2000, month: month, day: day)
        guard var end = LogTimeReader.clock(line, index + 7, &civil) else { return nil }
        if end < line.count, line[end] == 0x20 { end += 1 }
        if let year = LogTimeReader.number(line, end, 4), (1970...2200).contains(year),
            end + 4 == line.count || !LogTimeReader.isDigit(line[end + 4])
        {
            civil.year = year
            return civil.isValid ? civil.moment(offset: 0) : nil
        }
        return latest(civil)
    }

    /// `E1120 10:20:30.123456`.
    private func google(_ line: Bytes) -> LogTimestamp? {
        guard line.count > 13, line[5] == 0x20, "IWEFD".utf8.contains(line[0]),
            let month = LogTimeReader.number(line, 1, 2), let day = LogTimeReader.number(line, 3, 2)
        else { return nil }
        var civil = CivilTime(year: 2000, month: month, day: day)
        guard LogTimeReader.clock(line, 6, &civil) != nil else { return nil }
        return latest(civil)
    }

    /// `… [20/Nov/2026:10:20:30 +0100] …`, near the beginning of a web server's line.
    private func access(_ line: Bytes) -> LogTimestamp? {
        for start in 0..<max(0, min(line.count - 21, 120))
        where line[start] == UInt8(ascii: "[") && line[start + 3] == 0x2F && line[start + 7] == 0x2F {
            guard let day = LogTimeReader.number(line, start + 1, 2),
                let month = LogTimeReader.month(line, start + 4),
                let year = LogTimeReader.number(line, start + 8, 4)
            else { return nil }
            var civil = CivilTime(year: year, month: month, day: day)
            guard let end = LogTimeReader.clock(line, start + 13, &civil), civil.isValid else { return nil }
            return civil.moment(offset: LogTimeReader.zone(line, end).offset)
        }
        return nil
    }

    /// `1763634030.123`: a number since 1970, in the unit that makes it a time between 1990 and 2100.
    private func numeric(_ line: Bytes) -> LogTimestamp? {
        var index = 0
        var whole = 0
        while index < line.count, LogTimeReader.isDigit(line[index]), index < 19 {
            whole = whole &* 10 &+ Int(line[index] - 0x30)
            index += 1
        }
        let unit: Int
        switch index {
        case 9, 10: unit = 1_000_000_000
        case 12, 13: unit = 1_000_000
        case 15, 16: unit = 1000
        case 18, 19: unit = 1
        default: return nil
        }
        if index < line.count, !" .,:;\t]\"}".utf8.contains(line[index]) { return nil }
        let (nanoseconds, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
        if isTooLarge { return nil }
        var fraction = 0
        if index < line.count, line[index] == 0x2E {
            var scale = unit / 10
            index += 1
            while index < line.count, LogTimeReader.isDigit(line[index]) {
                fraction += Int(line[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
        }
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(fraction)
        guard !isBeyond, (631_152_000_000_000_000...4_102_444_800_000_000_000).contains(sum) else {
            return nil
        }
        return LogTimestamp(nanoseconds: Int64(sum))
    }

    /// The latest moment of this day and time that is not more than a day ahead.
    private func latest(_ civil: CivilTime) -> LogTimestamp? {
        var civil = civil
        civil.year = CivilTime(nanoseconds: now.nanoseconds).year + 1
        for _ in 0..<6 {
            if civil.isValid, civil.moment(offset: 0) <= now + .seconds(86_400) {
                return civil.moment(offset: 0)
            }
            civil.year -= 1
        }
        return nil
    }

    // MARK: Parts

    /// Reads `10:20:30.123` or `10:20`; returns where it ends.
    private static func clock(_ line: Bytes, _ start: Int, _ civil: inout CivilTime) -> Int? {
        guard start + 5 <= line.count, line[start + 2] == 0x3A, let hour = number(line, start, 2),
            let minute = number(line, start + 3, 2)
        else { return nil }
        (civil.hour, civil.minute) = (hour, minute)
        var index = start + 5
        if index < line.count, line[index] == 0x3A {
            if let second = number(line, index + 1, 2) { civil.second = second }
            index += 3
        }
        if index + 1 < line.count, line[index] == 0x2E || line[index] == 0x2C, isDigit(line[index + 1]) {
            var scale = 100_000_000
            index += 1
            while index < line.count, isDigit(line[index]) {
                civil.nanosecond += Int(line[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
        }
        return min(index, line.count)
    }

    /// Reads `Z`, `+0100`, ` -01:30` or nothing; in seconds ahead of UTC.
    private static func zone(_ line: Bytes, _ start: Int) -> (offset: Int, end: Int) {
        var index = start
        if index + 5 < line.count, line[index] == 0x20, line[index + 1] == 0x2B || line[index + 1] == 0x2D,
            number(line, index + 2, 4) != nil
        {
            index += 1
        }
        guard index < line.count else { return (0, index) }
        if line[index] == UInt8(ascii: "Z") { return (0, index + 1) }
        guard line[index] == 0x2B || line[index] == 0x2D, let hours = number(line, index + 1, 2) else {
            return (0, start)
        }
        let sign = line[index] == 0x2D ? -1 : 1
        index += 3
        if index < line.count, line[index] == 0x3A { index += 1 }
        let minutes = number(line, index, 2)
        return (sign * (hours * 3600 + (minutes ?? 0) * 60), minutes == nil ? index : index + 2)
    }

    private static func afterPriority(_ line: Bytes) -> Int {
        var index = 1
        while index < min(line.count, 5), isDigit(line[index]) { index += 1 }
        guard index > 1, index < line.count, line[index] == UInt8(ascii: ">") else { return 0 }
        index += 1
        // The version of RFC 5424.
        if index + 1 < line.count, line[index] == UInt8(ascii: "1"), line[index + 1] == 0x20 { index += 2 }
        return index
    }

    private static func month(_ line: Bytes, _ start: Int) -> Int? {
        guard start + 3 <= line.count else { return nil }
        switch (line[start], line[start + 1], line[start + 2]) {
        case (0x4A, 0x61, 0x6E): return 1
        case (0x46, 0x65, 0x62): return 2
        case (0x4D, 0x61, 0x72): return 3
        case (0x41, 0x70, 0x72): return 4
        case (0x4D, 0x61, 0x79): return 5
        case (0x4A, 0x75, 0x6E): return 6
        case (0x4A, 0x75, 0x6C): return 7
        case (0x41, 0x75, 0x67): return 8
        case (0x53, 0x65, 0x70): return 9
        case (0x4F, 0x63, 0x74): return 10
        case (0x4E, 0x6F, 0x76): return 11
        case (0x44, 0x65, 0x63): return 12
        default: return nil
        }
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private static func number(_ line: Bytes, _ start: Int, _ count: Int) -> Int? {
        guard start >= 0, start + count <= line.count else { return nil }
        var value = 0
        for index in start..<start + count {
            guard isDigit(line[index]) else { return nil }
            value = value * 10 + Int(line[index] &- 0x30)
        }
        return value
    }
}

/// Reads the date that a line begins with.
package enum LineClock {
    /// Reads `2026-11-20 10:20:30.123Z`, with `T` or a blank, any fraction, and `Z`, `+01:00` or nothing
    /// (UTC) after it.
    package static func moment(in text: Substring) -> LogTimestamp? {
        let bytes = Array(text.utf8.prefix(48))
        return bytes.withUnsafeBytes { LogTimeReader(now: LogTimestamp(nanoseconds: 0)).iso($0, 0)?.moment }
    }
}
