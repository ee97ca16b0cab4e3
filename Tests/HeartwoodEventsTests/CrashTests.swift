#if os(Linux)
import CHeartwood
import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Processes that record scopes and are killed at random moments, before, during and after storing and sending.
///
/// `HEARTWOOD_KILLS` says how many children are killed; 8 in the second tier unless it does.
@Suite("Events and crashes", .inTurn) struct CrashTests {
    @Test(
        "Of a killed process each scope arrives whole or not at all, once and in order, those completed always"
    )
    func killed() async throws {
        let kills =
            ProcessInfo.processInfo.environment["HEARTWOOD_KILLS"].flatMap { Int($0) }
            ?? Tier.amount(3, full: 8)
        let fixture = try Fixture()
        let isDown = Locked(true)
        // Every other child finds a server; what it sends must not come again under another key.
        let server = try LoopbackServer { _ in isDown.withLock { $0 } ? .status(503) : .ok }
        let path = fixture.path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: 11)
        for child in 0..<kills {
            isDown.withLock { $0 = child % 2 == 0 }
            let lifetime = UInt32(random.next() % 150_000 + 5000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, address = server.address as String, child = child as Int,
                    lifetime = lifetime as UInt32
                ] in
                try await Self.child(path, address, child, lifetime)
            }
        }
        isDown.withLock { $0 = false }
        let store = try EventStore(server.address, directory: path, dispatcher: fixture.dispatcher)
        #expect(await store.deliver(timeout: .testLimit))
        #expect(fixture.partitions().isEmpty)

        // A request that was repeated has the same key and the same content.
        var bodies: [String: String] = [:]
        var ids: Set<String> = []
        var found: [String: [Int]] = [:]
        var lastScope: (child: Int, number: Int) = (0, -1)
        for request in server.stored {
            let key = try #require(request.headers["Idempotency-Key"])
            if let known = bodies[key] {
                #expect(known == request.text)
                continue
            }
            bodies[key] = request.text
            let events = try JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: String]]
            for event in try #require(events) {
                #expect(ids.insert(try #require(event["_id"])).inserted)
                let text = try #require(event["data"])
                let number = try #require(text.firstMatch(of: /"id":(\d+)/))
                let activity = try #require(event["activity"])
                found[activity, default: []].append(try #require(Int(number.1)))
                let name = try #require(activity.firstMatch(of: /(\d+)-(\d+)x/))
                let scope = (child: try #require(Int(name.1)), number: try #require(Int(name.2)))
                #expect(scope >= lastScope, "\(activity) comes after \(lastScope)")
                lastScope = scope
            }
        }
        for (scope, numbers) in found {
            let size = try #require(scope.split(separator: "x").last.flatMap { Int($0) })
            #expect(numbers == Array(0..<size), "\(scope) is not whole: \(numbers.count)")
        }
        let obliged = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/completed")), as: UTF8.self
        )
        .split(separator: "\n").map(String.init)
        #expect(obliged.count > kills)
        #expect(obliged.filter { found[$0] == nil } == [])
        print("\(obliged.count) scopes were completed, \(found.count) have arrived")
    }

    @Test("A scope that the disk does not take in full fails, leaves nothing, and the next one is stored")
    func fullDisk() async throws {
        let fixture = try Fixture()
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try EventStore("http://127.0.0.1:9", directory: path, dispatcher: LogDispatcher())
            store.uploader.isPaused = true
            store.foldsReads = false
            let events = try AuditLog(store)
            // No file may grow beyond 100 KiB.
            var limit = rlimit(rlim_cur: 102_400, rlim_max: 102_400)
            setrlimit(__rlimit_resource_t(1), &limit)
            var outcomes: [Bool] = []
            for (number, size) in [20, 20, 40, 20, 200, 20].enumerated() {
                let scope = events.beginScope(activity: "\(number)")
                for index in 0..<size {
                    scope.record(read: Note(id: index, text: String(repeating: "x", count: 1000)))
                }
                do {
                    try await scope.commit()
                    outcomes.append(true)
                } catch {
                    outcomes.append(false)
                }
            }
            store.close()
            // The third meets the limit in the store's file, the fifth in its own.
            precondition(outcomes == [true, true, false, true, false, true], "\(outcomes)")
        }
        var counts: [String: Int] = [:]
        for event in try fixture.stored() { counts[event.text("activity") ?? "", default: 0] += 1 }
        #expect(counts == ["0": 20, "1": 20, "3": 20, "5": 20])
    }

    private static func child(_ path: String, _ address: String, _ child: Int, _ lifetime: UInt32)
        async throws
    {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let store = try EventStore(address, directory: path, dispatcher: dispatcher)
        store.partitionSize = .kibibytes(256)
        store.foldsReads = false
        store.uploader.sendInterval = .milliseconds(5)
        store.uploader.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .milliseconds(2), maximum: .milliseconds(20)))
        let events = try AuditLog(store)
        _ = DetachedThread.start {
            usleep(lifetime)
            kill(getpid(), SIGKILL)
        }
        let file = open(path + "/completed", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let padding = String(repeating: "x", count: 15_000)
        for number in 0... {
            // Up to 5 MiB, so that some are in several files.
            let size = number % 10 == 9 ? 300 : number % 7 + 1
            let activity = "\(child)-\(number)x\(size)"
            let scope = events.beginScope(activity: activity)
            for index in 0..<size {
                scope.record(read: Note(id: index, text: number % 10 == 9 ? padding : ""))
            }
            try scope.commit { error in
                guard error == nil else { return }
                _ = (activity + "\n").withCString { write(file, $0, strlen($0)) }
            }
        }
    }
}
#endif
