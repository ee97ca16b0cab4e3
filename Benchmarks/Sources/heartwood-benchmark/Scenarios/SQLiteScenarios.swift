import Foundation
import Heartwood
import HeartwoodSQLite

/// Messages saved in a database, from the first call until the last is saved.
struct SQLiteSaveScenario: Scenario {
    let name = "sqlite-save"
    let unit = "rows/s"
    let largerIsBetter = true
    var count = 200_000

    func run() throws -> [Measurement] {
        var measurements: [Measurement] = []
        for (part, synchronous) in [("normal", SQLiteSynchronous.normal), ("full", .full)] {
            let value = try withTemporaryDirectory { path in
                let file = path + "/log.sqlite"
                let (start, seconds) = (now(), processorSeconds())
                try fillDatabase(file, count: count, synchronous: synchronous)
                let duration = Double(now() - start) / 1e9
                measurements.append(
                    Measurement(
                        part: "\(part), CPU µs per row",
                        value: (processorSeconds() - seconds) * 1e6 / Double(count)))
                try check(
                    SQLiteLogReader(path: file).count() == count, "not every message is in the database")
                return Double(count) / duration
            }
            measurements.append(Measurement(part: part, value: value))
        }
        return measurements
    }
}

/// Queries of a database of a million messages.
struct SQLiteQueryScenario: Scenario {
    let name = "sqlite-query-1000000"
    let unit = "ms"
    let isDefault = false
    var count = 1_000_000

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let file = path + "/log.sqlite"
            try fillDatabase(file, count: count, synchronous: .normal)
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            let reader = try SQLiteLogReader(path: file)
            let last = try reader.records(LogQuery(limit: 1))[0].timestamp
            let first = try reader.records(LogQuery(order: .oldestFirst, limit: 1))[0].timestamp
            let middle = first + (last - first) / 2
            let all = LogQuery(limit: nil)
            let queries: [(String, LogQuery, Int)] = [
                ("newest 1000", LogQuery(), 1000),
                ("1000 from the middle on", LogQuery(from: middle, order: .oldestFirst), 1000),
                ("newest 1000 errors of 1 in 1000", LogQuery(levels: .error), 1000),
                ("1000 of one category of 4", LogQuery(categories: ["benchmark.2"]), 1000),
                ("1000 of a wildcard", LogQuery(categories: ["*.3"]), 1000),
                ("text that 10 have", LogQuery(text: "needle"), 10),
                ("text that none has", LogQuery(text: "no such text"), 0),
            ]
            var measurements = [Measurement(part: "bytes per row", value: Double(size) / Double(count))]
            for (part, query, expected) in queries {
                let start = now()
                let found = try reader.records(query)
                measurements.append(Measurement(part: part, value: Double(now() - start) / 1e6))
                try check(found.count == expected, "\(part): \(found.count) rows instead of \(expected)")
            }
            let start = now()
            try check(reader.count(all) == count, "not every message is in the database")
            measurements.append(Measurement(part: "count all", value: Double(now() - start) / 1e6))
            return measurements
        }
    }
}

/// Logs so many messages into a new database: one in 1000 an error, ten with a needle, in four categories.
private func fillDatabase(_ path: String, count: Int, synchronous: SQLiteSynchronous) throws {
    let dispatcher = LogDispatcher()
    dispatcher.overflowPolicy = .block(upTo: .seconds(60))
    dispatcher.synchronousLevels = .off
    let logger = try SQLiteLogger(path: path)
    logger.synchronous = synchronous
    logger.overflowPolicy = .block(upTo: .seconds(60))
    dispatcher.add(logger)
    let categories = (0..<4).map { LogCategory("benchmark.\($0)") }
    for number in 0..<count {
        if number % 1000 == 0 {
            logError(
                "request \(number, as: "request") failed", category: categories[number & 3], to: dispatcher)
        } else if number % (count / 10) == 1 {
            logInfo("a needle in \(number, as: "stack")", category: categories[number & 3], to: dispatcher)
        } else {
            logInfo(
                "request \(number, as: "request") of user \("alice", as: "user") took \(12.5, as: "ms") ms",
                category: categories[number & 3], to: dispatcher)
        }
    }
    try check(dispatcher.flush(timeout: .seconds(600)).isComplete, "the flush did not finish")
    dispatcher.removeAll()
    try check(logger.statistics.delivered == count, "\(logger.statistics) instead of \(count)")
}
