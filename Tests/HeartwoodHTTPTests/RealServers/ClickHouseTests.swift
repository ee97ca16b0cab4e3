#if os(Linux)
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What the page about many machines says, with a real ClickHouse server where one is installed.
@Suite("ClickHouse for many machines", .inTurn)
struct ClickHouseTests {
    private static let tool = Bundle.main.bundleURL.appendingPathComponent("heartwood").path
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The statements of the page by the word in their comment; the one without is the table.
    private func statements() throws -> [String: String] {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("Docs/Pipe.md"), encoding: .utf8)
        var statements: [String: String] = [:]
        for block in page.split(separator: "```sql\n").dropFirst() {
            let text = try #require(block.split(separator: "\n```").first)
            if text.hasPrefix("-- ") {
                let lines = text.split(separator: "\n", maxSplits: 1)
                statements[String(lines[0].dropFirst(3))] = String(lines[1])
            } else {
                statements["table"] = String(text)
            }
        }
        return statements
    }

    private func run(_ arguments: [String], in directory: TemporaryDirectory) async throws -> String {
        let name = "output-\(UUID().uuidString)"
        let process = try ChildProcess(
            Self.tool, arguments, in: directory.path,
            environment: ["SWIFT_BACKTRACE": "enable=no", "TZ": "UTC"],
            output: .file(directory.path + "/" + name), error: .file(directory.path + "/" + name + ".error"))
        let ending = await process.ended()
        let error = String(decoding: try directory.read(name + ".error"), as: UTF8.self)
        #expect(ending.isSuccess, "\(arguments): \(error)")
        return String(decoding: try directory.read(name), as: UTF8.self)
    }

    private struct Statistics: Decodable {
        let messages: Int
        let levels: [String: Int]
        let categories: [String: Int]
        let times: [String: Int]
        let top: [String: Int]
    }

    /// The output of a server: times of a quarter of an hour, three levels, JSON with a number in some lines.
    private func writeInput(_ count: Int, to path: String) throws {
        var text = ""
        text.reserveCapacity(count * 90)
        for number in 0..<count {
            let seconds = number * 900 / count
            let time =
                "2026-11-22T10:\(15 + seconds / 60):\(String(seconds % 60 + 100).dropFirst()).\(String(number % 1000 + 1000).dropFirst())Z"
            switch number % 10 {
            case 0:
                text +=
                    "\(time) ERROR upstream \(number % 7) timed out after \(number % 300) ms, request \(number)\n"
            case 1, 2: text += "\(time) WARN retry \(number % 3) of request \(number)\n"
            default: text += "\(time) INFO request \(number) took \(number % 50) ms\n"
            }
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test(
        "Messages over HTTP, a million with HEARTWOOD_LONG, are there once each, and the page's queries answer what stats and grep answer"
    )
    func million() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.tool) else {
            return print("skipped: the tool is not built")
        }
        guard let house = try await ClickHouse() else { return }
        defer { house.stop() }
        // The short version of `swift test` sends a tenth.
        let isFull = Tier.isLong
        let count = isFull ? 1_000_000 : 100_000
        let statements = try statements()
        var table = try #require(statements["table"])
        if house.mainVersion < 20 {
            table = table.replacingOccurrences(of: "DateTime64(9, 'UTC')", with: "DateTime('UTC')")
                .replacingOccurrences(of: "LowCardinality(String)", with: "String")
        }
        try await house.query(table)
        let directory = try TemporaryDirectory()
        try writeInput(count, to: directory.path + "/input")
        let began = ContinuousClock.now
        _ = try await run(
            [
                "pipe", "input", "-d", "logs", "--json", "--line-time", "--name", "shop", "--keep", "0",
                "--max-size",
                "64MiB", "--encoding", "ndjson", "--gzip", "--http", house.insertion,
            ], in: directory)
        print("ClickHouse \(house.version): \(count) messages in \(ContinuousClock.now - began)")

        // Each once: as many ids as messages, and every line of the input.
        let ids = try await house.query("SELECT count(), uniqExact(id), uniqExact(message) FROM logs")
        #expect(ids == "\(count)\t\(count)\t\(count)\n")
        // A batch that comes again is the same messages.
        try await house.query("INSERT INTO logs SELECT * FROM logs LIMIT 5000")
        #expect(try await house.query("SELECT count() FROM logs") == "\(count + 5000)\n")

        let json = try await run(["stats", "logs", "--json", "--top", "10"], in: directory)
        let stats = try JSONDecoder().decode(Statistics.self, from: Data(json.utf8))
        #expect(stats.messages == count)
        let total = try await house.query(try #require(statements["total"]))
        #expect(total.hasPrefix("\(count)\t2026-11-22 10:15:00"), "\(total)")
        #expect(try await house.counts(try #require(statements["levels"])) == stats.levels)
        #expect(try await house.counts(try #require(statements["categories"])) == stats.categories)
        #expect(try await house.counts(try #require(statements["top"])) == stats.top)
        let minutes = try await house.counts(try #require(statements["times"]))
        func minute(_ text: String) -> String {
            String(text.prefix(16)).replacingOccurrences(of: "T", with: " ")
        }
        #expect(
            Dictionary(uniqueKeysWithValues: minutes.map { (minute($0), $1) })
                == Dictionary(uniqueKeysWithValues: stats.times.map { (minute($0), $1) }))
        #expect(minutes.count == 15)

        let found = try await run(
            ["grep", "timed out after 1[0-9]+ ms", "logs", "--level", "error"], in: directory)
        let grep = try #require(statements["grep"])
            .replacingOccurrences(of: "'timed out'", with: "'timed out after 1[0-9]+ ms'")
            .replacingOccurrences(of: " AND ms > 100", with: "")
        // An answer is read up to 64 KiB: all rows are counted, and the first are compared.
        let rows = try await house.query(grep + " LIMIT 300").split(separator: "\n")
            .map { $0.split(separator: "\t").last ?? "" }
        let lines = try found.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return Substring(try #require(object?["message"] as? String))
        }
        #expect(try await house.rows(grep) == lines.count && lines.count > count / 100)
        #expect(rows == Array(lines.prefix(300)))
        let around = try #require(statements["around"]).replacingOccurrences(of: "10:30:00", with: "10:20:00")
        #expect(try await house.rows(around) ?? 0 > count / 1000)
    }
}
#endif
