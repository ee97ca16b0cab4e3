import CHeartwood
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

    @Test("A message comes to its logger by itself, also when the global queue has gone to sleep")
    func wakes() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger(formatter: nil)
        dispatcher.add(logger)
        // With metadata, a call goes another way into the ring.
        for (text, metadata) in [("one", nil), ("two", ["n": 1])] as [(String, LogMetadata?)] {
            dispatcher.waitUntilAsleep()
            logInfo("\(text)", metadata: metadata, to: dispatcher)
            waitUntil { logger.texts.last == text }
        }
    }

    @Test("What a logger has handled of one ring is nothing that it has handled of the next")
    func nextRing() {
        let logger = RecordingLogger()
        let inbox = logger.node.inbox
        inbox.begin(ring: 1)
        let batch = RecordBatch(capacity: 0)
        batch.set(end: 4096, of: 1)
        inbox.noteHandled(batch)
        #expect(inbox.hasHandled(4096, of: 1))
        inbox.begin(ring: 2)
        #expect(!inbox.hasHandled(64, of: 1) && !inbox.hasHandled(64, of: 2))
        inbox.noteHandled(batch)
        #expect(!inbox.hasHandled(64, of: 2))
    }

    /// A logger that leaves what it writes of "x" to its queue.
    private final class Leaving: AbstractLogger, @unchecked Sendable {  // adds a method only
        override func log(_ message: LogMessage) {
            if message.text == "x" { node.runner.leaveOutputToQueue() }
        }
    }

    /// Waits until the logger has handled everything, and no thread has the right to run it any more.
    private func comeToRest(_ logger: AbstractLogger) {
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.node.pause(until: SystemClock().uptime() + .seconds(60)))
        logger.node.resume()
    }

    /// Whether a synchronous call would handle its message itself after `body`, where nobody else empties the ring.
    private func isAlone(_ logger: AbstractLogger, _ body: (LogDispatcher) -> Void) -> Bool {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.consumer.queue.suspend()
        defer { dispatcher.consumer.queue.resume() }
        logger.setRunsOnCaller(true)
        dispatcher.add(logger)
        comeToRest(logger)
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
        let set = RecordingLogger()
        #expect(!isAlone(set) { _ in set.filter = nil }, "a setting")
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
        let unwanting = RecordingLogger()
        #expect(
            !isAlone(unwanting) {
                logInfo("x", to: $0)
                let choice = LogLevelChoice(levels: .error, number: .max)
                $0.consumer.drain.withLock { $0.setLevels(choice, of: unwanting.node) }
            }, "a message that the logger does not want")
        let lost = RecordingLogger()
        #expect(
            !isAlone(lost) {
                logInfo("x", to: $0)
                lost.node.inbox.giveUp()
            }, "a logger that is never run again")
        let scratch = Scratch()
        #expect(
            !isAlone(RecordingLogger()) {
                $0.journal = .file(scratch.path + "/journal")
                logInfo("x", to: $0)
            }, "a journal")
        #expect(FileManager.default.createFile(atPath: scratch.path + "/file", contents: nil))
        #expect(
            !isAlone(RecordingLogger()) {
                $0.journal = .file(scratch.path + "/file")
                logInfo("x", to: $0)
            }, "a journal that is lacking")
        #expect(!isAlone(Leaving()) { logInfo("x", to: $0) }, "output that the queue has yet to write")
        let leaving = Leaving(queue: DispatchQueue(label: "standing still"))
        #expect(
            !isAlone(leaving) {
                leaving.queue.suspend()
                logInfo("x", to: $0)
                _ = $0.consumer.handleAlone()
                logInfo("y", to: $0)
            }, "output of the message before that the queue has yet to write")
        leaving.queue.resume()
    }

    /// A logger that says how long its hooks may wait for a reader.
    private final class Patient: AbstractLogger, @unchecked Sendable {  // adds a lock
        let patience = Locked<[Duration]>([])
        override func log(_ message: LogMessage) {
            let now = node.runner.readerPatience
            patience.withLock { $0.append(now) }
        }
    }

    @Test(
        "Promise 6: a synchronous call that handles its message itself does not wait for a reader, as a queue does"
    )
    func aloneWithoutPatience() {
        let logger = Patient()
        #expect(
            isAlone(logger) {
                logger.setRunsOnCaller(false)
                logInfo("by the queue", to: $0)
                $0.drainNow()
                comeToRest(logger)
                logger.setRunsOnCaller(true)
                logInfo("by the caller", to: $0)
            })
        let patience = logger.patience.withLock { $0 }
        #expect(patience.count == 2 && patience[0] > .zero && patience[1] == .zero)
    }

    @Test("What dead processes have left comes before the message that a synchronous call handles itself")
    func aloneAfterRecovery() {
        let logger = RecordingLogger()
        let before = Box<[String]>([])
        #expect(
            isAlone(logger) {
                logger.node.recovery.trySoon { before.value = logger.texts + ["recovered"] }
                comeToRest(logger)
                logInfo("x", to: $0)
            })
        #expect(before.value == ["recovered"] && logger.texts == ["x"])
    }

    @Test(
        "The time of a message that a synchronous call handles itself is right, by a sample of the clock that is fresh"
    )
    func aloneTime() {
        let logger = RecordingLogger()
        let before = SystemClock().now()
        let isFresh = Box(false)
        let isSecondAlone = isAlone(logger) { dispatcher in
            func sample() -> UInt64 { dispatcher.consumer.drain.withLock { $0.ticks.sample.ticks } }
            if TickClock.isReliable { waitUntil { hw_ticks() &- sample() > 100_000 } }
            let ticks = hw_ticks()
            logInfo("x", to: dispatcher)
            let isFirstAlone = dispatcher.consumer.handleAlone()
            isFresh.value = isFirstAlone && (sample() >= ticks || !TickClock.isReliable)
            logInfo("y", to: dispatcher)
        }
        #expect(isSecondAlone && isFresh.value)
        let (first, last) = (before + .milliseconds(-1), SystemClock().now() + .milliseconds(1))
        #expect(logger.messages.allSatisfy { $0.timestamp >= first && $0.timestamp <= last })
        #expect(logger.messages.map(\.sequence) == [1, 2])
    }

    @Test(
        "Promises 1, 3 and 5: a logger is removed, flushed and set while a synchronous call handles its message itself"
    )
    func aloneBesideOthers() {
        let dispatcher = LogDispatcher.forTest()
        let logger = StuckLogger()
        logger.setRunsOnCaller(true)
        dispatcher.add(logger)
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        let group = DispatchGroup()
        func onThread(_ body: @escaping @Sendable () -> Void) {
            group.enter()
            Thread.detachNewThread {
                body()
                group.leave()
            }
        }
        onThread { logInfo("alone", asynchronous: false, to: dispatcher) }
        #expect(logger.waitUntilStuck())
        #expect(dispatcher.statistics.accepted == 1 && logger.statistics.received == 1)
        // Others neither wait for it, nor go before it.
        #expect(dispatcher.flush(timeout: .milliseconds(10)).unfinished == [logger.name])
        logger.filter = LogFilter { $0.text != "filtered" }
        logInfo("filtered", to: dispatcher)
        logInfo("after it", to: dispatcher)
        onThread { logInfo("and synchronously", asynchronous: false, to: dispatcher) }
        waitUntil { dispatcher.statistics.accepted == 4 }
        onThread { dispatcher.remove(logger, timeout: .testLimit) }
        logger.release()
        group.wait()
        #expect(logger.texts == ["alone", "after it", "and synchronously"])
        #expect(logger.events.last == .removed)
        #expect(logger.statistics.filtered == 1 && logger.statistics.isBalanced)
    }

    @Test(
        "Promise 5: a logger and a filter that log in a call that handles its message itself do not wait for themselves"
    )
    func aloneLogging() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousLevels = .all
        let logger = SelfLoggingLogger(to: dispatcher)
        logger.setRunsOnCaller(true)
        logger.filter = LogFilter { message in
            if message.text == "x" { logInfo("asked", to: dispatcher) }
            return true
        }
        dispatcher.add(logger)
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["x", "asked", "heard: x"])
        #expect(logger.statistics.isBalanced)
    }
}
