/// The clocks at one moment, and the rate of the cycle counter: what turns it into the time of day.
struct JournalClock: Equatable, Sendable {
    var ticks: UInt64
    var wall: Int64
    /// Nanoseconds for each tick.
    var rate: Double

    /// The moment at which the counter had this value; stops at the ends of the range.
    @inline(__always)
    func time(of ticks: UInt64) -> LogTimestamp {
        let distance = Double(Int64(truncatingIfNeeded: ticks &- self.ticks)) * rate
        // Not of a clock of this world, or not a number.
        guard abs(distance) < 9e18 else { return LogTimestamp(nanoseconds: wall) }
        let (time, overflow) = wall.addingReportingOverflow(Int64(distance))
        return LogTimestamp(nanoseconds: overflow ? (wall < 0 ? .min : .max) : time)
    }
}
