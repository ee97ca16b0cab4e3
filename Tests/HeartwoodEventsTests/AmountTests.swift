import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// Ordinary large amounts: more than a record of the spool, a request, a transaction of Realm's may have.
@Suite("Large events", .inTurn) struct AmountTests {
    private func ids(_ event: [String: Any]) throws -> [Int] {
        try #require(event["data"] as? String).matches(of: /"id":(\d+)/).map { try #require(Int($0.1)) }
    }

    @Test("A transaction of 2,000 insertions, 2 MB, is one write event, and so is a read of them")
    func oneEvent() async throws {
        let fixture = try Fixture()
        let store = try fixture.store()
        let events = try AuditLog(store)
        let notes = (0..<2000).map { Note(id: $0, text: String(repeating: "x", count: 1000)) }
        let scope = events.beginScope(activity: "import")
        scope.record(old: [], new: notes)
        scope.record(read: notes)
        try await scope.commit()
        #expect(await store.deliver(timeout: .testLimit))
        let delivered = try fixture.delivered()
        #expect(delivered.map { $0["event"] as? String } == ["write", "read"])
        for event in delivered {
            #expect(try ids(event) == Array(0..<2000))
            #expect(Set(event.keys) == ["_id", "timestamp", "activity", "event", "data"])
        }
    }

    @Test(
        "A transaction above the limit is divided into parts that name each other, and say how many they are",
        .secondTier
    )
    func parts() async throws {
        let fixture = try Fixture()
        let store = try fixture.store()
        #expect(store.payloadLimit == .mebibytes(16))
        let events = try AuditLog(store)
        let notes = (0..<40).map { Note(id: $0, text: String(repeating: "y", count: 1 << 20)) }
        let scope = events.beginScope(activity: "large")
        scope.record(old: [], new: notes)
        scope.record(read: Note(id: 99, text: ""))
        try await scope.commit()
        store.payloadLimit = .kibibytes(4)
        let small = events.beginScope(activity: "small")
        small.record(read: (0..<10).map { Note(id: $0, text: String(repeating: "z", count: 1000)) })
        try await small.commit()
        #expect(await store.deliver(timeout: .testLimit))
        let delivered = try fixture.delivered()
        let activities = delivered.compactMap { $0["activity"] as? String }
        #expect(activities == ["large", "large", "large", "large", "small", "small", "small", "small"])
        for (activity, kind, all) in [("large", "write", 40), ("small", "read", 10)] {
            let parts = delivered.filter {
                $0["activity"] as? String == activity && $0["event"] as? String == kind
            }
            #expect(parts.compactMap { $0["part"] as? Int } == Array(1...parts.count))
            #expect(parts.allSatisfy { $0["of"] as? Int == parts.count })
            let first = try #require(parts.first?["_id"] as? String)
            #expect(parts.allSatisfy { $0["first"] as? String == first })
            #expect(try parts.flatMap { try ids($0) } == Array(0..<all))
        }
        #expect(delivered[3]["part"] == nil)
    }

    @Test(
        "An object of 8 MiB and custom data of 12 MiB are stored and delivered; what is larger is an error",
        .secondTier)
    func single() async throws {
        let fixture = try Fixture()
        let store = try fixture.store()
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "object")
        scope.record(old: nil, new: Note(id: 1, text: String(repeating: "x", count: 8 << 20)))
        try await scope.commit()
        let data = String(repeating: "\"", count: 12 << 20)
        let custom = Locked<(any Error)?>(nil)
        events.recordEvent(activity: "custom", data: data) { error in custom.withLock { $0 = error } }
        #expect(await store.deliver(timeout: .testLimit))
        #expect(custom.withLock { $0 == nil })
        let delivered = try fixture.delivered()
        #expect(delivered.count == 2 && delivered[1]["data"] as? String == data)
        #expect((delivered[0]["data"] as? String)?.utf8.count ?? 0 > 8 << 20)

        let huge = events.beginScope(activity: "huge")
        huge.record(read: Note(id: 1, text: String(repeating: "x", count: 16 << 20)))
        let error = await #expect(throws: LogError.self) { try await huge.commit() }
        #expect(error?.code == .invalidEvent && error?.message.contains("payloadLimit") == true)
        let refused: (any Error)? = await withCheckedContinuation { continuation in
            events.recordEvent(activity: "custom", data: String(repeating: "x", count: 17 << 20)) {
                continuation.resume(returning: $0)
            }
        }
        #expect((refused as? LogError)?.code == .invalidEvent)
    }

    @Test("A loop over 10,000 objects is a few read events, with each object once")
    func loop() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true, foldsReads: true)
        let scope = try AuditLog(store).beginScope(activity: "loop")
        for number in 0..<10_000 {
            for _ in 0..<2 { scope.record(read: Note(id: number, text: String(repeating: "x", count: 100))) }
        }
        try await scope.commit()
        store.close()
        let texts = try fixture.stored().compactMap { $0.text("data") }
        #expect(texts.count == 3)
        let ids = try texts.flatMap { try $0.matches(of: /"id":(\d+)/).map { try #require(Int($0.1)) } }
        #expect(ids == Array(0..<10_000))
    }
}
