extension LogBuffer {
    /// Appends a time stamp in UTC with milliseconds: `2026-11-20T10:20:30.123Z`.
    public mutating func append(iso8601 moment: LogTimestamp) {
        let time = CivilTime(nanoseconds: moment.nanoseconds)
        append(date: time)
        append(UInt8(ascii: "T"))
        append(time: time)
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
