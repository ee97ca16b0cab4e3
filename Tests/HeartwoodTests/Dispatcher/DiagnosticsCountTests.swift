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

    @Test("A flush says how often the last message was repeated so far") func repeats() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        logger.duplicateSuppression = DuplicateSuppression(interval: .seconds(3600))
        dispatcher.add(logger)
        for _ in 0..<3 { logInfo("the same", to: dispatcher) }
        dispatcher.flush()
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
        dispatcher.flush()
        #expect(logger.levels == .debug && logger.texts == ["heard"])
    }
}
