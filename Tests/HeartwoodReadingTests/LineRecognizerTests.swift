import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

@Suite("Reading what lines say", .inTurn)
struct LineRecognizerTests {
    static let formatters: [LogFormatter] = [
        LineFormatter(), JSONLinesFormatter(), JSONLinesFormatter(.ecs(service: "shop")),
        JSONLinesFormatter(.gelf(host: "web1")), JSONLinesFormatter(.swiftyBeaver), LogfmtFormatter(),
        SyslogFormatter(),
    ]

    @Test("Every format of the framework is read back", arguments: 0..<7)
    func reads(_ index: Int) throws {
        let formatter = Self.formatters[index]
        let clock = ManualClock()
        let recorder = RecordingLogger()
        let dispatcher = LogDispatcher(clock: clock)
        dispatcher.add(recorder)
        let hasFiveLevels = index == 4
        for level in LogLevel.standardLevels {
            if hasFiveLevels, level == .fatal || level == .notice { continue }
            log(
                "paid \"12\" \\ 5% {a}", level: level, category: LogCategory("net.http"),
                metadata: ["ms": 12.5, "user": "ann b"], to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        for message in recorder.messages {
            let line = try #require(formatter.format(message))
            let record = LineRecognizer().record(of: line)
            let difference = try #require(record.moment) - message.timestamp
            #expect(difference > .milliseconds(-2) && difference < .milliseconds(2), "\(line)")
            let isSyslogVerbose = message.level == .verbose && record.level == .debug
            #expect(record.level == message.level || isSyslogVerbose, "\(line)")
            if index != 4 { #expect(record.category == "net.http", "\(line)") }
            #expect(record.message.hasPrefix("paid \"12\" \\"), "\(line)")
            #expect(["ms", "_ms"].contains { record[$0]?.value == "12.5" }, "\(line)")
            #expect(["user", "_user"].contains { record[$0]?.value == "ann b" }, "\(line)")
        }
    }

    static let now = LogTimestamp(nanoseconds: 1_795_000_000_000_000_000)  // 2026-11-18

    @Test(
        "The lines of other programs are read",
        arguments: [
            (
                "2015-07-29 17:41:44,747 - INFO  [QuorumPeer:a@774] - Notification",
                "2015-07-29T17:41:44.747Z", "info"
            ),
            ("Dec 10 06:55:46 LabSZ sshd[24200]: Invalid user", "2025-12-10T06:55:46Z", ""),
            ("<34>Nov 10 10:20:30 web su: failed", "2026-11-10T10:20:30Z", "fatal"),
            ("E1110 10:20:30.250000 1 main.go:3] broken", "2026-11-10T10:20:30.25Z", "error"),
            ("[Thu Jun 09 06:07:04 2005] [notice] LDAP: Built", "2005-06-09T06:07:04Z", "notice"),
            (
                "10.0.0.1 - - [20/Nov/2026:10:20:30 +0100] \"GET / HTTP/1.1\" 200", "2026-11-20T09:20:30Z",
                "info"
            ),
            (#"{"level":30,"time":1763634030123,"msg":"x"}"#, "2025-11-20T10:20:30.123Z", "info"),
            (
                #"{"level":"warn","ts":1763634030.5,"logger":"db","msg":"x"}"#, "2025-11-20T10:20:30.5Z",
                "warning"
            ),
            (
                #"{"@timestamp":"2026-11-20T10:20:30Z","log":{"level":"error"}}"#, "2026-11-20T10:20:30Z",
                "error"
            ),
            (
                #"{"__REALTIME_TIMESTAMP":"1763634030123456","PRIORITY":"4"}"#, "2025-11-20T10:20:30.123456Z",
                "warning"
            ),
            ("ts=2026-11-20T10:20:30Z lvl=warn msg=\"a b\"", "2026-11-20T10:20:30Z", "warning"),
            ("2026-11-20T10:20:30+0100 host app[3]: x", "2026-11-20T09:20:30Z", ""),
            ("[2026-11-20 10:20:30] [error] x", "2026-11-20T10:20:30Z", "error"),
            ("no time and no level, only an error in a sentence", "", ""),
            ("17 bottles", "", ""), ("{", "", ""), ("{\"time\":\"", "", ""), ("<", "", ""), ("[", "", ""),
            ("Nov 20", "", ""),
        ])
    func foreign(_ line: String, _ moment: String, _ level: String) {
        let record = Array(line.utf8).withUnsafeBytes { LineRecognizer(now: Self.now).record(of: $0) }
        #expect(record.moment.map { LineRecord.text(of: $0) } ?? "" == moment)
        #expect(record.level?.name ?? "" == level)
    }

    @Test("Text, category and fields are told apart")
    func parts() {
        let parser = LineRecognizer(now: Self.now)
        let syslog = parser.record(of: "Dec 10 06:55:46 LabSZ sshd[24200]: Invalid user a=b")
        #expect(syslog.category == "sshd" && syslog.message == "Invalid user a=b")
        #expect(
            syslog.fields == [
                .init("host", "LabSZ"), .init("pid", "24200", isLiteral: true), .init("a", "b"),
            ])
        let line = parser.record(of: "2026-11-20 10:20:30.123Z info    A.swift:42 no {fields} here")
        #expect(line.message == "no {fields} here" && line.fields == [.init("source", "A.swift:42")])
        let json = parser.record(
            of: #"{"msg":"a\nb \u00e9 \ud83d\ude00","n":[1,"}"],"o":{"p":{"q":1}},"b":true}"#)
        #expect(json.message == "a\nb é 😀")
        #expect(json.fields.map(\.name) == ["n", "o.p.q", "b"])
        #expect(json["n"]?.value == #"[1,"}"]"#)
    }

    @Test("No bytes end the process, however a line was cut", arguments: 0..<8)
    func cut(_ index: Int) throws {
        let lines = [
            #"{"time":"2026-11-20T10:20:30Z","level":"info","message":"a\u00e9\\","f":{"a":[1,{"b":2}]}}"#,
            "<134>1 2026-11-20T10:20:30Z web1 shop 512 pay [h@1 order=\"17\\\"\"][x] charged",
            "time=2026-11-20T10:20:30Z level=info msg=\"charged \\\" 12.5\" ms=3",
            "2026-11-20 10:20:30.123Z info    pay A.swift:42 charged {a=\"b c\" d=1}",
            "E1120 10:20:30.123456 17 a.go:3] x", "[Thu Nov 20 10:20:30.1 2026] [error] x",
            "Nov 20 10:20:30 web sshd[1]: x", "1763634030.123456 error x",
        ]
        let bytes = Array(lines[index].utf8)
        for count in 0...bytes.count {
            // Without anything after the end that could be read by mistake.
            let part = Array(bytes[..<count])
            part.withUnsafeBytes { _ = LineRecognizer().record(of: $0) }
            for place in stride(from: 0, to: count, by: 3) {
                var changed = part
                changed[place] = [0x22, 0x5C, 0xFF, 0x20, 0x7B][place % 5]
                changed.withUnsafeBytes { _ = LineRecognizer().record(of: $0) }
            }
        }
    }
}
