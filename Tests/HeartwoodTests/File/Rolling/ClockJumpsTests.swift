import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Each rule on clocks that were set, below, at and above its threshold, and what files make of it.
@Suite(.inTurn) struct ClockJumpsTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk
    private let now = moment("2026-06-01T12:00:00Z")

    init() { disk = Self.makeDisk(clock) }

    @Test(
        "Ages are doubted for an hour after a step of more than one, ahead or back, but not as time passes",
        arguments: [
            // Seconds of the wall and the steady clock between two comparisons; are ages doubted?
            (0, 0, false), (1, 0, false), (3599, 0, false), (3600, 0, false), (3600.001, 0, true),
            (-3600, 0, false), (-3600.001, 0, true), (86_400, 86_400, false), (90_000, 86_400, false),
            (90_001, 86_400, true), (82_800, 86_400, false), (82_799, 86_400, true), (0, 3600, false),
            (0, 3601, true), (3e9, 0, true), (-3e9, 0, true),
        ] as [(Double, Double, Bool)])
    func step(_ wall: Double, _ steady: Double, _ isDoubted: Bool) {
        var jumps = ClockJumps(now, .seconds(500))
        var forever = ClockJumps(now, .seconds(500), doubt: ClockJumps.untilRestart)
        let (later, uptime) = (now + .seconds(wall), Duration.seconds(500 + steady))
        jumps.compare(later, uptime)
        forever.compare(later, uptime)
        #expect(jumps.tellsAges(at: uptime) != isDoubted && forever.tellsAges(at: uptime) != isDoubted)
        #expect(jumps.tellsAges(at: uptime + .milliseconds(3_599_999)) != isDoubted)
        #expect(jumps.tellsAges(at: uptime + .seconds(3600)))
        #expect(forever.tellsAges(at: uptime + .seconds(86_400 * 36_500)) != isDoubted)
        // What was noticed once is no step at the next comparison.
        jumps.compare(later + .seconds(3600), uptime + .seconds(3600))
        #expect(jumps.tellsAges(at: uptime + .seconds(3600)))
    }

    @Test(
        "Only what has a date from 2001 until now has an age",
        arguments: [
            ("2026-06-01T11:00:00Z", 3599, true), ("2026-06-01T11:00:00Z", 3600, false),
            ("2026-06-01T11:00:00Z", 3601, false), ("2026-06-01T11:59:59Z", 0, true),
            ("2026-06-01T12:00:00Z", 0, false), ("2026-06-01T12:00:01Z", -5, false),
            ("2001-01-01T00:00:00Z", 3600, true), ("2000-12-31T23:59:59Z", 3600, false),
            ("1970-01-01T00:00:00Z", 3600, false),
        ])
    func age(_ date: String, _ age: Int, _ isOlder: Bool) {
        #expect(ClockJumps.isOlder(moment(date), than: .seconds(age), at: now) == isOlder)
    }

    @Test(
        "A file of more than an hour ahead counts from now, and a clock more than an hour before it asks again",
        arguments: [
            // When the file was created, from now; since when it counts; before when the deadline is outdated.
            (0, 0, -3600), (-86_400, -86_400, -90_000), (3599, 3599, -3600), (3600, 3600, -3600),
            (3601, 0, -3600), (86_400 * 3650, 0, -3600),
        ])
    func file(_ created: Int, _ start: Int, _ earliest: Int) {
        let createdAt = now + .seconds(created)
        #expect(ClockJumps.start(of: createdAt, at: now) == now + .seconds(start))
        #expect(ClockJumps.earliest(for: createdAt, at: now) == now + .seconds(earliest))
        let deadline = RollingPolicy(boundary: .day).deadline(createdAt: createdAt, wall: now, steady: .zero)
        func state(_ seconds: Int) -> RollingPolicy.Deadline.State {
            deadline.state(wall: now + .seconds(earliest + seconds), steady: .zero)
        }
        #expect(state(-1) == .outdated && state(0) != .outdated && state(1) != .outdated)
    }

    @Test(
        "A name is far ahead by more than 366 days, unless the clock shows a time before the first version",
        arguments: [
            ("2026-06-01T12:00:00Z", 366 * 86_400 - 1, false), ("2026-06-01T12:00:00Z", 366 * 86_400, false),
            ("2026-06-01T12:00:00Z", 366 * 86_400 + 1, true), ("2026-06-01T12:00:00Z", -1000, false),
            ("2026-01-01T00:00:00Z", 367 * 86_400, true), ("2025-12-31T23:59:59Z", 367 * 86_400, false),
            ("1970-01-01T00:00:00Z", 1 << 31, false),
        ])
    func name(_ clock: String, _ ahead: Int, _ isFar: Bool) {
        #expect(ClockJumps.isFarAhead(moment(clock) + .seconds(ahead), of: moment(clock)) == isFar)
    }

    @Test(
        "A file is rolled at midnight after the clock was set back, and before that is written on",
        arguments: [0, -1800, -7200, -86_400 * 10, -86_400 * 3650], [true, false])
    func midnight(_ seconds: Int, _ isRestarted: Bool) throws {
        clock.setWall(moment("2026-06-11T12:00:00Z"))
        var engine = try makeEngine { $0.rolling.boundary = .day }
        write("one", to: engine)
        clock.setWall(clock.now() + .seconds(seconds))
        if isRestarted {
            engine.close()
            engine = try makeEngine { $0.rolling.boundary = .day }
        }
        write("two", to: engine)
        let midnight = LogCalendarBoundary.day.next(after: clock.now(), in: .utc)
        clock.advance(by: midnight - clock.now() + .seconds(-1))
        engine.tick()
        write("three", to: engine)
        clock.advance(by: .seconds(1))
        engine.tick()
        write("four", to: engine)
        #expect(names.map(text) == ["one\ntwo\nthree\n", "four\n"])
    }
}
