import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct SyslogEscapingTests {
    @Test(
        "What ends a value of syslog's structured data is escaped, each of it",
        arguments: [
            ("a]b", #"a\]b"#), (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("[a", "[a"), (#"]"\"#, #"\]\"\\"#),
        ])
    func escapes(value: String, text: String) throws {
        let formatter = SyslogFormatter()
        let line = try #require(
            formatter.format(LogMessage("text", metadata: ["key": .string(value)])))
        #expect(line.hasSuffix(" [heartwood@32473 key=\"\(text)\"] text"), "\(line)")
    }
}
