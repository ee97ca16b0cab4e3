import Heartwood

/// How old records are, as far as the wall clock can be trusted.
///
/// Once it was seen to jump by more than an hour, nothing counts as old until the next start: a wrong clock must not empty
/// the store. Times before 2001 are a clock that was never set, and no age.
struct SpoolAge {
    private static let firstTime = 978_307_200_000_000_000 as Int64

    private let opened: (wall: LogTimestamp, uptime: Duration)
    private var hasJumped = false

    init(_ clock: any LogClock) { opened = (clock.now(), clock.uptime()) }

    /// Tells whether a record of a time is older than `age`; nil if the clock cannot be trusted.
    mutating func rule(_ age: Duration, _ clock: any LogClock) -> ((LogTimestamp) -> Bool)? {
        let now = clock.now()
        let drift = (now - opened.wall) - (clock.uptime() - opened.uptime)
        if drift > .seconds(3600) || drift < .seconds(-3600) { hasJumped = true }
        if hasJumped { return nil }
        return { $0.nanoseconds > SpoolAge.firstTime && now - $0 > age }
    }
}
