import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// Settings that must not cost events, and events that come too late.
@Suite(.inTurn) struct StoreSettingsTests {
    enum Item: String { case number }

    @Test("No setting of the files has events dropped: neither a number of files nor an overflow")
    func nothingDropped() throws {
        let fixture = try Fixture()
        var settings = SpoolSettings()
        settings.maximumFiles = 2
        settings.segmentCount = 1
        settings.overflow = .dropOldest
        let store = try fixture.store(settings: settings, isPaused: true)
        let events = try EventLog<Item>(store)
        for number in 0..<20 {
            events.append { $0[.number] = number }
            #expect(store.flush(timeout: .testLimit))
        }
        let figures = store.uploader.httpStatistics
        #expect(figures.pending == 20 && figures.dropped == 0)
        store.close()
        #expect(try fixture.stored().count == 20)
    }

    @Test("What is recorded after the end of a scope is told as a mistake") func tooLate() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let scope = try AuditLog(store).beginScope(activity: "a")
        try scope.commit()
        scope.record(read: Note(id: 1, text: ""))
        scope.record(old: nil, new: Note(id: 2, text: ""))
        #expect(Fixture.wait { fixture.errors.withLock { $0.count } == 2 })
        #expect(fixture.errors.withLock { $0.allSatisfy { $0.contains("has already ended") } })
        store.close()
        #expect(try fixture.stored().isEmpty)
    }
}
