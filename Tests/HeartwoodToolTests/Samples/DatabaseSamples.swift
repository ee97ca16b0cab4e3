import Foundation
import Heartwood
import HeartwoodSQLite

// The code of Docs/Databases.md and of the comments of the database loggers, word for word; `SampleTests` compares them.

func sqliteLogger() throws {
    // sample: Sources/HeartwoodSQLite/SQLiteLogger.swift
    let database = try SQLiteLogger(path: "/var/lib/shop/log.sqlite")
    database.maximumAge = .seconds(30 * 86_400)
    database.maximumSize = .mebibytes(500)
    LogDispatcher.shared.add(database, levels: .debug)
    // end
}

func logQuery(path: String) throws {
    // sample: Sources/HeartwoodSQLite/Reading/LogQuery.swift
    var query = LogQuery(levels: .warning, categories: ["net.*"])
    query.text = "timed out"
    query.from = LogTimestamp(.now.addingTimeInterval(-3600))
    let records = try SQLiteLogReader(path: path).records(query)
    // end
    _ = records
}

func logReader() throws {
    // sample: Sources/HeartwoodSQLite/Reading/SQLiteLogReader.swift
    let reader = try SQLiteLogReader(path: "/var/lib/shop/log.sqlite")
    for record in try reader.records(LogQuery(levels: .error, limit: 20)) {
        print(record.timestamp.date, record.category, record.text)
    }
    // end
}

func databaseLogging() throws {
    // sample: Docs/Databases.md
    let database = try SQLiteLogger(path: "/var/lib/shop/log.sqlite")
    database.maximumAge = .seconds(30 * 86_400)
    database.maximumSize = .mebibytes(500)
    LogDispatcher.shared.add(database, levels: .debug)
    // end
}

func databaseReading() throws {
    // sample: Docs/Databases.md
    var query = LogQuery(levels: .warning, categories: ["net.*"])
    query.text = "timed out"
    query.from = LogTimestamp(.now.addingTimeInterval(-3600))
    let reader = try SQLiteLogReader(path: "/var/lib/shop/log.sqlite")
    for record in try reader.records(query) {
        print(record.timestamp.date, record.level, record.category, record.text, record.metadata)
    }
    // end
}

// sample: Docs/Databases.md
/// Sends messages to a collection, as documents.
final class DocumentLogger: AbstractDatabaseLogger<String>, @unchecked Sendable {
    private let insert: ([String]) throws -> Void

    init(insert: @escaping ([String]) throws -> Void) {
        self.insert = insert
        super.init(name: "documents", formatter: JSONLinesFormatter())
    }

    override func row(for message: LogMessage) -> String? { formatted(message) }

    override func save(_ rows: [String]) throws { try insert(rows) }
}
// end
