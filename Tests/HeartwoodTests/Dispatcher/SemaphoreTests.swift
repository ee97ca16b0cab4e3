import Dispatch
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct SemaphoreTests {
    @Test("A wait ends at its limit, and not before; a signal that came first is not lost")
    func limit() {
        let semaphore = Semaphore()
        let began = ContinuousClock.now
        #expect(!semaphore.wait(upTo: .milliseconds(20)))
        #expect(ContinuousClock.now - began >= .milliseconds(20))
        #expect(!semaphore.wait(upTo: .zero) && !semaphore.wait(until: .now()))
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(upTo: .zero) && semaphore.wait(until: .distantFuture))
        #expect(!semaphore.wait(upTo: .nanoseconds(1)))
    }

    @Test("Of many threads that signal and wait, each signal lets exactly one go")
    func threads() {
        let semaphore = Semaphore()
        let passed = Locked(0)
        let count = Load.scaled(20_000)
        onThreads(4) { thread in
            for _ in 0..<count {
                if thread < 2 {
                    semaphore.signal()
                } else if semaphore.wait(upTo: .seconds(60)) {
                    passed.withLock { $0 += 1 }
                }
            }
        }
        #expect(passed.withLock { $0 } == 2 * count)
        #expect(!semaphore.wait(upTo: .zero))
    }
}
