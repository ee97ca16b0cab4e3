import CoreFixtures
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

@Suite("JSON with places", .inTurn)
struct JSONSettingReaderTests {
    private func read(_ text: String) throws(LogConfigurationError) -> LogSetting {
        try JSONSettingReader.read(Array(text.utf8), source: "x.json")
    }

    private func problem(_ bytes: [UInt8]) -> String? {
        do throws(LogConfigurationError) {
            _ = try JSONSettingReader.read(bytes, source: "x.json")
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "What RFC 8259 allows is read as it says",
        arguments: [
            ("null", nil), (" true\n", true), ("false", false), ("0", 0), ("-0", 0), ("-17", -17),
            ("9223372036854775807", 9_223_372_036_854_775_807), ("1.5", 1.5), ("1e3", 1000.0), ("1E-2", 0.01),
            ("-0.5e+1", -5.0), ("\"\"", ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"), (#""\u0000""#, "\0"),
            ("\"é€😀\u{7f}\u{2028}\"", "é€😀\u{7f}\u{2028}"), ("[]", []), ("{}", [:]),
            ("[1, [2], {\"a\": 3}]", [1, [2], ["a": 3]]), ("\r\n\t {\"\": {\"\": 1}} ", ["": ["": 1]]),
            ("\u{feff}{}", [:]),
        ] as [(String, LogSetting)])
    func valid(text: String, value: LogSetting) throws {
        #expect(try read(text) == value)
    }

    @Test("A number beyond 64 bits is a number, no whole one")
    func bigNumber() throws {
        guard case .number(let number) = try read("123456789012345678901234567890").value else {
            return #expect(Bool(false), "it is not a number")
        }
        #expect(number == 123_456_789_012_345_677_877_719_597_056)
    }

    @Test(
        "A mistake is told with line and column, and what to do",
        arguments: [
            ("", "x.json:1:1: the file is empty; an empty configuration is {}"),
            (" \n\t", "x.json:2:2: the file is empty; an empty configuration is {}"),
            ("{\n  \"é\": 1,\n}", "x.json:3:1: trailing comma in an object"),
            ("[1, 2,]", "x.json:1:7: trailing comma in a list"),
            ("[1 2]", "x.json:1:4: expected “,” or the end of the list, found “2”"),
            ("{\"a\" 1}", "x.json:1:6: expected “:” after the key “a”"),
            ("{\"é\": \"ü\", x}", "x.json:1:12: expected a key in double quotes, found “x”"),
            ("{\"a\": 1", "x.json:1:8: unterminated object"),
            ("[1", "x.json:1:3: unterminated list"),
            ("{\"a\":", "x.json:1:6: expected a value, found the end of the file"),
            ("[,1]", "x.json:1:2: expected a value, found “,”"),
            ("{} {}", "x.json:1:4: unexpected data after the end of the document"),
            ("// hello\n{}", "x.json:1:1: JSON has no comments; use a key that starts with “//”"),
            ("{ // hello\n}", "x.json:1:3: JSON has no comments; use a key that starts with “//”"),
            ("'a'", "x.json:1:1: strings must be in double quotes"),
            (
                "[True]",
                "x.json:1:2: “True” is not a valid value; use true, false, null, a number or a string in double quotes"
            ),
            (
                "[NaN]",
                "x.json:1:2: “NaN” is not a valid value; use true, false, null, a number or a string in double quotes"
            ),
            (
                "[+1]",
                "x.json:1:2: “+1” is not a valid value; use true, false, null, a number or a string in double quotes"
            ),
            (
                "[0640]",
                "x.json:1:2: numbers must not have leading zeros; write permissions as a string: \"0640\""
            ),
            ("[-]", "x.json:1:2: expected digits after “-”"),
            ("[1.]", "x.json:1:2: expected digits after the decimal point"),
            ("[1e]", "x.json:1:2: expected digits in the exponent"),
            ("[1e999]", "x.json:1:2: the number 1e999 is out of range"),
            ("[\"a]", "x.json:1:2: unterminated string; add the closing quote"),
            ("[\"a\nb\"]", "x.json:1:2: unterminated string; add the closing quote"),
            ("[\"a\tb\"]", "x.json:1:4: control characters must be escaped: \\u0009"),
            (
                #"["\q"]"#,
                "x.json:1:3: invalid escape sequence: \\ followed by “q”; write a backslash as \\\\"
            ),
            (
                #"["C:\logs"]"#,
                "x.json:1:5: invalid escape sequence: \\ followed by “l”; write a backslash as \\\\"
            ),
            (#"["\u12g4"]"#, "x.json:1:3: expected four hexadecimal digits after \\u"),
            (#"["\u12"#, "x.json:1:3: expected four hexadecimal digits after \\u"),
            (#"["\ud83d"]"#, "x.json:1:3: unpaired high surrogate in \\u escape"),
            (#"["\ud83d\u0041"]"#, "x.json:1:3: unpaired high surrogate in \\u escape"),
            (#"["\ude00"]"#, "x.json:1:3: unpaired low surrogate in \\u escape"),
            (
                "[\"a\\",
                "x.json:1:5: unterminated string at the end of the file"
            ),
        ])
    func invalid(text: String, message: String) {
        #expect(problem(Array(text.utf8)) == message)
    }

    @Test("Bytes that are not UTF-8 are refused where they stand")
    func notUTF8() {
        #expect(
            problem(Array("{\n\"é\": \"".utf8) + [0xFF] + Array("\"}".utf8))
                == "x.json:2:7: invalid UTF-8; save the file as UTF-8")
        #expect(
            problem(Array("{}".utf8) + [0xC3]) == "x.json:1:3: invalid UTF-8; save the file as UTF-8")
    }

    @Test("64 tables and lists may stand in each other, and no more, however deep the text goes")
    func depth() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try read(deep).place.line == 1)
        func problem(_ text: String) throws -> String {
            try onSmallStack {
                do {
                    _ = try LogConfiguration(parsing: text, name: "x.json")
                    return ""
                } catch {
                    return "\(error)"
                }
            }
        }
        #expect(try problem(deep) == "x.json:1:1: expected an object, found a list")
        #expect(
            try problem(String(repeating: "[", count: 100_000))
                == "x.json:1:65: objects and lists are nested more than 64 levels deep")
    }

    @Test("A key that stands twice in a table is an error; all of them are told")
    func duplicates() {
        #expect(
            problem(Array("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 3}".utf8))
                == """
                x.json:2:16: duplicate key “c”, first used in line 2; remove one of them
                x.json:3:2: duplicate key “a”, first used in line 1; remove one of them
                """)
        #expect(problem(Array("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1}}".utf8)) == nil)
    }

    @Test("Keys and values know where they stand")
    func places() throws {
        let setting = try read("\u{feff}{\"é\": 1,\r\n  \"b\":\n [true]}")
        let members = try #require(setting.members)
        #expect(members.map(\.place.description) == ["x.json:1:2", "x.json:2:3"])
        #expect(members.map(\.setting.place.description) == ["x.json:1:7", "x.json:3:2"])
    }

    @Test("A file of one long line costs no more than any other, and its places are right")
    func longLine() throws {
        let count = Load.scaled(40_000)
        let text = "{" + (0..<count).map { "\"é\($0)\":[]" }.joined(separator: ",") + "}"
        let members = try #require(try read(text).members)
        #expect(members.count == count)
        #expect(members.last?.place.column == text.count - "\"é\(count - 1)\":[]}".count + 1)
    }

    @Test("Whatever bytes there are, they are read or refused")
    func anyBytes() {
        var generator = SystemRandomNumberGenerator()
        let pieces = Array("{}[]\",:\\u0d8 \n1-+.eEtrufalsn".utf8) + [0xC3, 0xA9, 0xFF, 0x00]
        for _ in 0..<Load.random(3000) {
            let bytes = (0..<Int.random(in: 0...40)).map { _ in
                pieces.randomElement(using: &generator) ?? 0
            }
            _ = problem(bytes)
        }
    }
}
