import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A network that a test switches.
private final class SwitchedNetwork: ConnectivityMonitor {
    private let changed = Locked<(@Sendable (Bool) -> Void)?>(nil)
    func start(_ changed: @escaping @Sendable (Bool) -> Void) { self.changed.withLock { $0 = changed } }
    func stop() { changed.withLock { $0 = nil } }
    func set(_ isThere: Bool) { changed.withLock { $0 }?(isThere) }
}

/// A transport without a network: answers what it is told, and notes when it was asked.
private final class ScriptedTransport: HTTPTransport {
    struct State {
        var statuses: [Int] = []
        var then = 200
        var requests: [HTTPRequest] = []
        var times: [Duration] = []
    }
    let state: Locked<State>
    let clock: ManualClock

    init(_ statuses: [Int] = [], then: Int = 200, clock: ManualClock) {
        state = Locked(State(statuses: statuses, then: then))
        self.clock = clock
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let now = clock.uptime()
        let status = state.withLock { state in
            state.requests.append(request)
            state.times.append(now)
            return state.statuses.isEmpty ? state.then : state.statuses.removeFirst()
        }
        if status == 0 { throw HTTPTransportError(.cannotConnect, "nobody there") }
        return HTTPResponse(status: status)
    }
}

@Suite(.inTurn) struct HTTPLoggerOutageTests {
    private func logger(
        _ transport: ScriptedTransport, _ network: (any ConnectivityMonitor)? = nil
    ) throws -> (LogDispatcher, HTTPLogger) {
        let dispatcher = LogDispatcher(clock: transport.clock)
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(
            "https://logs.example.com/", settings: HTTPSettings(transport: transport), connectivity: network,
            clock: transport.clock)
        logger.flushWait = .zero
        logger.jitter = 0
        dispatcher.add(logger)
        return (dispatcher, logger)
    }

    /// Until no request is on its way: what comes of it depends on the time, which must not be moved before.
    private func quiet(_ logger: HTTPLogger) async {
        while await isSending(logger) { await Task.yield() }
    }

    private func isSending(_ logger: HTTPLogger) async -> Bool {
        await withCheckedContinuation { continuation in
            logger.performInOrder { continuation.resume(returning: logger.runtime.shell.isBusy) }
        }
    }

    private func settle(_ logger: HTTPLogger) async {
        await withCheckedContinuation { continuation in logger.performInOrder { continuation.resume() } }
    }

    @Test("Without a network nothing is tried, and when it returns everything goes at once") func network()
        async throws
    {
        let transport = ScriptedTransport(clock: ManualClock())
        let network = SwitchedNetwork()
        let (dispatcher, logger) = try logger(transport, network)
        await settle(logger)
        network.set(false)
        for number in 0..<3 { Heartwood.log("record \(number)", level: .error, to: dispatcher) }
        await settle(logger)
        transport.clock.advance(by: .seconds(600))
        #expect(await logger.attempts() == 0)
        network.set(true)
        await logger.figures { $0.acknowledged == 3 }
        #expect(transport.state.withLock { $0.requests.count } == 1)
    }

    @Test("A returning network ends a pause, but not that of a server that has failed five times")
    func breaker() async throws {
        let transport = ScriptedTransport(Array(repeating: 503, count: 6), clock: ManualClock())
        let network = SwitchedNetwork()
        let (dispatcher, logger) = try logger(transport, network)
        struct Long: RetryPolicy {
            func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
                .retry(after: .seconds(25))
            }
        }
        logger.retryPolicy = Long()
        await settle(logger)
        network.set(true)
        Heartwood.log("one", level: .error, to: dispatcher)
        for attempt in 1...5 {
            await logger.figures { $0.retried >= attempt }
            // A notice that changes nothing counts for nothing.
            network.set(true)
            await settle(logger)
            #expect(transport.state.withLock { $0.requests.count } == attempt)
            network.set(false)
            network.set(true)
            await settle(logger)
        }
        // The fifth failure has opened the breaker: the network's return changed nothing.
        #expect(transport.state.withLock { $0.requests.count } == 5)
        transport.clock.advance(by: .seconds(25))
        await logger.figures { $0.retried >= 6 }
        transport.clock.advance(by: .seconds(25))
        await logger.figures { $0.acknowledged == 1 }
    }

    @Test(
        "A token that is rotated is used at the next attempt, and soon after the server has refused the old one",
        arguments: [401, 403])
    func rotatedToken(status: Int) async throws {
        let directory = try TemporaryDirectory()
        func write(_ token: String) throws {
            try directory.write("new", Array(token.utf8))
            chmod(directory.path + "/new", 0o600)
            rename(directory.path + "/new", directory.path + "/token")
        }
        try write("one")
        let transport = ScriptedTransport([200, 200, status, status], clock: ManualClock())
        let (dispatcher, logger) = try logger(transport)
        logger.decorators = [.bearer(named: "token", from: FileSecrets(directory: directory.path))]
        func send(_ acknowledged: Int) async {
            logError("message", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            await quiet(logger)
            #expect(logger.httpStatistics.acknowledged == acknowledged)
        }
        func advance(_ seconds: Int) async {
            transport.clock.advance(by: .seconds(seconds))
            await quiet(logger)
        }
        await send(1)
        try write("two")
        await send(2)
        try write("three")
        await send(2)
        // Nothing has changed since: the server is left alone, however long messages keep coming.
        for _ in 0..<20 {
            await advance(4)
            await send(2)
        }
        try write("four")
        await advance(5)
        try FileManager.default.removeItem(atPath: directory.path + "/token")
        await advance(5)
        try write("five")
        await advance(5)
        #expect(logger.httpStatistics.acknowledged == 23 && logger.httpStatistics.rejected == 0)
        let tokens = transport.state.withLock { $0.requests.map { $0.headers["Authorization"] ?? "none" } }
        // The refused piece is sent again as it was, and then what came after it.
        #expect(tokens == ["one", "two", "three", "four", "five", "five"].map { "Bearer " + $0 })
    }

    @Test("Each cause that holds the sending is told once, and whatever removes it is noticed")
    func causes() async throws {
        let directory = try TemporaryDirectory()
        let (place, token) = (directory.path + "/real", directory.path + "/real/token")
        mkdir(place, 0o700)
        func write(_ text: String) throws {
            try directory.write("real/token", Array(text.utf8))
            chmod(token, 0o600)
        }
        try write("one")
        symlink("real/token", directory.path + "/token")
        let transport = ScriptedTransport([401], clock: ManualClock())
        let (dispatcher, logger) = try logger(transport)
        let reports = Locked<[String]>([])
        dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        logger.decorators = [.bearer(named: "token", from: FileSecrets(directory: directory.path))]
        logError("message", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        await quiet(logger)
        let steps: [(String, () throws -> Void)] = [
            ("can change the secret file", { chmod(token, 0o622) }),
            (
                "can change a directory of its path",
                {
                    chmod(token, 0o600)
                    chmod(place, 0o770)
                }
            ),
            (
                "control character",
                {
                    chmod(place, 0o700)
                    try write("a\nb")
                }
            ),
            ("no such secret file", { try FileManager.default.removeItem(atPath: token) }),
        ]
        for (count, (words, step)) in zip(2..., steps) {
            try step()
            transport.clock.advance(by: .seconds(5))
            await quiet(logger)
            #expect(reports.withLock { $0.count } == count, "\(words): \(reports.withLock { $0 })")
            #expect(reports.withLock { $0.last?.contains(words) } == true, "\(reports.withLock { $0 })")
        }
        #expect(transport.state.withLock { $0.requests.count } == 1)
        chmod(place, 0o770)
        try write("two")
        transport.clock.advance(by: .seconds(5))
        await quiet(logger)
        #expect(logger.httpStatistics.acknowledged == 0)
        chmod(place, 0o700)
        transport.clock.advance(by: .seconds(5))
        await quiet(logger)
        #expect(logger.httpStatistics.acknowledged == 1)
    }

    @Test("What is lost with the end of the process is told with its number", arguments: [true, false])
    func lostAtExit(hasSpool: Bool) async throws {
        let directory = try TemporaryDirectory()
        let outcome = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [spool = (hasSpool ? directory.path + "/spool" : "") as String] in
            let logger = try HTTPLogger("http://127.0.0.1:1/", spool: spool.isEmpty ? nil : spool)
            LogDispatcher.shared.add(logger)
            for number in 0..<1000 { logInfo("message \(number)") }
            exit(0)
        }
        let error = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.contains("1000 messages are lost") == !hasSpool, "\(error)")
    }

    @Test("A day without a server costs few attempts and no message; then everything comes, the oldest first")
    func longOutage() async throws {
        let transport = ScriptedTransport(then: 0, clock: ManualClock())
        let (dispatcher, logger) = try logger(transport)
        var attempts = 0
        for minute in 0..<1440 {
            Heartwood.log("minute \(minute)", level: .error, to: dispatcher)
            await quiet(logger)
            transport.clock.advance(by: .seconds(60))
            await quiet(logger)
            attempts = transport.state.withLock { $0.requests.count }
        }
        #expect(attempts < 1440 && attempts > 10)
        #expect(logger.httpStatistics.pending == 1440)
        transport.state.withLock {
            $0.then = 200
            $0.requests = []
        }
        transport.clock.advance(by: .seconds(301))  // the longest pause
        await logger.figures { $0.pending == 0 }
        let bodies = transport.state.withLock { $0.requests.map { String(decoding: $0.body, as: UTF8.self) } }
        let numbers = bodies.joined().matches(of: /minute (\d+)/).compactMap { Int($0.output.1) }
        #expect(numbers == Array(0..<1440))
        #expect(bodies.count <= 6)
    }

    @Test("Pauses of many clients are spread over their window") func storm() {
        let policy = StandardRetryPolicy()
        var random = SeededNumbers(1)
        let failure = DeliveryFailure(cause: .status(503), action: .retry, consecutiveFailures: 7)
        var tenths: Set<Int> = []
        for _ in 0..<100 {
            let number = Double.random(in: 0..<1, using: &random)
            guard case .retry(let pause) = policy.decide(after: failure, random: number) else { continue }
            tenths.insert(Int(pause / .seconds(6.4)))
        }
        #expect(tenths.count == 10)
    }

    @Test("A setting takes effect exactly between the messages before and after it (promise 2)") func order()
        async throws
    {
        let transport = ScriptedTransport(clock: ManualClock())
        let (dispatcher, logger) = try logger(transport)
        let secret = "s"
        for round in 0..<50 {
            logger.privacy = round % 2 == 0 ? .reveal : .redact
            Heartwood.log("\(round) \(secret, privacy: .private);", level: .info, to: dispatcher)
        }
        #expect(await logger.deliver(timeout: .testLimit))
        let body = transport.state.withLock { $0.requests.map { String(decoding: $0.body, as: UTF8.self) } }
            .joined()
        for round in 0..<50 {
            #expect(body.contains("\"\(round) \(round % 2 == 0 ? "s" : "<private>");\""), "\(round)")
        }
    }

    @Test("A logger inside of whose hooks somebody logs and flushes does not hang (promise 5)")
    func reentrant() async throws {
        let transport = ScriptedTransport([503], clock: ManualClock())
        let (dispatcher, logger) = try logger(transport)
        logger.transcript = { [weak logger, weak dispatcher] _ in
            guard let dispatcher, let logger else { return }
            logger.sendNow()
            _ = logger.httpStatistics
            _ = logger.deliver(timeout: .seconds(5))
            dispatcher.flush(timeout: .seconds(5))
        }
        Heartwood.log("one", level: .error, to: dispatcher)
        await logger.figures { $0.requests >= 1 }
        logger.transcript = nil
        transport.clock.advance(by: .seconds(300))
        #expect(await logger.deliver(timeout: .testLimit))
    }

    @Test("The network monitor tells the present state soon") func monitor() async {
        let monitor = PlatformConnectivity()
        let once = Locked(false)
        await withCheckedContinuation { continuation in
            monitor.start { _ in
                let isFirst = once.withLock { known in
                    defer { known = true }
                    return !known
                }
                if isFirst { continuation.resume() }
            }
        }
        monitor.stop()
    }
}
