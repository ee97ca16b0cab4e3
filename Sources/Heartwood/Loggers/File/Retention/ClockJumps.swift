/// What is believed of a wall clock that may be set: every rule about that, and every threshold.
///
/// Pure: the caller brings the clocks.
///
/// 1. **A step, ahead or back.** The wall clock moved by more than an hour against the steady clock, as after
///    a long sleep of the machine: then no age is believed for a while, and nothing is too old.
/// 2. **No age.** A date from before 2001, which is a clock's that was never set, or from the future.
/// 3. **A file from the future.** It was created more than an hour after now, before the clock was set back:
///    its time, and its midnight, count from now.
/// 4. **A step back below a file.** The clock shows more than an hour before the file was created, and before
///    its deadline was computed: the deadline is computed again, by rule 3.
/// 5. **A clock years ahead.** A name with a date more than a year ahead of the clock was given by a wrong
///    one, unless the clock itself shows a time before the first version.
package struct ClockJumps: Sendable {
    // Computed, so that the questions of each batch compile to constants.
    private static var step: Duration { .seconds(3600) }
    private static var year: Duration { .seconds(366 * 86_400) }
    private static var earliestDate: LogTimestamp { LogTimestamp(nanoseconds: 978_307_200_000_000_000) }
    private static var firstVersion: LogTimestamp { LogTimestamp(nanoseconds: 1_767_225_600_000_000_000) }

    // MARK: Ages

    /// To doubt ages until the next start, once the clock was set.
    package static var untilRestart: Duration { .seconds(Int64.max) }

    private let doubt: Duration
    /// The two clocks when they were last compared.
    private var last: (wall: LogTimestamp, steady: Duration)
    private var doubtedUntil = Duration.zero

    /// Begins with the times of both clocks; after a step, ages are doubted for so long.
    package init(_ wall: LogTimestamp, _ steady: Duration, doubt: Duration = .seconds(3600)) {
        (last, self.doubt) = ((wall, steady), doubt)
    }

    /// Compares the clocks with what they showed the last time.
    package mutating func compare(_ wall: LogTimestamp, _ steady: Duration) {
        let moved = (wall - last.wall) - (steady - last.steady)
        if moved > Self.step || moved + Self.step < .zero { doubtedUntil = steady + doubt }
        last = (wall, steady)
    }

    /// Whether the wall clock tells ages.
    package func tellsAges(at steady: Duration) -> Bool { steady >= doubtedUntil }

    /// Whether something of a date is older than `age`; false where no clock can be right about that.
    package static func isOlder(_ date: LogTimestamp, than age: Duration, at now: LogTimestamp) -> Bool {
        date >= earliestDate && date <= now && now - date > age
    }

    // MARK: Files

    /// Since when the time of a file counts.
    static func start(of createdAt: LogTimestamp, at now: LogTimestamp) -> LogTimestamp {
        createdAt > now + step ? now : createdAt
    }

    /// The wall clock before which a deadline that is computed now must be computed again.
    static func earliest(for createdAt: LogTimestamp, at now: LogTimestamp) -> LogTimestamp {
        min(createdAt, now) + (.zero - step)
    }

    /// Whether the date of a name was given by a clock that was years ahead.
    static func isFarAhead(_ date: LogTimestamp, of now: LogTimestamp) -> Bool {
        now >= firstVersion && date > now + year
    }
}
