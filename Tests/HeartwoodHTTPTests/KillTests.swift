#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import Testing

@testable import HeartwoodHTTP

/// Processes that log to a bad server and are killed at random moments, again and again.
///
/// A number becomes an obligation when a flush after its call has returned: the child writes it to a file of its own
/// then. `HEARTWOOD_KILLS` says how many children are killed; 12 unless it does.
@Suite struct KillTests {
    @Test(
        "nothing that was flushed is lost by kill -9, and after removing repetitions by key nothing is double"
    )
    func chaos() async throws {
        let kills = ProcessInfo.processInfo.environment["HEARTWOOD_KILLS"].flatMap { Int($0) } ?? 12
        let directory = try TemporaryDirectory()
        let random = Locked(SplitMix(state: 7))
        let isHonest = Locked(false)
        let choice = Locked<[Int: LoopbackAnswer]>([:])
        let server = try LoopbackServer { request in
            if isHonest.withLock({ $0 }) { return .ok }
            // Asked twice for a request, before and after its body; the answer must be the same.
            return choice.withLock { choices in
                if let known = choices[request.index] { return known }
                let answer = random.withLock { Self.answer(&$0) }
                choices[request.index] = answer
                return answer
            }
        }
        let path = directory.path
        let address = server.address
        for child in 0..<kills {
            let first = child * 1_000_000
            let lifetime = UInt32(random.withLock { $0.next() % 120_000 } + 2000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, address = address as String, first = first as Int,
                    lifetime = lifetime as UInt32
                ] in
                try await Self.child(path, address, first, lifetime)
            }
        }
        isHonest.withLock { $0 = true }

        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(address, spool: path + "/spool")
        dispatcher.add(logger)
        #expect(await logger.deliver(timeout: .seconds(120)))
        let figures = logger.httpStatistics
        #expect(figures.dropped == 0 && figures.rejected == 0)
        #expect(figures.recovered == figures.acknowledged)

        var keys: [Int: String] = [:]
        var contents: [String: [Int]] = [:]
        for request in server.stored {
            let key = try #require(request.headers["Idempotency-Key"])
            let list = try JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]]
            let numbers = list?.compactMap { $0["number"] as? Int } ?? []
            if let known = contents[key] { #expect(known == numbers, "a key stands for different records") }
            contents[key] = numbers
            for number in numbers {
                #expect(keys[number] ?? key == key, "\(number) came under two keys")
                keys[number] = key
            }
        }
        let obliged = String(decoding: try directory.read("acknowledged"), as: UTF8.self)
            .split(separator: "\n").compactMap { Int($0) }
        #expect(obliged.count > kills * 5)
        let missing = obliged.filter { keys[$0] == nil }
        #expect(missing.isEmpty, "\(missing.count) of \(obliged.count) are missing")
        print("\(obliged.count) obligations, \(keys.count) delivered, \(server.stored.count) requests stored")
    }

    private static func answer(_ random: inout SplitMix) -> LoopbackAnswer {
        guard random.next() % 10 < 3 else { return .ok }
        let bad: [LoopbackAnswer] = [
            .status(503), .status(500), .status(502), .lost, .lost, .resetInAnswer, .shorterThanSaid,
            .garbage, .resetWhileReading, .refused, .ok.delayed(by: .milliseconds(30)), .ok.readSlowly(),
        ]
        return bad[Int(random.next() % UInt64(bad.count))]
    }

    private static func child(_ path: String, _ address: String, _ first: Int, _ lifetime: UInt32)
        async throws
    {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(address, spool: path + "/spool")
        logger.interval = .milliseconds(5)
        logger.maximumMessagesPerRequest = 40
        logger.timeout = .seconds(2)
        logger.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .milliseconds(2), maximum: .milliseconds(20)))
        dispatcher.add(logger)
        _ = DetachedThread.start {
            usleep(lifetime)
            kill(getpid(), SIGKILL)
        }
        let file = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var number = first
        while true {
            let burst = number..<number + 10
            for number in burst {
                Heartwood.log("message \(number, as: "number")", level: .info, to: dispatcher)
            }
            guard await dispatcher.flush().isComplete else { continue }
            let line = burst.map { "\($0)\n" }.joined()
            _ = line.withCString { write(file, $0, strlen($0)) }
            number += 10
        }
    }
}
#endif
