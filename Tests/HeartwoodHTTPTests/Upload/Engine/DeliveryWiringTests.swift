import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What the logger, its runtime and its shell make of the engine's decisions.
@Suite(.inTurn) struct DeliveryWiringTests {
    /// A spool that an earlier run has left something in.
    private func leftovers(_ count: Int) async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let bench = try HTTPBench(try LoopbackServer(then: .status(503)), directory: directory)
        await bench.log(0..<count)
        bench.dispatcher.removeAll()
        return directory
    }

    @Test(
        "Nothing goes out before the logger is added, and the first request has all settings made until then")
    func beforeAdding() async throws {
        let directory = try await leftovers(3)
        let server = try LoopbackServer()
        let dispatcher = LogDispatcher()
        let logger = try HTTPLogger(server.address, spool: directory.path + "/spool")
        logger.compressionLevel = 6
        logger.retryPolicy = ScroogeRetryPolicy()
        logger.decorators = [RequestDecorator { $0.with(header: "Authorization", "Bearer token") }]
        logger.sendNow()
        #expect(!logger.deliver(timeout: .milliseconds(200)))
        #expect(await logger.attempts() == 0)
        dispatcher.add(logger)
        await logger.figures { $0.acknowledged == 3 }
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer token" })
        #expect(server.requests.allSatisfy { $0.headers["Content-Encoding"] == "gzip" })
        dispatcher.removeAll()
    }

    @Test("What an earlier run left is sent at once, without a message, a timer or a call to send now")
    func atOnce()
        async throws
    {
        let bench = try HTTPBench(try LoopbackServer(), directory: try await leftovers(3))
        await bench.settled(1)
        #expect(bench.stored == bench.texts(0..<3))
    }

    @Test(
        "Runs of 0.2 s, 20 of them in the second tier, deliver everything, and nothing twice, with the defaults"
    ) func shortRuns()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let server = try LoopbackServer(then: .ok.delayed(by: .milliseconds(50)))
        let address = server.address
        let runs = Tier.amount(3, full: 20)
        for run in 0..<runs {
            await #expect(processExitsWith: .exitCode(0)) {
                [path = path as String, address = address as String, run = run as Int] in
                LogDispatcher.shared.add(try HTTPLogger(address, spool: path + "/spool"))
                for number in 0..<3 { logInfo("run \(run) message \(number)") }
                usleep(200_000)
                exit(0)
            }
        }
        let texts = server.stored.flatMap { request -> [String] in
            let list = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]]
            return list?.compactMap { $0["message"] as? String } ?? []
        }
        #expect(texts.count == runs * 3 && Set(texts).count == runs * 3)
    }

    @Test(
        "A dispatcher that is released just before the end of the program has its messages sent",
        arguments: [true, false])
    func releasedDispatcher(onDisk: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let server = try LoopbackServer(then: .ok.delayed(by: .milliseconds(50)))
        let address = server.address
        await #expect(processExitsWith: .exitCode(0)) {
            [path = path as String, address = address as String, onDisk = onDisk as Bool] in
            func work() throws {
                let dispatcher = LogDispatcher()
                let logger = try HTTPLogger(address, spool: onDisk ? path + "/spool" : nil)
                // Long enough for any machine: it ends with the answer.
                logger.exitWait = .seconds(60)
                dispatcher.add(logger)
                for number in 0..<3 { logInfo("message \(number)", to: dispatcher) }
            }
            try work()
            exit(0)
        }
        let text = server.stored.map(\.text).joined()
        #expect((0..<3).allSatisfy { text.contains("message \($0)") } && server.stored.count == 1)
    }

    /// Counts how often the network is watched, and no longer.
    private final class CountingMonitor: ConnectivityMonitor {
        private let calls = Locked<[String]>([])
        var all: [String] { calls.withLock { $0 } }
        func start(_ changed: @escaping @Sendable (Bool) -> Void) { calls.withLock { $0.append("start") } }
        func stop() { calls.withLock { $0.append("stop") } }
    }

    @Test("The network is watched while the logger belongs to a dispatcher, and at no other time")
    func watches() throws {
        let monitor = CountingMonitor()
        let dispatcher = LogDispatcher()
        let logger = try HTTPLogger("http://127.0.0.1:9", connectivity: monitor)
        #expect(monitor.all.isEmpty)
        for _ in 0..<2 {
            dispatcher.add(logger)
            dispatcher.flush(timeout: .testLimit)
            dispatcher.remove(logger, timeout: .testLimit)
        }
        #expect(monitor.all == ["start", "stop", "start", "stop"])
    }

    @Test(
        "With a server that never answers, waiting for the delivery ends when its time is over")
    func deliverInTime() async throws {
        let transport = HeldTransport()
        let bench = try HTTPBench(try LoopbackServer(), transport: transport)
        await bench.log(0..<1)
        let (logger, clock) = (bench.logger, bench.clock)
        async let isDelivered = logger.deliver(timeout: .seconds(1))
        try #require(transport.waitForRequests(1))
        await bench.settle()
        clock.advance(by: .milliseconds(999))
        #expect(logger.httpStatistics.pending == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await !isDelivered)
        transport.answer(0, HTTPResponse(status: 200))
        await bench.settled(1)
        #expect(await logger.deliver(timeout: .seconds(1)))
    }

    @Test("A transport that is set while the logger runs carries the next request, and nil is the system's")
    func transport() async throws {
        let (server, transport) = (try LoopbackServer(), HeldTransport())
        let bench = try HTTPBench(server, transport: transport)
        await bench.log(0..<1)
        bench.logger.sendNow()
        try #require(transport.waitForRequests(1))
        bench.logger.transport = nil
        transport.answer(0, HTTPResponse(status: 200))
        await bench.settled(1)
        #expect(server.requests.isEmpty)
        await bench.log(1..<2)
        bench.logger.sendNow()
        await bench.settled(2)
        #expect(bench.stored == bench.texts(1..<2))
    }

    @Test("What `allowsInsecureHTTP` permits is looked at when an address is set")
    func insecureAddress() throws {
        let logger = try HTTPLogger("https://logs.example.com/in")
        #expect(throws: LogError.self) { try logger.setAddress("http://logs.example.com/in") }
        #expect(logger.endpoint.description == "https://logs.example.com/in")
        logger.allowsInsecureHTTP = true
        try logger.setAddress("http://logs.example.com/in")
        #expect(logger.endpoint.description == "http://logs.example.com/in")
    }

    @Test(
        "What keeps everything is named: the server's answer, the connection, or the making of the request",
        arguments: ["answer", "connection", "request"])
    func held(by cause: String) async throws {
        struct Refusing: HTTPTransport {
            func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
                throw HTTPTransportError(.certificateUntrusted, "unknown authority")
            }
        }
        let server = try LoopbackServer(then: .status(404))
        let bench = try HTTPBench(server, transport: cause == "connection" ? Refusing() : nil)
        let reports = Locked<[String]>([])
        bench.dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        if cause == "request" {
            bench.logger.decorators = [RequestDecorator { $0.with(header: "X-Broken", "a\r\nb") }]
        }
        await bench.log(0..<1)
        bench.logger.sendNow()
        let text = [
            "answer": "the server rejects the requests because of their setup",
            "connection": "the server cannot be reached with this setup, so nothing is sent",
            "request": "the requests cannot be created, so nothing is sent",
        ][cause]
        await bench.logger.figures { _ in reports.withLock { !$0.isEmpty } }
        #expect(reports.withLock { $0 }.allSatisfy { $0.contains(text ?? "?") }, "\(reports.withLock { $0 })")
        #expect(server.requests.isEmpty == (cause != "answer"))
    }

    @Test(
        "Scrooge's rule drops 50 a minute, with 1,000 and 10,000 stored as well",
        arguments: [80, 1000, 10_000])
    func scrooge(stored: Int) async throws {
        let bench = try HTTPBench(try LoopbackServer(then: .status(401)))
        bench.logger.retryPolicy = ScroogeRetryPolicy()
        bench.logger.isPaused = true
        await bench.log(0..<stored)
        bench.logger.isPaused = false
        bench.logger.sendNow()
        await bench.logger.figures { $0.dropped == 50 }
        await bench.settle()
        bench.clock.advance(by: .seconds(59))
        #expect(await bench.attempts() == 1)
        #expect(bench.logger.httpStatistics.dropped == 50)
        bench.clock.advance(by: .seconds(1))
        await bench.logger.figures { $0.requests >= 2 }
        #expect(bench.balance)
    }

    @Test("An address that refuses everything keeps everything, and is asked rarely") func brokenAddress()
        async throws
    {
        let bench = try HTTPBench(try LoopbackServer(then: .status(400)), onDisk: true)
        let reports = Locked<[String]>([])
        bench.dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        await bench.log(0..<1000)
        await bench.logger.figures { _ in
            reports.withLock { $0.contains { $0.contains("rejects every message") } }
        }
        let attempts = await bench.attempts()
        bench.clock.advance(by: .seconds(290))
        #expect(await bench.attempts() == attempts && attempts < 20)
        let figures = bench.logger.httpStatistics
        #expect(figures.pending == 1000 && figures.rejected == 0 && figures.dropped == 0)
    }

    @Test("Decorators see the body as it is sent, compressed") func order() async throws {
        let seen = Locked<[Bool]>([])
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.compressionLevel = 6
        bench.logger.decorators = [
            RequestDecorator { request in
                seen.withLock { $0.append(request.body.starts(with: [0x1F, 0x8B])) }
                return request
            }
        ]
        await bench.log(0..<20)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(seen.withLock { $0 } == [true])
    }

    @Test("Messages that are too old when they could be sent are dropped and counted") func age() async throws
    {
        var settings = SpoolSettings()
        settings.maximumAge = .seconds(60)
        let bench = try HTTPBench(try LoopbackServer(), settings: settings)
        bench.logger.isPaused = true
        await bench.log(0..<3)
        bench.clock.advance(by: .seconds(120))
        bench.logger.isPaused = false
        bench.logger.sendNow()
        await bench.logger.figures { $0.dropped == 3 }
        #expect(await bench.attempts() == 0)
        #expect(bench.balance)
    }

    @Test("A shorter interval counts from the change") func interval() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        await bench.log(0..<1)
        bench.logger.sendInterval = .seconds(5)
        await bench.settle()
        bench.clock.advance(by: .seconds(5))
        await bench.settled(1)
        #expect(bench.stored == bench.texts(0..<1))
    }

    @Test("No request is larger than the limit says, unless a message is") func bytes() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.maximumBytesPerRequest = .kibibytes(2)
        bench.logger.maximumMessagesPerRequest = nil
        await bench.log(0..<40)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.server.requests.allSatisfy { $0.body.count <= 2048 } && bench.server.requests.count > 3)
        #expect(bench.stored == bench.texts(0..<40))
    }

    @Test("Without limits, 5,000 messages are one request") func unlimited() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.countThreshold = nil
        bench.logger.maximumMessagesPerRequest = nil
        bench.logger.maximumBytesPerRequest = .mebibytes(4)
        await bench.log(0..<5000)
        #expect(await bench.attempts() == 0)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.server.requests.count == 1)
    }

    @Test("A message for which the store has no room counts as failed") func noRoom() async throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(8)
        settings.overflow = .dropNewest
        let bench = try HTTPBench(try LoopbackServer(then: .silence), settings: settings)
        bench.logger.isPaused = true
        await bench.log(0..<200)
        let statistics = bench.logger.statistics
        let pending = bench.logger.httpStatistics.pending
        #expect(statistics.failed == 200 - pending && pending > 0 && pending < 200)
    }
}
