/// When a log file is finished and the next one created.
///
/// Pure: the caller brings the clocks.
///
/// 1. A file never grows beyond the maximum size, unless it has one record only that is larger by itself.
/// 2. The age is the larger of the wall clock's and the steady clock's: a wall clock that was set back does
///    not keep a file open forever, and time that the machine slept through counts.
/// 3. A wall clock that jumps, in whatever direction, finishes one file too many at most.
struct RollingPolicy: Sendable, Hashable {
    /// The most bytes of a file; zero for no limit.
    var maximumSize = 0
    /// How long a file is written; zero for no limit.
    var interval = Duration.zero
    /// Where on the calendar files begin, and by whose clock.
    var boundary: LogCalendarBoundary?
    var zone = LogTimeZone.utc

    // MARK: Size

    /// How many of the bytes up to `ends` go into a file of `size` bytes; `ends` are where the records end.
    ///
    /// In a file that `isFresh`, with no record yet but a header perhaps, at least one goes. Returns how many
    /// records fit.
    func fitting(_ ends: ArraySlice<Int>, from start: Int, size: Int, isFresh: Bool) -> Int {
        guard maximumSize > 0, let last = ends.last, size + (last - start) > maximumSize else {
            return ends.count
        }
        // The first record that ends beyond the limit, by bisection.
        var low = ends.startIndex
        var high = ends.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if size + (ends[middle] - start) > maximumSize { high = middle } else { low = middle + 1 }
        }
        let count = low - ends.startIndex
        return count == 0 && isFresh ? 1 : count
    }

    // MARK: Time

    /// When a file must be finished, by each of the clocks.
    struct Deadline: Sendable, Hashable {
        /// By the wall clock; nil for never.
        var wall: LogTimestamp?
        /// By the steady clock; nil for never.
        var steady: Duration?
        /// The wall clock before which the deadline is outdated.
        var earliest = LogTimestamp(nanoseconds: .min)

        enum State { case running, reached, outdated }

        /// Whether the deadline is reached, or must be computed again, as the clock was set back.
        func state(wall now: LogTimestamp, steady uptime: Duration) -> State {
            if now < earliest { return .outdated }
            if let wall, now >= wall { return .reached }
            if let steady, uptime >= steady { return .reached }
            return .running
        }

        /// How long to sleep before it is worth looking again; nil for never.
        func delay(wall now: LogTimestamp, steady uptime: Duration) -> Duration? {
            let (byWall, bySteady) = (wall.map { $0 - now }, steady.map { $0 - uptime })
            guard let byWall else { return bySteady.map { max($0, .zero) } }
            return max(min(byWall, bySteady ?? byWall), .zero)
        }
    }

    /// The deadline of a file created at `createdAt`, seen at `now`.
    func deadline(createdAt: LogTimestamp, wall now: LogTimestamp, steady uptime: Duration)
        -> Deadline
    {
        let origin = ClockJumps.start(of: createdAt, at: now)
        var deadline = Deadline(earliest: ClockJumps.earliest(for: createdAt, at: now))
        if interval > .zero {
            let age = now - origin > .zero ? now - origin : .zero
            deadline.wall = origin + interval
            deadline.steady = uptime + (age > interval ? .zero : interval - age)
        }
        if let boundary {
            let next = boundary.next(after: origin, in: zone)
            deadline.wall = deadline.wall.map { min($0, next) } ?? next
        }
        // The clock stops there, and each line would come after it.
        if deadline.wall?.nanoseconds == .max { deadline.wall = nil }
        return deadline
    }

    /// Whether a file of so many bytes that was created then is over.
    func isOver(size: Int, createdAt: LogTimestamp, wall now: LogTimestamp, steady uptime: Duration) -> Bool {
        maximumSize > 0 && size >= maximumSize
            || deadline(createdAt: createdAt, wall: now, steady: uptime).state(wall: now, steady: uptime)
                == .reached
    }
}
