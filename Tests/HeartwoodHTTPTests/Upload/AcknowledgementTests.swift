import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Splunk's collector with indexer acknowledgement: it takes events at once, and says later which are indexed.
private final class Collector: Sendable {
    private struct State {
        var isIndexing = false
        var received = 0
        var firstID = 0
    }
    private let state = Locked(State())
    let channel = "0aeeac95-ac74-4aa9-b30d-6c4c0ac581ba"

    /// Whether what it has received, and what it will receive, is indexed.
    func setIndexing(_ isIndexing: Bool) { state.withLock { $0.isIndexing = isIndexing } }

    /// Starts counting at 0 again, as an indexer does after a restart, and forgets what it had received.
    func restart() { state.withLock { $0.received = 0 } }

    func start() throws -> LoopbackServer {
        try LoopbackServer { [self] request in
            guard request.headers["X-Splunk-Request-Channel"] == channel else {
                return .status(400, body: #"{"text":"Data channel is missing","code":10}"#)
            }
            if request.path.hasSuffix("/ack") { return acknowledge(request) }
            let id = state.withLock { state in
                defer { state.received += 1 }
                return state.received
            }
            return .status(200, body: #"{"text":"Success","code":0,"ackId":\#(id)}"#)
        }
    }

    private func acknowledge(_ request: LoopbackRequest) -> LoopbackAnswer {
        let question = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: [Int]]
        let state = state.withLock { $0 }
        let answers = (question?["acks"] ?? []).map { id in
            #""\#(id)":\#(state.isIndexing && id < state.received)"#
        }
        return .status(200, body: #"{"acks":{\#(answers.joined(separator: ","))}}"#)
    }
}

@Suite("Acknowledgements that come later", .inTurn) struct AcknowledgementTests {
    private let collector = Collector()

    private func bench(_ directory: TemporaryDirectory? = nil) throws -> HTTPBench {
        let bench = try HTTPBench(
            try collector.start(), encoding: SplunkEncoding(channel: collector.channel), onDisk: true,
            directory: directory)
        bench.logger.maximumMessagesPerRequest = 5
        return bench
    }

    private func events(_ bench: HTTPBench) -> [LoopbackRequest] {
        bench.server.requests.filter { !$0.path.hasSuffix("/ack") }
    }

    private func questions(_ bench: HTTPBench) -> Int {
        bench.server.requests.count { $0.path.hasSuffix("/ack") }
    }

    /// Lets the time pass in steps of a second until the condition holds.
    private func pass(_ bench: HTTPBench, until condition: () -> Bool) async {
        while !condition() {
            bench.clock.advance(by: .seconds(1))
            await bench.settle()
            await bench.server.requests(reach: bench.server.requests.count + 1, timeout: .milliseconds(20))
        }
    }

    @Test("What the collector has received is pending until it is indexed; every request has the channel")
    func pendingUntilIndexed() async throws {
        let bench = try bench()
        await bench.log(0..<20)
        bench.logger.sendNow()
        await bench.settled(4)
        await pass(bench) { questions(bench) >= 3 }
        #expect(events(bench).count == 4)
        #expect(bench.logger.httpStatistics.acknowledged == 0 && bench.logger.httpStatistics.pending == 20)
        #expect(
            bench.server.requests.allSatisfy { $0.headers["X-Splunk-Request-Channel"] == collector.channel })
        collector.setIndexing(true)
        await pass(bench) { bench.logger.httpStatistics.acknowledged == 20 }
        #expect(bench.logger.httpStatistics.pending == 0 && events(bench).count == 4 && bench.balance)
    }

    @Test("Questions about what is indexed have the credentials that every other request has")
    func credentials() async throws {
        let bench = try bench()
        bench.logger.decorators = [.splunkToken(Secret("collector-token"))]
        collector.setIndexing(true)
        await bench.log(0..<5)
        bench.logger.sendNow()
        await bench.settled(1)
        await pass(bench) { bench.logger.httpStatistics.acknowledged == 5 }
        #expect(questions(bench) > 0)
        #expect(
            bench.server.requests.allSatisfy { $0.headers["Authorization"] == "Splunk collector-token" })
    }

    @Test("What is not indexed in time is sent again, the same bytes with the same key, and reported")
    func sentAgain() async throws {
        let bench = try bench()
        let reports = Locked<[String]>([])
        bench.dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        bench.logger.acknowledgementTimeout = .seconds(30)
        await bench.log(0..<5)
        bench.logger.sendNow()
        await bench.settled(1)
        await pass(bench) { events(bench).count >= 2 }
        let sent = events(bench)
        #expect(sent[0].body == sent[1].body)
        #expect(sent[0].headers["Idempotency-Key"] == sent[1].headers["Idempotency-Key"])
        #expect(reports.withLock { $0.contains { $0.contains("did not acknowledge") } })
        collector.setIndexing(true)
        await pass(bench) { bench.logger.httpStatistics.acknowledged == 5 }
        #expect(bench.balance)
    }

    @Test("A collector that starts to count again loses nothing: each batch is sent until it is indexed")
    func restarted() async throws {
        let bench = try bench()
        bench.logger.acknowledgementTimeout = .seconds(30)
        await bench.log(0..<10)
        bench.logger.sendNow()
        await bench.settled(2)
        collector.restart()
        await bench.log(10..<20)
        bench.logger.sendNow()
        await pass(bench) { events(bench).count >= 4 }
        collector.setIndexing(true)
        await pass(bench) { bench.logger.httpStatistics.acknowledged == 20 }
        #expect(bench.logger.httpStatistics.pending == 0 && bench.balance)
        let texts = Set(events(bench).flatMap { $0.text.split(separator: "\n") }).map(String.init)
        #expect((0..<20).allSatisfy { number in texts.contains { $0.contains("\"record \(number)\"") } })
    }

    @Test("What a run did not see indexed is sent again by the next one")
    func nextRun() async throws {
        let directory = try TemporaryDirectory()
        do {
            let first = try bench(directory)
            await first.log(0..<5)
            first.logger.sendNow()
            await first.settled(1)
            first.dispatcher.removeAll(timeout: .testLimit)
        }
        collector.setIndexing(true)
        let second = try bench(directory)
        await pass(second) { second.logger.httpStatistics.acknowledged == 5 }
        #expect(second.logger.httpStatistics.pending == 0 && second.balance)
    }

    @Test("Programs that end right after their last call wait until it is indexed, and send nothing twice")
    func shortRuns() async throws {
        let directory = try TemporaryDirectory()
        let server = try collector.start()
        collector.setIndexing(true)
        let (path, address, channel) = (directory.path + "/spool", server.address, collector.channel)
        for run in 0..<4 {
            await #expect(processExitsWith: .exitCode(0)) {
                [
                    path = path as String, address = address as String, channel = channel as String,
                    run = run as Int
                ] in
                let logger = try HTTPLogger(
                    address, settings: HTTPSettings(encoding: SplunkEncoding(channel: channel)), spool: path,
                    name: "short")
                logger.exitWait = .seconds(60)
                LogDispatcher.shared.add(logger)
                for number in 0..<3 { logInfo("run \(run) message \(number)") }
                exit(0)
            }
            #expect(try Spool(directory: path).pending == 0)
        }
        let sent = server.requests.filter { !$0.path.hasSuffix("/ack") }.map(\.text).joined()
        for run in 0..<4 {
            for number in 0..<3 {
                #expect(sent.matches(of: try Regex("run \(run) message \(number)")).count == 1)
            }
        }
    }
}
