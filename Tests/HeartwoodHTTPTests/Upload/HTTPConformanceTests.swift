import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite("The HTTP logger passes the conformance check", .inTurn)
struct HTTPConformanceTests {
    @Test(
        "In memory and with a spool, and the server gets every message of the part about the amount",
        arguments: [false, true])
    func check(hasSpool: Bool) throws {
        let amount = Tier.amount(4000, full: 20_000)
        let server = try LoopbackServer()
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let loggers = Locked<[HTTPLogger]>([])
        try LoggerConformance.check(messages: amount, memory: .amongOtherTests) {
            let logger = try HTTPLogger(
                server.address, settings: HTTPSettings(encoding: NDJSONEncoding()),
                spool: hasSpool ? directory.path + "/\(loggers.withLock { $0.count })" : nil)
            logger.maximumMessageSize = .kibibytes(512)
            logger.maximumMessagesPerRequest = 5000
            loggers.withLock { $0.append(logger) }
            return logger
        }
        // What waits when a logger is removed is sent when it is added again.
        let last = try #require(loggers.withLock { $0.last })
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(last)
        #expect(last.deliver(timeout: .testLimit))
        dispatcher.removeAll()
        let texts = server.stored.flatMap {
            $0.text.matches(of: /"message":"[^"]* message (\d+)"/).compactMap { Int($0.1) }
        }
        #expect(texts == Array(0..<amount), "\(texts.count)")
        let figures = last.httpStatistics
        #expect(figures.acknowledged == amount && figures.dropped == 0 && figures.rejected == 0, "\(figures)")
    }
}
