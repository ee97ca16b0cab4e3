import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Promise 4: bounded", .inTurn)
struct OverflowTests {
    /// A dispatcher with a logger that is stuck at its first message.
    private func stuck(
        _ policy: OverflowPolicy, limit: ByteCount, ring: ByteCount = .kibibytes(64)
    ) -> (LogDispatcher, StuckLogger) {
        let dispatcher = LogDispatcher.forTest(ring: ring)
        let logger = StuckLogger()
        logger.overflowPolicy = policy
        logger.backlogLimit = limit
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        logger.waitUntilStuck()
        return (dispatcher, logger)
    }

    /// Releases the logger, and checks that every message and every drop has been accounted for.
    private func settle(_ dispatcher: LogDispatcher, _ logger: StuckLogger, received: Int) {
        dispatcher.drainNow()
        logger.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let statistics = logger.statistics
        #expect(statistics.received == received)
        #expect(statistics.isBalanced)
        #expect(statistics.delivered == logger.messages.count)
        #expect(statistics.dropped == logger.announcedDrops)
        #expect(statistics.dropped == received - logger.messages.count)
    }

    /// Each note stands where its messages are missing: the numbers in the texts jump by just that.
    private func expectNotesInPlace(_ logger: RecordingLogger) {
        var next = 0
        for entry in logger.entries {
            if case .integer(let count)? = entry.metadata["dropped"] {
                next += Int(count)
            } else if let number = Int(entry.text) {
                #expect(number == next)
                next = number + 1
            }
        }
    }

    @Test("Promise 4: dropNewest keeps the oldest messages, and notes the gap in place")
    func dropNewest() {
        let (dispatcher, logger) = stuck(.dropNewest, limit: .kibibytes(16))
        for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        settle(dispatcher, logger, received: 1001)
        #expect(logger.texts.first == "first")
        #expect(logger.texts.dropFirst().first == "0")
        #expect(logger.announcedDrops > 500)
        expectNotesInPlace(logger)
        #expect(logger.droppedNotes.count == 1)
        #expect(logger.entries.last?.text == "\(logger.announcedDrops) messages dropped here")
    }

    @Test("Promise 4: dropOldest keeps the newest messages, and notes the gap in place")
    func dropOldest() {
        let (dispatcher, logger) = stuck(.dropOldest, limit: .kibibytes(16))
        for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        settle(dispatcher, logger, received: 1001)
        #expect(logger.texts.last == "999")
        #expect(logger.announcedDrops > 500)
        #expect(logger.entries[1].metadata["dropped"] != nil)
        expectNotesInPlace(logger)
    }

    @Test("Promise 4: dropBelow keeps what is serious, and drops the rest, waiting or new")
    func dropBelow() {
        let (dispatcher, logger) = stuck(.dropBelow(.warning), limit: .kibibytes(64))
        for index in 0..<1000 { log("\(index)", level: index % 10 == 0 ? .error : .debug, to: dispatcher) }
        settle(dispatcher, logger, received: 1001)
        let errors = logger.messages.filter { $0.level == .error }.map(\.text)
        #expect(errors == stride(from: 0, to: 1000, by: 10).map { "\($0)" })
        #expect(logger.announcedDrops > 500)
    }

    @Test("Promise 4: when even the serious messages are too many, dropBelow drops the oldest of them")
    func dropBelowOldest() {
        let (dispatcher, logger) = stuck(.dropBelow(.warning), limit: .kibibytes(16))
        for index in 0..<1000 { log("\(index)", level: index % 2 == 0 ? .error : .info, to: dispatcher) }
        settle(dispatcher, logger, received: 1001)
        #expect(logger.texts.last == "998")
        #expect(logger.messages.dropFirst().allSatisfy { $0.level == .error })
    }

    @Test("Promise 4: dropBelow counts a level of the user's own as what it is as serious as")
    func dropBelowCustom() {
        let audit = LogLevel(bit: 20, name: "overflow-audit", severity: .error)
        let chatter = LogLevel(bit: 21, name: "overflow-chatter", severity: .verbose)
        let (dispatcher, logger) = stuck(.dropBelow(.warning), limit: .kibibytes(64))
        for index in 0..<1000 { log("\(index)", level: index % 10 == 0 ? audit : chatter, to: dispatcher) }
        settle(dispatcher, logger, received: 1001)
        #expect(logger.messages.filter { $0.level == audit }.count == 100)
    }

    @Test("Promise 4: block holds the caller for its limit once, then drops without waiting")
    func block() {
        let (dispatcher, logger) = stuck(.block(upTo: .milliseconds(100)), limit: .kibibytes(16))
        let begin = SystemClock().uptime()
        for index in 0..<20_000 { logInfo("\(index)", to: dispatcher) }
        let took = SystemClock().uptime() - begin
        #expect(took >= .milliseconds(100))
        #expect(took < .seconds(20))
        settle(dispatcher, logger, received: 20_001)
        #expect(logger.announcedDrops > 0)
        expectNotesInPlace(logger)
    }

    @Test("Promise 4: a caller that is held goes on when the logger has caught up, and nothing is dropped")
    func blockUntilThereIsRoom() {
        let (dispatcher, logger) = stuck(.block(upTo: .seconds(60)), limit: .kibibytes(16))
        let count = 5000
        let done = DispatchSemaphore(value: 0)
        Thread {
            for index in 0..<count { logInfo("\(index)", to: dispatcher) }
            done.signal()
        }.start()
        while !dispatcher.backpressure.isHeld { sched_yield() }
        logger.release()
        done.wait()
        settle(dispatcher, logger, received: count + 1)
        #expect(logger.texts == ["first"] + (0..<count).map { "\($0)" })
        #expect(!dispatcher.backpressure.isHeld)
    }

    @Test(
        "Promise 4: with several threads and loggers each message is delivered, filtered, dropped or failed",
        arguments: [
            OverflowPolicy.dropNewest, .dropOldest, .dropBelow(.warning), .block(upTo: .milliseconds(1)),
        ])
    func accounting(policy: OverflowPolicy) {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = policy
        let loggers = [
            RecordingLogger(name: "recording"), HalvingLogger(name: "halving"),
            FailingLogger(name: "failing", every: 3), SelfLoggingLogger(name: "self", to: dispatcher),
        ]
        for logger in loggers {
            logger.overflowPolicy = policy
            logger.backlogLimit = .kibibytes(8)
            dispatcher.add(logger)
        }
        let perThread = Load.scaled(4000)
        onThreads(4) { thread in
            for index in 0..<perThread {
                log("\(thread) \(index)", level: LogLevel.standardLevels[index % 7], to: dispatcher)
            }
        }
        for _ in 0..<3 { dispatcher.flush(timeout: .testLimit) }
        let statistics = dispatcher.statistics
        for logger in loggers {
            let own = logger.statistics
            #expect(own.isBalanced, "\(logger.name): \(own)")
            #expect(own.received == statistics.accepted)
            #expect(own.delivered == logger.messages.count)
        }
        #expect(loggers[0].announcedDrops >= loggers[0].statistics.dropped)
    }

    @Test("Promise 4: a limit of zero switches the limit off, and the largest one does not overflow")
    func extremeLimits() {
        for limit in [ByteCount.zero, ByteCount(Int.max), .gibibytes(Int.max)] {
            let (dispatcher, logger) = stuck(.block(upTo: .milliseconds(1)), limit: limit)
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
            settle(dispatcher, logger, received: 1001)
            #expect(logger.announcedDrops == 0)
        }
    }

    @Test("Promise 4: drops are reported, in all and with their number")
    func reported() {
        let (dispatcher, logger) = stuck(.dropNewest, limit: .kibibytes(1))
        let reports = Box<[LogDiagnostics.Report]>([])
        dispatcher.diagnostics.handler = { report in reports.update { $0.append(report) } }
        for index in 0..<100 { logInfo("\(index)", to: dispatcher) }
        settle(dispatcher, logger, received: 101)
        #expect(reports.value.map(\.kind) == [.messagesDropped])
        #expect(reports.value.first?.count == logger.announcedDrops)
        #expect(dispatcher.diagnostics.totals[.messagesDropped] == logger.announcedDrops)
    }

    @Test("Promise 4: a logger that logs from inside itself while messages are dropped comes to an end")
    func selfLoggingUnderOverflow() {
        let dispatcher = LogDispatcher.forTest()
        let logger = SelfLoggingLogger(to: dispatcher)
        logger.overflowPolicy = .dropNewest
        logger.backlogLimit = .bytes(300)
        dispatcher.add(logger)
        for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        var before = -1
        for _ in 0..<50 where before != logger.entries.count {
            before = logger.entries.count
            dispatcher.flush(timeout: .testLimit)
        }
        #expect(before == logger.entries.count)
        #expect(logger.statistics.isBalanced)
    }
}
