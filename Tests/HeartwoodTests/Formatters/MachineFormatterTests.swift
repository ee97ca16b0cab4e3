import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

private let moment = LogTimestamp(nanoseconds: 1_763_634_030_123_456_789)

private func message(
    _ metadata: LogMetadata = ["order": 17, "ok": true, "list": .array([1, "a"])], level: LogLevel = .error
)
    -> LogMessage
{
    LogMessage(
        "took \(12.5, as: "ms") ms", level: level, category: LogCategory("shop.payments"), context: 3,
        metadata: metadata, timestamp: moment, sequence: 42, file: "Shop/Cart.swift", function: "charge()",
        line: 7, threadID: 99, threadName: "worker", queueLabel: "q", taskName: "t")
}

private func object(_ line: String?) throws -> [String: Any] {
    let line = try #require(line)
    return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
}

@Suite("JSON for other systems", .inTurn)
struct JSONPresetTests {
    @Test("The Elastic Common Schema: its order, its keys, fields as labels")
    func ecs() throws {
        let formatter = JSONLinesFormatter(
            .ecs(service: "shop", environment: "dev", version: "1.2", dataset: "shop.log"))
        #expect(
            formatter.format(message()) == """
                {"@timestamp":"2025-11-20T10:20:30.123456789Z","log.level":"error","message":"took 12.5 ms",\
                "ecs.version":"8.11.0","service.name":"shop","service.environment":"dev","service.version":"1.2",\
                "event.dataset":"shop.log","log.logger":"shop.payments","log.origin.file.name":"Shop/Cart.swift",\
                "log.origin.file.line":7,"log.origin.function":"charge()","process.thread.id":99,\
                "process.thread.name":"q","event.sequence":42,\
                "labels":{"ms":12.5,"order":17,"ok":true,"list":"[1,\\"a\\"]"}}
                """)
        let bare = try object(formatter.format(LogMessage("x", metadata: ["message": 1])))
        #expect((bare["labels"] as? [String: Int]) == ["message": 1])
        #expect(try object(formatter.format(LogMessage("x")))["labels"] == nil)
    }

    @Test("No field collides with a member of ECS's document, nor with the beginning of another field")
    func ecsCollisions() throws {
        let names = [
            "event", "log", "process", "process.thread", "@timestamp", "labels", "error", "error.type",
            "trace",
            "a", "a.b", "a_b", "a.b.c", "", ".",
        ]
        var fields = LogMetadata()
        for name in names { fields[name] = .string(name) }
        let document = try object(JSONLinesFormatter(.ecs(service: "shop")).format(message(fields)))
        let labels = try #require(document["labels"] as? [String: Any])
        // The named value of the text is a label, too.
        #expect(labels.count == names.count + 1)
        #expect(labels.keys.allSatisfy { !$0.contains(".") && !$0.isEmpty })
        #expect(labels["a"] as? String == "a" && labels["a_b"] as? String == "a.b")
        #expect(labels["event"] as? String == "event" && document["event"] == nil)
        // Beside the labels, a point is a step into an object: no member is a value and an object.
        let members = Set(document.keys.filter { $0 != "labels" })
        for member in members {
            for other in members where other.hasPrefix(member + ".") {
                Issue.record("\(member) and \(other)")
            }
        }
    }

    @Test("GELF: version, host, a number of seconds, syslog's level, underscores, strings and numbers alone")
    func gelf() throws {
        let formatter = JSONLinesFormatter(.gelf(host: "web1"))
        let line = try #require(
            formatter.format(
                message(["order": 17, "ok": true, "none": nil, "id": 5, "a b/é": "x", "file": 1])))
        let object = try object(line)
        #expect(
            line.hasPrefix(
                #"{"version":"1.1","host":"web1","short_message":"took 12.5 ms","timestamp":1763634030.123456789,"level":3,"#
            ))
        #expect(object["_ms"] as? Double == 12.5)
        #expect(object["_order"] as? Int == 17)
        #expect(object["_ok"] as? String == "true")
        #expect(object["_none"] as? String == "null")
        #expect(object["_id"] == nil)
        #expect(object["__id"] as? Int == 5)
        #expect(object["_a_b__"] as? String == "x")
        #expect(object["_file"] as? String == "Shop/Cart.swift")
        #expect(object["__file"] as? Int == 1)
        for (key, value) in object {
            #expect(value is String || value is NSNumber, "\(key)")
            #expect(
                key.hasPrefix("_")
                    || ["version", "host", "short_message", "timestamp", "level"].contains(key))
        }
    }

    @Test("An empty text is a dash in GELF, whose receivers refuse an empty one, and empty in other objects")
    func emptyText() throws {
        let message = LogMessage("")
        let gelf = try #require(JSONLinesFormatter(.gelf(host: "web1")).format(message))
        #expect(try object(gelf)["short_message"] as? String == "-")
        let json = try #require(JSONLinesFormatter().format(message))
        #expect(try object(json)["message"] as? String == "")
    }

    @Test("Members can be chosen, named, ordered and given constants; a key that comes again is left out")
    func members() throws {
        var options = JSONLinesFormatter.Options()
        options.members = [
            .level("l", .upperName), .constant("app", "shop"), .message("m"), .time("t", .unixMilliseconds),
            .time("ts", .milliseconds), .message("m"), .fields, .level("n", .syslog),
            .level("sb", .swiftyBeaver),
        ]
        #expect(
            JSONLinesFormatter(options).format(message(["m": 1])) == """
                {"l":"ERROR","app":"shop","m":"took 12.5 ms","t":1763634030123,"ts":"2025-11-20T10:20:30.123Z",\
                "ms":12.5,"_m":1,"n":3,"sb":4}
                """)
        options.members = [.fields]
        #expect(JSONLinesFormatter(options).format(LogMessage("x")) == "{}")
        #expect(JSONLinesFormatter(options).format(message([:])) == "{\"ms\":12.5}")
        options.fields = .inObject("f")
        #expect(JSONLinesFormatter(options).format(message([:])) == "{\"f\":{\"ms\":12.5}}")
    }

    @Test("Moments before 1970 have the sign of a number")
    func negative() {
        var options = JSONLinesFormatter.Options()
        options.members = [.time("t", .unixSeconds), .time("u", .unixMilliseconds)]
        let early = LogMessage("x", timestamp: LogTimestamp(nanoseconds: -1_500_000_000))
        #expect(JSONLinesFormatter(options).format(early) == "{\"t\":-1.500000000,\"u\":-1500}")
    }

    @Test(
        "Every level has its number in every system",
        arguments: zip(LogLevel.standardLevels, [2, 3, 4, 5, 6, 7, 7]))
    func levels(level: LogLevel, number: Int) throws {
        #expect(
            try object(JSONLinesFormatter(.gelf()).format(message(level: level)))["level"] as? Int == number)
    }
}

@Suite("The logfmt formatter", .inTurn)
struct LogfmtFormatterTests {
    @Test("Keys in their order, values quoted where they must be")
    func full() {
        #expect(
            LogfmtFormatter().format(
                message([
                    "order": 17, "who": "ann b", "empty": "", "q": "a\"b", "eq": "a=b",
                    "l": .array([1, "x"]),
                ]))
                == #"time=2025-11-20T10:20:30.123Z level=error msg="took 12.5 ms" category=shop.payments ms=12.5 order=17 "#
                + #"who="ann b" empty= q="a\"b" eq="a=b" l="[1,\"x\"]" context=3 source=Cart.swift:7 thread=q seq=42"#
        )
    }

    @Test("Keys have no blanks, quotes or equals signs, and none comes twice")
    func keys() throws {
        let line = try #require(
            LogfmtFormatter().format(
                LogMessage("x", metadata: ["a b": 1, "a=b": 2, "": 3, "é\"\n": 4, "level": 5], file: "")))
        #expect(line.contains(" a_b=1 _a_b=2 _=3 ___=4 _level=5 "), "\(line)")
    }

    @Test("Parts can be left out, private values are redacted")
    func options() {
        var options = LogfmtFormatter.Options()
        (options.includesSource, options.includesThread, options.includesSequence) = (false, false, false)
        let message = LogMessage("\("s", as: "who", privacy: .private)", timestamp: moment)
        #expect(
            LogfmtFormatter(options).format(message)
                == "time=2025-11-20T10:20:30.123Z level=info msg=<private> who=<private>")
        options.privacy = .reveal
        #expect(
            LogfmtFormatter(options).format(message) == "time=2025-11-20T10:20:30.123Z level=info msg=s who=s"
        )
    }
}

@Suite("The syslog formatter", .inTurn)
struct SyslogFormatterTests {
    private func formatter(_ change: (inout SyslogFormatter.Options) -> Void = { _ in }) -> SyslogFormatter {
        var options = SyslogFormatter.Options()
        (options.host, options.program) = ("web1", "shop")
        change(&options)
        return SyslogFormatter(options)
    }

    @Test("All parts of RFC 5424 in their order")
    func full() {
        #expect(
            formatter().format(message(["order": 17, "note": "a \"b\" [c] \\d\n"])) == #"""
                <11>1 2025-11-20T10:20:30.123456Z web1 shop \#(getpid()) shop.payments \#
                [heartwood@32473 ms="12.5" order="17" note="a \"b\" [c\] \\d\\n"] took 12.5 ms
                """#)
        #expect(
            formatter {
                $0.includesSequence = true; $0.facility = .local7
            }.format(
                LogMessage("é", level: .verbose, timestamp: moment, sequence: 2_147_483_647))
                == "<191>1 2025-11-20T10:20:30.123456Z web1 shop \(getpid()) - [meta sequenceId=\"1\"] é")
        #expect(
            formatter { $0.writesByteOrderMark = true }.format(LogMessage("x", timestamp: moment))?.hasSuffix(
                "- - \u{FEFF}x")
                == true)
    }

    @Test("Names hold printable ASCII alone, cut to their lengths; an empty one is a hyphen")
    func names() throws {
        let long = String(repeating: "x", count: 300)
        let line = try #require(
            formatter {
                $0.host = "a b\n\(long)"
                $0.program = ""
                $0.elementName = "a=b]\"c"
            }.format(
                LogMessage(
                    "m", category: LogCategory("é \(long)"), metadata: ["k=]\" \(long)": 1], timestamp: moment
                )))
        let parts = line.split(separator: " ")
        #expect(parts[2] == "a_b_" + Substring(long.prefix(251)))
        #expect(parts[3] == "-")
        #expect(parts[5] == "__" + Substring(long.prefix(30)))
        #expect(parts[6] == "[a_b__c")
        #expect(parts[7] == "k____" + Substring(long.prefix(27)) + "=\"1\"]")
    }
}

@Suite("Chains of formatters", .inTurn)
struct FormatterChainTests {
    private final class Shout: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage) -> String? { message.text.uppercased() }
    }
    private final class Dropping: LogFormatter, @unchecked Sendable {
        override func format(_ message: LogMessage) -> String? {
            message.level == .error ? message.text : nil
        }
    }

    @Test("Each gets the text that the one before made, and everything else as it was")
    func order() throws {
        let chain = FormatterChain([try PatternFormatter("<{message}>"), Shout(), JSONLinesFormatter()])
        let original = message(["order": 17])
        let object = try object(chain.format(original))
        #expect(object["message"] as? String == "<TOOK 12.5 MS>")
        #expect(object["order"] as? Int == 17)
        #expect(object["level"] as? String == "error")
        #expect(object["file"] as? String == "Shop/Cart.swift")
        #expect(object["thread_name"] as? String == "worker")
        #expect(object["task"] as? String == "t")
        #expect(object["seq"] as? Int == 42)
        #expect(original.text == "took 12.5 ms")
    }

    @Test("One that drops a message ends the chain; an empty chain writes the text")
    func dropping() throws {
        let chain = FormatterChain([Dropping(), try PatternFormatter("{message}!")])
        #expect(chain.format(LogMessage("x")) == nil)
        #expect(chain.format(LogMessage("x", level: .error)) == "x!")
        #expect(FormatterChain([]).format(LogMessage("x")) == "x")
        #expect(FormatterChain([Shout()]).format(LogMessage("x")) == "X")
    }

    @Test("Tags, large texts and messages of a real logger go through it")
    func real() throws {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        let logger = RecordingLogger(
            formatter: FormatterChain([try PatternFormatter("[{tag}] {message}"), LogFormatter()]))
        dispatcher.add(logger)
        let large = String(repeating: "é", count: 200_000)
        logInfo("\(large)", tag: "t", to: dispatcher)
        logInfo("small \(1)", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.lines == ["[t] \(large)", "[] small 1"])
    }
}
