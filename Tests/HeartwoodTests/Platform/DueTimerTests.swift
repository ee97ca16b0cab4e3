import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The timer for what is due next", .inTurn)
struct DueTimerTests {
    private let clock = ManualClock()
    private let fired = Locked<[Int]>([])

    private func arm(_ timer: inout DueTimer, _ seconds: Int) {
        timer.arm(for: .seconds(seconds), of: clock) { [fired] in
            fired.withLock { $0.append(seconds) }
        }
    }

    @Test("An earlier timer is enough, a later one is not, and none is enough for never")
    func serves() {
        var timer = DueTimer()
        #expect(timer.due == nil)
        #expect(timer.serves(nil))
        #expect(!timer.serves(.seconds(1)))
        arm(&timer, 10)
        #expect(timer.due == .seconds(10))
        #expect(timer.serves(.seconds(10)))
        #expect(timer.serves(.seconds(11)))
        #expect(!timer.serves(.seconds(9)))
        #expect(!timer.serves(nil))
        timer.cancel()
        #expect(timer.due == nil)
        #expect(timer.serves(nil))
    }

    @Test("Only the work that it was armed for last is called, at its time, once")
    func replaces() {
        var timer = DueTimer()
        clock.advance(by: .seconds(2))
        arm(&timer, 10)
        arm(&timer, 7)
        #expect(clock.pendingTimers == 1)
        clock.advance(by: .milliseconds(4999))
        #expect(fired.withLock { $0 }.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(fired.withLock { $0 } == [7])
        timer.didFire()
        #expect(timer.due == nil)
        arm(&timer, 1)  // the moment has passed
        clock.advance(by: .zero)
        #expect(fired.withLock { $0 } == [7, 1])
        clock.advance(by: .seconds(100))
        #expect(fired.withLock { $0 } == [7, 1])
    }

    @Test("A canceled timer calls nothing")
    func cancels() {
        var timer = DueTimer()
        arm(&timer, 1)
        timer.cancel()
        #expect(clock.pendingTimers == 0)
        clock.advance(by: .seconds(10))
        #expect(fired.withLock { $0 }.isEmpty)
    }
}
