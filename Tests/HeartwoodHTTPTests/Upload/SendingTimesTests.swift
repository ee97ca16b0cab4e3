import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// When requests go out, to the second: nothing is asked of a server, and so nothing depends on how fast it is.
@Suite(.inTurn) struct SendingTimesTests {
    private let transport = HeldTransport()
    private let bench: HTTPBench

    init() throws { bench = try HTTPBench(try LoopbackServer(), transport: transport) }

    /// Answers a request, and returns once the logger has drawn its conclusions.
    private func answer(_ number: Int, _ response: HTTPResponse) async {
        transport.answer(number, response)
        await bench.settled(number + 1)
    }

    @Test("The interval holds in the foreground, and the background's in the background") func intervals()
        async throws
    {
        bench.logger.sendInterval = .seconds(60)
        bench.logger.backgroundInterval = .seconds(600)
        for (round, seconds) in [60, 600, 60].enumerated() {
            bench.logger.isInBackground = seconds == 600
            await bench.log(round..<round + 1)
            bench.clock.advance(by: .seconds(seconds - 1))
            #expect(await !bench.isSending(), "after \(seconds - 1) s")
            bench.clock.advance(by: .seconds(1))
            try #require(await bench.isSending(), "after \(seconds) s")
            try #require(transport.waitForRequests(round + 1))
            await answer(round, HTTPResponse(status: 200))
        }
    }

    @Test("A pause that the server asked for is kept to, whatever is asked of the logger") func retryAfter()
        async throws
    {
        bench.logger.countThreshold = 3
        await bench.log(0..<3)
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(1))
        await answer(0, HTTPResponse(status: 429, headers: ["Retry-After": "30"]))
        await bench.log(3..<9, level: .error)
        bench.logger.sendNow()
        bench.logger.isInBackground = true
        #expect(await !bench.isSending())
        bench.clock.advance(by: .seconds(29.9))
        bench.logger.sendNow()
        #expect(await !bench.isSending())
        bench.clock.advance(by: .seconds(3.2))
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(2))
        await answer(1, HTTPResponse(status: 200))
    }

    @Test(
        "What a web server answers with 400 about TLS is held: nothing is divided, and the same goes again later",
        arguments: [
            "No required SSL certificate was sent", "The SSL certificate error",
            "The plain HTTP request was sent to HTTPS port",
        ])
    func aboutTLS(text: String) async throws {
        await bench.log(0..<3)
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(1))
        await answer(0, HTTPResponse(status: 400, body: Array("<h1>\(text)</h1>".utf8)))
        bench.clock.advance(by: .seconds(299))
        #expect(await !bench.isSending())
        bench.clock.advance(by: .seconds(1))
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(2))
        #expect(transport.requests[0].body == transport.requests[1].body)
        await answer(1, HTTPResponse(status: 200))
        #expect(bench.logger.httpStatistics.rejected == 0)
    }

    @Test("A pause of the logger's own ends when sending is asked for") func ownPause() async throws {
        bench.logger.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .seconds(1000), maximum: .seconds(1000)))
        await bench.log(0..<1, level: .error)
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(1))
        await answer(0, HTTPResponse(status: 503))
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(2))
        await answer(1, HTTPResponse(status: 200))
    }

    @Test("Scrooge's rule counts answers: failures to connect do not bring it nearer to dropping")
    func scrooge()
        async throws
    {
        bench.logger.retryPolicy = ScroogeRetryPolicy()
        await bench.log(0..<80)
        for attempt in 0..<7 {
            bench.clock.advance(by: .seconds(60))
            try #require(await bench.isSending())
            try #require(transport.waitForRequests(attempt + 1))
            #expect(bench.logger.httpStatistics.dropped == 0)
            if attempt < 4 {
                transport.fail(attempt, .cannotConnect)
                await bench.settled(attempt + 1)
            } else {
                await answer(attempt, HTTPResponse(status: 503))
            }
        }
        await bench.logger.figures { $0.dropped == 50 }
        #expect(bench.logger.httpStatistics.pending == 30 && bench.balance)
    }
}
