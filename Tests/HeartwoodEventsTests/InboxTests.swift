import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import Testing

@testable import HeartwoodEvents

/// What happens when more is recorded than the disk takes.
@Suite struct InboxTests {
    enum Item: String { case text }

    @Test(
        "Where 16 MiB of events are waiting to be written, more are refused: the completion or the error handler is told"
    )
    func full() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let events = try EventLog<Item>(store)
        let gate = Gate()
        store.uploader.perform { gate.pass() }
        #expect(gate.waitForArrival())
        let large = String(repeating: "x", count: EventStore.inboxLimit - 40_000)
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
        #expect(store.flush(timeout: .seconds(60)))
        events.recordEvent(activity: "b", data: text) { error in
            told.withLock { $0.append(error.map { "\($0)" } ?? "stored") }
        }
        #expect(store.flush(timeout: .seconds(60)))
        #expect(Fixture.wait { told.withLock { $0.last } == "stored" })
        store.close()
        #expect(try fixture.stored().count == 2)
    }

    @Test("Where nothing waits, an event is taken that is larger than the 16 MiB that may wait")
    func largerThanTheInbox() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        store.payloadLimit = .mebibytes(32)
        let events = try EventLog<Item>(store)
        events.append { $0[.text] = String(repeating: "x", count: EventStore.inboxLimit + 100_000) }
        #expect(store.flush(timeout: .seconds(60)))
        store.close()
        #expect(fixture.errors.withLock { $0 }.isEmpty)
        #expect(try fixture.stored().count == 1)
    }
}
