#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Date {
    /// Whether the date has a day; one that is not a number, infinite or 146 billion years away has none.
    package var hasDay: Bool { CivilTime.reaches(timeIntervalSince1970) }
}

extension LogBuffer {
    /// Appends a time stamp in UTC with milliseconds: `2026-11-20T10:20:30.123Z`.
    package mutating func append(iso8601 moment: LogTimestamp) {
        let nanosecond = append(secondsOf: moment)
        append(UInt8(ascii: "."))
        appendDecimal(nanosecond / 1_000_000, width: 3)
        append(UInt8(ascii: "Z"))
    }

    /// Appends `2026-11-20`; a year without four digits as ISO 8601 expands it, `+010000` or `-000043`.
    mutating func append(date time: CivilTime) {
        let isUsual = 0...9999 ~= time.year
        if !isUsual { append(UInt8(ascii: time.year < 0 ? "-" : "+")) }
        appendDecimal(abs(time.year), width: isUsual ? 4 : 6)
        append(UInt8(ascii: "-"))
        appendDecimal(time.month, width: 2)
        append(UInt8(ascii: "-"))
        appendDecimal(time.day, width: 2)
    }

    /// Adds `2026-11-20T10:20:30`, in one step for years of four digits.
    mutating func append(dateAndSeconds time: CivilTime) {
        guard 0...9999 ~= time.year else {
            append(date: time)
            append(UInt8(ascii: "T"))
            return append(seconds: time)
        }
        append(upTo: 19) { target in
            LogBuffer.write(twoDigits: time.year / 100, target)
            LogBuffer.write(twoDigits: time.year % 100, target + 2)
            target[4] = UInt8(ascii: "-")
            LogBuffer.write(twoDigits: time.month, target + 5)
            target[7] = UInt8(ascii: "-")
            LogBuffer.write(twoDigits: time.day, target + 8)
            target[10] = UInt8(ascii: "T")
            LogBuffer.write(twoDigits: time.hour, target + 11)
            target[13] = UInt8(ascii: ":")
            LogBuffer.write(twoDigits: time.minute, target + 14)
            target[16] = UInt8(ascii: ":")
            LogBuffer.write(twoDigits: time.second, target + 17)
            return 19
        }
    }

    @inline(__always)
    private static func write(twoDigits number: Int, _ target: UnsafeMutablePointer<UInt8>) {
        let number = UInt8(truncatingIfNeeded: number)
        target[0] = 48 &+ number / 10
        target[1] = 48 &+ number % 10
    }

    /// Adds `10:20:30.123`.
    mutating func append(time: CivilTime) {
        append(seconds: time)
        append(UInt8(ascii: "."))
        appendDecimal(time.nanosecond / 1_000_000, width: 3)
    }

    /// Adds `10:20:30`.
    mutating func append(seconds time: CivilTime) {
        appendDecimal(time.hour, width: 2)
        append(UInt8(ascii: ":"))
        appendDecimal(time.minute, width: 2)
        append(UInt8(ascii: ":"))
        appendDecimal(time.second, width: 2)
    }
}
