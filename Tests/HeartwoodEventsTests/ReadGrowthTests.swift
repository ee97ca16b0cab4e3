import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// What a read costs must not grow with the reads before it: counted in moves of the memory, not in time.
@Suite(.inTurn) struct ReadGrowthTests {
    @Test(
        "Reads stay where they are in memory when others are added, but for its doubling", arguments: [1, 3])
    func inPlace(scopes count: Int) throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true, foldsReads: true)
        let recorder = EventRecorder(store: store, metadata: try EventMetadata([String: String]()))
        let scopes = (0..<count).map { _ in recorder.begin("reading") }
        var moves = 0
        var places = scopes.map { recorder.placeOfReads(in: $0) }
        for number in 0..<2000 {
            recorder.record(read: scopes[0], "Note") {
                [.init(identity: try ObjectSnapshot(Note(id: number, text: "")).identity, json: "{}")]
            }
            let now = scopes.map { recorder.placeOfReads(in: $0) }
            moves += zip(places, now).count { $0 != $1 }
            places = now
        }
        // A memory that doubles moves eleven times on its way to 2,000; a copy for each read, 2,000 times.
        #expect(moves <= 20 * count, "\(moves)")
        for scope in scopes { try recorder.cancel(scope) }
    }

    @Test("30,000 single reads are a few events, and all of them are there") func many() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true, foldsReads: true)
        let scope = try AuditLog(store).beginScope(activity: "reading")
        for number in 0..<30_000 { scope.record(read: Note(id: number, text: "text of \(number)")) }
        try await scope.commit()
        store.close()
        let events = try fixture.stored()
        let ids = events.flatMap { $0.text("data")?.matches(of: /"id":(\d+)/).compactMap { Int($0.1) } ?? [] }
        #expect(ids == Array(0..<30_000) && events.count < 10)
    }
}
