import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// An HTTP logger that has lived through something delivers the next messages as a new one.
@Suite(.inTurn) struct UsedDeliveryTests {
    private final class Bench {
        let transport = HeldTransport()
        let bench: HTTPBench
        private var answered = 0

        init(onDisk: Bool) throws {
            bench = try HTTPBench(try LoopbackServer(), onDisk: onDisk, transport: transport)
        }

        /// Whether a request is under way that has no answer yet.
        func isWaiting() async -> Bool {
            guard await bench.isSending() else { return false }
            return transport.waitForRequests(answered + 1)
        }

        /// Answers the request that waits, and tells what was in it.
        func answer(_ status: Int, headers: HTTPHeaders = [:]) async throws -> String {
            try #require(await isWaiting(), "request \(answered), \(status)")
            let body = String(decoding: transport.requests[answered].body, as: UTF8.self)
            let requests = bench.logger.httpStatistics.requests
            transport.answer(answered, HTTPResponse(status: status, headers: headers))
            answered += 1
            await bench.settled(requests + 1)
            await bench.settle()
            return "\(status) for \(body.matches(of: #/record (\d+)/#).map { "\($0.1)" })"
        }

        func send(_ range: Range<Int>) async {
            await bench.log(range)
            bench.logger.sendNow()
            await bench.settle()
        }

        /// Whether the next request goes out within some seconds; pauses are random up to a limit that grows.
        @discardableResult
        func isTriedAgain(within seconds: Int) async -> Bool {
            let step = Duration.milliseconds(seconds > 600 ? 60_000 : seconds > 2 ? 5000 : 250)
            for _ in 0..<Int(.seconds(seconds) / step) {
                bench.clock.advance(by: step)
                await bench.settle()
                if await isWaiting() { return true }
            }
            return false
        }

        /// After how long the next request goes out.
        func secondsUntilNext() async -> Double {
            let start = bench.clock.uptime()
            await isTriedAgain(within: 600)
            return (bench.clock.uptime() - start) / .seconds(1)
        }

        /// Delivers all that is pending.
        func deliver() async throws {
            bench.clock.advance(by: .seconds(3600))
            bench.logger.sendNow()
            while await isWaiting() { _ = try await answer(200) }
        }

        func round() async throws -> [String] {
            try await deliver()
            bench.clock.advance(by: .seconds(3600))
            await bench.settle()
            let before = bench.logger.httpStatistics
            var story: [String] = []
            await send(0..<3)
            story.append(try await answer(200))
            await send(3..<5)
            story.append(try await answer(503))
            story.append("tried again within a second: \(await isTriedAgain(within: 1))")
            story.append(try await answer(503))
            story.append("tried again within two: \(await isTriedAgain(within: 2))")
            story.append(try await answer(200))
            await send(5..<9)
            story.append(try await answer(413))
            while await isWaiting() { story.append(try await answer(200)) }
            await send(9..<10)
            story.append(try await answer(400))
            await bench.log(10..<12)
            story.append("sent by itself after \(await secondsUntilNext()) s")
            story.append(try await answer(200))
            let after = bench.logger.httpStatistics
            story.append(
                "acknowledged \(after.acknowledged - before.acknowledged), rejected "
                    + "\(after.rejected - before.rejected), dropped \(after.dropped - before.dropped), pending "
                    + "\(after.pending), requests \(after.requests - before.requests), balance \(bench.balance)"
            )
            return story
        }
    }

    private let lives: KeyValuePairs<String, (inout Bench) async throws -> Void> = [
        "a server that was down for long": { bench in
            await bench.send(0..<3)
            for _ in 0..<8 {
                _ = try await bench.answer(503)
                await bench.isTriedAgain(within: 4000)
            }
            _ = try await bench.answer(200)
        },
        "messages that the server rejected": { bench in
            await bench.send(0..<3)
            _ = try await bench.answer(400)
            while await bench.isWaiting() { _ = try await bench.answer(400) }
        },
        "a batch that was split, and half of it refused": { bench in
            await bench.send(0..<8)
            _ = try await bench.answer(413)
            _ = try await bench.answer(413)
            while await bench.isWaiting() { _ = try await bench.answer(400) }
        },
        "a server that asked for a pause": { bench in
            await bench.send(0..<3)
            _ = try await bench.answer(429, headers: ["Retry-After": "120"])
        },
        "credentials that were refused": { bench in
            await bench.send(0..<3)
            _ = try await bench.answer(401)
        },
        "messages that were thrown away on their way": { bench in
            await bench.send(0..<3)
            _ = await bench.isWaiting()
            bench.bench.logger.removeAllPending()
            await bench.bench.settle()
            _ = try await bench.answer(200)
        },
        "a removal while the server was down": { bench in
            await bench.send(0..<3)
            _ = try await bench.answer(503)
            bench.bench.dispatcher.remove(bench.bench.logger, timeout: .zero)
            await bench.bench.settle()
            bench.bench.dispatcher.add(bench.bench.logger)
            await bench.bench.settle()
        },
        "settings that were changed and changed back": { bench in
            let logger = bench.bench.logger
            let (size, interval) = (logger.maximumMessagesPerRequest, logger.sendInterval)
            (logger.maximumMessagesPerRequest, logger.sendInterval) = (1, .seconds(1))
            await bench.send(0..<3)
            while await bench.isWaiting() { _ = try await bench.answer(200) }
            (logger.maximumMessagesPerRequest, logger.sendInterval) = (size, interval)
            await bench.bench.settle()
        },
    ]

    @Test(
        "Whatever a delivery has lived through, the next messages go as the first", arguments: [true, false])
    func used(onDisk: Bool) async throws {
        try await expectAsNew({ try Bench(onDisk: onDisk) }, after: lives) { try await $0.round() }
    }

    @Test("Limits of the store that are changed while messages wait hold from then on")
    func storeLimits() async throws {
        let bench = try HTTPBench(try LoopbackServer(), transport: HeldTransport())
        await bench.log(0..<10)
        bench.logger.spoolSettings.maximumBytes = .kibibytes(16)
        await bench.log(10..<500)
        let statistics = bench.logger.httpStatistics
        #expect(statistics.dropped > 0 && statistics.dropped + statistics.pending == 500)
    }
}
