import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// What happens when more is recorded than the disk takes.
@Suite(.inTurn) struct InboxTests {
    enum Item: String { case text }

    @Test(
        "Where 16 MiB of events are waiting to be written, more are refused: the completion or the error handler is told"
    )
    func full() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        store.uploader.overflowPolicy = .dropNewest
        let events = try EventLog<Item>(store)
        let gate = Gate()
        store.uploader.perform { gate.pass() }
        #expect(gate.waitForArrival())
        let large = String(repeating: "x", count: (16 << 20) - 40_000)
        events.append { $0[.text] = large }
        let told = Locked<[String]>([])
        let text = String(repeating: "y", count: 60_000)
        events.recordEvent(activity: "a", data: text) { error in
            told.withLock { $0.append(error.map { "\($0)" } ?? "stored") }
        }
        events.append { $0[.text] = text }
        #expect(Fixture.wait { told.withLock { $0.count } == 1 && fixture.errors.withLock { $0.count } == 1 })
        for error in told.withLock({ $0 }) + fixture.errors.withLock({ $0 }) {
            #expect(error.contains("16 MiB of events are waiting to be written"))
        }
        gate.open()
        #expect(store.flush(timeout: .testLimit))
        events.recordEvent(activity: "b", data: text) { error in
            told.withLock { $0.append(error.map { "\($0)" } ?? "stored") }
        }
        #expect(store.flush(timeout: .testLimit))
        #expect(Fixture.wait { told.withLock { $0.last } == "stored" })
        store.close()
        #expect(try fixture.stored().count == 2)
        let statistics = store.uploader.statistics
        #expect(statistics.received == 4 && statistics.delivered == 2 && statistics.dropped == 2)
    }

    @Test(
        "A busy machine loses nothing: callers wait as long as it takes until the store's queue works again")
    func held() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let events = try EventLog<Item>(store)
        let gate = Gate()
        store.uploader.perform { gate.pass() }
        #expect(gate.waitForArrival())
        let text = String(repeating: "x", count: 1 << 20)
        let isDone = Semaphore()
        Thread.detachNewThread {
            for _ in 0..<20 { events.append { $0[.text] = text } }
            isDone.signal()
        }
        // Longer than callers once waited; however long it is, the result is the same.
        #expect(!isDone.wait(upTo: .milliseconds(2500)), "more was taken than may wait")
        gate.open()
        #expect(isDone.wait(upTo: .seconds(300)))
        #expect(store.flush(timeout: .testLimit))
        #expect(fixture.errors.withLock { $0 } == [])
        #expect(store.uploader.httpStatistics.stored == 20)
        let statistics = store.uploader.statistics
        #expect(statistics.received == 20 && statistics.delivered == 20 && statistics.dropped == 0)
    }

    @Test("A typed event with a completion is in the files when that is called, or its reason is told there")
    func completion() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        store.payloadLimit = .kibibytes(64)
        let events = try EventLog<Item>(store)
        let told = Locked<[String]>([])
        for size in [10, 100_000, 20] {
            let event = EventRecord<Item> { $0[.text] = String(repeating: "x", count: size) }
            events.append(event) { [path = fixture.path] error in
                let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
                let isThere = files.contains { $0.hasSuffix(".seg") }
                told.withLock { $0.append(error == nil ? isThere ? "stored" : "too soon" : "failed") }
            }
        }
        #expect(store.flush(timeout: .testLimit))
        #expect(Fixture.wait { told.withLock { $0.count } == 3 })
        #expect(told.withLock { $0 } == ["stored", "failed", "stored"])
        #expect(fixture.errors.withLock { $0 }.isEmpty)
        let statistics = store.uploader.statistics
        #expect(statistics.received == 3 && statistics.delivered == 2 && statistics.failed == 1)
    }

    @Test("The figures of a store count each event of a scope, and those that the store refuses")
    func figures() throws {
        let fixture = try Fixture()
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(64)
        let store = try fixture.store(settings: settings, isPaused: true)
        let audit = try AuditLog(store)
        let scope = audit.beginScope(activity: "three reads")
        for id in 0..<3 { scope.record(read: Note(id: id, text: "")) }
        try scope.commit()
        audit.recordEvent(activity: "too much", data: String(repeating: "x", count: 100_000))
        try EventLog<Item>(store).append { $0[.text] = String(repeating: "x", count: 100_000) }
        #expect(store.flush(timeout: .testLimit))
        let statistics = store.uploader.statistics
        #expect(statistics.received == 5 && statistics.delivered == 3 && statistics.failed == 2)
        #expect(Fixture.wait { fixture.errors.withLock { $0.count } == 2 })
    }

    @Test("Where nothing waits, an event is taken that is larger than the 16 MiB that may wait")
    func largerThanTheInbox() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        store.payloadLimit = .mebibytes(32)
        let events = try EventLog<Item>(store)
        events.append { $0[.text] = String(repeating: "x", count: (16 << 20) + 100_000) }
        #expect(store.flush(timeout: .testLimit))
        store.close()
        #expect(fixture.errors.withLock { $0 }.isEmpty)
        #expect(try fixture.stored().count == 1)
    }
}
