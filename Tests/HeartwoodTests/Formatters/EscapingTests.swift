import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Texts that were made to break lines, move cursors and hide words.
enum HostileText {
    /// What no line may show as it is: C0, DEL, C1, separators and bidirectional controls.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2060...0x206F, 0x200B, 0x200E, 0x200F,
            0x061C, 0xFEFF, 0xAD, 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x3164, 0xFFA0,
            0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    static let table: [String] =
        (0...0x9F).compactMap { Unicode.Scalar($0).map { "a\($0)b" } } + [
            "", "\"", "\\", "\\n", "\\\\", "\r\n", "\n\n\n", "\u{2028}", "\u{2029}", "\u{85}",
            "\u{202E}evil\u{202C}",
            "\u{2066}x\u{2069}", "\u{1B}[2J\u{1B}]8;;http://x\u{07}", "\u{9B}31m", "\u{200B}\u{FEFF}\u{061C}",
            "soft\u{AD}hyphen", "\u{180E}\u{115F}\u{3164}\u{FFA0}", "\u{FFF9}a\u{FFFA}b\u{FFFB}",
            "\u{E0001}\u{E0068}\u{E0069}\u{E007F}", "\u{034F}\u{17B4}\u{2062}\u{1D173}\u{1BCA0}",
            "{\"a\":1}", "100%s%n", "é😀👩‍👩‍👧‍👦", "\u{0}", "a\u{0}b", "\u{FFFF}\u{10FFFF}\u{FFFD}",
            String(decoding: [0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF8, 0xFF, 0x0A] as [UInt8], as: UTF8.self),
            "2026-01-01 00:00:00.000Z error   forged", "\\u{1b}", String(repeating: "\n", count: 300),
        ]

    /// A text of random pieces, more of them hostile than not.
    static func random(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: text += table.randomElement(using: &generator) ?? ""
            case 1: text.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0...255, using: &generator)))
            case 2:
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) {
                    text.unicodeScalars.append(scalar)
                }
            case 3:
                let bytes = (0..<6).map { _ in UInt8.random(in: 0...255, using: &generator) }
                text += String(decoding: bytes, as: UTF8.self)
            default: text += "plain words "
            }
        }
        return text
    }
}

@Suite("Escaping", .inTurn)
struct EscapingTests {
    private func escaped(_ text: String) -> String {
        var buffer = LogBuffer()
        buffer.appendEscaped(text)
        return buffer.text
    }

    /// Undoes the escaping, as its documentation says that one can.
    private func unescaped(_ text: String) -> String? {
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar != "\\" {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\\": result += "\\"
            case "n": result += "\n"
            case "r": result += "\r"
            case "t": result += "\t"
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let code = UInt32(String(rest[..<end]), radix: 16), let decoded = Unicode.Scalar(code)
                else { return nil }
                result.unicodeScalars.append(decoded)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
        return result
    }

    @Test("Controls, separators and bidirectional marks are written in plain ASCII; a backslash is doubled")
    func examples() {
        #expect(escaped("a\nb\tc\rd\\e") == "a\\nb\\tc\\rd\\\\e")
        #expect(escaped("\u{1B}[31m\u{7F}\u{0}") == "\\u{1b}[31m\\u{7f}\\u{0}")
        #expect(escaped("\u{85}\u{9B}\u{A0}") == "\\u{85}\\u{9b}\u{A0}")
        #expect(
            escaped("\u{2028}\u{202E}\u{2066}\u{200B}\u{FEFF}\u{061C}")
                == "\\u{2028}\\u{202e}\\u{2066}\\u{200b}\\u{feff}\\u{61c}")
        #expect(escaped("é — 😀 👩‍👩‍👧‍👦 العربية \u{200D}") == "é — 😀 👩‍👩‍👧‍👦 العربية \u{200D}")
    }

    @Test(
        "Escaping can be undone, whatever the text, and leaves nothing that could forge a line",
        arguments: 0..<8)
    func reversible(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Load.random(10_000) {
            let text = HostileText.random(&generator)
            let line = escaped(text)
            #expect(
                !line.unicodeScalars.contains(where: HostileText.isForbidden),
                "seed \(seed): \(text.debugDescription)")
            #expect(
                unescaped(line).map { Array($0.utf8) } == Array(text.utf8),
                "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test("Every single scalar up to U+FFFF is either harmless or escaped")
    func everyScalar() {
        for code in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let line = escaped(String(scalar))
            #expect(!line.unicodeScalars.contains(where: HostileText.isForbidden))
            if !HostileText.isForbidden(scalar), scalar != "\\", code != 0x2060 {
                #expect(line == String(scalar))
            }
        }
    }
}

@Suite("Promise 8: a line is whole", .inTurn)
struct WholeLineTests {
    /// A message that is hostile wherever text can be.
    private func message(_ generator: inout SeededGenerator) -> LogMessage {
        func text() -> String { HostileText.random(&generator) }
        let metadata = LogMetadata([
            (text(), .string(text())),
            (text(), .array([.string(text()), .object([text(): .string(text())])])),
            (text(), .json("{\n\t\"pretty\": [1,\r\n2]}")), (text(), .decimal("1.5")),
            ("time", .string(text())),
        ])
        return LogMessage(
            "\(text()) \(text(), as: "a") \(text(), as: "message") \(text(), as: "a", privacy: .private) \([text()], as: "l")",
            category: LogCategory("hostile \u{1B}\n\"\\ \(Int.random(in: 0..<4, using: &generator))"),
            tag: text(),
            metadata: metadata, file: text(), function: text(), line: 5, threadName: text(),
            queueLabel: text(),
            taskName: text())
    }

    @Test("Promise 8: text formatters write one line per message, with no control in it", arguments: 0..<8)
    func lines(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &+ 1000)
        let formatter = LineFormatter()
        for _ in 0..<Load.random(1000) {
            let line = formatter.format(message(&generator)) ?? "\n"
            #expect(!line.unicodeScalars.contains(where: HostileText.isForbidden), "seed \(seed)")
        }
    }

    @Test("Promise 8: JSON lines are one line each, and JSON, whatever is in them", arguments: 0..<8)
    func json(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &+ 2000)
        let formatter = JSONLinesFormatter()
        for _ in 0..<Load.random(600) {
            let message = message(&generator)
            let line = formatter.format(message) ?? "\n"
            let isWhole =
                line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                && !line.unicodeScalars.contains {
                    $0.value == 0x2028 || $0.value == 0x2029 || (0x80...0x9F).contains($0.value)
                }
            try #require(isWhole, "seed \(seed): \(line)")
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "seed \(seed): \(line)"
            )
            #expect((object["message"] as? String).map { Array($0.utf8) } == Array(message.text.utf8))
        }
    }

    @Test("Promise 8: a JSON or decimal value that is none is written as a string, and breaks nothing")
    func falseJSON() throws {
        let wrong = [
            "", "{", "}", "{\"a\":}", "1,2", "\"open", "[1,]", "nul", "1 2", "{\"a\":1}}", "\u{1}", "\"\n\"",
            "01", "--1", "1e", "NaN",
        ]
        for text in wrong {
            for value in [LogValue.json(text), .decimal(text)] {
                let message = LogMessage("x \(value, as: "v")", metadata: ["m": value])
                let line = try #require(JSONLinesFormatter().format(message))
                let object = try #require(
                    JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(text): \(line)")
                #expect(object["v"] as? String == text)
                #expect(!line.contains("\n"))
            }
        }
        let right = [
            "{}", "[]", "null", "true", " {\"a\": [1, -2.5e+10, \"\\u00e9\\n\", {}]} ", "0", "-0.5E-3",
            "\"é\"",
        ]
        for text in right {
            let line = try #require(
                JSONLinesFormatter().format(LogMessage("\(LogValue.json(text), as: "v")")))
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            #expect("\(String(describing: object["v"] ?? ""))" == "\(expected)")
        }
    }

    @Test(
        "Promise 8: every one of the hostile texts comes back from JSON as it was",
        arguments: HostileText.table.indices)
    func roundTrip(index: Int) throws {
        let text = HostileText.table[index]
        let line = try #require(
            JSONLinesFormatter().format(
                LogMessage("\(text)", metadata: ["k": .string(text), "key \(text)": 1])))
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect((object["message"] as? String)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        #expect((object["k"] as? String)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }
}
