import CoreFixtures
import Heartwood
import HeartwoodReading
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("Selecting lines of blocks", .inTurn)
struct RecordFilterTests {
    static let text = """
          of an earlier message
        2026-11-20 10:00:00.000Z info    A.swift:1 one
        2026-11-20 10:01:00.000Z error   shop A.swift:2 two {ms=120}
          at Frame 1
        Caused by: disk
        without anything
        2026-11-20 10:02:00.000Z without a level
        and more
        2026-11-20 10:03:00.000Z warning shop A.swift:3 three {ms=7}
          at Frame 2

        """

    /// The lines that are selected, in blocks of so many lines, of which only those with the text are asked about.
    private func lines(_ arguments: [String], linesPerBlock: Int, asking wanted: String) throws -> [String] {
        let parsed = try Arguments(parsing: arguments, options: [LogSelection.filters, LogSelection.looks])
        var filter = RecordFilter(try LogSelection(parsed, operands: ["."]))
        var result: [String] = []
        let all = Self.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for start in stride(from: 0, to: all.count, by: linesPerBlock) {
            let block = Array(
                all[start..<min(all.count, start + linesPerBlock)].map { $0 + "\n" }.joined().utf8)
            block.withUnsafeBytes { bytes in
                LogBlockReader.forEachLine(of: bytes) { range in
                    let line = String(decoding: bytes[range], as: UTF8.self)
                    guard wanted.isEmpty || line.contains(wanted) else { return }
                    if filter.passes(range, in: bytes) { result.append(line) }
                }
                filter.finish(bytes)
            }
        }
        return result
    }

    @Test(
        "A line is selected alike whichever lines are asked about, and wherever blocks end",
        arguments: [
            ["--level", "error"], ["--level", "warning"], ["--since", "2026-11-20T10:02"],
            ["--category", "shop"],
            ["--until", "2026-11-20T10:02"], ["--where", "ms>100"],
            ["--where", "ms<=7", "--level", "warning"],
            ["--since", "2026-11-20T10:01", "--level", "error"], ["--where", "level>=error"],
            ["--where", "ms!=7"],
        ], [1, 2, 3, 4, 5, 11])
    func agrees(_ arguments: [String], _ linesPerBlock: Int) throws {
        let expected = try lines(arguments, linesPerBlock: 100, asking: "")
        #expect(!expected.isEmpty && expected.count < 10)
        #expect(try lines(arguments, linesPerBlock: linesPerBlock, asking: "") == expected)
        for word in ["Frame", "without", "e", "and more", "three"] {
            let found = try lines(arguments, linesPerBlock: linesPerBlock, asking: word)
            #expect(found == expected.filter { $0.contains(word) }, "\(word)")
        }
    }

    @Test("A stack trace belongs to its message, and what has a time begins another one")
    func trace() throws {
        let found = try lines(["--level", "error"], linesPerBlock: 100, asking: "")
        #expect(
            found == [
                "2026-11-20 10:01:00.000Z error   shop A.swift:2 two {ms=120}",
                "  at Frame 1", "Caused by: disk", "without anything",
            ])
        #expect(
            try lines(["--where", "ms>100"], linesPerBlock: 100, asking: "Caused") == ["Caused by: disk"])
    }

    @Test(
        "A condition compares text as text, numbers exactly, and times as times",
        arguments: [
            (#"{"id":1234567890123456788}"#, "id=1234567890123456789", false),
            (#"{"id":1234567890123456788}"#, "id=1234567890123456788", true),
            (#"{"id":1234567890123456789}"#, "id>1234567890123456788", true),
            (#"{"id":-1234567890123456789}"#, "id<-1234567890123456788", true),
            (#"{"v":"1.1"}"#, "v=1.10", false), (#"{"v":1.1}"#, "v=1.10", true),
            ("v=1.1 a=b", "v=1.10", false),
            (#"{"zip":1234}"#, "zip=01234", false), (#"{"zip":"01234"}"#, "zip=01234", true),
            (#"{"c":"100000"}"#, "c=1e5", false), (#"{"c":"1e5"}"#, "c=1e5", true),
            (#"{"n":"Nan"}"#, "n=Nan", true), (#"{"n":"nan"}"#, "n!=Nan", true),
            (#"{"ms":12.5}"#, "ms=12.50", true), (#"{"ms":12.5}"#, #"ms="12.50""#, false),
            (#"{"ms":9}"#, "ms<10", true), (#"{"ms":9}"#, #"ms<"10""#, false), ("ms=9 a=b", "ms<10", true),
            (#"{"ms":0.00000000000000000001}"#, "ms>0", true), (#"{"ms":-0.0}"#, "ms=0", true),
            (#"{"ms":1e-3}"#, "ms<0.01", true), (#"{"ms":"x"}"#, "ms>10", true),
            (#"{"at":"2026-11-20T11:20:30+01:00"}"#, "at=2026-11-20T10:20:30Z", true),
            (#"{"at":"2026-11-20T11:20:30+01:00"}"#, "at<2026-11-20T10:30", true),
            (#"{"time":"2026-11-20T11:20:30+01:00"}"#, "time>=2026-11-20T10:20:30Z", true),
            (#"{"level":"warn"}"#, "level>=warning", true), (#"{"level":"info"}"#, "level>=warning", false),
            (#"{"_PID":"7"}"#, "pid=7", true),
        ])
    func compares(_ line: String, _ condition: String, _ expected: Bool) throws {
        let record = LineRecognizer().record(of: line)
        #expect(try FieldCondition(parsing: condition).holds(for: record) == expected)
    }

    @Test("A line that meets a condition is never left out without being read")
    func needles() throws {
        let lines =
            ProgramLine.all.map { $0.line } + [
                "2026-11-20 10:20:30.123Z info    shop Shop.swift:10 charged {order=0 ms=137 user=u0 note=a b c=1}",
                #"{"time":"2026-11-20T10:20:30Z","level":"info","message":"charged","ms":137,"f":1.50,"o":{"ms":3}}"#,
                #"{"msg":"a\u00e9b","k\u0061":7,"n":-12,"m":0,"_x":"y","unit":"ms","ms" : 5}"#,
                "level=info msg=\"a\\\"b\" ms=5 ms=6 _ms=7 at=2026-11-20T10:20:30Z",
                "2026-11-20 10:20:30 INFO took ms=5 and \u{1B}[31muser=ann\u{1B}[0m {\"id\":9}",
            ]
        var met = 0
        for line in lines {
            let record = LineRecognizer().record(of: line)
            for field in record.fields + [.init("message", record.message)] {
                let escaped = field.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                for comparison in ["=", "~", ">=", "<=", "!="] {
                    for value in ["\"\(escaped)\"", field.value] {
                        let condition = try FieldCondition(parsing: "\"\(field.name)\"\(comparison)\(value)")
                        guard condition.holds(for: record) else { continue }
                        met += 1
                        Array(("\(field.name)=1 \(line)\n" + line).utf8).withUnsafeBytes { bytes in
                            let range = bytes.count - line.utf8.count..<bytes.count
                            #expect(mayHold(condition, range, bytes, true), "\(field) in \(line)")
                            #expect(mayHold(condition, range, bytes, false), "\(field) in \(line)")
                        }
                    }
                }
            }
        }
        #expect(met > 2000)
    }

    private func mayHold(
        _ condition: FieldCondition, _ range: Range<Int>, _ block: UnsafeRawBufferPointer, _ isKnown: Bool
    ) -> Bool {
        var cursors = NeedleCursors()
        _ = condition.mayHold(for: 0..<range.lowerBound - 1, in: block, isKnown: isKnown, &cursors)
        return condition.mayHold(for: range, in: block, isKnown: isKnown, &cursors)
    }

    @Test("What is left out without being read is what the whole reading leaves out")
    func quick() throws {
        let blocks = (0..<400).map { index in
            index % 7 == 3
                ? "  at frame \(index) ms=\(index)"
                : "2026-11-20 10:20:30.123Z info    shop A.swift:1 x {ms=\(index) user=u\(index % 9)}"
        }
        let block = Array(blocks.joined(separator: "\n").utf8)
        for condition in ["ms>390", "ms=17", "user=u5", "user~u5 or ms<3", "ms!=4", "user=nobody"] {
            let parsed = try Arguments(
                parsing: ["--where", condition], options: [LogSelection.filters, LogSelection.looks])
            var filter = RecordFilter(try LogSelection(parsed, operands: ["."]))
            var passes = false
            block.withUnsafeBytes { bytes in
                LogBlockReader.forEachLine(of: bytes) { range in
                    let line = String(decoding: bytes[range], as: UTF8.self)
                    if !line.hasPrefix(" ") {
                        let record = LineRecognizer().record(of: line)
                        passes = (try? FieldCondition(parsing: condition))?.holds(for: record) == true
                    }
                    #expect(filter.passes(range, in: bytes) == passes, "\(condition): \(line)")
                }
            }
        }
    }

    @Test(
        "A condition that is none is refused",
        arguments: ["", "ms", ">3", "=x"])
    func refuses(_ text: String) {
        #expect(throws: UsageError.self) { try FieldCondition(parsing: text) }
    }
}
