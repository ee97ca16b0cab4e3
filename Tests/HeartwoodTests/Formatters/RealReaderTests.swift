import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Programs that nobody here wrote, and that read what formatters write.
private enum Reader {
    /// The program's path, or nil with a printed reason.
    static func find(_ name: String) -> String? {
        for folder in ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        where FileManager.default.isExecutableFile(atPath: folder + name) {
            return folder + name
        }
        print("skipped: \(name) is not installed")
        return nil
    }

    /// What a program prints, and its status.
    static func run(_ path: String, _ arguments: [String], input: String? = nil, in folder: String? = nil)
        throws
        -> (output: String, status: Int32)
    {
        let scratch = Scratch()
        scratch.write(input ?? "", to: "input")
        let place = scratch.logs + "/"
        let environment = folder.map { ["HOME": $0, "TERM": "xterm-256color", "TZ": "UTC"] } ?? [:]
        let process = try ChildProcess(
            path, arguments, in: folder, environment: environment, input: .file(place + "input"),
            output: .file(place + "output"), error: .output)
        let ending = process.wait(upTo: .seconds(300))
        return (scratch.text("output"), ending.map { $0.isSignal ? -$0.code : $0.code } ?? -1)
    }
}

extension Reader {
    /// What lnav makes of the lines of a file, in a home of its own; with `format` it is taught that first.
    static func rows(
        _ lnav: String, _ lines: [String], _ name: String, _ query: String, format: String? = nil
    ) throws -> [[String: Any]] {
        let scratch = Scratch()
        if let format {
            scratch.write(format, to: "heartwood.json")
            _ = try run(lnav, ["-i", scratch.logs + "/heartwood.json"], in: scratch.logs)
        }
        scratch.write(lines.joined(separator: "\n") + "\n", to: name)
        let result = try run(
            lnav, ["-n", "-c", ";" + query, "-c", ":write-json-to -", scratch.logs + "/" + name],
            in: scratch.logs)
        #expect(result.status == 0)
        return try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]],
            "\(result.output.prefix(500))")
    }
}

@Suite("Formatters, read by real programs", .inTurn)
struct RealReaderTests {
    private func messages(_ count: Int) -> [LogMessage] {
        var generator = SeededGenerator(seed: 5)
        return (0..<count).map { index in
            let text = HostileText.random(&generator)
            return LogMessage(
                "\(index, as: "index") \(text)", level: LogLevel.standardLevels[index % 7],
                category: LogCategory("net.http"),
                metadata: ["text": .string(text), "n": .integer(Int64(index))],
                timestamp: LogTimestamp(
                    nanoseconds: 1_763_634_030_123_456_789 + Int64(index) * 1_000_000_000),
                file: "Shop/Cart.swift", line: index)
        }
    }

    @Test("jq reads every line of JSON, and finds the values", arguments: ["json", "ecs", "gelf", "$J"])
    func jq(name: String) throws {
        guard let jq = Reader.find("jq") else { return }
        let formatter = try EveryFormatter.make(name)
        let lines = messages(500).compactMap { formatter.format($0) }
        let field =
            ["json": ".index", "ecs": ".labels.index", "gelf": "._index", "$J": ".index"][name] ?? "."
        let result = try Reader.run(jq, ["-c", field], input: lines.joined(separator: "\n") + "\n")
        #expect(result.status == 0)
        let numbers = result.output.split(separator: "\n").compactMap { Int($0) }
        #expect(numbers == Array(0..<500))
    }

    @Test("lnav recognizes logfmt, its times and its fields, without a configuration")
    func lnav() throws {
        guard let lnav = Reader.find("lnav") else { return }
        let rows = try Reader.rows(
            lnav, messages(50).compactMap { LogfmtFormatter().format($0) }, "shop.log",
            "SELECT log_line, log_time, fields FROM logfmt_log")
        #expect(rows.count == 50)
        for (index, row) in rows.enumerated() {
            let second = index < 30 ? "20:\(30 + index)" : "21:\(index < 40 ? "0" : "")\(index - 30)"
            #expect(row["log_time"] as? String == "2025-11-20 10:\(second).123")
            let fields = try #require(row["fields"] as? [String: Any])
            #expect(fields["index"] as? Int == index)
            #expect(fields["category"] as? String == "net.http")
            #expect(fields["source"] as? String == "Cart.swift:\(index)")
        }
    }

    @Test("lnav reads lines of JSON with a format of a few lines: their times, levels, texts and fields")
    func lnavJSON() throws {
        guard let lnav = Reader.find("lnav") else { return }
        let format = """
            {"$schema": "https://lnav.org/schemas/format-v1.schema.json", "heartwood_json": {
                "title": "Heartwood", "json": true, "file-pattern": "\\\\.jsonl$", "hide-extra": true,
                "timestamp-field": "time", "body-field": "message", "level-field": "level",
                "level": {"fatal": "fatal", "error": "error", "warning": "warning", "notice": "notice",
                    "info": "info", "debug": "debug", "trace": "verbose"},
                "line-format": [{"field": "__timestamp__"}, " ", {"field": "level"}, " ", {"field": "message"}],
                "value": {"n": {"kind": "integer"}, "category": {"kind": "string"}}}}
            """
        let rows = try Reader.rows(
            lnav, messages(50).compactMap { JSONLinesFormatter().format($0) }, "shop.jsonl",
            "SELECT log_line, log_time, log_level, category, n FROM heartwood_json", format: format)
        #expect(rows.count == 50)
        for (index, row) in rows.enumerated() {
            #expect(row["n"] as? Int == index)
            #expect(row["category"] as? String == "net.http")
            #expect((row["log_time"] as? String)?.hasPrefix("2025-11-20 10:2") == true)
            let level = ["fatal", "error", "warning", "notice", "info", "debug", "trace"][index % 7]
            #expect(row["log_level"] as? String == level, "\(index)")
        }
    }

    @Test("A real terminal shows the colours, and nothing in a message can move its cursor")
    func terminal() throws {
        guard let tmux = Reader.find("tmux") else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("heartwood-tmux-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = PatternFormatter.Options()
        options.colorDepth = .ansi
        let formatter = try PatternFormatter("{color}{LEVEL:<7}{reset} {message}", options)
        let texts: [(LogLevel, LogText)] = [
            (.error, "first"), (.warning, "\u{1B}[2J\u{1B}[1;1Hgone\r\n\u{9B}31m\u{07}"), (.info, "last"),
        ]
        let lines = texts.compactMap { formatter.format(LogMessage($1, level: $0)) }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: folder.appendingPathComponent("lines"))
        // In one script: a server that outlives its starter keeps `Process` waiting for it.
        let script = """
            tmux() { '\(tmux)' -S socket -f /dev/null "$@"; }
            tmux new-session -d -x 100 -y 10 'cat lines; sleep 60' < /dev/null > /dev/null 2>&1
            for try in $(seq 300); do
                tmux capture-pane -e -p > screen
                grep -q last screen && break
                sleep 0.1
            done
            tmux kill-server
            cat screen
            """
        let screen = try Reader.run("/bin/sh", ["-c", script], in: folder.path).output
        let rows = screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(rows.count > 2, "\(screen.debugDescription)")
        #expect(rows[0].contains("first"))
        #expect(
            rows[0].contains("\u{1B}[1m\u{1B}[31mERROR") || rows[0].contains("31mERROR"),
            "\(rows[0].debugDescription)")
        #expect(rows[1].contains("33mWARNING"), "\(rows[1].debugDescription)")
        #expect(
            rows[1].contains("\\u{1b}[2J\\u{1b}[1;1Hgone\\r\\n\\u{9b}31m\\u{7}"),
            "\(rows[1].debugDescription)")
        #expect(rows[2].contains("32mINFO"), "\(rows[2].debugDescription)")
    }
}
