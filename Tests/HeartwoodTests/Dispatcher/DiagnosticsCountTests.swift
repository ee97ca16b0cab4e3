import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What diagnostics say of troubles that come often.
@Suite(.inTurn) struct DiagnosticsCountTests {
    @Test("A report has the number of all troubles of its kind since the one before") func counts() {
        let clock = ManualClock()
        let diagnostics = LogDiagnostics(clock: clock)
        let counts = Locked<[Int]>([])
        diagnostics.handler = { report in counts.withLock { $0.append(report.count) } }
        for _ in 0..<3 { diagnostics.report(.writeFailed, "full", key: "a", count: 2) }
        diagnostics.report(.writeFailed, "full", key: "b")
        #expect(counts.withLock { $0 } == [2, 1])
        clock.advance(by: .seconds(10))
        diagnostics.report(.writeFailed, "full", key: "a")
        diagnostics.report(.writeFailed, "full", key: "a")
        #expect(counts.withLock { $0 } == [2, 1, 5])
        clock.advance(by: .seconds(10))
        diagnostics.report(.writeFailed, "full", key: "a")
        #expect(counts.withLock { $0 } == [2, 1, 5, 2])
        #expect(diagnostics.totals[.writeFailed] == 10)
    }

    /// Says of each message that two have failed, before the messages of its batch are counted as delivered.
    private final class Failing: AbstractLogger, @unchecked Sendable {  // a lock guards what it has seen
        let seen = Locked<[LoggerStatistics]>([])
        override func log(_ message: LogMessage) {
            reportDeferredFailure(of: 2, "no room")
            seen.withLock { $0.append(statistics) }
        }
    }

    @Test("No figure is negative, and all add up, though more fails than was delivered so far")
    func neverNegative() {
        let dispatcher = LogDispatcher.forTest()
        let logger = Failing()
        dispatcher.add(logger)
        for index in 0..<100 { logInfo("\(index)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.seen.withLock { $0 }.allSatisfy { $0.delivered >= 0 && $0.failed >= 0 })
        let figures = logger.statistics
        #expect(figures.received == 100 && figures.delivered == 0 && figures.failed == 100)

        let counters = LoggerCounters()
        counters.count(received: 3, delivered: 3)
        let before = counters.snapshot
        counters.fail(later: 5)
        counters.count(received: 4, delivered: 4)
        #expect(counters.snapshot.delivered == 2 && counters.snapshot.failed == 5)
        counters.goBack(to: before)
        #expect(counters.snapshot.delivered == 3 && counters.snapshot.failed == 0)
    }

    @Test("A flush says how often the last message was repeated so far") func repeats() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        logger.duplicateSuppression = DuplicateSuppression(interval: .seconds(3600))
        dispatcher.add(logger)
        for _ in 0..<3 { logInfo("the same", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.allTexts == ["the same", "last message repeated 2 times"])
    }

    @Test("Levels that are given when a logger is added again are taken over") func addedAgain() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        #expect(dispatcher.add(logger, levels: .error))
        #expect(!dispatcher.add(logger))
        #expect(logger.levels == .error)
        #expect(!dispatcher.add(logger, levels: .debug))
        logDebug("heard", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.levels == .debug && logger.texts == ["heard"])
    }
}
