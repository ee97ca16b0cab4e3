import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Messages of any bytes", .inTurn)
struct AnyBytesTests {
    private func message(_ bytes: [UInt8]) -> LogMessage {
        LogMessage(bytes.withUnsafeBytes { LogText(utf8: $0) })
    }

    private func line(_ bytes: [UInt8]) -> String? {
        var options = LineFormatter.Options()
        options.showsTime = false
        options.showsSource = false
        return LineFormatter(options).format(message(bytes)).map { String($0.dropFirst(8)) }
    }

    @Test(
        "A byte that is no UTF-8 is written as a number, the characters around it as they are",
        arguments: [
            ([0x61, 0xFF, 0x62], #"a\x{ff}b"#), ([0xC3], #"\x{c3}"#), ([0xC3, 0xBC], "ü"),
            ([0xE2, 0x82], #"\x{e2}\x{82}"#), ([0xE2, 0x82, 0xAC], "€"), ([0xC0, 0xAF], #"\x{c0}\x{af}"#),
            ([0xED, 0xA0, 0x80], #"\x{ed}\x{a0}\x{80}"#), ([0xF0, 0x9F, 0x98, 0x80], "😀"),
            ([0xF4, 0x90, 0x80, 0x80], #"\x{f4}\x{90}\x{80}\x{80}"#),
            ([0xE2, 0x80, 0xAE, 0xFF], #"\u{202e}\x{ff}"#),
            ([0x5C, 0x78, 0x7B, 0x66, 0x66, 0x7D], #"\\x{ff}"#), ([0xE2, 0x80], #"\x{e2}\x{80}"#),
            ([0xE2, 0x28, 0xA1], #"\x{e2}(\x{a1}"#),
        ] as [([UInt8], String)])
    func lines(bytes: [UInt8], expected: String) { #expect(line(bytes) == expected) }

    @Test("Whatever the bytes, a line is valid UTF-8 without controls, and JSON is valid UTF-8 as well")
    func anything() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let count = Int.random(in: 0...24, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var output = LogBuffer()
            output.appendText(of: message(bytes), privacy: .redact, escaping: .escape)
            let escaped = output.withUnsafeBytes { Array($0) }
            let text = try #require(String(validating: escaped, as: UTF8.self))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })

            var json = LogBuffer()
            _ = JSONLinesFormatter().format(message(bytes), into: &json)
            #expect(json.withUnsafeBytes { String(validating: $0, as: UTF8.self) } != nil)
        }
    }

    @Test("What counts as UTF-8 is what the standard library takes for it")
    func validity() {
        var random = SystemRandomNumberGenerator()
        let alphabet: [UInt8] = [
            0x41, 0x7F, 0x80, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F,
            0xF5,
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...6, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect(bytes.withUnsafeBytes(\.isUTF8) == isValid, "\(bytes)")
        }
    }
}
