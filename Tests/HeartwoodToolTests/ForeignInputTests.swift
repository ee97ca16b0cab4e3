import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading
@testable import HeartwoodTool

@Suite("Lines that no program should write", .inTurn)
struct ForeignInputTests {
    /// A line whose members are nested, with a time, a level and a message in front of them.
    private static func line(_ levels: Int, _ name: String = "labels") -> String {
        "{\"time\":\"2026-11-20T10:20:30Z\",\"level\":\"error\",\"message\":\"boom\""
            + String(repeating: ",\"\(name)\":{\"a\":1", count: levels)
            + String(repeating: "}", count: levels + 1)
            + "\n"
    }

    @Test(
        "A line with nested members is read by every command, on a stack of 128 KiB",
        arguments: [
            ("cat --json LOG", "boom"), ("cat --fields level,message LOG", "error\tboom"),
            ("cat --where message=boom LOG", "boom"), ("cat --category x LOG", ""), ("stats LOG", "error"),
            ("grep --where message=boom --json o LOG", "boom"), ("tail -n 1 --json LOG", "boom"),
            ("pipe --quiet --json -d LOGS LOG && cat LOGS/*", "boom"),
        ])
    func nested(_ line: String, _ expected: String) async throws {
        let amounts = [(100, "labels"), (2_000, "a"), (20_000, "labels")]
        for (levels, name) in amounts + Tier.amount([], full: [(1_000_000, "labels")]) {
            let tool = try ToolProcess()
            let log = try tool.file("deep.log", Self.line(levels, name).utf8)
            let outcome = try await tool.shell(
                "ulimit -s 128; \"$HEARTWOOD\" "
                    + line.replacing("LOGS", with: "'\(tool.logs)'").replacing("LOG", with: "'\(log)'"))
            #expect(outcome.code == 0 && !outcome.isSignal, "\(levels): \(outcome.error)")
            #expect(expected.isEmpty || outcome.output.contains(expected), "\(levels): \(outcome.error)")
        }
    }

    /// A line as some program might write it, cut, repeated and mixed up.
    private static func line(_ random: inout SeededGenerator) -> [UInt8] {
        let words = [
            "{", "}", "[", "]", "{\"a\":", "\"labels\":{", "\"level\":\"error\"", "\"time\":",
            "\"2026-11-20T10:20:30Z\"",
            ",", ":", "\"", "\\", "\\u00", "\\ud83d", "null", "1e400", "-", "level=error ", "msg=\"a b\" ",
            "a=", "=", " ",
            "\t", "\r", "\u{0}", "<13>1 ", "<999>1 - - - - ", "[x@1 a=\"b\"]", "2026-11-20 10:20:30.123Z ",
            "Nov 20 10:20:30 ", "ERROR", "[FTL]", "Traceback (most recent call last):", "  at a.b(C.java:1)",
            "\u{FEFF}", "é",
            "127.0.0.1 - - [20/Nov/2026:10:20:30 +0000] \"GET / HTTP/1.1\" 500 1",
        ]
        var line: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let word = Array((words.randomElement(using: &random) ?? "").utf8)
            let count =
                Int.random(in: 0...20, using: &random) == 0 ? Int.random(in: 1...20_000, using: &random) : 1
            for _ in 0..<count { line += word }
        }
        if Int.random(in: 0...3, using: &random) == 0, !line.isEmpty {
            line[Int.random(in: 0..<line.count, using: &random)] = .random(in: .min ... .max, using: &random)
        }
        return line.filter { $0 != 0x0A }
    }

    @Test(
        "Whatever a line is, each reader answers, and what is printed as JSON is valid JSON",
        arguments: 0..<Tier.amount(2, full: 20))
    func anyLine(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let arguments = try Arguments(parsing: ["--json"], options: CatCommand.options)
        var printer = try #require(try RecordPrinter(arguments))
        let parser = LineRecognizer()
        let condition = try FieldCondition(parsing: "a>1 or level=error")
        let deadline = ContinuousClock.now + Tier.amount(.seconds(1), full: .seconds(3))
        while ContinuousClock.now < deadline {
            let line = Self.line(&random)
            let json = line.withUnsafeBytes { bytes in
                _ = (parser.moment(of: bytes), parser.level(of: bytes))
                _ = condition.holds(for: parser.record(of: bytes))
                var output = LogBuffer()
                printer.add(bytes, isNext: false, to: &output)
                printer.end(to: &output)
                return output.withUnsafeBytes { Array($0) }
            }
            // Foundation's reader refuses numbers that a double cannot hold, which JSON has.
            let readable = String(decoding: json, as: UTF8.self).replacing("1e400", with: "1e4")
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(readable.utf8))) != nil,
                "seed \(seed): \(String(decoding: line.prefix(2_000), as: UTF8.self))")
        }
    }

    @Test(
        "Arguments, patterns and files of settings that are nested or endless are refused, on a stack of 128 KiB",
        arguments: [
            ("grep \"$(printf '%.0s(' $(seq 20000))\" LOG", 2),
            ("cat --where \"$(printf 'a=1 or %.0s' $(seq 2000))a=1\" LOG", 0),
            ("cat --where \"$(printf '%.0s(' $(seq 20000))\" LOG", 2),
            ("config check LOG", 1),
        ] as [(String, Int32)])
    func endless(_ line: String, _ code: Int32) async throws {
        let tool = try ToolProcess()
        let log = try tool.file("deep.json", Self.line(100_000, "a").utf8)
        let outcome = try await tool.shell(
            "ulimit -s 128; \"$HEARTWOOD\" " + line.replacing("LOG", with: "'\(log)'"))
        #expect(outcome.code == code && !outcome.isSignal, "\(outcome.error.prefix(500))")
    }

    @Test("A line with very many members takes no more than its share of time")
    func manyMembers() async throws {
        let tool = try ToolProcess()
        let members = (0..<50_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let log = try tool.file("wide.log", "{\"level\":\"error\",\(members)}\n".utf8)
        for command in ["cat --json", "cat --where m7=7", "stats"] {
            let outcome = try await tool.shell("\"$HEARTWOOD\" \(command) '\(log)'")
            #expect(outcome.code == 0 && !outcome.output.isEmpty, "\(outcome.error)")
        }
    }

    /// What `copytruncate` leaves: a hole, and what was written after it, twice.
    private func zeros(_ tool: ToolProcess) async throws -> String {
        let log = try tool.file("cut.log")
        let outcome = try await tool.shell(
            """
            truncate -s 32M '\(log)'
            printf '2026-11-20 10:20:30.000Z error   A.swift:1 one\\n2026-11-20 10:20:31.000Z info    A.swift:1 two\\n' >> '\(log)'
            head -c 300000 /dev/zero >> '\(log)'
            printf '2026-11-20 10:20:32.000Z error   A.swift:1 three\\n' >> '\(log)'
            """)
        #expect(outcome.code == 0, "\(outcome.error)")
        return log
    }

    @Test(
        "Zero bytes in front of a line are no part of it, for every command",
        arguments: [
            ("cat LOG | tr -d '\\n' | wc -c", "140"), ("cat LOG | tail -c 6", "three"),
            ("cat -p error LOG | grep -c error", "2"), ("cat -p error LOG | wc -l", "2"),
            ("cat --fields message LOG", "one\ntwo\nthree"), ("grep -c 2026 LOG", "3"),
            ("grep -A 1 -B 1 two LOG | cut -c44-", "one\ntwo\nthree"),
            ("tail -n 1 LOG | cut -c1-4", "2026"),
            ("stats LOG | grep -c error", "1"),
            ("pipe --quiet -d LOGS LOG && cat LOGS/* | wc -c", "242"),
            ("cat LOG LOG | wc -l", "6"),
        ])
    func zeroBytes(_ line: String, _ expected: String) async throws {
        let tool = try ToolProcess()
        let log = try await zeros(tool)
        let outcome = try await tool.shell(
            "\"$HEARTWOOD\" "
                + line.replacing("LOGS", with: "'\(tool.logs)'").replacing("LOG", with: "'\(log)'"))
        #expect(outcome.output.trimmingCharacters(in: .newlines) == expected, "\(outcome.error)")
    }

    @Test("Zero bytes in front of a line are no part of a row of the viewer, in one file or several")
    func zeroBytesInView() async throws {
        func text(_ number: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: 2 << 20)
            return zeros + Array("2026-11-20 10:20:3\(number).000Z error   A.swift:1 one\n".utf8) + zeros
                + Array("2026-11-20 10:20:4\(number).000Z error   A.swift:1 two\n".utf8)
        }
        for count in [1, 2] {
            let view = try ViewFixture((0..<count).map { ("\($0).log", text($0)) })
            #expect(await view.indexed())
            let lines = try #require(view.lines("level=error"))
            #expect(lines.count { $0 == 0x0A } == 2 * count && !lines.contains(0))
            let messages = try view.rows("from=-10&count=20").map(\.message)
            #expect(messages.count == 2 * count && messages.allSatisfy { $0 == "one" || $0 == "two" })
        }
    }
}
