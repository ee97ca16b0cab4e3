import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Every formatter that comes with Heartwood, by name.
enum EveryFormatter {
    static let names = [
        "line", "pattern", "colours", "json", "ecs", "gelf", "logfmt", "syslog", "swiftyBeaver", "$J",
        "cocoaLumberjack file", "cocoaLumberjack console", "queue", "chain", "filtering",
    ]
    static let json = ["json", "ecs", "gelf", "$J"]

    static func make(_ name: String) throws -> LogFormatter {
        switch name {
        case "line": return LineFormatter()
        case "pattern":
            let tokens = PatternToken.named.map { "{\($0.name)}" }.joined(separator: " ")
            return try PatternFormatter(tokens + "{time}{field.key}{field.a\\nb}{process}{host}{uptime}")
        case "colours":
            var options = PatternFormatter.Options()
            options.colorDepth = ConsoleColorDepth.none
            return try PatternFormatter("{color}{message:^5.200}{reset}{fields:.-50}", options)
        case "json": return JSONLinesFormatter()
        case "ecs": return JSONLinesFormatter(.ecs(service: "a\nb"))
        case "gelf": return JSONLinesFormatter(.gelf(host: "a\u{1B}"))
        case "logfmt": return LogfmtFormatter()
        case "syslog": return SyslogFormatter()
        case "swiftyBeaver":
            return try LogFormatter.swiftyBeaver("$D'x'HH$d $C$L$c $T $N $n $F:$l $M $X $-5T")
        case "$J": return try LogFormatter.swiftyBeaver("$J")
        case "cocoaLumberjack file": return PatternFormatter.cocoaLumberjackFile()
        case "cocoaLumberjack console": return PatternFormatter.cocoaLumberjackConsole()
        case "queue": return PatternFormatter.dispatchQueue()
        case "chain": return FormatterChain([try PatternFormatter("{message}"), LineFormatter()])
        default: return FilteringFormatter(.everything, LogfmtFormatter())
        }
    }
}

@Suite("Injection: one message is one line in every formatter", .inTurn)
struct InjectionTests {
    /// A message that has `bytes` wherever text can be.
    private func message(_ bytes: [UInt8]) -> LogMessage {
        let text = String(decoding: bytes, as: UTF8.self)
        var pieces = LogText.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        pieces.appendInterpolation(text, as: "key")
        pieces.appendInterpolation(text, as: "private", privacy: .privateHashed)
        let metadata: [(String, LogValue)] = [
            (text, .string(text)), ("list", [.string(text), [.string(text)]]),
            ("object", .object(LogMetadata([(text, .string(text))]))),
            ("json", .json("{\"\(text)\":\"\(text)\"}")), ("decimal", .decimal(text)),
            ("a\nb", .string(text)),
        ]
        return LogMessage(
            LogText(stringInterpolation: pieces), category: LogCategory("injection"), tag: text,
            metadata: LogMetadata(metadata),
            file: "Mo\(text)/File\(text).swift", function: text, threadName: text, queueLabel: text,
            taskName: text)
    }

    private func check(_ line: [UInt8], _ name: String, _ about: @autoclosure () -> String) throws {
        let text = try #require(String(validating: line, as: UTF8.self), "\(name): no UTF-8 for \(about())")
        if let bad = text.unicodeScalars.first(where: HostileText.isForbidden) {
            Issue.record(
                "\(name) lets U+\(String(bad.value, radix: 16)) through for \(about()): \(text.debugDescription)"
            )
        }
        if EveryFormatter.json.contains(name) {
            let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            #expect(object != nil, "\(name) is no JSON for \(about()): \(text.debugDescription)")
        }
    }

    @Test(
        "Every byte and every hostile text, in text, keys, values and names", arguments: EveryFormatter.names)
    func everything(name: String) throws {
        let formatter = try EveryFormatter.make(name)
        var bytes: [[UInt8]] = []
        for byte in UInt8(0)...255 {
            bytes += [[0x61, byte, 0x62]]
            if Tier.isFull || byte % 4 == 0 {
                bytes += [[byte], [byte, 0x80], [0xC2, byte], [0xE2, 0x80, byte]]
            }
        }
        let texts =
            HostileText.table.map { Array($0.utf8) } + [Array("\u{2060}\u{2067}\u{202D}\u{200F}".utf8)]
        for bytes in bytes + texts {
            var output = LogBuffer()
            #expect(formatter.format(message(bytes), into: &output))
            try check(output.withUnsafeBytes { Array($0) }, name, "\(bytes)")
            // Bytes that are no UTF-8 get into a text where a program hands them over as they are.
            var raw = LogBuffer()
            #expect(formatter.format(LogMessage(bytes.withUnsafeBytes { LogText(utf8: $0) }), into: &raw))
            try check(raw.withUnsafeBytes { Array($0) }, name, "\(bytes)")
        }
    }

    @Test("Random hostile texts, in every formatter", arguments: EveryFormatter.names)
    func random(name: String) throws {
        let formatter = try EveryFormatter.make(name)
        var generator = SeededGenerator(seed: 77)
        for _ in 0..<Load.scaled(300) {
            let text = HostileText.random(&generator)
            var output = LogBuffer()
            #expect(formatter.format(message(Array(text.utf8)), into: &output))
            try check(output.withUnsafeBytes { Array($0) }, name, text.debugDescription)
        }
    }

    @Test("With redaction on, lines are as safe and JSON is as valid", arguments: EveryFormatter.names)
    func redacted(name: String) throws {
        let formatter = try EveryFormatter.make(name)
        var generator = SeededGenerator(seed: 78)
        let secrets = [
            "ann@example.org", "4111 1111 1111 1111", "Bearer abcdef1234567890", "\\nbob@example.org\n",
        ]
        for _ in 0..<Load.scaled(200) {
            let text =
                HostileText.random(&generator) + (secrets.randomElement(using: &generator) ?? "") + "\u{1B}"
            var output = LogBuffer()
            output.redaction = .standard
            #expect(formatter.format(message(Array(text.utf8)), into: &output))
            let bytes = output.withUnsafeBytes { Array($0) }
            try check(bytes, name, text.debugDescription)
        }
    }
}
