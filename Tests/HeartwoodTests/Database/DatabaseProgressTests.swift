import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Takes its time for each row of a batch, and says so after each.
private final class SteppingDatabase: AbstractDatabaseLogger<LogMessage>, @unchecked Sendable {
    /// Owned by the queue.
    private(set) var saved: [LogMessage] = []
    private(set) var saves = 0

    override func save(_ rows: [LogMessage]) throws {
        for _ in rows {
            usleep(25_000)
            noteProgress()
        }
        saved += rows
        saves += 1
    }
}

@Suite("Promise 4: a database that works loses nothing", .inTurn)
struct DatabaseProgressTests {
    @Test(
        "Promise 4: a batch that takes twice as long as callers wait without progress loses nothing, where each row is a step"
    )
    func steps() {
        let dispatcher = LogDispatcher.forTest()
        let database = SteppingDatabase(name: "database")
        database.saveThreshold = 40
        database.backlogLimit = .kibibytes(4)
        database.overflowPolicy = .block(upTo: .milliseconds(500))
        dispatcher.add(database)
        for index in 0..<120 { logInfo("message \(index)", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(database.statistics.dropped == 0)
        #expect(database.saved.map(\.text) == (0..<120).map { "message \($0)" })
        #expect(database.saves >= 3)
    }
}
