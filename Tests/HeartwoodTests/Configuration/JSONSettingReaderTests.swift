import Testing

@testable import Heartwood

@Suite("JSON with places")
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
            ("", "x.json:1:1: the file is empty: write {} at least"),
            (" \n\t", "x.json:2:2: the file is empty: write {} at least"),
            ("{\n  \"é\": 1,\n}", "x.json:3:1: a comma stands before the end of the table: remove it"),
            ("[1, 2,]", "x.json:1:7: a comma stands before the end of the list: remove it"),
            ("[1 2]", "x.json:1:4: a comma or the end of the list is due here, and “2” is not it"),
            ("{\"a\" 1}", "x.json:1:6: a colon is missing after the key “a”"),
            ("{\"é\": \"ü\", x}", "x.json:1:12: “x” stands where a key in quotation marks is due"),
            ("{\"a\": 1", "x.json:1:8: the file ends inside of a table"),
            ("[1", "x.json:1:3: the file ends inside of a list"),
            ("{\"a\":", "x.json:1:6: the file ends where a value is due"),
            ("[,1]", "x.json:1:2: “,” stands where a value is due"),
            ("{} {}", "x.json:1:4: something stands behind the end: remove it"),
            ("// hello\n{}", "x.json:1:1: JSON has no comments: use a key that begins with //"),
            ("{ // hello\n}", "x.json:1:3: JSON has no comments: use a key that begins with //"),
            ("'a'", "x.json:1:1: text stands between double quotation marks: \"…\""),
            (
                "[True]",
                "x.json:1:2: “True” is no value: write true, false, null, a number, or text in quotation marks"
            ),
            (
                "[NaN]",
                "x.json:1:2: “NaN” is no value: write true, false, null, a number, or text in quotation marks"
            ),
            (
                "[+1]",
                "x.json:1:2: “+1” is no value: write true, false, null, a number, or text in quotation marks"
            ),
            ("[0640]", "x.json:1:2: a number has no zeros in front; permissions are text: \"0640\""),
            ("[-]", "x.json:1:2: a minus sign stands alone"),
            ("[1.]", "x.json:1:2: digits are missing behind the point"),
            ("[1e]", "x.json:1:2: digits are missing in the exponent"),
            ("[1e999]", "x.json:1:2: the number 1e999 is too large"),
            ("[\"a]", "x.json:1:2: the text has no quotation mark at its end"),
            ("[\"a\nb\"]", "x.json:1:2: the text has no quotation mark at its end"),
            ("[\"a\tb\"]", "x.json:1:4: a control character must be written as \\u0009"),
            (
                #"["\q"]"#,
                "x.json:1:3: “q” behind a backslash means nothing: a backslash itself is written \\\\"
            ),
            (
                #"["C:\logs"]"#,
                "x.json:1:5: “l” behind a backslash means nothing: a backslash itself is written \\\\"
            ),
            (#"["\u12g4"]"#, "x.json:1:3: \\u needs four hexadecimal digits"),
            (#"["\u12"#, "x.json:1:3: \\u needs four hexadecimal digits"),
            (#"["\ud83d"]"#, "x.json:1:3: the first half of a pair of surrogates stands alone"),
            (#"["\ud83d\u0041"]"#, "x.json:1:3: the first half of a pair of surrogates stands alone"),
            (#"["\ude00"]"#, "x.json:1:3: the second half of a pair of surrogates stands alone"),
            (
                "[\"a\\",
                "x.json:1:5: the file ends inside of a text"
            ),
        ])
    func invalid(text: String, message: String) {
        #expect(problem(Array(text.utf8)) == message)
    }

    @Test("Bytes that are not UTF-8 are refused where they stand")
    func notUTF8() {
        #expect(
            problem(Array("{\n\"é\": \"".utf8) + [0xFF] + Array("\"}".utf8))
                == "x.json:2:7: the file is not UTF-8 here: save it as UTF-8")
        #expect(
            problem(Array("{}".utf8) + [0xC3]) == "x.json:1:3: the file is not UTF-8 here: save it as UTF-8")
    }

    @Test("64 tables and lists may stand in each other, and no more, however deep the text goes")
    func depth() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try read(deep).place.line == 1)
        #expect(
            problem(Array(repeating: UInt8(ascii: "["), count: 100_000))
                == "x.json:1:65: this is more than 64 tables and lists deep")
    }

    @Test("A key that stands twice in a table is an error; all of them are told")
    func duplicates() {
        #expect(
            problem(Array("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 3}".utf8))
                == """
                x.json:2:16: the key “c” stands in this table twice, first in line 2: remove one of them
                x.json:3:2: the key “a” stands in this table twice, first in line 1: remove one of them
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
