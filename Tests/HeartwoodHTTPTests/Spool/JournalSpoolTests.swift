#if os(Linux)
import CHeartwood
import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodHTTP

/// Promise 10 for the store of unsent messages: processes that log to it are killed, again and again.
///
/// `HEARTWOOD_KILLS` says how often; 20 times in the second tier unless it does.
@Suite(.inTurn) struct JournalSpoolTests {
    private static func makeDispatcher(_ path: String) -> LogDispatcher {
        let dispatcher = LogDispatcher(ringCapacity: .kibibytes(128), journal: .file(path + "/journal"))
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        return dispatcher
    }

    private static func makeLogger(_ address: String, _ path: String, _ run: Int) throws -> HTTPLogger {
        let logger = try HTTPLogger(address, spool: path + "/spool")
        logger.overflowPolicy = .block(upTo: .seconds(60))
        // Every other process keeps messages in memory for a while.
        logger.saveDelay = run % 2 == 0 ? .zero : .milliseconds(2)
        return logger
    }

    @Test("Promise 10: what a returned call has logged is stored once, after any kill -9, and sent")
    func kills() async throws {
        let kills =
            ProcessInfo.processInfo.environment["HEARTWOOD_KILLS"].flatMap { Int($0) }
            ?? Tier.amount(4, full: 20)
        let directory = try TemporaryDirectory()
        let path = directory.path
        let server = try LoopbackServer { _ in .ok }
        let address = server.address
        var random = SeededNumbers(5)
        for run in 0..<kills {
            let lifetime = UInt32(random.next() % 30_000) + 1000
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, address = address as String, run = run as Int,
                    lifetime = lifetime as UInt32
                ] in
                let dispatcher = JournalSpoolTests.makeDispatcher(path)
                let logger = try JournalSpoolTests.makeLogger(address, path, run)
                logger.isPaused = true
                dispatcher.add(logger)
                let file = open(path + "/witness-\(run)", O_RDWR | O_CREAT, 0o600)
                ftruncate(file, 4096)
                nonisolated(unsafe) let words = MemoryMap.shared(file, size: 4096)
                    .unsafelyUnwrapped.bindMemory(to: Int.self, capacity: 512)
                for thread in 0..<2 {
                    Thread.detachNewThread {
                        var number = 0
                        while true {
                            Heartwood.log(
                                "\(run * 2 + thread, as: "lane") \(number, as: "number")", level: .info,
                                to: dispatcher)
                            number += 1
                            words[thread * 16] = number
                        }
                    }
                }
                usleep(lifetime)
                kill(getpid(), SIGKILL)
            }
        }
        let dispatcher = Self.makeDispatcher(path)
        let logger = try Self.makeLogger(address, path, 0)
        dispatcher.add(logger)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(await logger.deliver(timeout: .testLimit))
        #expect(logger.httpStatistics.dropped == 0)
        dispatcher.removeAll()
        dispatcher.journal = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/journal").isEmpty)

        var next = [Int](repeating: 0, count: kills * 2)
        var keys: Set<String> = []
        for request in server.stored {
            // A request whose answer was not read is repeated under its key: what counts is what the server keeps.
            guard keys.insert(try #require(request.headers["Idempotency-Key"])).inserted else { continue }
            let list = try JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]]
            for entry in list ?? [] {
                guard let thread = entry["lane"] as? Int, let number = entry["number"] as? Int else {
                    continue
                }
                if number != next[thread] {
                    Issue.record("thread \(thread): \(number) where \(next[thread]) was due")
                    return
                }
                next[thread] += 1
            }
        }
        var total = 0
        for run in 0..<kills {
            guard let data = FileManager.default.contents(atPath: path + "/witness-\(run)"),
                data.count == 4096
            else {
                continue
            }
            for thread in 0..<2 {
                let returned = data.withUnsafeBytes { $0.load(fromByteOffset: thread * 128, as: Int.self) }
                total += returned
                let found = next[run * 2 + thread]
                #expect(
                    found == returned || found == returned + 1,
                    "run \(run), thread \(thread): \(found) of \(returned)")
            }
        }
        #expect(total > kills)
        print("\(kills) kills, \(total) calls had returned")
    }
}
#endif
