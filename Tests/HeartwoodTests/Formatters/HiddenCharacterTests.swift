import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Hidden characters, and JSON from elsewhere", .inTurn)
struct HiddenCharacterTests {
    private func line(_ text: String) -> String {
        var options = LineFormatter.Options()
        (options.showsTime, options.showsSource) = (false, false)
        return LineFormatter(options).format(LogMessage("\(text)")) ?? ""
    }

    @Test("Every character of Unicode that hides text is escaped in a line and in JSON, and no other one is")
    func allCharacters() throws {
        var wrong: [String] = []
        // All of the basic plane, and of the others what is near to something hidden, and samples.
        let others = [0x1BC00...0x1BCFF, 0x1D100...0x1D1FF, 0xE0000...0xE01FF].flatMap { Array($0) }
        let samples = stride(from: 0x10000, through: 0x10FFFF, by: 997)
        for code in Array(0x80...0xFFFF) + others + Array(samples) {
            guard let scalar = Unicode.Scalar(UInt32(code)) else { continue }
            let text = "a" + String(Character(scalar)) + "b"
            var buffer = LogBuffer()
            buffer.appendEscaped(text)
            let isEscaped = buffer.text == "a\\u{\(String(code, radix: 16))}b"
            var json = LogBuffer()
            json.append(json: text)
            let isHidden = HostileText.isForbidden(scalar)
            if isEscaped != isHidden || (!isEscaped && buffer.text != text) { wrong.append("line \(code)") }
            let isPlainJSON = json.text == "\"" + text + "\""
            if isPlainJSON == isHidden { wrong.append("json \(code)") }
            if isHidden, !json.text.utf8.allSatisfy({ $0 < 0x80 }) { wrong.append("json \(code)") }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10)) and \(wrong.count) in all")
    }

    @Test("What JSON escapes is read back as it was, above U+FFFF too")
    func roundTrip() throws {
        let text = "\u{AD}\u{180E}\u{FFF9}\u{E0041}\u{3164} and \u{1D173}"
        var buffer = LogBuffer()
        buffer.append(json: text)
        #expect(buffer.text.contains("\\udb40\\udc41"))
        let read = try JSONDecoder().decode(String.self, from: Data(buffer.text.utf8))
        #expect(read == text)
    }

    @Test(
        "Joiners, variation selectors and letters of all scripts stay as they are",
        arguments: ["👩‍👩‍👧‍👦", "❤️", "葛󠄀", "日本語のカタカナ", "한국어 ᄀᆞ", "ខ្មែរ", "ᠮᠣᠩᠭᠣᠯ", "नमस्ते", "—„“…", "٠١٢", "𝄞𝔘"])
    func scripts(text: String) {
        #expect(line(text) == "info    " + text)
    }

    @Test(
        "JSON that readers understand differently is a string, or loses what is no character",
        arguments: [
            (#"{"a":1,"a":2}"#, #""{\"a\":1,\"a\":2}""#),
            (#"{"a":1,"\u0061":2}"#, #""{\"a\":1,\"\\u0061\":2}""#),
            (#"{"x":[{"b":1,"b":1}]}"#, #""{\"x\":[{\"b\":1,\"b\":1}]}""#),
            (#"{"a":{"a":1},"b":{"a":1}}"#, #"{"a":{"a":1},"b":{"a":1}}"#),
            (#"{"\ud83d\ude00":1,"😀":2}"#, #""{\"\\ud83d\\ude00\":1,\"😀\":2}""#),
            (#"{"\n":1,"\u000a":2}"#, #""{\"\\n\":1,\"\\u000a\":2}""#),
            (#"{"\\":1,"\/":2}"#, #"{"\\":1,"\/":2}"#),
            (#"["\ud800"]"#, #"["\ufffd"]"#), (#"["a\udc00b"]"#, #"["a\ufffdb"]"#),
            (#"["\ud800\ud800\udc00"]"#, #"["\ufffd\ud800\udc00"]"#),
            (#"["\ud83d\ude00"]"#, #"["\ud83d\ude00"]"#),
            (#"["\ud800\n"]"#, #"["\ufffd\n"]"#), (#"["\uD800x","y"]"#, #"["\ufffdx","y"]"#),
            (#"["\ud800\u0041"]"#, #"["\ufffd\u0041"]"#), (#"["\u12"]"#, #""[\"\\u12\"]""#),
            (#"["\ud800\u1"]"#, #""[\"\\ud800\\u1\"]""#), (##"{"":1}"##, ##"{"":1}"##),
        ])
    func rawJSON(text: String, expected: String) throws {
        var buffer = LogBuffer()
        buffer.append(json: .json(text))
        #expect(buffer.text == expected)
        _ = try JSONSerialization.jsonObject(with: Data(buffer.text.utf8), options: .fragmentsAllowed)
    }

    @Test(
        "Whatever JSON is put into a field, the line is JSON that a strict reader takes, without a key twice")
    func anyJSON() throws {
        var random = SeededGenerator(seed: 11)
        let parts = [
            "{", "}", "[", "]", ",", ":", #""a""#, #""\u0061""#, #""\ud800""#, #""\udc00""#,
            #""\ud83d\ude00""#, "1", "-0",
            "1e9", "true", "null", " ", #"""#, "\\", #"\u"#, "\n",
        ]
        for _ in 0..<Load.random(4000) {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            var buffer = LogBuffer()
            buffer.append(json: .object(["v": .json(text)]))
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(buffer.text.utf8))) != nil,
                "\(text) as \(buffer.text)")
        }
    }

    @Test("At a terminal a text of several lines is shown as lines, indented, and cannot pose as a record")
    func terminal() {
        let layout = ConsoleLayout(zone: .utc, showsSource: false)
        func shown(_ text: String, _ escaping: LogBuffer.Escaping) -> String {
            var output = LogBuffer()
            let message = LogMessage("\(text)", timestamp: LogTimestamp(nanoseconds: 0))
            layout.append(message, to: &output, depth: .none, privacy: .redact, escaping: escaping)
            return output.text
        }
        let forged = "two\n00:00:00.000 error   forged \u{1B}[2J\r\\n C:\\temp"
        #expect(
            shown(forged, .indent)
                == "00:00:00.000 info    two\n    00:00:00.000 error   forged \\u{1b}[2J\\r\\n C:\\temp")
        #expect(
            shown(forged, .escape)
                == "00:00:00.000 info    two\\n00:00:00.000 error   forged \\u{1b}[2J\\r\\\\n C:\\\\temp")
        for text in HostileText.table {
            for line in shown(text, .indent).split(separator: "\n", omittingEmptySubsequences: false)
                .dropFirst()
            {
                #expect(line.hasPrefix("    "))
            }
        }
    }

    @Test("A stream that is a terminal indents, one that is none escapes, and what is set holds for both")
    func streams() throws {
        var (terminal, shell): (Int32, Int32) = (0, 0)
        try #require(openpty(&terminal, &shell, nil, nil, nil) == 0)
        defer {
            close(terminal)
            close(shell)
        }
        var stream = ConsoleStream(shell)
        stream.configure(depth: nil, privacy: nil, escaping: nil)
        #expect(stream.escaping == .indent)
        stream.configure(depth: nil, privacy: nil, escaping: .escape)
        #expect(stream.escaping == .escape)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var other = ConsoleStream(ends[1])
        other.configure(depth: nil, privacy: nil, escaping: nil)
        #expect(other.escaping == .escape)
        other.configure(depth: nil, privacy: nil, escaping: LogBuffer.Escaping.none)
        #expect(other.escaping == .none)
    }
}
