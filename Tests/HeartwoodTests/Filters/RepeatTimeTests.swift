import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Times of notes about repeats, and messages that a sample says nothing about.
@Suite(.inTurn) struct RepeatTimeTests {
    @Test("The note about repeats has the time of the last of them") func time() {
        let clock = ManualClock()
        let dispatcher = LogDispatcher.forTest(clock: clock)
        let logger = RecordingLogger()
        logger.duplicateSuppression = DuplicateSuppression(interval: .seconds(3600))
        dispatcher.add(logger)
        let start = clock.now()
        for _ in 0..<4 {
            logInfo("the same", to: dispatcher)
            clock.advance(by: .seconds(10))
        }
        logInfo("another", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.allTexts == ["the same", "last message repeated 3 times", "another"])
        #expect(
            logger.entries.map { $0.timestamp - start } == [.zero, .seconds(30), .seconds(40)])
    }

    @Test("A sample by a field leaves messages without the field alone, whatever the share")
    func sampleWithoutField() {
        for share in [0, 0.01, 0.5] {
            let filter = LogFilter.sampling(share, by: .field("request"))
            #expect(filter.passes(LogMessage("no request")))
        }
        #expect(
            !LogFilter.sampling(0, by: .field("request")).passes(
                LogMessage("a request", metadata: ["request": "r"])))
    }
}
