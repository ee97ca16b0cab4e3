import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// The commands and the page write a record as the same JSON.
@Suite("A record has one form as JSON", .inTurn)
struct RecordFormTests {
    /// The records of a text, as all ways of asking give them.
    private func records(of text: String, redact: String? = nil) async throws -> String {
        let view = try ViewFixture([("a.log", Array(text.utf8))], redact: redact)
        #expect(await view.indexed())
        let saved = String(decoding: try #require(view.lines("format=jsonl")), as: UTF8.self)
        let option = redact.map { "--redact=\($0)" } ?? ""
        let log = "'\(view.directory)/a.log'"
        for command in ["cat --json \(log)", "grep --json '' \(log)", "tail --json -n 1000000 \(log)"] {
            let outcome = try await ToolProcess().shell("\"$HEARTWOOD\" \(command) \(option)")
            expectSame(outcome.output, saved, command)
        }
        // Each line gives the record that it belongs to.
        let count = text.count { $0 == "\n" }
        let rows = stride(from: -count, to: 0, by: max(1, count / 60))
        let copied = try rows.map { row in
            let answer = try #require(view.get("api/json?n=\(row)"))
            return String(decoding: answer.body, as: UTF8.self)
        }
        #expect(Set(copied).isSubset(of: saved.split(separator: "\n").map { $0 + "\n" }))
        if count <= 60 { #expect(Set(copied).count == Set(saved.split(separator: "\n")).count) }
        return saved
    }

    /// Says which record differs first.
    private func expectSame(_ own: String, _ saved: String, _ name: String) {
        let (own, saved) = (own.split(separator: "\n"), saved.split(separator: "\n"))
        let different = zip(own, saved).first { $0 != $1 }
        #expect(own.count == saved.count, "\(name)")
        if let different { Issue.record("\(name): \(different)") }
    }

    @Test("The lines of other programs are the same records in the commands and in the page")
    func programs() async throws {
        // A line that continues no trace separates them, so each one is a separate record.
        let lines = ProgramLine.all.enumerated().map { index, sample in
            "{\"time\":\"2026-11-20T10:20:30Z\",\"message\":\"before \(index)\"}\n\(sample.line)\n"
        }
        let records = try await records(of: lines.joined()).split(separator: "\n")
        #expect(records.count > ProgramLine.all.count)
    }

    @Test("Lines with secrets, and those that look so, are the same records", arguments: [nil, "standard"])
    func corpus(_ rules: String?) async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("HeartwoodTests/Corpus")
        let text = try ["secrets.tsv", "lookalikes.tsv"].map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }.joined()
        let lines = text.split(separator: "\n").compactMap { $0.split(separator: "\t", maxSplits: 2).last }
        #expect(try await records(of: lines.map { $0 + "\n" }.joined(), redact: rules).count > 10_000)
    }

    @Test("Colors are no part of a record, traces are, and a field may be called as a file is")
    func forms() async throws {
        let escape = "\u{1B}"
        let text = """
            \(escape)[2m2026-11-20 10:00:00.000Z\(escape)[0m \(escape)[31merror\(escape)[0m a \(escape)[1mred\(escape)[0m end
            \(escape)[31m  at first\(escape)[0m
              at second
            {"time":"2026-11-20T10:00:01Z","level":"info","message":"x \\u001b[36mcyan\\u001b[0m","user":"\\u001b[1mann\\u001b[0m","file":"own.txt"}
            2026-11-20 10:00:02.000Z error it failed
            Traceback (most recent call last):
              File "a.py", line 3, in <module>
            \(escape)[31mKeyError: 'x'\(escape)[0m
            words without a time
            time=2026-11-20T10:00:03Z level=warn msg="after" file=b.txt

            """
        let records = try await records(of: text)
        #expect(
            records == #"""
                {"time":"2026-11-20T10:00:00Z","level":"error","message":"a red end\n  at first\n  at second"}
                {"time":"2026-11-20T10:00:01Z","level":"info","message":"x cyan","user":"ann","file":"own.txt"}
                {"time":"2026-11-20T10:00:02Z","level":"error","message":"it failed\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'\nwords without a time"}
                {"time":"2026-11-20T10:00:03Z","level":"warning","message":"after","file":"b.txt"}

                """#)
    }

    @Test("The records of a log of many blocks are the same, with secrets and without")
    func many() async throws {
        let text = (0..<400).map { number in
            "2026-11-20 10:00:00.000Z error password=hunter\(number) failed\n"
                + String(repeating: "  at frame \(String(repeating: "x", count: 200))\n", count: 20)
        }.joined()
        for rules in [nil, "standard"] {
            let view = try ViewFixture([("a.log", Array(text.utf8))], redact: rules)
            #expect(await view.indexed())
            let saved = String(decoding: try #require(view.lines("format=jsonl")), as: UTF8.self)
            let option = rules.map { "--redact=\($0)" } ?? ""
            let outcome = try await ToolProcess().shell(
                "\"$HEARTWOOD\" cat --json \(option) '\(view.directory)/a.log'")
            expectSame(outcome.output, saved, option)
            #expect(saved.count { $0 == "\n" } == 400 && saved.contains("hunter") == (rules == nil))
        }
    }

    @Test("A line that a filter leaves out ends a record, so that no trace becomes part of another's message")
    func gaps() async throws {
        let text = (0..<4).map { "2026-11-20 10:00:0\($0).000Z error record \($0)\n  at frame \($0)\n" }
            .joined()
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        let log = "'\(view.directory)/a.log'"
        let saved = String(decoding: try #require(view.lines("format=jsonl&not=record+2")), as: UTF8.self)
        let outcome = try await ToolProcess().shell("\"$HEARTWOOD\" cat --json --not 'record 2' \(log)")
        #expect(outcome.output == saved)
        #expect(saved.split(separator: "\n").count == 4 && saved.contains("record 1\\n  at frame 1\""))
        let found = try await ToolProcess().shell("\"$HEARTWOOD\" grep --json '1$|record 0|frame 3' \(log)")
        #expect(
            found.output.contains("\"record 0\"}\n")
                && found.output.contains("\"record 1\\n  at frame 1\"}\n"))
    }

    @Test(
        "In CSV, the name of the log and a field called “file” have a column each; values are counted apart")
    func fileField() async throws {
        let text =
            #"{"time":"2026-11-20T10:00:00Z","level":"info","message":"say","file":"own.txt"}"# + "\n"
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        for query in ["format=csv", "format=csv&col=file"] {
            #expect(
                String(decoding: try #require(view.lines(query)), as: UTF8.self)
                    == "time,level,category,message,log file,file\r\n2026-11-20T10:00:00Z,info,,say,a.log,own.txt\r\n"
            )
        }
        // A field may be called as a part of the record.
        try view.append("2026-11-20T10:00:01Z INFO sent message=hello\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 1 })
        let named = String(decoding: try #require(view.lines("format=csv&col=message")), as: UTF8.self)
        #expect(named.hasSuffix(",a.log,hello\r\n"))
        let answer = try #require(view.get("api/facets"))
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let fields = try #require(object?["fields"] as? [[String: Any]]).filter {
            $0["name"] as? String == "file"
        }
        #expect(fields.map { $0["field"] as? Bool } == [false, true])
        #expect(fields.map { (($0["values"] as? [[Any]])?.first?.first) as? String } == ["a.log", "own.txt"])
    }
}
