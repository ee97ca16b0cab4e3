import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The clock of the cycle counter", .inTurn)
struct TickClockTests {
    @Test("A counter that starts again leaves the rate as it was, and is measured from there")
    func restart() {
        func sample(_ ticks: UInt64, _ milliseconds: Int64) -> TickClock.Sample {
            TickClock.Sample(ticks: ticks, wall: 0, steady: milliseconds * 1_000_000)
        }
        var first = sample(5_000_000, 0)
        #expect(sample(5_000_100, 1).rate(since: &first) == nil)  // too short to tell
        #expect(sample(9_000_000, 2).rate(since: &first) == 0.5)
        // Asleep for a minute; the counter begins at 1000.
        #expect(sample(1000, 60_000).rate(since: &first) == nil)
        #expect(first.ticks == 1000)
        #expect(sample(4_001_000, 60_002).rate(since: &first) == 0.5)
    }
}
