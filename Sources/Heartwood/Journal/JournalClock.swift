/// The clocks at one moment, and the rate of the cycle counter: what turns it into the time of day.
struct JournalClock: Equatable, Sendable {
    var ticks: UInt64
    var wall: Int64
    /// Nanoseconds for each tick.
    var rate: Double

    func time(of ticks: UInt64) -> LogTimestamp {
        let distance = Double(Int64(truncatingIfNeeded: ticks &- self.ticks)) * rate
        guard abs(distance) < 9e18 else { return LogTimestamp(nanoseconds: wall) }
        return LogTimestamp(nanoseconds: wall &+ Int64(distance))
    }
}
