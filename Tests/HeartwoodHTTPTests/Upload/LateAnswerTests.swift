import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What happens when an answer comes after its logger was removed.
@Suite(.inTurn) struct LateAnswerTests {
    @Test(
        "The answer to a request from before the removal changes nothing when the logger was added again",
        arguments: [200, 400, 503])
    func afterRemoval(status: Int) async throws {
        let transport = HeldTransport()
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true, transport: transport)
        await bench.log(0..<3)
        bench.logger.sendNow()
        #expect(transport.waitForRequests(1))
        await bench.dispatcher.remove(bench.logger)
        bench.dispatcher.add(bench.logger)
        #expect(transport.waitForRequests(2))
        transport.answer(0, HTTPResponse(status: status))
        // Both end on one queue: the old one's answer is there when the new one's is.
        transport.answer(1, HTTPResponse(status: 200))
        await bench.logger.figures { $0.pending == 0 }
        let figures = bench.logger.httpStatistics
        #expect(figures.requests == 1 && figures.acknowledged == 3 && figures.rejected == 0)
        #expect(figures.lastError == nil && figures.retried == 0)
        #expect(bench.balance && transport.requests.count == 2)
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    }
}
