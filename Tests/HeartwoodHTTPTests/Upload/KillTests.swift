#if os(Linux)
import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Processes that log to a bad server and are killed at random moments, again and again.
///
/// A number becomes an obligation when a flush after its call has returned: the child writes it to a file of its own
/// then. Five children are killed; with `HEARTWOOD_FULL=1` fifty, and 100,000 messages become obligations in all;
/// with `HEARTWOOD_LONG=1` a million. `HEARTWOOD_KILLS` changes the number of children.
@Suite(.inTurn) struct KillTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["HEARTWOOD_KILLS"].flatMap { Int($0) } ?? (Tier.isFull ? 50 : 5)
    /// How many messages there must be in the end.
    private static let messages = isLongRun ? 1_000_000 : Tier.isFull ? 100_000 : 0
    /// The longest life of a child, in microseconds: so long that many die in the middle of a long queue.
    private static let longestLife: UInt64 = isLongRun ? 3_000_000 : Tier.isFull ? 600_000 : 120_000

    @Test(
        "Nothing that was flushed is lost by kill -9, and after removing repetitions by key nothing is double"
    )
    func chaos() async throws {
        let kills = Self.kills
        let directory = try TemporaryDirectory()
        let random = Locked(SeededNumbers(7))
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
            let lifetime = UInt32(random.withLock { $0.next() % Self.longestLife } + 2000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, address = address as String, first = first as Int,
                    lifetime = lifetime as UInt32
                ] in
                try await Self.child(path, address, first, lifetime)
            }
        }

        let dispatcher = LogDispatcher()
        let logger = try Self.logger(path, address, dispatcher)
        let survived = try Self.obliged(directory)
        #expect(survived.count > kills * 5)
        let rest = max(0, Self.messages - survived.count)
        for number in 0..<rest {
            Heartwood.log("message \(-1 - number, as: "number")", level: .info, to: dispatcher)
            if number % 1000 == 999 { await dispatcher.flush(timeout: .testLimit) }
        }
        await dispatcher.flush(timeout: .testLimit)
        isHonest.withLock { $0 = true }
        #expect(await logger.deliver(timeout: .testLimit))
        let figures = logger.httpStatistics
        #expect(figures.dropped == 0 && figures.rejected == 0)
        #expect(figures.recovered + rest == figures.acknowledged)

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
        let obliged = survived + (0..<rest).map { -1 - $0 }
        let missing = obliged.filter { keys[$0] == nil }
        #expect(missing.isEmpty, "\(missing.count) of \(obliged.count) are missing")
        print(
            "\(kills) kills, \(obliged.count) obligations, \(missing.count) missing, \(keys.count) delivered in "
                + "\(contents.count) batches; \(server.requests.count) requests, \(server.stored.count) stored, "
                + "\(server.stored.count - contents.count) of them repetitions")
    }

    static func obliged(_ directory: TemporaryDirectory) throws -> [Int] {
        String(decoding: try directory.read("acknowledged"), as: UTF8.self)
            .split(separator: "\n").compactMap { Int($0) }
    }

    static func logger(_ path: String, _ address: String, _ dispatcher: LogDispatcher) throws
        -> HTTPLogger
    {
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(address, spool: path + "/spool")
        logger.sendInterval = .milliseconds(5)
        logger.maximumMessagesPerRequest = messages > 0 ? 300 : 40
        logger.requestTimeout = .seconds(2)
        logger.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .milliseconds(2), maximum: .milliseconds(20)))
        dispatcher.add(logger)
        return logger
    }

    private static func answer(_ random: inout SeededNumbers) -> LoopbackAnswer {
        guard random.next() % 10 < 3 else { return .ok }
        let bad: [LoopbackAnswer] = [
            .status(503), .status(500), .status(502), .lost, .lost, .resetInAnswer, .shorterThanSaid,
            .garbage, .resetWhileReading, .refused, .ok.delayed(by: .milliseconds(30)), .ok.readSlowly(),
        ]
        return bad[Int(random.next() % UInt64(bad.count))]
    }

    static func child(_ path: String, _ address: String, _ first: Int, _ lifetime: UInt32)
        async throws
    {
        let dispatcher = LogDispatcher()
        _ = try logger(path, address, dispatcher)
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
            guard await dispatcher.flush(timeout: .testLimit).isComplete else { continue }
            let line = burst.map { "\($0)\n" }.joined()
            _ = line.withCString { write(file, $0, strlen($0)) }
            number += 10
        }
    }
}
#endif
