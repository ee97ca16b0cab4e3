import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Promise 6: isolation", .inTurn)
struct IsolationTests {
    @Test("Promise 6: a stuck logger keeps nothing from the others, nor from the callers")
    func stuckLogger() {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger(name: "stuck")
        stuck.overflowPolicy = .dropOldest
        stuck.backlogLimit = .kibibytes(64)
        let fine = RecordingLogger(name: "fine")
        let caller = RecordingLogger(name: "caller", formatter: nil, runsOnCaller: true)
        for logger in [stuck, fine, caller] { dispatcher.add(logger) }
        let count = 20_000
        for index in 0..<count { logInfo("\(index)", to: dispatcher) }
        let result = dispatcher.flush(timeout: Load.patience)
        #expect(result.unfinished == ["stuck"])
        #expect(fine.waitUntilIdle(timeout: .testLimit))
        #expect(fine.messages.count == count)
        #expect(caller.waitUntilIdle(timeout: .testLimit))
        #expect(caller.messages.count == count)
        #expect(dispatcher.statistics.dropped == 0)
        stuck.release()
    }

    @Test("Promise 6: a synchronous call has its message in every other logger, however long one is stuck")
    func synchronousBesideAStuckLogger() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousTimeout = .milliseconds(50)
        let stuck = StuckLogger(name: "stuck")
        let before = RecordingLogger(name: "before", formatter: nil, runsOnCaller: true)
        let after = RecordingLogger(name: "after", formatter: nil, runsOnCaller: true)
        for logger in [before, stuck, after] { dispatcher.add(logger) }
        let begin = SystemClock().uptime()
        logError("x", asynchronous: false, to: dispatcher)
        #expect(SystemClock().uptime() - begin < .seconds(20))
        #expect(after.waitUntilIdle(timeout: .testLimit))
        #expect(before.texts == ["x"])
        #expect(after.texts == ["x"])
        // On a loaded machine the others may be late as well.
        #expect(dispatcher.diagnostics.totals[.timedOut, default: 0] >= 1)
        stuck.release()
    }

    @Test("Promise 6: a logger that holds a synchronous call up keeps its message from no other one")
    func holdsCallerUp() {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger(name: "stuck", formatter: nil, runsOnCaller: true)
        let after = (0..<2).map { RecordingLogger(name: "after \($0)", formatter: nil, runsOnCaller: true) }
        for logger in [stuck] + after { dispatcher.add(logger) }
        // The others are reached by nothing but the look that the drain takes at what callers have left.
        dispatcher.waitUntilAsleep()
        let caller = Thread { logError("x", asynchronous: false, to: dispatcher) }
        caller.start()
        #expect(stuck.waitUntilStuck())
        waitUntil { after.allSatisfy { $0.texts == ["x"] } }
        #expect(stuck.texts.isEmpty)
        stuck.release()
        waitUntil { caller.isFinished }
        #expect(stuck.texts == ["x"])
    }

    @Test(
        "Promise 6: a logger that holds a synchronous call up makes no other one late, however much it has to do"
    )
    func lateWithAnother() {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger(name: "stuck", formatter: nil, runsOnCaller: true)
        let slow = StuckLogger(name: "slow")
        let own = RecordingLogger(name: "own", formatter: nil, runsOnCaller: true)
        let queued = RecordingLogger(name: "queued")
        let loggers = [stuck, slow, own, queued]
        for logger in loggers { dispatcher.add(logger) }
        dispatcher.waitUntilAsleep()
        // The test does what the drain would do.
        dispatcher.consumer.queue.suspend()
        logInfo("x", to: dispatcher)
        let end = dispatcher.ring.tail
        let late = Locked<[String]>([])
        let caller = Thread {
            dispatcher.drainNow(byCaller: true)
            let others = LoggerNode.wait(
                for: loggers, upTo: end, of: dispatcher.ring.number, until: .now() + 0.001)
            late.withLock { $0 = others.map(\.name) }
        }
        caller.start()
        #expect(stuck.waitUntilStuck() && slow.waitUntilStuck())
        own.node.inbox.scheduleIfNeeded()
        waitUntil {
            own.node.inbox.hasHandled(end, of: dispatcher.ring.number)
                && queued.node.inbox.hasHandled(end, of: dispatcher.ring.number)
        }
        // What comes now must not be waited for.
        for logger in [own, queued] { logger.queue.suspend() }
        logInfo("y", to: dispatcher)
        dispatcher.drainNow()
        stuck.release()
        waitUntil { caller.isFinished }
        #expect(late.withLock { $0 } == ["slow"])
        for logger in [own, queued] { logger.queue.resume() }
        slow.release()
        dispatcher.consumer.queue.resume()
    }

    @Test("A synchronous call waits for a logger that has handled more in another dispatcher")
    func movedLogger() {
        let (one, other) = (LogDispatcher.forTest(), LogDispatcher.forTest())
        let moved = RecordingLogger(name: "moved")
        one.add(moved)
        for index in 0..<100 { logInfo("\(index)", to: one) }
        one.remove(moved, timeout: .testLimit)
        moved.queue.sync {}  // a block that still runs would go on while the queue is suspended
        moved.queue.suspend()
        other.synchronousTimeout = .milliseconds(20)
        other.add(moved)
        logError("x", asynchronous: false, to: other)
        #expect(other.diagnostics.totals[.timedOut, default: 0] == 1)
        moved.queue.resume()
    }

    @Test("A synchronous call runs the loggers that allow it one after another, on its own thread")
    func oneAfterAnother() {
        final class Where: RecordingLogger, @unchecked Sendable {
            let threads = Locked<Set<UInt64>>([])
            override func log(_ message: LogMessage) {
                threads.withLock { _ = $0.insert(LogThread.current.id) }
                super.log(message)
            }
        }
        let dispatcher = LogDispatcher.forTest()
        let loggers = (0..<3).map { Where(name: "\($0)", formatter: nil, runsOnCaller: true) }
        for logger in loggers { dispatcher.add(logger) }
        dispatcher.flush(timeout: .testLimit)
        for index in 0..<100 {
            logError("\(index)", asynchronous: false, to: dispatcher)
            for logger in loggers { #expect(logger.texts.last == "\(index)") }
        }
        // On a busy machine the drain may come between; it does not in most calls.
        for logger in loggers {
            #expect(logger.threads.withLock { $0.contains(LogThread.current.id) })
        }
    }

    @Test("Promise 4: a stuck logger costs synchronous calls their timeout once, until it has moved on")
    func stuckOnce() throws {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousTimeout = .milliseconds(20)
        let stuck = StuckLogger(name: "stuck")
        let fine = RecordingLogger(name: "fine")
        for logger in [stuck, fine] { dispatcher.add(logger) }
        logError("first", asynchronous: false, to: dispatcher)
        #expect(fine.waitUntilIdle(timeout: .testLimit))
        #expect(dispatcher.diagnostics.totals[.timedOut, default: 0] >= 1)
        // Far longer than a call takes that does not wait for the stuck one.
        dispatcher.synchronousTimeout = .seconds(20)
        for index in 0..<20 {
            let begin = SystemClock().uptime()
            logError("\(index)", asynchronous: false, to: dispatcher)
            try #require(SystemClock().uptime() - begin < .seconds(15), "it has waited again")
            #expect(fine.texts.last == "\(index)", "the others are waited for")
        }
        #expect(
            dispatcher.diagnostics.totals[.timedOut, default: 0] >= 21, "each call that did not wait is told")
        stuck.release()
        #expect(stuck.waitUntilIdle(timeout: .testLimit))
        #expect(stuck.texts == ["first"] + (0..<20).map { "\($0)" })
        logError("last", asynchronous: false, to: dispatcher)
        #expect(stuck.texts.last == "last", "it is waited for again")
    }

    @Test("Promise 6: a synchronous call keeps nothing from a logger that does not want its level")
    func synchronousBesideOtherLevels() throws {
        // A new dispatcher for each attempt: another message would deliver one that was left behind.
        for _ in 0..<50 {
            let dispatcher = LogDispatcher.forTest()
            let errors = RecordingLogger(name: "errors", formatter: nil, runsOnCaller: true)
            let infos = SignalingLogger(name: "infos", formatter: nil, runsOnCaller: true)
            dispatcher.add(errors, levels: .error)
            dispatcher.add(infos, levels: [.info])
            logInfo("for infos", to: dispatcher)
            logError("for errors", asynchronous: false, to: dispatcher)
            #expect(errors.texts == ["for errors"])
            infos.received.wait()
        }
    }

    @Test("Promise 6: a failing logger fails alone, and each failure is counted and reported")
    func failingLogger() {
        let dispatcher = LogDispatcher.forTest()
        let failing = FailingLogger(name: "failing", every: 2)
        let fine = RecordingLogger(name: "fine")
        dispatcher.add(failing)
        dispatcher.add(fine)
        for index in 0..<100 { logInfo("\(index)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fine.messages.count == 100)
        #expect(failing.messages.count == 50)
        #expect(failing.statistics.failed == 50)
        #expect(failing.statistics.isBalanced)
        #expect(dispatcher.diagnostics.totals[.writeFailed] == 50)
    }

    @Test("Promise 6: a logger that throws half away says so, and the others get all")
    func halvingLogger() {
        let dispatcher = LogDispatcher.forTest()
        let halving = HalvingLogger(name: "halving")
        let fine = RecordingLogger(name: "fine")
        dispatcher.add(halving)
        dispatcher.add(fine)
        for index in 0..<101 { logInfo("\(index)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fine.texts == (0...100).map { "\($0)" })
        #expect(halving.texts == stride(from: 0, through: 100, by: 2).map { "\($0)" })
        #expect(halving.statistics.filtered == 50)
        #expect(halving.statistics.isBalanced)
    }

    @Test("Promise 6: a slow logger is behind, and loses nothing while its backlog holds")
    func slowLogger() {
        let dispatcher = LogDispatcher.forTest()
        let slow = SlowLogger(name: "slow")
        let fine = RecordingLogger(name: "fine")
        dispatcher.add(slow)
        dispatcher.add(fine)
        for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        #expect(dispatcher.flush(timeout: Load.patience).unfinished == ["slow"])
        #expect(fine.messages.count == 1000)
        #expect(slow.handle(10))
        #expect(slow.texts == (0..<10).map { "\($0)" })
        slow.allow(990)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(slow.texts == fine.texts)
    }

    @Test("Promise 6: dispatchers have nothing in common")
    func independentDispatchers() {
        let first = LogDispatcher.forTest()
        let second = LogDispatcher.forTest()
        let stuck = StuckLogger()
        let fine = RecordingLogger()
        first.add(stuck)
        second.add(fine)
        first.metadata = ["of": "first"]
        first.levels = .info
        logInfo("x", to: first)
        logDebug("y", to: second)
        #expect(second.flush().isComplete)
        #expect(fine.texts == ["y"])
        #expect(fine.messages.first?.metadata.isEmpty == true)
        #expect(fine.messages.first?.sequence == 1)
        stuck.release()
        first.flush()
    }
}

/// Says when it gets a message.
private final class SignalingLogger: AbstractLogger, @unchecked Sendable {
    let received = DispatchSemaphore(value: 0)

    override func log(_ message: LogMessage) { received.signal() }
}
