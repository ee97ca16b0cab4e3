import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

// Only debug builds check.
#if DEBUG
@Suite("What a logger's hooks own is checked where other files reach it", .inTurn)
struct LoggerOwnerTests {
    enum Entrance: String, CaseIterable, Codable {
        case engine, saved, journal, unsaved

        func use(_ file: FileLogger, _ database: AbstractDatabaseLogger<LogMessage>) {
            switch self {
            case .engine: file.engine.retry()
            case .saved: _ = database.isSaved
            case .journal: database.beginJournal(false)
            case .unsaved: database.forgetUnsaved()
            }
        }
    }

    @Test("A use outside of the logger's hooks ends the program", arguments: Entrance.allCases)
    func outside(entrance: Entrance) async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .failure) {
            [path = scratch.path as String, entrance = entrance as Entrance] in
            let dispatcher = LogDispatcher()
            let (file, database) = (try FileLogger(directory: path), AbstractDatabaseLogger<LogMessage>())
            dispatcher.add(file)
            dispatcher.add(database)
            dispatcher.flush(timeout: .testLimit)
            entrance.use(file, database)
        }
    }

    @Test(
        "The hooks may use it, and so may a test of a logger that no dispatcher has",
        arguments: Entrance.allCases)
    func inside(entrance: Entrance) async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(7)) {
            [path = scratch.path as String, entrance = entrance as Entrance] in
            let dispatcher = LogDispatcher()
            let (file, database) = (try FileLogger(directory: path), AbstractDatabaseLogger<LogMessage>())
            entrance.use(file, database)
            dispatcher.add(file)
            dispatcher.add(database)
            switch entrance {
            case .engine: file.perform { entrance.use(file, database) }
            case .saved, .journal, .unsaved: database.perform { entrance.use(file, database) }
            }
            dispatcher.flush(timeout: .testLimit)
            exit(7)
        }
    }
}
#endif
