import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Who empties the ring, and who waits until it has been emptied.
@Suite(.inTurn) struct RingConsumerTests {
    /// Keeps the thread that frees it at a gate.
    private final class Obstacle: Sendable {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        deinit { gate.pass() }
    }

    @Test("Promise 3: a caller waits while another thread holds messages that it has not handed out")
    func takenAndNotHandedOut() throws {
        let dispatcher = LogDispatcher.forTest()
        let (consumer, ring) = (dispatcher.consumer, dispatcher.ring)
        consumer.queue.suspend()
        defer { consumer.queue.resume() }
        let gate = Gate()
        func block() {
            let obstacle = Obstacle(gate)
            dispatcher.submit { _ in withExtendedLifetime(obstacle) {} }
        }
        block()
        // The waiting thread finds this one unfinished, and frees what came before it.
        let unfinished = try #require(ring.reserve(64))
        logInfo("message", to: dispatcher)
        let hasReturned = Box(false)
        Thread.detachNewThread {
            dispatcher.drainNow()
            hasReturned.value = true
        }
        #expect(gate.waitForArrival())
        ring.publish(unfinished.position, size: 64, kind: .filler)
        consumer.drain.withLock { _ in
            ring.consume(upTo: ring.tail)
            gate.open()
            usleep(300_000)
            #expect(!hasReturned.value)
        }
        #expect(comesTrue { hasReturned.value })
    }
}
