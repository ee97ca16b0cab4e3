import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodSQLite

@Suite("Queries", .inTurn)
struct LogQueryTests {
    private let fixture: Fixture
    private let start: LogTimestamp

    /// Ten messages, one each second.
    init() throws {
        fixture = try Fixture()
        start = fixture.clock.now()
        _ = try fixture.add()
        let lines: [(LogLevel, String, String)] = [
            (.error, "net", "Timed out"), (.info, "net.http", "GET / 100%"),
            (.debug, "net.http", "header a_b"),
            (.warning, "net.dns", "timed OUT again"), (.info, "db", "opened c:\\x"), (.fatal, "db", "gone"),
            (.verbose, "db.pool", "one more"), (.notice, "n?t", "odd name"), (.info, "n[e]t", "odder name"),
            (.info, "default", "Grüße"),
        ]
        for (level, category, text) in lines {
            Heartwood.log(text, level: level, category: LogCategory(category), to: fixture.dispatcher)
            fixture.dispatcher.flush(timeout: .testLimit)
            fixture.clock.advance(by: .seconds(1))
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let query: LogQuery
        let found: [Int]
        init(_ name: String, _ found: [Int], _ query: LogQuery) {
            (testDescription, self.query, self.found) = (name, query, found)
        }
    }

    static let cases: [Case] = [
        Case("everything, newest first", [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], LogQuery()),
        Case("oldest first", [0, 1, 2], LogQuery(order: .oldestFirst, limit: 3)),
        Case("a threshold of levels", [5, 0], LogQuery(levels: .error)),
        Case("a list of levels", [6, 2], LogQuery(levels: [.debug, .verbose])),
        Case("no level", [], LogQuery(levels: .off)),
        Case("one category", [0], LogQuery(categories: ["net"])),
        Case("what belongs to a category", [3, 2, 1], LogQuery(categories: ["net.*"])),
        Case("several categories", [9, 3, 2, 1, 0], LogQuery(categories: ["net", "net.*", "def*t"])),
        Case("nothing but the star is special", [7], LogQuery(categories: ["n?*"])),
        Case("nor is a bracket", [8], LogQuery(categories: ["n[e]*"])),
        Case("text in any case", [3, 0], LogQuery(text: "TIMED out")),
        Case("a percent sign is text", [1], LogQuery(text: "100%")),
        Case("an underscore is text", [2], LogQuery(text: "a_b")),
        Case("nor does it stand for anything", [], LogQuery(text: "d_")),
        Case("a backslash is text", [4], LogQuery(text: "c:\\")),
        Case("text that is not ASCII", [9], LogQuery(text: "grüß")),
        Case("all conditions at once", [3], LogQuery(levels: .warning, categories: ["net.*"], text: "out")),
        Case("no row", [], LogQuery(limit: 0)),
        Case("SQL is text", [], LogQuery(categories: ["' OR 1 --"], text: "' OR '1'='1")),
    ]

    @Test("The table of conditions", arguments: cases)
    func table(_ item: Case) throws {
        let reader = try SQLiteLogReader(path: fixture.path)
        let found = try reader.records(item.query)
        #expect(found.map { Int($0.id) - 1 } == item.found)
        #expect(try reader.count(item.query) == item.found.count)
    }

    /// Texts that a message has, and what finds it or does not.
    static let parts: [(text: String, found: [String], missed: [String])] = [
        (
            "sixteen\0bytes ok", ["\0", "N\0B", "bytes", "OK", "sixteen\0bytes ok"],
            ["\0\0", "n b", "\u{2400}"]
        ),
        ("\0", ["\0"], ["\0\0", "x"]), ("\0\0a\0", ["A\0", "\0\0A", "a"], ["a\0\0", "\0a\0\0"]),
        ("100% of a_b\\c*[d]?", ["100%", "A_B", "_b\\C", "\\", "*[d]?", "%"], ["10%0", "a%", "a?b", "*b"]),
        ("Grüße, ПРИВЕТ, 🌳\u{301}e", ["grüß", "ПРИВЕТ", "🌳", "\u{301}E"], ["GRÜSSE", "привет", "é"]),
        ("line\r\nbreak\u{1B}[31m", ["\n", "E\r\nB", "\u{1B}[31M"], ["e\nb", "\u{1B}[31n"]),
        ("", [], ["x", "\0", " "]),
        (
            String(repeating: "a", count: 200_000) + "\0Z",
            [
                String(repeating: "A", count: 60_000), String(repeating: "a", count: 199_999) + "A\0z",
                String(repeating: "a", count: 49_999), "z",
            ], [String(repeating: "a", count: 60_000) + "b", String(repeating: "a", count: 200_001)]
        ),
    ]

    @Test("Every text is saved byte for byte, and found by each of its parts", arguments: parts.indices)
    func texts(_ index: Int) throws {
        let (text, found, missed) = LogQueryTests.parts[index]
        let dispatcher = fixture.dispatcher
        let category = LogCategory("cat\0\(index)")
        Heartwood.log(
            "\(text)", level: .info, category: category, metadata: ["own": .string(text)], to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let reader = try SQLiteLogReader(path: fixture.path)
        func ids(_ query: LogQuery) throws -> [Int64] { try reader.records(query).map(\.id) }
        let record = try #require(try reader.records(LogQuery(categories: [category.name])).first)
        #expect(Array(record.text.utf8) == Array(text.utf8))
        #expect(record.metadata["own"] == .string(text))
        #expect(Array(record.category.utf8) == Array(category.name.utf8))
        for part in found {
            #expect(try ids(LogQuery(text: part)).contains(record.id), "\(part.prefix(40).debugDescription)")
            #expect(try reader.count(LogQuery(categories: ["cat*"], text: part)) == 1)
        }
        for part in missed {
            #expect(try ids(LogQuery(text: part)).contains(record.id) == false, "\(part.prefix(40))")
        }
        for (pattern, isMatch) in [
            ("cat\0*", true), ("c*\(index)", true), ("*\0*", true), ("*", true), ("*\0x", false),
            ("c*t", false),
            ("cat*" + String(repeating: "*", count: 60_000), true),
            ("cat*" + String(repeating: "x", count: 60_000), false), ("cat", false), ("cat\0", false),
        ] {
            #expect(
                try ids(LogQuery(categories: [pattern])).contains(record.id) == isMatch,
                "\(pattern.prefix(9))")
        }
    }

    @Test("A time is from its beginning to before its end")
    func times() throws {
        let reader = try SQLiteLogReader(path: fixture.path)
        let query = LogQuery(from: start + .seconds(2), until: start + .seconds(5), order: .oldestFirst)
        #expect(try reader.records(query).map { Int($0.id) - 1 } == [2, 3, 4])
    }

    @Test(
        "Pages follow each other without gap or repetition, in both orders, for equal times as well",
        arguments: [LogQuery.Order.newestFirst, .oldestFirst])
    func pages(_ order: LogQuery.Order) throws {
        for number in 0..<25 { logInfo("same \(number)", to: fixture.dispatcher) }
        fixture.dispatcher.flush(timeout: .testLimit)
        let reader = try SQLiteLogReader(path: fixture.path)
        var query = LogQuery(order: order, limit: 4)
        var found: [LogRecord] = []
        while true {
            let page = try reader.records(query)
            if page.isEmpty { break }
            found += page
            query.after = page.last?.position
        }
        query.after = nil
        query.limit = nil
        #expect(found.count == 35)
        #expect(try found == reader.records(query))
    }

    @Test("A reader of a place where there is nothing, or something else, says so")
    func nothing() throws {
        #expect { try SQLiteLogReader(path: fixture.folder + "/none.sqlite") } throws: {
            "\($0)".contains("No log database found")
        }
        // A program that has just created its database, or died then.
        #expect(FileManager.default.createFile(atPath: fixture.folder + "/new.sqlite", contents: nil))
        #expect { try SQLiteLogReader(path: fixture.folder + "/new.sqlite") } throws: {
            "\($0)".contains("The log database is empty")
        }
        try "CREATE TABLE t (x)".write(toFile: fixture.folder + "/text", atomically: true, encoding: .utf8)
        #expect(throws: LogError.self) { try SQLiteLogReader(path: fixture.folder + "/text") }
    }
}
