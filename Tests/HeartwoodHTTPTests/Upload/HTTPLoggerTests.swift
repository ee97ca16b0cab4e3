import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A dispatcher, a logger, a server and a clock that belong together.
final class HTTPBench {
    let clock = ManualClock()
    let dispatcher: LogDispatcher
    let server: LoopbackServer
    let logger: HTTPLogger
    let directory: TemporaryDirectory?

    init(
        _ server: LoopbackServer, encoding: any RemoteEncoding = JSONArrayEncoding(), onDisk: Bool = false,
        directory: TemporaryDirectory? = nil, settings: SpoolSettings = SpoolSettings(),
        name: String = "bench",
        connectivity: (any ConnectivityMonitor)? = nil, transport: (any HTTPTransport)? = nil
    ) throws {
        self.server = server
        self.directory = try directory ?? (onDisk ? TemporaryDirectory() : nil)
        dispatcher = LogDispatcher(clock: clock)
        dispatcher.diagnostics.handler = { _ in }
        logger = try HTTPLogger(
            server.address,
            settings: HTTPSettings(encoding: encoding, spoolSettings: settings, transport: transport),
            spool: self.directory.map { $0.path + "/spool" }, name: name, connectivity: connectivity,
            clock: clock)
        logger.flushWait = .zero
        logger.jitter = 0
        dispatcher.add(logger)
    }

    deinit { dispatcher.removeAll(timeout: .testLimit) }

    func log(_ range: Range<Int>, level: LogLevel = .info) async {
        for number in range { Heartwood.log("record \(number)", level: level, to: dispatcher) }
        await settle()
    }

    /// Until everything that was logged and asked for so far is handled.
    func settle() async {
        await withCheckedContinuation { continuation in logger.performInOrder { continuation.resume() } }
    }

    /// How many attempts were started, as ``HTTPLogger/attempts()`` says.
    func attempts() async -> Int { await logger.attempts() }

    /// Until the logger has drawn its conclusions from all requests that are on their way.
    func settled(_ requests: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        await logger.figures(sourceLocation) { $0.requests >= requests }
    }

    /// The texts that the server would have kept, in their order.
    var stored: [String] {
        server.stored.flatMap { request -> [String] in
            let list = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]]
            return list?.compactMap { $0["message"] as? String } ?? []
        }
    }

    func texts(_ range: Range<Int>) -> [String] { range.map { "record \($0)" } }

    var balance: Bool {
        let figures = logger.httpStatistics
        return figures.stored + figures.recovered
            == figures.acknowledged + figures.rejected + figures.dropped + figures.pending
    }
}

@Suite(.inTurn) struct HTTPLoggerTests {
    @Test(
        "What is logged arrives in its order, as a JSON array with the key of the batch",
        arguments: [true, false])
    func delivers(onDisk: Bool) async throws {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: onDisk)
        bench.logger.maximumMessagesPerRequest = 4
        await bench.log(0..<10)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<10))
        #expect(Set(bench.server.requests.map { $0.headers["Idempotency-Key"] ?? "" }).count == 3)
        #expect(bench.server.requests.first?.headers["Content-Type"] == "application/json")
        let figures = bench.logger.httpStatistics
        #expect(
            figures.acknowledged == 10 && figures.stored == 10 && figures.pending == 0
                && figures.requests == 3)
        #expect(figures.oldestUnsentAge == nil && figures.lastError == nil)
        #expect(bench.balance)
    }

    @Test(
        "What its rules find is neither stored nor sent, in texts, fields and numbers",
        arguments: [false, true])
    func redaction(hasFormatter: Bool) async throws {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.redaction = .standard
        if hasFormatter { bench.logger.formatter = LineFormatter() }
        let card = 4_111_111_111_111_111
        Heartwood.log(
            "paid with \(card, as: "card") by a@example.com \("pw nine", as: "password")", level: .error,
            metadata: ["mail": "b@example.com", "cards": [Int64(card)], "n": 5],
            to: bench.dispatcher)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        let sent = bench.server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(!sent.contains("nine") && sent.contains("<secret>"), "\(sent)")
        #expect(!sent.contains("4111") && !sent.contains("example.com"), "\(sent)")
        #expect(sent.contains("paid with <card> by <email>"), "\(sent)")
        #expect(
            sent.contains(#""mail":"<email>""#) && sent.contains(#"["<card>"]"#) && sent.contains(#""n":5"#))
    }

    @Test("Nothing goes before the interval is over, and then everything goes") func interval() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        await bench.log(0..<3)
        bench.clock.advance(by: .seconds(59))
        #expect(await bench.attempts() == 0)
        #expect(bench.logger.httpStatistics.oldestUnsentAge == .seconds(59))
        bench.clock.advance(by: .seconds(1))
        await bench.settled(1)
        #expect(bench.stored == bench.texts(0..<3))
    }

    @Test("An error goes at once, and takes along what waited") func urgent() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        await bench.log(0..<3, level: .debug)
        await bench.log(3..<4, level: .error)
        await bench.settled(1)
        #expect(bench.stored == bench.texts(0..<4))
    }

    @Test("As many pending messages as the threshold says go at once") func fullBatch() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.countThreshold = 5
        await bench.log(0..<5)
        await bench.settled(1)
        #expect(bench.stored == bench.texts(0..<5))
    }

    @Test("A server error keeps everything, and the same batch comes again with the same key after a pause")
    func retry() async throws {
        let bench = try HTTPBench(try LoopbackServer(answers: [.status(503), .resetInAnswer]), onDisk: true)
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        #expect(bench.logger.httpStatistics.pending == 3)
        #expect(bench.logger.httpStatistics.lastError == "503")
        bench.clock.advance(by: .seconds(1))
        await bench.settled(2)
        bench.clock.advance(by: .seconds(2))
        await bench.settled(3)
        #expect(bench.logger.httpStatistics.acknowledged == 3)
        #expect(Set(bench.server.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(Set(bench.server.requests.map(\.body)).count == 1)
        #expect(bench.balance)
    }

    @Test(
        "Retry-After is kept to, and neither a full batch nor sendNow breaks it", arguments: ["30", "date"])
    func retryAfter(form: String) async throws {
        let value = form == "30" ? "30" : "Thu, 01 Jan 2026 00:00:30 GMT"
        let bench = try HTTPBench(
            try LoopbackServer(answers: [.status(429, headers: ["Retry-After": value])]))
        bench.logger.maximumMessagesPerRequest = 3
        bench.logger.countThreshold = 3
        await bench.log(0..<3)
        await bench.settled(1)
        await bench.log(3..<9, level: .error)
        bench.logger.sendNow()
        bench.clock.advance(by: .seconds(29))
        #expect(await bench.attempts() == 1)
        bench.clock.advance(by: .seconds(4))  // 30 s, and a tenth at the most
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<9))
    }

    @Test("413 halves down to the one record that is too large, which is set aside") func tooLarge()
        async throws
    {
        let server = try LoopbackServer { $0.text.contains("record 5\"") ? .status(413) : .ok }
        let bench = try HTTPBench(server, onDisk: true)
        await bench.log(0..<8)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<5) + bench.texts(6..<8))
        #expect(bench.logger.httpStatistics.rejected == 1)
        #expect(bench.balance)
        let letters = String(
            decoding: try bench.directory?.read("spool/rejected.ndjson") ?? [], as: UTF8.self)
        #expect(letters.contains("record 5") && letters.contains("413") && letters.hasSuffix("}\n"))
    }

    @Test(
        "A record that the server refuses is found by halving; the others arrive in their order",
        arguments: [400, 422])
    func isolates(status: Int) async throws {
        let server = try LoopbackServer { request in
            request.text.contains("record 2\"") || request.text.contains("record 11\"")
                ? .status(status) : .ok
        }
        let bench = try HTTPBench(server, onDisk: true)
        await bench.log(0..<20)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<20).filter { $0 != "record 2" && $0 != "record 11" })
        #expect(bench.logger.httpStatistics.rejected == 2)
        #expect(bench.balance)
    }

    @Test(
        "What is a matter of settings holds everything for 5 minutes, and loses nothing",
        arguments: [404, 407, 301, 307, 410])
    func holds(status: Int) async throws {
        let bench = try HTTPBench(try LoopbackServer(answers: [.status(status)]))
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        bench.clock.advance(by: .seconds(299))
        #expect(await bench.attempts() == 1)
        bench.clock.advance(by: .seconds(1))
        await bench.settled(2)
        #expect(bench.stored == bench.texts(0..<3))
    }

    @Test("A missing client certificate, which nginx answers with 400, does not count against the data")
    func nginxCertificate() async throws {
        let answer = LoopbackAnswer.status(400, body: "<h1>400</h1> No required SSL certificate was sent")
        let bench = try HTTPBench(try LoopbackServer(answers: [answer]))
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        #expect(bench.logger.httpStatistics.rejected == 0)
        #expect(bench.logger.httpStatistics.pending == 3)
    }

    @Test("New credentials are asked for once; a second refusal holds") func authorization() async throws {
        let token = Locked("old")
        let asked = Locked(0)
        let server = try LoopbackServer { request in
            request.headers["Authorization"] == "Bearer new" ? .ok : .status(401)
        }
        let bench = try HTTPBench(server)
        bench.logger.decorators = [
            RequestDecorator { $0.with(header: "Authorization", "Bearer " + token.withLock { $0 }) }
        ]
        bench.logger.refreshAuthorization = { asked.withLock { $0 += 1 } }
        await bench.log(0..<2)
        bench.logger.sendNow()
        await bench.settled(2)
        #expect(asked.withLock { $0 } == 1)
        #expect(bench.logger.httpStatistics.pending == 2)
        bench.clock.advance(by: .seconds(299))
        #expect(await bench.attempts() == 2)
        token.withLock { $0 = "new" }
        bench.clock.advance(by: .seconds(1))
        await bench.settled(3)
        #expect(bench.stored == bench.texts(0..<2))
        #expect(asked.withLock { $0 } == 1)
    }

    @Test(
        "A policy that asks for new credentials each time floods neither the hook nor the server (promise 11)"
    )
    func greedyPolicy() async throws {
        struct Greedy: RetryPolicy {
            func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
                .refreshAuthorization
            }
        }
        let asked = Locked(0)
        let bench = try HTTPBench(try LoopbackServer(then: .status(401)))
        bench.logger.retryPolicy = Greedy()
        bench.logger.jitter = 0
        bench.logger.refreshAuthorization = { asked.withLock { $0 += 1 } }
        await bench.log(0..<2)
        bench.logger.sendNow()
        await bench.settled(2)
        await bench.settle()
        #expect(await bench.attempts() == 2 && asked.withLock { $0 } == 1)
        bench.clock.advance(by: .seconds(60))
        await bench.settled(3)
        #expect(await bench.attempts() == 3 && asked.withLock { $0 } == 1)
        #expect(bench.logger.httpStatistics.pending == 2)
    }

    @Test("The credentials that the hook has brought are used at once") func refreshed() async throws {
        let token = Locked("old")
        let server = try LoopbackServer { request in
            request.headers["Authorization"] == "Bearer new" ? .ok : .status(403)
        }
        let bench = try HTTPBench(server)
        bench.logger.decorators = [
            RequestDecorator { $0.with(header: "Authorization", "Bearer " + token.withLock { $0 }) }
        ]
        bench.logger.refreshAuthorization = { token.withLock { $0 = "new" } }
        await bench.log(0..<2)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(server.requests.count == 2)
    }

    @Test("Without a server everything is kept, and tried again after each pause") func noServer()
        async throws
    {
        let server = try LoopbackServer()
        let bench = try HTTPBench(server)
        server.stop()
        await bench.log(0..<3)
        bench.logger.sendNow()
        for attempt in 1...6 {
            // A drawn pause may be so short that the time moved for one attempt suffices for the next, too.
            await bench.logger.figures { $0.retried >= attempt }
            bench.clock.advance(by: Backoff().ceiling(failures: attempt))
        }
        await bench.logger.figures { $0.retried >= 7 }
        #expect(bench.logger.httpStatistics.pending == 3)
        #expect(bench.balance)
    }

    @Test("A process may end by exit while messages wait to be sent") func processExit() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        for _ in 0..<2 {
            await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
                LogDispatcher.shared.add(try HTTPLogger("http://127.0.0.1:1/", spool: path + "/spool"))
                logInfo("waiting")
                exit(7)
            }
        }
        #expect(try Spool(directory: path + "/spool").pending == 2)
    }

    @Test("What an earlier run could not send is sent by the next") func relaunch() async throws {
        let directory = try TemporaryDirectory()
        do {
            let bench = try HTTPBench(try LoopbackServer(then: .status(503)), directory: directory)
            await bench.log(0..<5)
            bench.logger.sendNow()
            await bench.settled(1)
        }
        let bench = try HTTPBench(try LoopbackServer(), directory: directory)
        #expect(bench.logger.httpStatistics.recovered == 5)
        await bench.log(5..<7)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<7))
        #expect(bench.balance)
    }

    @Test("A removed logger frees its spool, and its unsent messages stay there") func removal() throws {
        let directory = try TemporaryDirectory()
        let dispatcher = LogDispatcher()
        for _ in 0..<3 {
            let logger = try HTTPLogger("http://127.0.0.1:1/", spool: directory.path + "/spool")
            dispatcher.add(logger)
            Heartwood.log("kept", level: .info, to: dispatcher)
            dispatcher.remove(logger)
        }
        let spool = try Spool(directory: directory.path + "/spool")
        #expect(spool.pending == 3)
    }

    @Test("In memory, a flush waits for the delivery") func memoryFlush() async throws {
        let server = try LoopbackServer(then: .ok.delayed(by: .milliseconds(50)))
        let bench = try HTTPBench(server)
        bench.logger.flushWait = .seconds(30)
        await bench.log(0..<5)
        #expect(await bench.attempts() == 0)
        await bench.dispatcher.flush(timeout: .testLimit)
        #expect(bench.stored == bench.texts(0..<5))
    }

    @Test("The memory of unsent messages is bounded, and what goes is counted") func bounded() async throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(64)
        let bench = try HTTPBench(try LoopbackServer(then: .silence), settings: settings)
        await bench.log(0..<5000)
        let figures = bench.logger.httpStatistics
        #expect(figures.dropped > 3000 && figures.pending > 100)
        #expect(figures.stored == 5000 && bench.balance)
    }

    @Test("Private pieces are redacted before they are stored, unless told otherwise") func privacy()
        async throws
    {
        let bench = try HTTPBench(try LoopbackServer(then: .status(503)), onDisk: true)
        let mail = "ann@example.com"
        Heartwood.log("to \(mail, as: "mail", privacy: .private)", level: .info, to: bench.dispatcher)
        await bench.settle()
        let name = try #require(bench.directory?.names("spool").first { $0.hasSuffix(".seg") })
        let bytes = try #require(try bench.directory?.read("spool/" + name))
        #expect(bytes.firstRange(of: Array(mail.utf8)) == nil)
        bench.logger.privacy = .reveal
        Heartwood.log("to \(mail, as: "mail", privacy: .private)", level: .info, to: bench.dispatcher)
        bench.logger.sendNow()
        await bench.settled(1)
        let body = try #require(bench.server.requests.first?.text)
        #expect(
            body.contains("<private>") && body.contains("to \(mail)") && body.contains("\"mail\":\"\(mail)\"")
        )
    }

    @Test("All settings are one value: what threads set at the same time is kept, and changes come together")
    func settings() throws {
        let logger = try HTTPLogger("https://logs.example.com/in")
        #expect(logger.sendInterval == HTTPSettings().sendInterval && logger.flushWait == nil)
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for number in 1...500 {
                switch thread {
                case 0: logger.pointThreshold = number
                case 1: logger.updateSettings { $0.countThreshold = number }
                default: logger.jitter = Double(number)
                }
            }
        }
        logger.updateSettings { ($0.sendInterval, $0.requestTimeout) = (.seconds(7), .seconds(8)) }
        let settings = logger.settings
        #expect((settings.pointThreshold, settings.countThreshold, settings.jitter) == (500, 500, 500))
        #expect((logger.sendInterval, logger.requestTimeout) == (.seconds(7), .seconds(8)))
    }

    @Test("A text beyond the limit is cut at a character, and says so") func cutting() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.maximumMessageSize = .bytes(10)
        let long = "ää€€€€€€€"
        Heartwood.log("\(long)", level: .info, to: bench.dispatcher)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == ["ää€€…[truncated 15 bytes]"])
    }

    @Test("Nothing is sent while it is paused, or the condition says no") func conditions() async throws {
        let allowed = Locked(false)
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.sendCondition = { allowed.withLock { $0 } }
        await bench.log(0..<1, level: .error)
        #expect(await bench.attempts() == 0)
        allowed.withLock { $0 = true }
        bench.clock.advance(by: .seconds(60))
        await bench.settled(1)
        bench.logger.isPaused = true
        await bench.log(1..<2, level: .error)
        #expect(await bench.attempts() == 1)
        bench.logger.isPaused = false
        await bench.settled(2)
        #expect(bench.stored == bench.texts(0..<2))
    }

    @Test("The background has an interval of its own, and entering it sends") func background() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.backgroundInterval = .seconds(600)
        await bench.log(0..<1)
        bench.logger.isInBackground = true
        await bench.settled(1)
        await bench.log(1..<2)
        bench.clock.advance(by: .seconds(599))
        #expect(await bench.attempts() == 1)
        bench.clock.advance(by: .seconds(1))
        await bench.settled(2)
    }

    @Test("A decorator that throws holds the sending and loses nothing") func brokenDecorator() async throws {
        struct Broken: Error {}
        let bench = try HTTPBench(try LoopbackServer())
        bench.logger.decorators = [RequestDecorator { _ in throw Broken() }]
        await bench.log(0..<2)
        bench.logger.sendNow()
        await bench.logger.figures { $0.lastError != nil }
        bench.logger.decorators = []
        await bench.settle()
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.stored == bench.texts(0..<2))
    }

    @Test("Scrooge's rule throws 50 away at the third failure, and goes on") func scrooge() async throws {
        let bench = try HTTPBench(try LoopbackServer(answers: Array(repeating: .status(500), count: 3)))
        bench.logger.retryPolicy = ScroogeRetryPolicy()
        await bench.log(0..<80)
        for attempt in 1...4 {
            bench.clock.advance(by: .seconds(60))
            await bench.settled(attempt)
        }
        #expect(bench.stored == bench.texts(50..<80))
        #expect(bench.logger.httpStatistics.dropped == 50)
        #expect(bench.balance)
    }

    @Test("The transcript tells the steps of a success in Scrooge's order") func transcript() async throws {
        let lines = Locked<[String]>([])
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.transcript = { line in lines.withLock { $0.append(line) } }
        bench.logger.saveDelay = .seconds(5)
        Heartwood.log("one", level: .error, to: bench.dispatcher)
        await bench.settled(1)
        bench.clock.advance(by: .seconds(1))
        await bench.settle()
        #expect(
            lines.withLock { $0 }.prefix(9) == [
                "[Heartwood.bench.Appending] appending logs",
                "[Heartwood.bench.Network] Internet connected",
                "[Heartwood.bench.Sending] sending 1 logs",
                "[Heartwood.bench.Sending] sending started",
                "[Heartwood.bench.Sending] sending succeeded",
                "[Heartwood.bench.Removing] removing 1 logs",
                "[Heartwood.bench.Saving] saving remaining 0 logs",
                "[Heartwood.bench.Saving] saving succeeded",
                "[Heartwood.bench.Sending] sending done. 0 logs remain",
            ])
    }

    @Test("Two quick messages are two lines of the transcript, one save and one request")
    func quickTranscript() async throws {
        let lines = Locked<[String]>([])
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.transcript = { line in lines.withLock { $0.append(line) } }
        bench.logger.saveDelay = .seconds(5)
        await bench.log(0..<2)
        bench.clock.advance(by: .seconds(60))
        await bench.settled(1)
        await bench.settle()
        let told = lines.withLock { $0.map { $0.replacing("[Heartwood.bench.", with: "[") } }
        #expect(told.count { $0 == "[Appending] appending logs" } == 2)
        #expect(told.count { $0 == "[Saving] saving remaining 2 logs" } == 1)
        #expect(told.count { $0 == "[Sending] sending 2 logs" } == 1)
    }

    @Test("An address that cannot be used, and plain http to another machine, are refused at once")
    func addresses() throws {
        #expect(throws: LogError.self) { try HTTPLogger("nonsense") }
        #expect(throws: LogError.self) { try HTTPLogger("http://logs.example.com/") }
        _ = try HTTPLogger("http://logs.example.com/", settings: HTTPSettings(allowsInsecureHTTP: true))
    }
}
