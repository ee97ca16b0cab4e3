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
        waitUntil { hasReturned.value }
    }

    /// A logger that leaves what it writes to its queue.
    private final class Leaving: AbstractLogger, @unchecked Sendable {  // adds a method only
        override func log(_ message: LogMessage) { node.runner.leaveOutputToQueue() }
    }

    /// Whether a synchronous call would handle its message itself after `body`, where nobody else empties the ring.
    private func isAlone(_ logger: AbstractLogger, _ body: (LogDispatcher) -> Void) -> Bool {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.consumer.queue.suspend()
        defer { dispatcher.consumer.queue.resume() }
        logger.setRunsOnCaller(true)
        dispatcher.add(logger)
        _ = logger.waitUntilIdle(timeout: .seconds(60))
        body(dispatcher)
        return dispatcher.consumer.handleAlone()
    }

    @Test(
        "Promise 1: a synchronous call handles its message itself where nothing else is to be done, and only there"
    )
    func alone() {
        let logger = RecordingLogger()
        #expect(isAlone(logger) { logInfo("x", to: $0) })
        #expect(logger.texts == ["x"] && logger.statistics.delivered == 1)
        #expect(!isAlone(RecordingLogger()) { _ in }, "no message")
        #expect(!isAlone(RecordingLogger()) { for text in ["x", "y"] { logInfo("\(text)", to: $0) } }, "two")
        let changed = RecordingLogger()
        #expect(
            !isAlone(changed) {
                changed.filter = nil
                logInfo("x", to: $0)
            }, "a setting before it")
        let waiting = RecordingLogger(queue: DispatchQueue(label: "standing still"))
        #expect(
            !isAlone(waiting) {
                waiting.queue.suspend()
                logInfo("x", to: $0)
                $0.drainNow()
                logInfo("y", to: $0)
            }, "messages that wait")
        waiting.queue.resume()
        let stuck = StuckLogger()
        #expect(
            !isAlone(stuck) {
                logInfo("x", to: $0)
                $0.drainNow()
                stuck.waitUntilStuck()
                logInfo("y", to: $0)
            }, "a logger at work")
        stuck.release()
        #expect(
            !isAlone(RecordingLogger()) {
                $0.consumer.noteMissing()
                logInfo("x", to: $0)
            }, "a message that is missing before it")
        #expect(
            !isAlone(RecordingLogger()) {
                $0.add(RecordingLogger())
                $0.drainNow()
                logInfo("x", to: $0)
            }, "two loggers")
        let queued = RecordingLogger()
        #expect(
            !isAlone(queued) {
                queued.setRunsOnCaller(false)
                logInfo("x", to: $0)
            }, "a logger with a queue of its own")
        #expect(!isAlone(RecordingLogger()) { logInfo("x", tag: "tag", to: $0) }, "a tag")
        let text = String(repeating: "x", count: 5000)
        #expect(!isAlone(RecordingLogger()) { logInfo("\(text)", to: $0) }, "a large one")
        let errors = RecordingLogger()
        errors.levels = .error
        #expect(!isAlone(errors) { log("x", level: .info, to: $0) }, "no message at all")
        #expect(!isAlone(Leaving()) { logInfo("x", to: $0) }, "output that the queue has yet to write")
    }
}
