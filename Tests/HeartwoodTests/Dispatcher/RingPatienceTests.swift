import SuiteSupport
import Testing

@testable import Heartwood

@Suite("How long a caller waits for the ring", .inTurn)
struct RingPatienceTests {
    @Test("A caller waits the limit where nothing leaves the ring, and no longer")
    func still() {
        var patience = RingPatience(.milliseconds(250), head: 8, at: .seconds(1))
        #expect(patience.rest(head: 8, at: .seconds(1)) == .milliseconds(250))
        #expect(patience.rest(head: 8, at: .milliseconds(1249)) == .milliseconds(1))
        #expect(patience.rest(head: 8, at: .milliseconds(1250)) == nil)
    }

    @Test("Each time something leaves the ring the limit begins again")
    func emptying() {
        var patience = RingPatience(.milliseconds(250), head: 0, at: .zero)
        for step in 1...100 {
            let now = Duration.milliseconds(240 * step)
            #expect(patience.rest(head: UInt64(step), at: now) == .milliseconds(250))
        }
        #expect(patience.rest(head: 100, at: .milliseconds(24_250)) == nil)
    }

    @Test("A limit of zero does not wait")
    func zero() {
        var patience = RingPatience(.zero, head: 0, at: .seconds(5))
        #expect(patience.rest(head: 0, at: .seconds(5)) == nil)
    }
}
