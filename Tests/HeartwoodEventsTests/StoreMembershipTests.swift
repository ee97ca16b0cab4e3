import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import SuiteSupport
import Testing

@Suite(.inTurn) struct StoreMembershipTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test(
        "An event store is no ordinary logger: it is not listed, not removed with the others, and takes no messages"
    )
    func membership() async throws {
        let store = try fixture.store(isPaused: true)
        #expect(fixture.dispatcher.loggers.isEmpty)
        store.uploader.levels = .all
        for logger in fixture.dispatcher.loggers { logger.levels = .debug }
        Heartwood.log("a password", level: .fatal, to: fixture.dispatcher)
        fixture.dispatcher.removeAll()
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "after the removal")
        scope.record(read: Note(id: 1, text: ""))
        try await scope.commit()
        #expect(store.flush())
        #expect(store.uploader.httpStatistics.stored == 1)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try fixture.delivered().count == 1)
    }
}
