import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

// Only debug builds check.
#if DEBUG
@Suite("The store of a SQLite logger belongs to its hooks", .inTurn)
struct SQLiteOwnerTests {
    private let fixture: Fixture
    init() throws { fixture = try Fixture() }

    @Test("A use outside of the logger's hooks ends the program")
    func outside() async throws {
        await #expect(processExitsWith: .failure) { [path = fixture.path as String] in
            let dispatcher = LogDispatcher()
            let logger = try SQLiteLogger(path: path)
            dispatcher.add(logger)
            dispatcher.flush(timeout: .testLimit)
            logger.store.close()
        }
    }

    @Test("A hook may use it, and so may a test of a logger that no dispatcher has")
    func inside() async throws {
        await #expect(processExitsWith: .exitCode(7)) { [path = fixture.path as String] in
            let dispatcher = LogDispatcher()
            let logger = try SQLiteLogger(path: path)
            logger.store.close()
            dispatcher.add(logger)
            logger.perform { logger.store.close() }
            dispatcher.flush(timeout: .testLimit)
            exit(7)
        }
    }
}
#endif
