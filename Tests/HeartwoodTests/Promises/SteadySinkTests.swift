import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Takes its time for each message.
private final class PlainSlowLogger: AbstractLogger, @unchecked Sendable {
    private let pace: UInt32
    init(pace: UInt32, name: String = "slow") {
        self.pace = pace
        super.init(name: name)
    }
    override func log(_ message: LogMessage) { usleep(pace) }
}

@Suite("Promise 4: a sink that works loses nothing", .inTurn)
struct SteadySinkTests {
    @Test(
        "Promise 4: a logger that works steadily loses nothing, though it needs longer than the policy's time for half of its backlog"
    )
    func slow() {
        let dispatcher = LogDispatcher.forTest()
        let logger = PlainSlowLogger(pace: 5000)
        logger.backlogLimit = .kibibytes(32)
        logger.overflowPolicy = .block(upTo: .milliseconds(600))
        dispatcher.add(logger)
        for index in 0..<600 { logInfo("message \(index) of a burst", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.statistics.dropped == 0)
        #expect(logger.statistics.delivered == 600)
    }

    @Test("Promise 4: a logger that has been given up does not make callers impatient with another one")
    func eachItsOwnPatience() {
        let dispatcher = LogDispatcher.forTest()
        let hasty = StuckLogger(name: "hasty")
        // Long enough that a look at both is not missed on a busy machine.
        hasty.overflowPolicy = .block(upTo: .seconds(1))
        let patient = StuckLogger(name: "patient")
        patient.overflowPolicy = .block(upTo: .seconds(600))
        for logger in [hasty, patient] {
            logger.backlogLimit = .kibibytes(16)
            dispatcher.add(logger)
        }
        let done = DispatchSemaphore(value: 0)
        Thread {
            for index in 0..<2000 { logInfo("\(index)", to: dispatcher) }
            done.signal()
        }.start()
        // First both hold the caller, then the patient one alone.
        waitUntil { dispatcher.backpressure.holders == 2 }
        waitUntil { dispatcher.backpressure.holders == 1 }
        #expect(done.wait(timeout: .now() + 0.1) == .timedOut)
        patient.release()
        done.wait()
        hasty.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(patient.statistics.dropped == 0)
        #expect(patient.statistics.delivered == 2000)
        #expect(hasty.statistics.isBalanced)
    }

    @Test("Promise 4: a caller that waits goes on at once when the policy changes, or the limit")
    func policyChanges() {
        for change in [
            { (logger: AbstractLogger) in logger.overflowPolicy = .dropOldest }, { $0.backlogLimit = .zero },
        ] {
            let dispatcher = LogDispatcher.forTest()
            let logger = StuckLogger()
            logger.overflowPolicy = .block(upTo: .seconds(600))
            logger.backlogLimit = .kibibytes(16)
            dispatcher.add(logger)
            let done = DispatchSemaphore(value: 0)
            Thread {
                for index in 0..<2000 { logInfo("\(index)", to: dispatcher) }
                done.signal()
            }.start()
            waitUntil { dispatcher.backpressure.isHeld }
            change(logger)
            done.wait()
            logger.release()
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        }
    }

    @Test("Promise 4: a logger whose policy changes holds nobody any more, though nobody waits at that time")
    func policyChangesUnwatched() {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger()
        stuck.overflowPolicy = .block(upTo: .seconds(600))
        stuck.backlogLimit = .kibibytes(16)
        dispatcher.add(stuck)
        let talker = RecordingLogger()
        dispatcher.add(talker)
        // Inside of a logger no call waits, and so none looks how far the stuck one is.
        talker.perform { for index in 0..<500 { logInfo("\(index)", to: dispatcher) } }
        #expect(talker.waitUntilIdle(timeout: .testLimit))
        dispatcher.drainNow()
        #expect(dispatcher.backpressure.holders == 1)
        stuck.overflowPolicy = .dropOldest
        dispatcher.drainNow()
        #expect(!dispatcher.backpressure.isHeld)
        stuck.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
    }

    @Test(
        "Promise 4: with the default policy a console that is read at 1 to 60 MB/s loses nothing",
        .enabled(
            if: Tier.isLong,
            "takes minutes: HEARTWOOD_LONG=1"),
        .serialized, arguments: [1, 5, 20, 60])
    func rates(megabytes: Int) async throws {
        await #expect(processExitsWith: .success) { [megabytes = megabytes as Int] in
            try Self.console(megabytes)
        }
    }

    private static func console(_ megabytes: Int) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(2) }
        let (input, output) = (ends[0], ends[1])
        dup2(output, STDERR_FILENO)
        close(output)
        let total = Counter()
        Thread {
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            let began = SystemClock().uptime()
            var bytes = 0
            while case let count = read(input, &buffer, buffer.count), count > 0 {
                bytes += count
                for byte in buffer[..<count] where byte == 0x0A { total.increase() }
                let due = began + .microseconds(bytes / megabytes)
                let rest = due - SystemClock().uptime()
                if rest > .zero { usleep(UInt32(clamping: Int(rest / .microseconds(1)))) }
            }
        }.start()
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let console = ConsoleLogger(.standardError)
        dispatcher.add(console)
        // More than the backlog and its allowance, and some seconds of the sink.
        let count = ((40 + 5 * megabytes) << 20) / 128
        var slowest = Duration.zero
        for index in 0..<count {
            let began = SystemClock().uptime()
            logInfo(
                "message \(index) of a burst that is longer than what may wait for the console",
                to: dispatcher)
            slowest = max(slowest, SystemClock().uptime() - began)
        }
        guard dispatcher.flush(timeout: .testLimit).isComplete else { exit(3) }
        let statistics = console.statistics
        print("\(megabytes) MB/s: \(count) messages, \(statistics.dropped) dropped, slowest call \(slowest)")
        guard statistics.dropped == 0, statistics.failed == 0, statistics.delivered == count else { exit(4) }
    }

    @Test(
        "Promise 4: with the default policy a logger of 100 µs a message loses nothing of eight threads",
        .enabled(
            if: Tier.isLong,
            "takes minutes: HEARTWOOD_LONG=1"))
    func manyThreads() {
        let dispatcher = LogDispatcher()
        let logger = PlainSlowLogger(pace: 100)
        dispatcher.add(logger)
        onThreads(8) { thread in
            for index in 0..<25_000 {
                logInfo("message \(index) of \(thread) in a burst of many threads", to: dispatcher)
            }
        }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(dispatcher.statistics.dropped == 0)
        #expect(logger.statistics.dropped == 0)
        #expect(logger.statistics.delivered == 200_000)
    }

    @Test(
        "Promise 4: with the default policy a stuck logger costs each thread one call of about the limit",
        .enabled(
            if: Tier.isLong,
            "measures times: HEARTWOOD_LONG=1"), .serialized, arguments: [1, 8])
    func stuck(threads: Int) {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let logger = StuckLogger()
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 100)
        let slow = Box<[[Duration]]>([])
        onThreads(threads) { thread in
            var calls: [Duration] = []
            for index in 0..<400_000 / threads {
                let began = SystemClock().uptime()
                logInfo("message \(index) of \(thread) \(text)", to: dispatcher)
                let took = SystemClock().uptime() - began
                if took > .milliseconds(200) { calls.append(took) }
            }
            slow.update { $0.append(calls) }
        }
        print("\(threads) threads, stuck: \(slow.value), \(logger.statistics.dropped) dropped")
        #expect(slow.value.allSatisfy { $0.count >= 1 })
        #expect(!dispatcher.backpressure.isHeld && logger.statistics.dropped > 0)
        logger.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.statistics.isBalanced && logger.statistics.received == 400_000)
    }
}
