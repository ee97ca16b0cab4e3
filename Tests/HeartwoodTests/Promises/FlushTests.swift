import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Promise 3: flush means it", .inTurn)
struct FlushTests {
    @Test("Promise 3: after a flush everything has been handled, and the loggers have been flushed after it")
    func everythingHandled() {
        let dispatcher = LogDispatcher.forTest()
        let loggers = [
            RecordingLogger(name: "own queue"),
            RecordingLogger(name: "caller", formatter: nil, runsOnCaller: true),
        ]
        for logger in loggers { dispatcher.add(logger) }
        for round in 1...50 {
            for index in 0..<20 { logInfo("\(index)", to: dispatcher) }
            let result = dispatcher.flush()
            #expect(result.isComplete)
            for logger in loggers {
                #expect(logger.messages.count == round * 20)
                #expect(logger.events.last == .flush)
            }
        }
    }

    @Test("Promise 3: the asynchronous form means the same")
    func asynchronousForm() async {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        for round in 1...50 {
            for index in 0..<20 { logInfo("\(index)", to: dispatcher) }
            let result = await dispatcher.flush()
            #expect(result.isComplete)
            #expect(logger.messages.count == round * 20)
            #expect(logger.events.last == .flush)
        }
    }

    /// Takes, for its first message, longer than the flush that works it off has time.
    private final class Slow: RecordingLogger, @unchecked Sendable {  // adds a method only
        override func log(_ message: LogMessage) {
            super.log(message)
            let end = DispatchTime.now() + .milliseconds(5)
            while messages.count == 1, DispatchTime.now() < end { sched_yield() }
        }
    }

    @Test(
        "Promise 3: a flush that works a logger off itself returns when its time is over, and names the logger"
    )
    func endsInTime() {
        let dispatcher = LogDispatcher.forTest()
        let queue = DispatchQueue(label: "standing still")
        queue.suspend()
        let logger = Slow(name: "slow", queue: queue)
        logger.setRunsOnCaller(true)
        dispatcher.add(logger)
        dispatcher.drainNow()
        for index in 0..<50 {
            logInfo("\(index)", to: dispatcher)
            dispatcher.drainNow()
        }
        // The logger takes part in it from its first message on: what comes before that is a matter of microseconds.
        let result = dispatcher.flush(timeout: .milliseconds(1))
        #expect(result.unfinished == ["slow"])
        #expect(logger.messages.count <= 1)
        queue.resume()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.messages.count == 50)
    }

    private final class Holding: RecordingLogger, @unchecked Sendable {
        @Ordered var holds = true
        override func flush() {
            super.flush()
            if holds { reportPending() }
        }
    }

    @Test("Promise 3: a flush names the logger that holds what it cannot write, and does not wait for it")
    func namesTheHoldingOne() {
        let dispatcher = LogDispatcher.forTest()
        let logger = Holding(name: "holding")
        dispatcher.add(RecordingLogger(name: "other"))
        dispatcher.add(logger)
        logInfo("line", to: dispatcher)
        let result = dispatcher.flush(timeout: .testLimit)
        #expect(!result.isComplete)
        #expect(result.unfinished == ["holding"] && result.holding == ["holding"])
        logger.holds = false
        #expect(dispatcher.flush().isComplete)
    }

    @Test("Promise 3: a logger that has not answered in time is unfinished, and does not count as holding")
    func lateIsNotHolding() {
        let dispatcher = LogDispatcher.forTest()
        let logger = StuckLogger(name: "stuck")
        dispatcher.add(logger)
        logInfo("line", to: dispatcher)
        logger.waitUntilStuck()
        let result = dispatcher.flush(timeout: .milliseconds(10))
        #expect(result.unfinished == ["stuck"])
        #expect(result.holding == [])
        logger.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
    }

    @Test("Promise 3: the asynchronous form names it as well")
    func namesTheHoldingOneAsynchronously() async {
        let dispatcher = LogDispatcher.forTest()
        let logger = Holding(name: "holding")
        dispatcher.add(logger)
        let result = await dispatcher.flush(timeout: .testLimit)
        #expect(result.unfinished == ["holding"] && result.holding == ["holding"])
        logger.holds = false
        let after = await dispatcher.flush()
        #expect(after.isComplete && after.holding.isEmpty)
    }

    @Test("Promise 3: a flush without loggers is complete")
    func withoutLoggers() async {
        let dispatcher = LogDispatcher.forTest()
        let result = await dispatcher.flush(timeout: .zero)
        #expect(result.isComplete)
        let waited: FlushResult = await Task.detached { await dispatcher.flush() }.value
        #expect(waited.isComplete)
    }

    @Test(
        "Promise 3: a flush names the logger that is stuck, and no other, whatever the order",
        arguments: [0, 1, 2])
    func namesTheStuckOne(place: Int) {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger(name: "stuck")
        let others = [
            RecordingLogger(name: "a"), RecordingLogger(name: "b", formatter: nil, runsOnCaller: true),
        ]
        var all: [AbstractLogger] = others
        all.insert(stuck, at: place)
        for logger in all { dispatcher.add(logger) }
        logInfo("x", to: dispatcher)
        stuck.waitUntilStuck()
        let begin = SystemClock().uptime()
        let result = dispatcher.flush(timeout: Load.patience)
        #expect(result.unfinished == ["stuck"])
        #expect(SystemClock().uptime() - begin < .seconds(20))
        for logger in others { #expect(logger.texts == ["x"]) }
        stuck.release()
        #expect(dispatcher.flush().isComplete)
        #expect(stuck.texts == ["x"])
    }

    @Test("Promise 3: the asynchronous form names the stuck logger, too")
    func namesTheStuckOneAsynchronously() async {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger(name: "stuck")
        dispatcher.add(stuck)
        dispatcher.add(RecordingLogger(name: "fine"))
        logInfo("x", to: dispatcher)
        stuck.waitUntilStuck()
        let result = await dispatcher.flush(timeout: Load.patience)
        #expect(result.unfinished == ["stuck"])
        stuck.release()
        let second = await dispatcher.flush()
        #expect(second.isComplete)
    }

    @Test("Promise 3: a timeout may be as long or as short as the type allows")
    func extremeTimeouts() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        logInfo("x", to: dispatcher)
        #expect(dispatcher.flush(timeout: .seconds(Int64.max)).isComplete)
        #expect(logger.texts == ["x"])
        _ = dispatcher.flush(timeout: .seconds(Int64.min))
        _ = dispatcher.flush(timeout: .zero)
        dispatcher.remove(logger, timeout: .seconds(Int64.max))
    }

    @Test("Promise 3: a flush that is cancelled by nobody ends while others log without end")
    func duringAFlood() {
        let dispatcher = LogDispatcher.forTest(ring: .kibibytes(256))
        let logger = RecordingLogger()
        logger.overflowPolicy = .dropOldest
        logger.backlogLimit = .kibibytes(64)
        dispatcher.add(logger)
        let isOver = Box(false)
        let flood = Thread {
            while !isOver.value { logInfo("flood", to: dispatcher) }
        }
        flood.start()
        for _ in 0..<20 { #expect(dispatcher.flush(timeout: .testLimit).isComplete) }
        isOver.value = true
    }

    @Test("Promise 3: many threads may flush at the same time")
    func concurrentFlushes() {
        let dispatcher = LogDispatcher.forTest()
        let loggers = [
            RecordingLogger(name: "own queue"),
            RecordingLogger(name: "caller", formatter: nil, runsOnCaller: true),
        ]
        for logger in loggers { dispatcher.add(logger) }
        let rounds = Load.scaled(40)
        onThreads(8) { thread in
            for index in 0..<rounds {
                logInfo("\(thread) \(index)", to: dispatcher)
                #expect(dispatcher.flush(timeout: .testLimit).isComplete)
                for logger in loggers { #expect(logger.texts.contains("\(thread) \(index)")) }
            }
        }
        for logger in loggers { #expect(logger.messages.count == 8 * rounds) }
    }
}
