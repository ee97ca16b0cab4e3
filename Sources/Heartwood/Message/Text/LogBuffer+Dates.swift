extension LogBuffer {
    /// Appends a time stamp in UTC with milliseconds: `2026-11-20T10:20:30.123Z`.
    public mutating func append(iso8601 moment: LogTimestamp) {
        let time = CivilTime(nanoseconds: moment.nanoseconds)
        append(dateAndSeconds: time)
        append(UInt8(ascii: "."))
        appendDecimal(time.nanosecond / 1_000_000, width: 3)
        append(UInt8(ascii: "Z"))
    }

    mutating func append(isoDate moment: LogTimestamp) {
        append(date: CivilTime(nanoseconds: moment.nanoseconds))
    }

    mutating func append(isoTime moment: LogTimestamp) {
        append(time: CivilTime(nanoseconds: moment.nanoseconds))
    }

    /// Appends a time stamp in UTC with milliseconds: `2026-11-20T10:20:30.123Z`.
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
            LogBuffer.write(time.year / 100, "\0", target)
            LogBuffer.write(time.year % 100, "-", target + 2)
            LogBuffer.write(time.month, "-", target + 5)
            LogBuffer.write(time.day, "T", target + 8)
            LogBuffer.write(time.hour, ":", target + 11)
            LogBuffer.write(time.minute, ":", target + 14)
            target[17] = 48 &+ UInt8(truncatingIfNeeded: time.second / 10)
            target[18] = 48 &+ UInt8(truncatingIfNeeded: time.second % 10)
            return 19
        }
    }

    /// Writes two digits and what follows them.
    @inline(__always)
    private static func write(_ number: Int, _ next: Unicode.Scalar, _ target: UnsafeMutablePointer<UInt8>) {
        let number = UInt8(truncatingIfNeeded: number)
        target[0] = 48 &+ number / 10
        target[1] = 48 &+ number % 10
        target[2] = UInt8(truncatingIfNeeded: next.value)
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
