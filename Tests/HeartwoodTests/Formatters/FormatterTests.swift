import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

private let moment = LogTimestamp(nanoseconds: 1_763_634_030_123_456_789)

@Suite("The line formatter", .inTurn)
struct LineFormatterTests {
    private func message(_ level: LogLevel = .info, _ metadata: LogMetadata = [:]) -> LogMessage {
        LogMessage(
            "charged \(12.5, as: "amount") EUR", level: level, category: LogCategory("payments"),
            metadata: metadata,
            timestamp: moment, file: "Shop/Shop.swift", line: 42)
    }

    @Test("A line has time, level, category, place, text and the fields beside it")
    func full() {
        #expect(
            LineFormatter().format(message(.info, ["order": 17, "who": "ann b"]))
                == "2025-11-20 10:20:30.123Z info    payments Shop.swift:42 charged 12.5 EUR {order=17 who=ann b}"
        )
        #expect(
            LineFormatter().format(LogMessage("x", timestamp: moment, file: "", line: 0))
                == "2025-11-20 10:20:30.123Z info    x")
    }

    @Test("Levels are as wide as the widest; those of the user's own, too")
    func levels() {
        let own = LogLevel(bit: 22, name: "formatter\ntest")
        var options = LineFormatter.Options()
        (options.showsTime, options.showsSource) = (false, false)
        let formatter = LineFormatter(options)
        let lines = (LogLevel.standardLevels + [own]).map {
            formatter.format(LogMessage("x", level: $0, timestamp: moment))
        }
        #expect(
            lines == [
                "fatal   x", "error   x", "warning x", "notice  x", "info    x", "debug   x", "verbose x",
                "formatter\\ntest x",
            ])
    }

    @Test("Each part can be left out")
    func options() {
        var options = LineFormatter.Options()
        options.showsTime = false
        options.showsSource = false
        options.showsMetadata = false
        #expect(
            LineFormatter(options).format(message(.error, ["a": 1])) == "error   payments charged 12.5 EUR")
    }

    @Test("The timestamp is written in the zone that is asked for")
    func zones() {
        func line(_ zone: LogTimeZone, _ nanoseconds: Int64) -> String? {
            var options = LineFormatter.Options()
            options.zone = zone
            return LineFormatter(options).format(
                LogMessage("x", timestamp: LogTimestamp(nanoseconds: nanoseconds), file: ""))
        }
        #expect(
            line(.offset(.seconds(5400)), moment.nanoseconds) == "2025-11-20 11:50:30.123+01:30 info    x")
        #expect(
            line(.offset(.seconds(-12_600)), moment.nanoseconds) == "2025-11-20 06:50:30.123-03:30 info    x")
        #expect(line(.utc, -1) == "1969-12-31 23:59:59.999Z info    x")
        #expect(line(.utc, 951_782_400_000_000_000) == "2000-02-29 00:00:00.000Z info    x")
    }

    @Test("Newlines are escaped, or kept and indented, as asked")
    func newlines() {
        let message = LogMessage("a\nb\\c\u{1B}", timestamp: moment, file: "")
        var options = LineFormatter.Options()
        options.showsTime = false
        #expect(LineFormatter(options).format(message) == "info    a\\nb\\\\c\\u{1b}")
        options.escaping = .indent
        #expect(LineFormatter(options).format(message) == "info    a\n    b\\c\\u{1b}")
        options.escaping = .none
        #expect(LineFormatter(options).format(message) == "info    a\nb\\c\u{1B}")
    }

    @Test("It serves many loggers at once")
    func shared() {
        let formatter = LineFormatter()
        onThreads(4) { thread in
            for index in 0..<Load.scaled(5000) {
                let second = Int64(thread * 100 + index % 3)
                let message = LogMessage(
                    "x", timestamp: LogTimestamp(nanoseconds: second * 1_000_000_000), file: "")
                let expected = String(
                    format: "1970-01-01 00:%02d:%02d.000Z info    x", second / 60, second % 60)
                #expect(formatter.format(message) == expected)
            }
        }
    }
}

@Suite("The JSON formatter", .inTurn)
struct JSONLinesFormatterTests {
    @Test("An object has its keys in their order, and typed fields")
    func full() {
        let message = LogMessage(
            "took \(12.5, as: "ms") ms for \("ann", as: "user", privacy: .private)", level: .notice,
            category: LogCategory("payments"), context: 3, metadata: ["order": 17, "ok": true, "n": nil],
            timestamp: moment, sequence: 17, file: "Shop/Shop.swift", function: "charge()", line: 42,
            threadID: 9,
            threadName: "worker", queueLabel: "q", taskName: "t")
        #expect(
            JSONLinesFormatter().format(message) == """
                {"time":"2025-11-20T10:20:30.123456789Z","level":"notice","category":"payments",\
                "message":"took 12.5 ms for <private>","ms":12.5,"user":"<private>","order":17,"ok":true,"n":null,\
                "context":3,"file":"Shop/Shop.swift","line":42,"function":"charge()","thread":9,\
                "thread_name":"worker","queue":"q","task":"t","seq":17}
                """)
    }

    @Test("Every type of value is the JSON that fits it")
    func types() throws {
        let uuid = UUID()
        let message = LogMessage(
            "x",
            metadata: [
                "u": .unsigned(.max), "d": 0.1, "inf": .double(.infinity), "nan": .double(.nan),
                "date": .timestamp(moment), "uuid": .uuid(uuid), "dec": .decimal("1.10"),
                "list": .array([1, "a", nil]),
                "obj": ["k": false], "float": LogValue(Float(0.1)), "neg": -0.0,
            ])
        let line = try #require(JSONLinesFormatter().format(message))
        for part in [
            "\"u\":18446744073709551615", "\"d\":0.1", "\"inf\":\"inf\"", "\"nan\":\"nan\"",
            "\"date\":\"2025-11-20T10:20:30.123", "\"uuid\":\"\(uuid)\"", "\"dec\":1.10",
            "\"list\":[1,\"a\",null]",
            "\"obj\":{\"k\":false}", "\"float\":0.1", "\"neg\":-0.0",
        ] {
            #expect(line.contains(part), "\(part) in \(line)")
        }
    }

    @Test("No key occurs twice: names get underscores in front, and no field is lost")
    func keys() throws {
        let message = LogMessage(
            "\(1, as: "ms") \(2, as: "ms") \(3, as: "level") \(4, as: "_ms")",
            metadata: ["ms": 5, "level": 6, "other": 7])
        let line = try #require(JSONLinesFormatter().format(message))
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let numbers = object.compactMapValues { $0 as? Int }
        #expect(numbers["ms"] == 1)
        #expect(numbers["_level"] == 3)
        #expect(Set(numbers.values).isSuperset(of: [1, 2, 3, 4, 5, 6, 7]))
        #expect(object["level"] as? String == "info")
        let keys = line.split(separator: ",").compactMap { $0.split(separator: ":").first }
        #expect(Set(keys).count == keys.count)
    }

    @Test("Of fields beside the text with one name, the first holds: the call's before the dispatcher's")
    func precedence() throws {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger(formatter: JSONLinesFormatter())
        dispatcher.add(logger)
        dispatcher.metadata = ["a": 1, "b": 2]
        logInfo("\(9, as: "c")", metadata: ["a": 3], to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let line = try #require(logger.lines.first)
        #expect(line.contains("\"c\":9,\"a\":3,\"b\":2"))
    }

    @Test("Place and thread can be left out")
    func options() {
        var options = JSONLinesFormatter.Options()
        (options.includesSource, options.includesThread) = (false, false)
        let message = LogMessage("x", timestamp: LogTimestamp(nanoseconds: 0), threadName: "t")
        #expect(
            JSONLinesFormatter(options).format(message)
                == "{\"time\":\"1970-01-01T00:00:00.000000000Z\",\"level\":\"info\",\"message\":\"x\",\"seq\":0}"
        )
    }
}

@Suite("Formatters of one's own", .inTurn)
struct LogFormatterTests {
    private final class AsString: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage) -> String? {
            "[" + (super.format(message) ?? "nil") + "]"
        }
    }
    private final class AsBytes: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
            output.append("<" as StaticString)
            defer { output.append(">" as StaticString) }
            return super.format(message, into: &output)
        }
    }
    private final class Dropping: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
            output.append(message.text)
            return message.level == .error
        }
    }
    private final class Wrapping: LogFormatter, @unchecked Sendable {
        let inner: LogFormatter
        init(_ inner: LogFormatter) { self.inner = inner }
        override func format(_ message: LogMessage) -> String? {
            inner.format(message).map { "(" + $0 + ")" }
        }
    }

    private func both(_ formatter: LogFormatter, _ message: LogMessage) -> [String?] {
        var buffer = LogBuffer()
        return [formatter.format(message), formatter.format(message, into: &buffer) ? buffer.text : nil]
    }

    @Test("Either method may be overridden, may call the other class's form, and both give the same")
    func overrides() {
        let message = LogMessage("x")
        #expect(both(LogFormatter(), message) == ["x", "x"])
        #expect(both(AsString(), message) == ["[x]", "[x]"])
        #expect(both(AsBytes(), message) == ["<x>", "<x>"])
        #expect(both(Wrapping(AsBytes()), message) == ["(<x>)", "(<x>)"])
        #expect(both(Wrapping(Wrapping(AsString())), message) == ["(([x]))", "(([x]))"])
    }

    @Test("What a formatter drops is not there, in either form, and counts as filtered")
    func dropping() {
        #expect(both(Dropping(), LogMessage("x")) == [nil, nil])
        #expect(both(Wrapping(Dropping()), LogMessage("x", level: .error)) == ["(x)", "(x)"])
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger(formatter: Dropping())
        dispatcher.add(logger)
        for index in 0..<10 { log("\(index)", level: index == 5 ? .error : .info, to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.lines == ["5"])
        #expect(logger.statistics.filtered == 9)
        #expect(logger.statistics.delivered == 1)
        #expect(logger.statistics.isBalanced)
    }
}
