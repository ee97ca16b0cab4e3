import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Values that are nested deeper than a stack bears: no call and no function of the package ends the process
/// (promise 7).
///
/// Threads have 128 KiB of stack here, as those of the C library musl.
@Suite(.inTurn) struct NestedValueTests {
    private static let cut = "…[nested deeper than 64]"

    /// Kept forever: Swift itself overflows the stack when it frees what is nested that deep.
    private static func kept<Value: Sendable>(_ value: Value) -> Value {
        everKept.withLock { $0.append(value) }
        return value
    }

    private static let everKept = Locked<[any Sendable]>([])

    /// A value of so many lists and objects.
    private static func nested(_ levels: Int) -> LogValue {
        var value = LogValue.integer(7)
        for level in 0..<levels { value = level % 2 == 0 ? .array([value]) : .object(["a": value]) }
        return kept(value)
    }

    /// How many lists and objects there are inside of each other, at most, in a text of JSON.
    private static func depth(_ json: String) -> Int {
        var (depth, most, isInText) = (0, 0, false)
        for byte in json.utf8 {
            if byte == UInt8(ascii: "\"") { isInText.toggle() }
            if isInText { continue }
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            most = max(most, depth)
        }
        return most
    }

    @Test(
        "A call with a nested value returns, at any depth, and each format writes a line that says where it was cut",
        arguments: [100, 2_000, 20_000, 1_000_000])
    func call(_ levels: Int) async {
        await #expect(processExitsWith: .success) { [levels = levels as Int] in
            let value = NestedValueTests.nested(levels)
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.interval = .zero
            let reports = Locked<[Int]>([])
            dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.count) } }
            let formatters: [LogFormatter] = [
                JSONLinesFormatter(), LineFormatter(), LogfmtFormatter(), SyslogFormatter(),
                try PatternFormatter("{message} {fields}"),
            ]
            let loggers = formatters.map { RecordingLogger(formatter: $0) }
            for logger in loggers { dispatcher.add(logger) }
            try onSmallStack {
                logError("nested \(value)", metadata: ["value": value], to: dispatcher)
                logInfo("flat \([1] as LogValue)", to: dispatcher)
                dispatcher.log(LogMessage("finished", level: .info, metadata: ["value": value]))
                dispatcher.log(LogMessage("finished and flat", level: .info))
            }
            await dispatcher.flush(timeout: .testLimit)
            for logger in loggers {
                let lines = logger.lines
                #expect(lines.count == 4)
                #expect(lines.first?.contains(NestedValueTests.cut) == true)
                #expect((lines.first?.utf8.count ?? 0) < 2_000)
            }
            let json = try #require(loggers[0].lines.first)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
            #expect(NestedValueTests.depth(json) == 65)
            #expect(reports.withLock { $0 } == [1, 1])
        }
    }

    @Test("What is nested as deep as it may be is kept whole, and one level more is cut")
    func edge() {
        for levels in [63, 64] {
            let value = NestedValueTests.nested(levels)
            #expect(value.description.filter { $0 == "7" }.count == 1 && !value.description.contains("…"))
            let pieces = EncodedMetadata(["value": value])
            pieces.forEach { #expect($0 == "value" && $1.decoded == value) }
        }
        let value = NestedValueTests.nested(65)
        #expect(value.description.contains(NestedValueTests.cut) && !value.description.contains("7"))
        EncodedMetadata(["value": value]).forEach { #expect($1.decoded.description == value.description) }
    }

    @Test("Values are compared, hashed, described, redacted and written as JSON at any depth")
    func functions() async {
        await #expect(processExitsWith: .success) {
            let (one, same) = (NestedValueTests.nested(1_000_000), NestedValueTests.nested(1_000_000))
            let other = NestedValueTests.nested(999_998)
            try onSmallStack {
                #expect(one == same && one != other)
                #expect(LogMetadata([("a", one)]) == LogMetadata([("a", same)]))
                #expect(one.hashValue == same.hashValue && one.hashValue == other.hashValue)
                #expect(one.description.contains(NestedValueTests.cut))
                #expect(RedactionRules.standard.redacted(one).description == one.description)
                var buffer = LogBuffer()
                buffer.append(json: one)
                #expect(buffer.text.contains("\"\(NestedValueTests.cut)\""))
                #expect(NestedValueTests.depth(buffer.text) == 64)
            }
        }
    }

    @Test("Text of JSON that is nested too deep is written as a string")
    func json() throws {
        func written(_ levels: Int) throws -> String {
            let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return try onSmallStack {
                var buffer = LogBuffer()
                buffer.append(json: .json(text))
                return buffer.text
            }
        }
        #expect(try written(64).first == "[")
        for levels in [65, 2_000, 1_000_000] { #expect(try written(levels).first == "\"") }
    }

    /// What JSON of lists inside of each other is decoded to.
    private struct Lists: Decodable {
        let depth: Int

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            depth = container.isAtEnd ? 1 : 1 + (try container.decode(Lists.self).depth)
        }
    }

    @Test("JSON of others is decoded as deep as it may be, and refused where it is deeper")
    func foreignJSON() throws {
        func read(_ levels: Int, _ end: String = "]") throws -> Int {
            let text = String(repeating: "[", count: levels) + String(repeating: end, count: levels)
            return try onSmallStack { try ValueDepth.decode(Lists.self, json: Array(text.utf8)).depth }
        }
        #expect(try read(128) == 128)
        for levels in [129, 2_000, 1_000_000] {
            #expect(throws: DecodingError.self) { try read(levels) }
            #expect(throws: DecodingError.self) { try read(levels, "") }
        }
        let text = String(repeating: "[", count: 1_000) + "\\\""
        #expect(try ValueDepth.decode([String].self, json: Array("[\"\(text)\"]".utf8)).count == 1)
    }

    @Test("The bytes of a message, and a regular expression, that are nested too deep are refused")
    func bytes() throws {
        for levels in [1, 64, 65, 100_000] {
            let list: [UInt8] = [PieceTag.array.rawValue, 1, 0, 0, 0]
            let bytes = (0..<levels).flatMap { _ in list } + [PieceTag.null.rawValue]
            let isRead = try onSmallStack {
                bytes.withUnsafeBytes { bytes in
                    var reader = PieceReader(bytes)
                    guard case .value(let value)? = reader.next() else { return false }
                    return value.decoded.isNested
                }
            }
            #expect(isRead == (levels <= 64))
        }
        // Swift's own compiler of expressions refuses some that are within the bound.
        for levels in [1, 16, 17, 60, 65, 100_000] {
            let groups = String(repeating: "(", count: levels) + "a" + String(repeating: ")", count: levels)
            let isMade = try onSmallStack { (try? RedactionRule.matching(groups, name: "x")) != nil }
            #expect(isMade == (levels <= 60))
        }
    }

    private indirect enum Chain: Error, Sendable {
        case end
        case link(Chain)
    }

    private struct Wrapped: Error {
        let cause: any Error
    }

    private final class Node: Encodable, Sendable {
        let next: Node?
        init(_ next: Node?) { self.next = next }
    }

    private struct Tree: Error {
        let causes: [any Error]
    }

    @Test(
        "Values of any type are described and encoded at any depth, errors with their causes",
        arguments: [60, 100, 20_000, 1_000_000])
    func anything(_ levels: Int) async {
        await #expect(processExitsWith: .success) { [levels = levels as Int] in
            var chain = Chain.end
            var error: any Error = CancellationError()
            var node = Node(nil)
            for _ in 0..<levels {
                chain = .link(chain)
                error = Wrapped(cause: error)
                node = Node(node)
            }
            let kept = NestedValueTests.kept((chain, error, node))
            let dispatcher = LogDispatcher()
            let logger = RecordingLogger(formatter: JSONLinesFormatter())
            dispatcher.add(logger)
            try onSmallStack {
                logError("chain \(kept.0)", to: dispatcher)
                logError("failed", error: kept.1, to: dispatcher)
                logError("node \(kept.2, as: "node")", to: dispatcher)
            }
            await dispatcher.flush(timeout: .testLimit)
            #expect(logger.lines.count == 3)
            let isCut = levels > LogValue.maximumDepth
            #expect(logger.lines.first?.contains("Chain…[nested deeper") == isCut)
            #expect(logger.lines.last?.contains("{\"next\":{\"next\":") == !isCut)
        }
    }

    @Test("Of errors that are a tree of causes, as many are kept as a message may have")
    func tree() {
        var error: any Error = CancellationError()
        for _ in 0..<8 { error = Tree(causes: Array(repeating: error, count: 8)) }
        func count(_ fields: ErrorFields) -> Int { 1 + fields.underlying.reduce(0) { $0 + count($1) } }
        #expect(ErrorFields(LogValue(error: error)).map(count) == 64)
    }

    /// A value of any shape and type; `left` is how many values there may be in it.
    private static func random(_ left: inout Int, _ random: inout SeededGenerator) -> LogValue {
        left -= 1
        let texts = ["", "a", "\u{0}\n\"\\", "…", "\u{202E}x", "{\"a\":[", "7", "é\u{301}", "<private>"]
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        switch Int.random(in: 0..<(left > 0 ? 16 : 11), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .unsigned(.random(in: .min ... .max, using: &random))
        case 4: return .double(Double(bitPattern: .random(in: .min ... .max, using: &random)))
        case 5:
            let bits = UInt64.random(in: .min ... .max, using: &random)
            return bits % 2 == 0
                ? .timestamp(LogTimestamp(nanoseconds: Int64(bitPattern: bits)))
                : .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case 6: return .uuid(UUID(uuidString: "0E3B6D7A-7C25-4F0E-A2D6-111111111111") ?? UUID())
        case 7: return .decimal(["1.50", "-0", "1e30", text()].randomElement(using: &random) ?? "")
        case 8:
            let levels = Int.random(in: 0...100, using: &random)
            return .json(
                String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels))
        case 9: return .json(text())
        case 10: return .string(text())
        case 11, 12, 13:
            // A chain, so that some are deeper than the bound.
            var value = self.random(&left, &random)
            for level in 0..<Int.random(in: 1...90, using: &random) {
                value = level % 3 == 0 ? .object([text(): value]) : .array([value])
            }
            return value
        case 14:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in self.random(&left, &random) })
        default:
            return .object(
                LogMetadata(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        (text(), self.random(&left, &random))
                    }))
        }
    }

    @Test(
        "Whatever a value is, all formats write one line of it, those of JSON valid JSON, and reading gives what was written",
        arguments: 0..<Tier.amount(2, full: 20))
    func anyShape(_ seed: Int) throws {
        try onSmallStack {
            var random = SeededGenerator(seed: UInt64(seed))
            let formatters: [LogFormatter] = [
                JSONLinesFormatter(), LineFormatter(), LogfmtFormatter(), SyslogFormatter(),
            ]
            let deadline = ContinuousClock.now + Tier.amount(.seconds(1), full: .seconds(3))
            while ContinuousClock.now < deadline {
                var left = 40
                let value = NestedValueTests.random(&left, &random)
                let message = LogMessage("value \(value)", metadata: ["value": value])
                for formatter in formatters {
                    let line = formatter.format(message) ?? ""
                    #expect(!line.isEmpty && !line.utf8.contains(0x0A) && !line.utf8.contains(0))
                }
                let json = formatters[0].format(message) ?? ""
                #expect(
                    (try? JSONSerialization.jsonObject(with: Data(json.utf8))) != nil,
                    "seed \(seed): \(json.prefix(2_000))")
                let read = message.metadata["value"]
                #expect(read?.description == value.description, "seed \(seed)")
            }
        }
    }

    @Test("Very many fields are taken in no time, and the last value of a name is the one that is kept")
    func manyFields() {
        let names = (0..<200_000).map { "field \($0 % 100_000)" }
        let fields = LogMetadata(zip(names, (0...).lazy.map { LogValue($0) }).map { ($0, $1) })
        #expect(fields.count == 100_000)
        #expect(fields[40].key == "field 40" && fields[40].value == 100_040)
        #expect(fields[7].key == "field 7" && fields[7].value == 100_007)
    }
}
