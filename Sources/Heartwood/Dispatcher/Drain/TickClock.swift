import CHeartwood

/// Turns values of the cycle counter into moments on the wall clock.
///
/// The rate is measured once per process, and becomes more exact as time goes on; the beginning is taken
/// again at each reading, so that a change of the wall clock shows at once.
struct TickClock {
    /// The clocks at one moment.
    struct Sample {
        let ticks: UInt64
        let wall: Int64
        let steady: Int64

        /// The nanoseconds of a tick; nil where the time since `first` is too short to tell.
        ///
        /// A counter that starts again, as some do after a sleep, makes this sample the first one.
        func rate(since first: inout Sample) -> Double? {
            if ticks < first.ticks { first = self }
            let nanoseconds = Double(steady - first.steady)
            return nanoseconds > 1e6 && ticks > first.ticks ? nanoseconds / Double(ticks - first.ticks) : nil
        }
    }

    private var first: Sample
    /// How many ticks it takes at most to read the clocks without an interruption.
    private let usual: UInt64
    /// How many ticks 25 microseconds are.
    private let freshness = hw_ticks_per_second() / 40_000
    private var anchor: Sample
    private var rate: Double
    private var latest: Int64 = .min

    static let isReliable = hw_ticks_are_reliable()
    private static let start = TickClock.measure()

    init() {
        (first, rate, usual) = TickClock.start
        anchor = first
    }

    /// Takes a fresh sample; call it before a row of `wallTime`.
    mutating func refresh() {
        anchor = TickClock.sample(usual: usual)
        if let found = anchor.rate(since: &first) { rate = found }
    }

    /// The same, unless the last sample is younger than 25 microseconds: a change of the wall clock
    /// shows that much later.
    @inline(__always)
    mutating func refreshIfOld(at ticks: UInt64) {
        if ticks &- anchor.ticks > freshness { refresh() }
    }

    /// What is needed to tell the time of a record elsewhere.
    var sample: JournalClock {
        JournalClock(ticks: anchor.ticks, wall: anchor.wall, rate: rate)
    }

    /// The moment, in nanoseconds since 1970, at which the counter had this value.
    @inline(__always)
    mutating func wallTime(of ticks: UInt64) -> Int64 {
        ordered(sample.time(of: ticks).nanoseconds)
    }

    /// The time of a message, or that of the one before where that is later by less than a millisecond.
    ///
    /// Samples scatter by some ten nanoseconds: never let that turn two messages round.
    @inline(__always)
    mutating func ordered(_ time: Int64) -> Int64 {
        if time < latest, UInt64(bitPattern: latest &- time) < 1_000_000 { return latest }
        latest = time
        return time
    }

    /// Reads the clocks together: the best of three tries, so that an interruption between two readings is
    /// not taken.
    ///
    /// - Parameter usual: A span that says that there was none, so that no other try is needed.
    /// - Returns: the clocks at one moment.
    private static func sample(usual: UInt64 = 0) -> Sample {
        var best: (span: UInt64, sample: Sample)?
        for _ in 0..<3 {
            let before = hw_ticks()
            let wall = SystemClock.wall()
            let steady = hw_uptime()
            let span = hw_ticks() &- before
            if span < best?.span ?? .max {
                best = (span, Sample(ticks: before &+ span / 2, wall: wall, steady: steady))
                if span <= usual { break }
            }
        }
        return best?.sample ?? Sample(ticks: hw_ticks(), wall: 0, steady: 0)
    }

    private static func measure() -> (first: Sample, rate: Double, usual: UInt64) {
        let begin = sample()
        var usual = UInt64.max
        while hw_uptime() - begin.steady < 200_000 {
            let before = hw_ticks()
            _ = (hw_clock(CLOCK_REALTIME), hw_uptime())
            usual = min(usual, hw_ticks() &- before)
        }
        let end = sample()
        let rate = Double(end.steady - begin.steady) / max(1, Double(end.ticks &- begin.ticks))
        return (begin, rate, usual == .max ? 0 : usual + usual / 2)
    }
}
