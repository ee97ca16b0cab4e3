import CHeartwood
import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// The short way of writing a message, straight from its record, gives the same bytes as the general way.
///
/// A logger with redaction rules always takes the general way; with rules that find nothing it is the measure of the other.
@Suite(.inTurn) struct PlainTextTests {
    /// Rules that change nothing.
    private static let general = RedactionRules([])

    private let formatters: [LogFormatter] = [
        LineFormatter(), JSONLinesFormatter(), JSONLinesFormatter(.ecs(service: "shop")), LogfmtFormatter(),
        SyslogFormatter(),
    ]

    /// What a formatter writes in both ways; the buffers are used again and again, as a logger's is.
    private func expectSame(
        _ messages: some Sequence<LogMessage>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for formatter in formatters {
            var short = LogBuffer()
            var general = LogBuffer()
            general.redaction = Self.general
            for message in messages {
                short.removeAll()
                general.removeAll()
                let isWritten = formatter.format(message, into: &short)
                let isWrittenGenerally = formatter.format(message, into: &general)
                if isWritten == isWrittenGenerally, short.text == general.text { continue }
                Issue.record(
                    "\(type(of: formatter)): \(short.text) and not \(general.text)",
                    sourceLocation: sourceLocation)
                return
            }
        }
    }

    @Test("The tags that the C code knows are those of the record's pieces")
    func tags() {
        func written(_ bytes: [UInt8]) -> String? {
            var output = [UInt8](repeating: 0, count: 3 * bytes.count + 64)
            let count = output.withUnsafeMutableBufferPointer { output -> Int? in
                guard let base = output.baseAddress else { return nil }
                return hw_write_pieces(bytes, bytes.count, base, 0x22).map { $0 - base }
            }
            return count.map { String(decoding: output[..<$0], as: UTF8.self) }
        }
        let text: [UInt8] = [2, 0, 0, 0, 0x68, 0x69]
        let number: [UInt8] = [0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let double = withUnsafeBytes(of: 12.5) { Array($0) }
        #expect(written([PieceTag.literal.rawValue] + text) == "hi")
        #expect(written([PieceTag.string.rawValue] + text) == "hi")
        #expect(written([PieceTag.integer.rawValue] + number) == "-5")
        #expect(written([PieceTag.double.rawValue] + double) == "12.5")
        for tag in UInt8.min...UInt8.max {
            let isKnown = [PieceTag.literal, .string, .integer, .double].contains { $0.rawValue == tag }
            if !isKnown { #expect(written([tag] + text + number) == nil, "\(tag)") }
        }
        // Cut anywhere, and with a length that is too great: nothing is read beyond the end.
        for size in 1..<6 { #expect(written(Array(([PieceTag.string.rawValue] + text).prefix(size))) == nil) }
        for size in 1..<8 {
            #expect(written(Array(([PieceTag.integer.rawValue] + number).prefix(size))) == nil)
        }
        #expect(written([PieceTag.string.rawValue, 0xFF, 0xFF, 0xFF, 0xFF, 0x68]) == nil)
    }

    @Test("Doubles have the digits that Swift gives them, whichever they are")
    func doubles() {
        var random = SeededNumbers(20_261_123)
        let edges: [Double] = [
            0, -0.0, 0.001, 0.000_999, 0.0015, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.5, 1, 1.0.nextUp, 1.0.nextDown,
            9.9995, 9.999,
            999_999_999.999, 999_999_999, 1e9, 1e9.nextDown, 123_456_789.123, 4_503_599_627_370_496,
            .infinity,
            -.infinity, .nan, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e15, 1e16, 2.675, 1.005,
        ]
        var values = edges + edges.map { -$0 }
        for _ in 0..<(Tier.isLong ? 3_000_000 : 20_000) {
            switch random.next() % 5 {
            case 0: values.append(Double(bitPattern: random.next()))
            case 1: values.append(Double(Int64(bitPattern: random.next()) % 1_000_000_000) / 1000)
            case 2: values.append(Double(Int64(bitPattern: random.next()) % 10_000_000) / 100)
            case 3: values.append((Double(Int64(bitPattern: random.next()) % 10_000_000) / 1000).nextUp)
            default: values.append(Double(random.next() >> 11) * 0x1p-33)
            }
        }
        var buffer = LogBuffer()
        for value in values {
            buffer.removeAll()
            buffer.appendText(of: LogMessage("\(value)"), privacy: .redact, escaping: .escape)
            // The bits of a NaN that are no number are not written.
            let expected = value.isNaN ? "nan" : "\(value)"
            if buffer.text != expected { Issue.record("\(buffer.text) and not \(expected)") }
        }
    }

    @Test("A text that needs escaping is escaped wherever its first such byte is", arguments: 0..<40)
    func escapes(place: Int) {
        var messages: [LogMessage] = []
        for byte in [0x00, 0x09, 0x0A, 0x1B, 0x1F, 0x20, 0x22, 0x27, 0x5C, 0x7E, 0x7F, 0x3D] as [UInt8] {
            for extra in [0, 1, 3, 17] {
                let head = String(repeating: "a", count: place)
                let text = head + String(UnicodeScalar(byte)) + String(repeating: "b", count: extra)
                messages.append(LogMessage("\(text)"))
                messages.append(LogMessage("x \(7) \(text) y"))
            }
        }
        for text in ["é", "\u{85}", "\u{202E}", "👩‍👩", "\u{FEFF}"] {
            messages.append(LogMessage("\(String(repeating: "a", count: place) + text)"))
        }
        expectSame(messages)
    }

    @Test("Random messages are the same bytes in both ways")
    func random() {
        for seed in 0..<UInt64(Tier.isLong ? 2_000 : 24) {
            var random = SeededNumbers(seed)
            expectSame((0..<250).map { _ in message(&random) })
        }
    }

    /// A message of plain pieces mostly, and now and then anything else.
    private func message(_ random: inout SeededNumbers) -> LogMessage {
        var interpolation = LogText.StringInterpolation(literalCapacity: 16, interpolationCount: 4)
        for _ in 0..<Int(random.next() % 6) {
            switch random.next() % 24 {
            case 0..<6: interpolation.appendLiteral(random.pick(literals))
            case 6..<12: interpolation.appendInterpolation(string(&random))
            case 12..<16:
                interpolation.appendInterpolation(Int64(bitPattern: random.next() >> (random.next() % 64)))
            case 16..<20:
                interpolation.appendInterpolation(Double(Int64(random.next() % 2_000_000)) / 1000 - 1000)
            case 20: interpolation.appendInterpolation(random.next() % 2 == 0)
            case 21: interpolation.appendInterpolation(string(&random), as: "name")
            case 22: interpolation.appendInterpolation(string(&random), privacy: .private)
            default: interpolation.appendInterpolation(random.next())
            }
        }
        let levels = LogLevel.standardLevels + [LogLevel(bit: 9, name: "audit", severity: .notice)]
        func rarely<T>(_ value: T) -> T? { random.next() % 8 == 0 ? value : nil }
        return LogMessage(
            LogText(stringInterpolation: interpolation),
            level: levels[Int(random.next() % UInt64(levels.count))],
            category: rarely(LogCategory("shop")) ?? .default, context: rarely(3) ?? 0,
            metadata: rarely(["k": 1, "s": "a\"b"]) ?? [:],
            timestamp: LogTimestamp(
                nanoseconds: 1_763_634_030_000_000_000 + Int64(random.next() % 3_000_000_000)),
            sequence: random.next() % 1000, file: rarely("") ?? "Shop/Basket.swift",
            function: rarely("a\"b(_:)") ?? "total()", line: Int(random.next() % 900),
            threadID: random.next() % 70_000,
            threadName: rarely("worker 1"), queueLabel: rarely("com.example.queue") ?? rarely("q\"\n"),
            taskName: rarely("reload"))
    }

    private let literals: [StaticString] = [
        "", " ", "paid ", "a literal of more than sixteen bytes, and of thirty-two", "say \"hi\"", "c:\\temp",
        "a\tb\n", "é", "=",
    ]

    private func string(_ random: inout SeededNumbers) -> String {
        let size = Int(random.next() % 40)
        let isPlain = random.next() % 6 != 0
        return String(
            decoding: (0..<size).map { _ -> UInt8 in
                isPlain ? UInt8(0x20 + random.next() % 0x5F) : UInt8(truncatingIfNeeded: random.next())
            }, as: UTF8.self)
    }

    @Test("Each layout keeps its own second, also when it follows another one in the same buffer")
    func stamps() throws {
        let layouts: [LogFormatter] = [
            line(in: .utc), line(in: .offset(.seconds(5 * 3600))), try PatternFormatter("{time} {message}"),
        ]
        var buffer = LogBuffer()
        for step in 0..<4_000 {
            let moment = LogTimestamp(nanoseconds: 1_763_634_030_000_000_000 + Int64(step / 3) * 7_000_001)
            let message = LogMessage("x", timestamp: moment)
            for formatter in layouts {
                buffer.removeAll()
                _ = formatter.format(message, into: &buffer)
                var fresh = LogBuffer()
                _ = formatter.format(message, into: &fresh)
                if buffer.text != fresh.text { Issue.record("\(buffer.text) and not \(fresh.text)") }
            }
        }
        // A formatter that takes the memory of one that has ended.
        for number in 0..<200 {
            let message = LogMessage("x", timestamp: LogTimestamp(nanoseconds: 1_763_634_030_123_000_000))
            let formatter = line(in: number % 2 == 0 ? .utc : .offset(.seconds(3 * 3600)))
            buffer.removeAll()
            _ = formatter.format(message, into: &buffer)
            #expect(buffer.text.contains(number % 2 == 0 ? "10:20:30.123" : "13:20:30.123"))
        }
    }

    private func line(in zone: LogTimeZone) -> LineFormatter {
        var options = LineFormatter.Options()
        options.zone = zone
        return LineFormatter(options)
    }
}
