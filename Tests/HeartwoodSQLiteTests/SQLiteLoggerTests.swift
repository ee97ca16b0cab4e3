import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

@Suite("The SQLite logger", .inTurn)
struct SQLiteLoggerTests {
    private let fixture: Fixture
    init() throws { fixture = try Fixture() }

    private func reader() throws -> SQLiteLogReader { try SQLiteLogReader(path: fixture.path) }

    @Test("Fields of a row that are nested deeper than a message's are left out, whatever they are")
    func deepFields() throws {
        for levels in [127, 128, 20_000, 1_000_000] {
            let text =
                "{\"a\":" + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
                + "}"
            let fields = try onSmallStack { JSONFields.decode(text) }
            #expect(fields.isEmpty == (levels > 127))
        }
    }

    @Test("A message comes back as it was logged, with everything that it had")
    func everything() throws {
        _ = try fixture.add()
        let line = #line + 1
        log(
            "took \(12.5, as: "ms") ms\n\u{1b}[1m", level: .warning, category: LogCategory("sqlite.all"),
            context: 7,
            metadata: ["user": "ü", "list": .array([1, "x", nil]), "deep": ["a": true]],
            to: fixture.dispatcher)
        #expect(fixture.dispatcher.flush(timeout: .testLimit).isComplete)
        let record = try #require(try reader().records().first)
        #expect(record.text == "took 12.5 ms\n\u{1b}[1m")
        #expect(record.level == .warning)
        #expect(record.category == "sqlite.all")
        #expect(record.context == 7)
        #expect(record.timestamp == fixture.clock.now())
        #expect(record.file == #fileID)
        #expect(record.function == #function)
        #expect(record.line == line)
        #expect(record.processID == Int(getpid()))
        #expect(record.threadID != 0)
        #expect(
            record.metadata == ["deep": ["a": true], "list": .array([1, "x", nil]), "ms": 12.5, "user": "ü"])
        #expect(record.metadataJSON == #"{"ms":12.5,"user":"ü","list":[1,"x",null],"deep":{"a":true}}"#)
    }

    @Test("A message without fields has none, and a zero byte does not end a text")
    func bare() throws {
        _ = try fixture.add()
        logInfo("a\0b", to: fixture.dispatcher)
        logInfo("", to: fixture.dispatcher)
        fixture.dispatcher.flush(timeout: .testLimit)
        let records = try reader().records(LogQuery(order: .oldestFirst))
        #expect(records.map { Array($0.text.utf8) } == [Array("a\0b".utf8), []])
        #expect(records.allSatisfy { $0.metadataJSON == nil && $0.metadata.isEmpty })
    }

    @Test("Private pieces are saved as the logger's setting says, in order with the messages")
    func privacy() throws {
        let logger = try fixture.add()
        func one() { logInfo("mail \("a@b.de", as: "mail", privacy: .private)", to: fixture.dispatcher) }
        one()
        logger.privacy = .reveal
        one()
        logger.privacy = .hash
        one()
        logger.privacy = .redact
        one()
        fixture.dispatcher.flush(timeout: .testLimit)
        let records = try reader().records(LogQuery(order: .oldestFirst))
        try #require(records.count == 4)
        #expect(records[0].text == "mail <private>")
        #expect(records[0].metadata == ["mail": "<private>"])
        #expect(records[1].text == "mail a@b.de")
        #expect(records[1].metadata == ["mail": "a@b.de"])
        #expect(records[2].text.hasPrefix("mail <hash:"))
        #expect(records[3].text == "mail <private>")
    }

    @Test("Redaction and a formatter hold for what is saved; what the formatter drops is not saved")
    func redaction() throws {
        let logger = try fixture.add { $0.redaction = RedactionRules([.emailAddresses]) }
        logInfo("mail \("a@b.de", as: "mail")", to: fixture.dispatcher)
        logger.formatter = Shout()
        logInfo("quiet", to: fixture.dispatcher)
        logInfo("drop", to: fixture.dispatcher)
        fixture.dispatcher.flush(timeout: .testLimit)
        let records = try reader().records(LogQuery(order: .oldestFirst))
        #expect(records.count == 2)
        #expect(records.first.map { !$0.text.contains("a@b.de") } == true)
        #expect(records.first?.metadataJSON?.contains("a@b.de") == false)
        #expect(records.last?.text == "QUIET")
        #expect(logger.statistics.filtered == 1)
        #expect(logger.statistics.isBalanced)
    }

    private final class Shout: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage) -> String? {
            message.text == "drop" ? nil : message.text.uppercased()
        }
    }

    @Test("Nothing is saved before the threshold, the interval or a flush")
    func waits() throws {
        let logger = try fixture.add()
        for number in 0..<499 { logInfo("\(number)", to: fixture.dispatcher) }
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(try reader().count() == 0)
        logInfo("499", to: fixture.dispatcher)
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(try reader().count() == 500)
        logInfo("500", to: fixture.dispatcher)
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        fixture.clock.advance(by: .seconds(60))
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(try reader().count() == 501)
        #expect(try fixture.texts() == (0...500).map { "\($0)" })
    }

    @Test("The file is 0600, as are those beside it, whatever the umask; the directory is made with 0700")
    func modes() throws {
        let path = fixture.folder + "/a/b/log.sqlite"
        let logger = try SQLiteLogger(path: path, clock: fixture.clock)
        fixture.dispatcher.add(logger)
        fixture.log(0..<3)
        for suffix in ["", "-wal", "-shm"] {
            #expect(try SystemCalls().status(path: path + suffix).mode == 0o600, "\(suffix)")
        }
        #expect(try SystemCalls().status(path: fixture.folder + "/a").mode == 0o700)
        #expect(logger.path == path)
        fixture.dispatcher.removeAll()
        #expect((try? SystemCalls().status(path: path + "-wal")) == nil)
    }

    @Test("What is too old is deleted, and the file becomes smaller for it")
    func age() throws {
        let logger = try fixture.add { $0.maximumAge = .seconds(100) }
        let text = String(repeating: "x", count: 500)
        for number in 0..<(Sanitizer.isActive ? 3000 : 12_000) {
            logInfo("\(number) \(text)", to: fixture.dispatcher)
        }
        fixture.dispatcher.flush(timeout: .testLimit)
        fixture.clock.advance(by: .seconds(60))
        fixture.log(0..<1)
        let before = try reader().connectionPages()
        fixture.clock.advance(by: .seconds(60))
        logger.deleteNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(try fixture.texts() == ["0"])
        let after = try reader().connectionPages()
        #expect(after < before / 10, "\(after) of \(before) pages")
        // The file follows when the log beside it is written back, at the latest when the logger ends.
        fixture.dispatcher.removeAll()
        #expect(fixture.size() == after * 4096)
        #expect(fixture.reported(.writeFailed).isEmpty)
    }

    @Test("The oldest are deleted when the database is larger than it may be")
    func quota() throws {
        _ = try fixture.add { $0.maximumSize = .kibibytes(400) }
        let text = String(repeating: "x", count: 900)
        for round in 0..<20 {
            for number in 0..<100 { logInfo("\(round * 100 + number) \(text)", to: fixture.dispatcher) }
            #expect(fixture.dispatcher.flush(timeout: .testLimit).isComplete)
            #expect(try reader().connectionPages() * 4096 <= 400 * 1024)
        }
        let numbers = try fixture.texts().compactMap { Int($0.split(separator: " ")[0]) }
        #expect(numbers.count > 150 && numbers.count < 420)
        #expect(numbers == Array(2000 - numbers.count..<2000))
    }

    @Test(
        "Each setting of what a save waits for is one that SQLite takes",
        arguments: SQLiteSynchronous.allCases)
    func synchronous(_ setting: SQLiteSynchronous) throws {
        let logger = try fixture.add { $0.synchronous = setting }
        fixture.log(0..<3)
        let words: [Int64: SQLiteSynchronous] = [0: .off, 1: .normal, 2: .full]
        let inEffect = Locked<Int64>(-1)
        logger.perform {
            inEffect.withLock { $0 = (try? logger.store.open().number("PRAGMA synchronous")) ?? -1 }
        }
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(words[inEffect.withLock { $0 }] == setting)
        #expect(try fixture.texts() == ["0", "1", "2"])
    }

    @Test("A logger goes on with the database of an earlier one, and two write to one database")
    func together() throws {
        let first = try fixture.add()
        fixture.log(0..<10)
        fixture.dispatcher.remove(first)
        let second = try fixture.add()
        fixture.log(10..<20)
        let third = try fixture.add()
        fixture.log(20..<30)
        #expect(second !== third)
        #expect(
            try fixture.texts().sorted() == ((0..<30).map { "\($0)" } + (20..<30).map { "\($0)" }).sorted())
    }

    @Test(
        "The sqlite3 tool reads the log while the logger is at work",
        .enabled(if: Tool.isThere, "sqlite3 is missing"))
    func tool() throws {
        _ = try fixture.add()
        let message = "it's “17”"
        logError("it's “\(17, as: "n")”", category: LogCategory("sqlite.tool"), to: fixture.dispatcher)
        fixture.log(0..<10)
        #expect(try Tool.run(fixture.path, "PRAGMA integrity_check") == "ok")
        #expect(try Tool.run(fixture.path, "PRAGMA journal_mode") == "wal")
        #expect(try Tool.run(fixture.path, "PRAGMA user_version") == "1")
        #expect(try Tool.run(fixture.path, "SELECT count(*) FROM messages WHERE level <= 1") == "1")
        #expect(
            try Tool.run(fixture.path, "SELECT time, level, category, message, metadata FROM log LIMIT 1")
                == "2026-01-01T00:00:00.000000000Z|error|sqlite.tool|\(message)|{\"n\":17}")
        #expect(
            try Tool.run(fixture.path, "SELECT metadata ->> 'n' FROM messages WHERE metadata IS NOT NULL")
                == "17")
        #expect(
            try Tool.run(
                fixture.path,
                "EXPLAIN QUERY PLAN \(LogQueryText(LogQuery(categories: ["a"])).selection.replacing("?", with: "'a'"))"
            ).contains("messages_by_category"))
        #expect(
            try Tool.run(fixture.path, "EXPLAIN QUERY PLAN \(LogQueryText(LogQuery()).selection)").contains(
                "messages_by_time"))
    }
}

extension SQLiteLogReader {
    /// How many pages the database has, as a reader sees it.
    func connectionPages() throws -> Int {
        Int(try SQLiteConnection(path, 1, busyTimeout: .seconds(5)).number("PRAGMA page_count"))
    }
}
