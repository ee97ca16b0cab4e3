import CoreFixtures
import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// All that reads logs finds the same records in them.
@Suite("What begins a record is one answer", .inTurn)
struct RecordAgreementTests {
    /// The files of a log, oldest first.
    struct Log: Sendable, CustomTestStringConvertible {
        let name: String
        var files: [String]

        var testDescription: String { name }
    }

    private static let timed = """
        2026-11-20 10:00:00Z INFO ready u=ann
        2026-11-20 10:00:01Z ERROR cannot charge
        Traceback (most recent call last):
          File "/app/a.py", line 6, in <module>
        KeyError: 'x'
        a banner

        2026-11-20 10:00:02Z WARN SELECT a FROM b WHERE
        u=ann and b=6
        }
        2026-11-20 10:00:03Z ERROR com.shop.Pay failed u=ann
        java.lang.IllegalStateException: x
        \tat com.shop.Pay.run(Pay.java:3)
        Caused by: java.io.IOException: y
        \t... 2 more
        u=bob a=1
        2026-11-20 10:00:04Z INFO next
        panic: boom

        goroutine 1 [running]:
        main.run(0x1)
        \t/app/main.go:3 +0x1d

        """
    private static let json = """
        {"time":"2026-11-20T10:01:00Z","level":"error","message":"a","u":"root"}
        java.io.IOException: x
        \tat a.b(C.java:1)
        starting
        {"a":1,"u":"root"}
        {"a":2,"u":"ann"}

        { plain
        {
          "a": 1
        }
        {"time":"2026-11-20T10:01:02Z","level":"info","message":"b","u":"ann"}
        words
        more words ERROR

        """
    private static let pairs = """
        u=root level=info msg="a b"
        u=ann level=error msg=c
        Error: x
            at f (/app/a.js:1:2)
        words
        u=ann x
        level=error u=cid

        """
    private static let ofDay = """
        10:20:30 INFO fine u=ann
        10:20:31 all is well
        words
        10:20:32 ERROR x

        """
    private static let levels = """
        ERROR: a u=ann
        more
        u=bob and more
        INFO: b

        words
        u=ann b=2
        WARN: c
        {"u":"ann"}
        words

        """
    private static let zones = """
        2026-11-20 10:20:30 IST ERROR a
        words
        2026-11-20 10:20:31 IST b
        2026-11-20 10:20:32Z ERROR c
        2026-11-20 10:20:33 CST d u=ann

        """
    private static let plain = "ready\nsteady\n  go\n\n)\nError in u=ann\nready\n"
    private static let middle = "\tat a.b(C.java:1)\nCaused by: x\n\t... 2 more\nwords\n" + timed
    private static let syslog = "<11>Nov 20 10:20:30 web su: a\nwords\n<14>b u=ann\n  c\nu=ann x\n"

    private static func colored(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated().map {
            $0 % 2 == 0 ? "\u{1B}[31m\($1)\u{1B}[0m\n" : "\($1)\n"
        }.joined()
    }

    static let logs: [Log] = {
        let texts = [
            ("times and traces", timed), ("objects and plain lines", json), ("pairs without times", pairs),
            ("times of day", ofDay), ("levels only", levels), ("unknown zones", zones), ("plain text", plain),
            ("the middle of a trace", middle), ("syslog", syslog),
        ]
        let all = texts.map(\.1).joined()
        return texts.map { Log(name: $0, files: [$1]) } + [
            Log(name: "all", files: [all + all]),
            Log(name: "carriage returns", files: [all.replacing("\n", with: "\r\n")]),
            Log(name: "colors", files: [colored(all)]),
            Log(name: "two files, the first ends with an error", files: [timed + pairs + ofDay, plain]),
            Log(name: "two files, the second begins in a trace", files: [zones, middle]),
        ]
    }()

    /// The lines of a file, and the records that they are.
    private struct Expected {
        var lines: [String] = []
        /// Which record each line belongs to.
        var owners: [Int] = []
        var records: [LineRecord] = []
        /// The time of each record, or of the one in front of it.
        var moments: [LogTimestamp?] = []

        init(_ text: String) {
            var boundaries = RecordLines()
            for bytes in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
                let line = String(decoding: bytes, as: UTF8.self)
                lines.append(line)
                let plain = AnsiText(line).text
                let record = LineRecognizer().record(of: plain)
                if Array(plain.utf8).withUnsafeBytes({
                    boundaries.begins($0) { record.head }
                }) {
                    records.append(record)
                    moments.append(record.moment ?? moments.last ?? nil)
                }
                owners.append(records.count - 1)
            }
        }

        /// Which lines are of records that a selection has.
        func selected(_ selection: LogSelection) -> [Bool] {
            let selected = zip(records, moments).map { record, moment in
                if let since = selection.since, moment.map({ $0 < since }) ?? true { return false }
                if let until = selection.until, moment.map({ $0 >= until }) ?? false { return false }
                if let levels = selection.levels, record.level.map(levels.contains) != true { return false }
                if let category = selection.category, record.category != category { return false }
                return selection.conditions.allSatisfy { $0.holds(for: record) }
            }
            return owners.map { selected[$0] }
        }
    }

    @Test("The commands count as many records", arguments: logs)
    func counts(_ log: Log) async throws {
        let tool = try ToolProcess()
        let files = try log.files.enumerated().map { try tool.file("\($0).log", Array($1.utf8)) }
        let names = files.map { "'\($0)'" }.joined(separator: " ")
        let expected = log.files.map(Expected.init)
        let records = expected.reduce(0) { $0 + $1.records.count }
        let outcome = try await tool.shell(
            """
            H="$HEARTWOOD"; "$H" cat --json \(names) | wc -l; "$H" tail -n 1000 --fields time \(names) | wc -l
            "$H" grep --json '' \(names) | wc -l
            "$H" stats --json \(names) | grep -o '"messages":[0-9]*'
            for f in \(names); do "$H" grep -c '' --level error $f; "$H" grep -c '' --where u=ann $f; done
            "$H" cat --level error \(names) | wc -l; "$H" tail -n 1000 --level error \(names) | wc -l
            """)
        var lines = [records, records, records].map { "\($0)" } + ["\"messages\":\(records)"]
        for file in expected {
            for words in [["--level", "error"], ["--where", "u=ann"]] {
                lines.append("\(try file.selected(Self.selection(words)).count { $0 })")
            }
        }
        let errors = try expected.reduce(0) { sum, file in
            try sum + file.selected(Self.selection(["--level", "error"])).count { $0 }
        }
        lines += ["\(errors)", "\(errors)"]
        #expect(outcome.output.split(separator: "\n").map { String($0) } == lines, "\(outcome.error)")
    }

    private static func selection(_ arguments: [String]) throws -> LogSelection {
        let parsed = try Arguments(parsing: arguments, options: [LogSelection.filters, LogSelection.looks])
        return try LogSelection(parsed, operands: ["."])
    }

    @Test(
        "A filter selects whole records, whichever lines are asked about, and wherever blocks end",
        arguments: logs,
        [
            ["--level", "error"], ["--level", "=info"], ["--since", "2026-11-20T10:00:02"],
            ["--where", "u=ann"], ["--until", "2026-11-20T10:00:02"], ["--where", "u!=ann"],
            ["--where", "level>=warning"],
            ["--since", "2026-11-20T10:00:02", "--level", "error"], ["--level", "error", "--where", "u=ann"],
            ["--category", "com.shop.Pay"], ["--where", "u=ann", "--until", "2026-11-20T10:01:01"],
        ])
    func filters(_ log: Log, _ arguments: [String]) throws {
        let selection = try Self.selection(arguments)
        let files = log.files.map(Expected.init)
        for seed in 0..<24 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (rarity, longest) = ([1, 1, 2, 5, 20][Int(seed % 5)], seed < 5 ? 1000 : 9)
            var filter = RecordFilter(selection)
            for file in files {
                filter.begin()
                let selected = file.selected(selection)
                var line = 0
                while line < file.lines.count {
                    let end = min(file.lines.count, line + Int.random(in: 1...longest, using: &random))
                    let block = Array(file.lines[line..<end].map { $0 + "\n" }.joined().utf8)
                    block.withUnsafeBytes { bytes in
                        LogBlockReader.forEachLine(of: bytes) { range in
                            defer { line += 1 }
                            guard Int.random(in: 0..<rarity, using: &random) == 0 else { return }
                            let passes = filter.passes(range, in: bytes)
                            #expect(passes == selected[line], "line \(line + 1), seed \(seed)")
                        }
                        filter.finish(bytes)
                    }
                }
                filter.begin()
                for (line, text) in file.lines.enumerated() {
                    let passes = Array(text.utf8).withUnsafeBytes { filter.passes(alone: $0) }
                    #expect(passes == selected[line], "\(line + 1): \(text), alone")
                }
            }
        }
    }

    /// Opens files for the view, in blocks of about so many bytes.
    private func store(_ log: Log, blockSize: Int, _ tool: ToolProcess) throws -> LogStore {
        let paths = try log.files.enumerated().map { try tool.file("\($0).log", Array($1.utf8)) }
        let store = LogStore(
            files: LogFiles(key: nil, redaction: nil, keeping: 0) { paths }, blockSize: blockSize)
        let watcher = try LogWatcher(store, key: nil)
        LogIndexer(store, isStopped: { false }).run(watcher.open())
        return store
    }

    @Test("The viewer finds the same records, wherever blocks end", arguments: logs)
    func views(_ log: Log) throws {
        let files = log.files.map(Expected.init)
        let tool = try ToolProcess()
        defer { withExtendedLifetime(tool) {} }
        /// The viewer orders files by their times, and merges those whose times overlap.
        func inOrder(_ lines: [String]) -> [String] { files.count > 1 ? lines.sorted() : lines }
        for blockSize in [100, 160, 256, 400, 700, 1500, 1 << 20] {
            let store = try store(log, blockSize: blockSize, tool)
            var heads: [String] = []
            var levels = [Int](repeating: 0, count: 8)
            for number in -store.blockCounts.back..<store.blockCounts.front {
                let block = try #require(store.block(number))
                let text = store.files.text(of: block)
                heads += block.facts.heads.lines.map { String(decoding: text[$0] ?? [], as: UTF8.self) }
                for place in 0..<8 { levels[place] += Int(block.facts.levels[place]) }
            }
            let records = files.flatMap(\.records)
            for place in 0..<8 {
                #expect(levels[place] == records.count { TimeBins.place(of: $0.level) == place })
            }
            let expected = files.flatMap { file in
                file.owners.indices.filter { $0 == 0 || file.owners[$0] != file.owners[$0 - 1] }
                    .map { file.lines[$0] }
            }
            #expect(inOrder(heads) == inOrder(expected), "\(blockSize)")
            // A filter selects the lines that it selects for the commands.
            for (query, words) in [
                ("level=error", ["--level", "error"]), ("where=u%3Dann", ["--where", "u=ann"]),
                ("since=2026-11-20T10:00:02Z", ["--since", "2026-11-20T10:00:02"]),
                ("until=2026-11-20T10:00:02Z", ["--until", "2026-11-20T10:00:02"]),
            ] {
                // At the beginning of a block, a record without a time may not know that of the one before.
                if blockSize < 1 << 20, ["--since", "--until"].contains(words[0]) { continue }
                let scans = LogScans(store, paths: [])
                let scan = try scans.scan(ViewFilter(try #require(ViewQuery("/x?" + query))))
                scan.finish()
                let selection = try Self.selection(words)
                let selected = files.flatMap { file in
                    zip(file.lines, file.selected(selection)).filter(\.1).map(\.0)
                }
                let rows = scan.rows
                let shown = scan.rows(from: rows.first, count: rows.end - rows.first).map { row in
                    String(decoding: row.text ?? [], as: UTF8.self)
                }
                #expect(inOrder(shown) == inOrder(selected), "\(query), \(blockSize)")
            }
        }
    }
}
