import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Messages that a flight recorder passes on when the program asks for it.
@Suite(.inTurn) struct HandingOnTests {
    @Test("What is handed on by call ends a batch: a logger that writes by the batch writes it at once")
    func batch() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        logger.flightRecorder = FlightRecorder(announces: false)
        dispatcher.add(logger)
        logDebug("held", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        logger.removeRecords()
        logger.releaseHeldMessages()
        dispatcher.drainNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.events == [.message("held"), .batchEnd])
    }
}
