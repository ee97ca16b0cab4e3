import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("Events under load", .inTurn) struct LoadTests {
    @Test(
        "Overlapping scopes in 8 threads: each gets everything recorded while it is open, whole and in one order"
    )
    func threads() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let events = try AuditLog(store)
        let completed = Locked<[Int]>([])
        let all = events.beginScope(activity: "all")
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        let scope = events.beginScope(activity: "\(thread)-\(round)")
                        for step in 0..<5 {
                            scope.record(read: Note(id: thread * 1000 + round * 10 + step, text: ""))
                        }
                        if round % 5 == 4 {
                            try? scope.cancel()
                        } else {
                            try? scope.commit { error in
                                completed.withLock { $0.append(error == nil ? thread * 100 + round : -1) }
                            }
                        }
                    }
                }
            }
        }
        try await all.commit()
        store.close()
        #expect(completed.withLock { Set($0) }.count == 8 * 16 && completed.withLock { !$0.contains(-1) })

        var order: [String] = []
        var contents: [String: [Int]] = [:]
        for event in try fixture.stored() {
            let activity = try #require(event.text("activity"))
            let id = try #require(event.text("data")?.firstMatch(of: /"id":(\d+)/)).1
            if order.last != activity { order.append(activity) }
            contents[activity, default: []].append(try #require(Int(id)))
        }
        // Each scope in one piece, in the order of the completions, and the one around all of them last.
        let scopes: [String] = completed.withLock { $0.map { "\($0 / 100)-\($0 % 100)" } }
        #expect(order == scopes + ["all"])
        let everything = try #require(contents["all"])
        #expect(everything.count == 8 * 20 * 5)
        for thread in 0..<8 {
            let own = everything.filter { $0 / 1000 == thread }
            let expected: [Int] = (0..<100).map { (index: Int) -> Int in
                thread * 1000 + index / 5 * 10 + index % 5
            }
            #expect(own == expected)
            for round in 0..<20 where round % 5 != 4 {
                // What a scope has is a stretch of what was recorded, with all of its own in it.
                let scope = try #require(contents["\(thread)-\(round)"])
                let start = try #require(everything.firstIndex(of: scope[0]))
                #expect(Array(everything[start..<min(start + scope.count, everything.count)]) == scope)
                #expect(scope.filter { $0 / 10 == thread * 100 + round }.count == 5)
            }
        }
    }

    #if os(Linux)
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    @Test(
        "A scope of 300,000 events takes little memory, until it is stored and while it is sent",
        .enabled(if: !isSanitized, "a sanitizer keeps what is freed"))
    func large() async throws {
        let count = Tier.isLong ? 300_000 : 3000
        await #expect(processExitsWith: .success) { [count = count as Int] in
            try await Self.child(count)
        }
        if !Tier.isLong { print("with \(count) events: HEARTWOOD_LONG makes it 300,000") }
    }

    private static func child(_ count: Int) async throws {
        let received = Locked(0)
        let server = try LoopbackServer { request in
            // Asked twice for a request, before and after its body.
            if !request.body.isEmpty {
                received.withLock { $0 += request.text.matches(of: /"_id"/).count }
            }
            return .ok
        }
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-events-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try EventStore(server.address, directory: path, dispatcher: LogDispatcher())
        store.uploader.isPaused = true
        store.uploader.sendInterval = .seconds(3600)
        let events = try AuditLog(store)
        func scope(_ numbers: Range<Int>) -> EventScope {
            let scope = events.beginScope(activity: "large")
            for number in numbers {
                scope.record(old: nil, new: Note(id: number, text: String(repeating: "x", count: 600)))
            }
            return scope
        }
        try await scope(0..<1000).commit()
        let before = residentBytes()
        let large = scope(1000..<count + 1000)
        let recorded = residentBytes() - before
        try await large.commit()
        let stored = residentBytes() - before
        print(
            "\(count) events of about 1 KiB: recording takes \(recorded >> 10) KiB, storing \(stored >> 10) KiB"
        )
        // In memory the smaller run would be 10 MiB.
        precondition(recorded < 4 << 20 && stored < 8 << 20)
        precondition(store.flush() && store.uploader.httpStatistics.stored == count + 1000)
        store.uploader.isPaused = false
        var highest = 0
        while store.uploader.httpStatistics.pending > 0 {
            _ = await store.deliver(timeout: .milliseconds(200))
            highest = max(highest, residentBytes() - before)
        }
        // The server of the test keeps every body.
        let sending = highest - store.uploader.httpStatistics.bytesOnWire
        print("sending takes \(sending >> 10) KiB beside the bodies that the server keeps")
        precondition(sending < 96 << 20)
        precondition(received.withLock { $0 } == count + 1000, "\(received.withLock { $0 })")
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }
    #endif
}
