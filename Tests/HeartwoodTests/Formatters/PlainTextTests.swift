import CHeartwood
import CoreFixtures
import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// The short way of writing a message, straight from its record, gives the same bytes as the general way.
///
/// A piece that says a format, though the usual one, and has no text, makes a message one for the general way; a key that is
/// reserved for nothing makes the members of JSON others than the standard ones.
@Suite(.inTurn) struct PlainTextTests {
    /// The formatter of a message, and the one for the same message on the general way.
    private let formatters: [(LogFormatter, LogFormatter)]

    init() throws {
        let pattern = "{time} {level:<7} {category} {file}:{line} {thread} {message}{fields}"
        let all: [LogFormatter] = [
            LineFormatter(), JSONLinesFormatter(.ecs(service: "shop")),
            JSONLinesFormatter(.gelf(host: "web")),
            JSONLinesFormatter(.swiftyBeaver), LogfmtFormatter(), SyslogFormatter(),
            try PatternFormatter(pattern),
        ]
        var options = JSONLinesFormatter.Options()
        options.members.append(.reserved("no field has this name"))
        var nested = options
        nested.fields = .inObject("fields")
        formatters =
            all.map { ($0, $0) } + [
                (JSONLinesFormatter(), JSONLinesFormatter(options)),
                (JSONLinesFormatter(nested), JSONLinesFormatter(nested)),
            ]
    }

    /// The same message twice, for each way.
    private struct Pair {
        let short: LogMessage
        let general: LogMessage

        /// Builds the message twice: `build` adds its pieces.
        init(_ build: (inout LogText.StringInterpolation) -> Void, _ finish: (LogText) -> LogMessage) {
            func text(_ isGeneral: Bool) -> LogText {
                var pieces = LogText.StringInterpolation(literalCapacity: 16, interpolationCount: 4)
                build(&pieces)
                if isGeneral {
                    pieces.put(name: nil, .public, .plain)
                    pieces.put(.string, "")
                }
                return LogText(stringInterpolation: pieces)
            }
            short = finish(text(false))
            general = finish(text(true))
        }

        init(_ build: (inout LogText.StringInterpolation) -> Void) {
            self.init(build) {
                LogMessage($0, timestamp: LogTimestamp(nanoseconds: 1_763_634_030_123_456_789))
            }
        }
    }

    /// What a formatter writes in both ways; the buffers are used again and again, as a logger's is.
    private struct Comparison: ~Copyable {
        var short = LogBuffer()
        var general = LogBuffer()

        mutating func isSame(
            _ pair: Pair, _ formatters: (LogFormatter, LogFormatter), redaction: RedactionRules? = nil,
            cap: Int? = nil
        ) -> Bool {
            let isShort = Comparison.write(pair.short, formatters.0, redaction, cap, to: &short)
            let isGeneral = Comparison.write(pair.general, formatters.1, redaction, cap, to: &general)
            if isShort == isGeneral, short.text == general.text { return true }
            Issue.record(
                "\(type(of: formatters.0)), \(redaction != nil): \(short.text) and not \(general.text)")
            return false
        }

        private static func write(
            _ message: LogMessage, _ formatter: LogFormatter, _ redaction: RedactionRules?, _ cap: Int?,
            to output: inout LogBuffer
        ) -> Bool {
            output.removeAll()
            output.redaction = redaction
            let isWritten = formatter.format(message, into: &output)
            if let cap = cap.flatMap({ MessageCap($0) }), cap.isExceeded(by: output.count) {
                cap.shorten(message, in: &output, from: 0) { formatter.format($0, into: &$1) }
            }
            return isWritten
        }
    }

    private func expectSame(_ pairs: some Sequence<Pair>) {
        var comparison = Comparison()
        for pair in pairs {
            for both in formatters where !comparison.isSame(pair, both) { return }
        }
    }

    @Test("The tags that the C code knows are those of the record's pieces")
    func tags() {
        var hasNames = false
        func written(_ bytes: [UInt8]) -> String? {
            var output = [UInt8](repeating: 0, count: 3 * bytes.count + 64)
            hasNames = false
            let count = output.withUnsafeMutableBufferPointer { output -> Int? in
                guard let base = output.baseAddress else { return nil }
                // What can be read after the pieces is anything.
                let readable = bytes + [UInt8](repeating: 1, count: 16)
                return hw_write_pieces(readable, bytes.count, base, 0x22, &hasNames).map { $0 - base }
            }
            return count.map { String(decoding: output[..<$0], as: UTF8.self) }
        }
        let text: [UInt8] = [2, 0, 0, 0, 0x68, 0x69]
        let number: [UInt8] = [0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let double = withUnsafeBytes(of: 12.5) { Array($0) }
        let whole: [(PieceTag, [UInt8], String)] = [
            (.literal, text, "hi"), (.string, text, "hi"), (.integer, number, "-5"),
            (.unsigned, number, "18446744073709551611"), (.double, double, "12.5"), (.bool, [1], "true"),
            (.bool, [0], "false"), (.name, [2, 0, 0x68, 0x69], ""),
        ]
        for (tag, payload, expected) in whole {
            #expect(written([tag.rawValue] + payload) == expected)
            #expect(hasNames == (tag == .name))
            // Cut anywhere: nothing is read beyond the end.
            for size in 1...payload.count {
                #expect(written(Array(([tag.rawValue] + payload).prefix(size))) == nil, "\(tag) of \(size)")
            }
        }
        for tag in UInt8.min...UInt8.max where !whole.contains(where: { $0.0.rawValue == tag }) {
            #expect(written([tag] + text + number) == nil, "\(tag)")
        }
        #expect(written([PieceTag.string.rawValue, 0xFF, 0xFF, 0xFF, 0xFF, 0x68]) == nil)
        #expect(written([PieceTag.string.rawValue, 0xFF, 0xFF, 0xFF, 0x7F, 0x68]) == nil)
        #expect(written([PieceTag.name.rawValue, 0xFF, 0xFF, 0x68]) == nil)
    }

    @Test("A text that needs escaping is escaped wherever its first such byte is", arguments: 0..<40)
    func escapes(place: Int) {
        var pairs: [Pair] = []
        for byte in [0x00, 0x09, 0x0A, 0x1B, 0x1F, 0x20, 0x22, 0x27, 0x5C, 0x7E, 0x7F, 0x3D] as [UInt8] {
            for extra in [0, 1, 3, 17] {
                let head = String(repeating: "a", count: place)
                let text = head + String(UnicodeScalar(byte)) + String(repeating: "b", count: extra)
                pairs.append(Pair { $0.appendInterpolation(text) })
                pairs.append(
                    Pair { pieces in
                        pieces.appendLiteral("x ")
                        pieces.appendInterpolation(7)
                        pieces.appendInterpolation(text)
                        pieces.appendLiteral(" y")
                    })
            }
        }
        for text in ["é", "\u{85}", "\u{202E}", "👩‍👩", "\u{FEFF}"] {
            pairs.append(Pair { $0.appendInterpolation(String(repeating: "a", count: place) + text) })
        }
        expectSame(pairs)
    }

    @Test(
        "A million random messages are the same bytes in both ways, each in one of the formats",
        arguments: 0..<4)
    func random(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<UInt64(Tier.amount(5_000, full: 250_000)) {
            let number = part * 1_000_000 + seed
            var random = SeededNumbers(number)
            let both = random.pick(formatters)
            let redaction = random.chance(4) ? RedactionRules.standard : nil
            let cap = random.chance(16) ? random.number(80...400) : nil
            if comparison.isSame(pair(&random), both, redaction: redaction, cap: cap) { continue }
            Issue.record("seed \(number)")
            return
        }
    }

    /// A message of plain pieces mostly, and now and then anything else.
    private func pair(_ random: inout SeededNumbers) -> Pair {
        let seed = random.next()
        func build(_ pieces: inout LogText.StringInterpolation) {
            // The same pieces both times.
            var random = SeededNumbers(seed)
            for _ in 0..<random.number(0...6) { add(to: &pieces, &random) }
        }
        let levels = LogLevel.standardLevels + [LogLevel(bit: 9, name: "audit", severity: .notice)]
        func rarely<T>(_ value: T) -> T? { random.chance(8) ? value : nil }
        let level = random.pick(levels)
        let category = rarely(LogCategory("shop")) ?? rarely(LogCategory("ann@example.org")) ?? .default
        let (context, metadata) = (
            rarely(3) ?? 0, rarely(["k": 1, "s": "a\"b", "token": "x1y2"]) ?? [:] as LogMetadata
        )
        let moment = LogTimestamp(
            nanoseconds: 1_763_634_030_000_000_000 + Int64(random.number(0...3_000_000_000)))
        let (sequence, thread) = (UInt64(random.number(0...1000)), UInt64(random.number(0...70_000)))
        let (file, function) = (rarely("") ?? "Shop/Basket.swift", rarely("a\"b(_:)") ?? "total()")
        let (name, queue) = (rarely("worker 1"), rarely("com.example.queue") ?? rarely("q\"\n"))
        let (task, line) = (rarely("reload"), random.number(0...900))
        return Pair(build) { text in
            LogMessage(
                text, level: level, category: category, context: context, metadata: metadata,
                timestamp: moment,
                sequence: sequence, file: file, function: function, line: line, threadID: thread,
                threadName: name, queueLabel: queue, taskName: task)
        }
    }

    private func add(to pieces: inout LogText.StringInterpolation, _ random: inout SeededNumbers) {
        switch random.number(0...23) {
        case 0...5: pieces.appendLiteral(random.pick(literals))
        case 6...10: pieces.appendInterpolation(string(&random))
        case 11: pieces.appendInterpolation(random.pick(secrets))
        case 12...14: pieces.appendInterpolation(Int64(bitPattern: random.next() >> (random.next() % 64)))
        case 15...16: pieces.appendInterpolation(Double(random.number(0...2_000_000)) / 1000 - 1000)
        case 17: pieces.appendInterpolation(random.pick(doubles))
        case 18: pieces.appendInterpolation(random.chance(2))
        case 19: pieces.appendInterpolation(string(&random), as: "name")
        case 20:
            pieces.appendInterpolation(random.next(), as: "card", privacy: random.pick([.public, .private]))
        case 21: pieces.appendInterpolation(string(&random), privacy: .private)
        case 22:
            let text = String(repeating: string(&random), count: random.chance(20) ? 700 : 3)
            pieces.appendInterpolation(text)
        default: pieces.appendInterpolation(random.next())
        }
    }

    private let secrets = [
        "password=hunter2", "ann@example.org", "token: abcdef0123456789", "4111 1111 1111 1111", "no secret",
    ]

    private let doubles: [Double] = [
        0, -0.0, .nan, .infinity, .pi, 1e-5, 1e-4, 12.345678901, 999_999.999_999_999, 1e6, 1e9, 1e16,
        0.1 + 0.2,
    ]

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
