extension LogBuffer {
    /// Appends a time stamp in UTC with milliseconds: `2026-11-20T10:20:30.123Z`.
    public mutating func append(iso8601 moment: LogTimestamp) {
        let nanosecond = append(secondsOf: moment)
        append(UInt8(ascii: "."))
        appendDecimal(nanosecond / 1_000_000, width: 3)
        append(UInt8(ascii: "Z"))
    }

    mutating func append(isoDate moment: LogTimestamp) {
        append(date: CivilTime(nanoseconds: moment.nanoseconds))
    }

    mutating func append(isoTime moment: LogTimestamp) {
        append(time: CivilTime(nanoseconds: moment.nanoseconds))
    }

    /// Appends `2026-11-20 10:20:30 +0000`; fractions of a second are cut, towards 1970.
    mutating func append(swiftDate moment: LogTimestamp) {
        let time = CivilTime(nanoseconds: moment.nanoseconds / 1_000_000_000 * 1_000_000_000)
        append(date: time)
        append(UInt8(ascii: " "))
        append(seconds: time)
        append(" +0000" as StaticString)
    }

    /// Appends `2026-11-20`.
    mutating func append(date time: CivilTime) {
        if time.year < 0 { append(UInt8(ascii: "-")) }
        appendDecimal(abs(time.year), width: 4)
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
