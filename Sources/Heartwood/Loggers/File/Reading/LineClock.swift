/// Reads the date that a line begins with.
package enum LineClock {
    /// Reads `2026-11-20 10:20:30.123Z`, with `T` or a blank, any fraction, and `Z`, `+01:00` or nothing (UTC) after it.
    package static func moment(in text: Substring) -> LogTimestamp? {
        let bytes = Array(text.utf8.prefix(48))
        return bytes.withUnsafeBytes { LogTimeReader(now: LogTimestamp(nanoseconds: 0)).iso($0, 0)?.moment }
    }
}
