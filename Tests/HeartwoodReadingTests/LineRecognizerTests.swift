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
            ("17 bottles", "", ""), (#"{"MESSAGE":[104,   "#, "", ""), ("{", "", ""),
            ("{\"time\":\"", "", ""), ("<", "", ""), ("[", "", ""),
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

    static let recognizer = LineRecognizer(now: LogTimestamp(nanoseconds: 1_795_219_200_000_000_000))

    @Test("The lines of a program say what its documentation says", arguments: ProgramLine.all)
    func program(_ sample: ProgramLine) {
        let record = Self.recognizer.record(of: sample.line)
        #expect(record.moment.map { LineRecord.text(of: $0) } == sample.time)
        #expect(record.level == sample.level)
        #expect(record.category == sample.category)
        #expect(record.message == sample.message)
        for (name, value) in sample.fields { #expect(record[name]?.value == value, "\(name)") }
    }

    /// What other tools make of a line.
    static let wrappings: [@Sendable (String) -> String] = [
        { $0 }, { "web-1  | " + $0 }, { "<14>" + $0 }, { "<14>1 2026-11-20T10:20:30Z web1 shop 7 - - " + $0 },
        { "Nov 20 10:20:30 web1 shop[4711]: " + $0 }, { "2026-11-20T10:20:30.5Z stdout F " + $0 },
        { "shop.log:" + $0 }, { "\u{1B}[31m" + $0 + "\u{1B}[0m" }, { $0 + " {level=error order=17}" },
        { #"{"log":"\#($0.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#))\n","stream":"x"}"# },
        { $0 + String(repeating: " and so on", count: 200) + " level=error" },
        { String($0.dropFirst($0.count / 3)) }, { String($0.prefix($0.count / 2)) },
    ]

    @Test("A line's time and level are the same, whatever is asked for", arguments: wrappings.indices)
    func extents(_ wrapping: Int) {
        for text in ProgramLine.all.map(\.line) + LineCase.all.map(\.line) {
            let line = Array(Self.wrappings[wrapping](text).utf8)
            line.withUnsafeBytes { line in
                let record = Self.recognizer.record(of: line)
                let head = Self.recognizer.head(of: line)
                let timed = Self.recognizer.head(of: line, levels: false)
                let text = String(decoding: line, as: UTF8.self)
                #expect(head.moment == record.moment && timed.moment == record.moment, "\(text)")
                #expect(head.level == record.level, "\(text)")
                #expect(Self.recognizer.moment(of: line) == record.moment, "\(text)")
                #expect(Self.recognizer.level(of: line) == record.level, "\(text)")
                #expect(head.hasUnknownZone == record.hasUnknownZone, "\(text)")
                #expect(head.form == record.form && timed.form == record.form, "\(text)")
            }
        }
    }

    @Test(
        "Of several members that may be the time or the level, the first counts whose value is one",
        arguments: [
            (#"{"t":5,"level":"error","time":"2026-11-20T10:20:30Z"}"#, true, "error"),
            (#"{"date":"Friday","timestamp":"2026-11-20T10:20:30Z"}"#, true, ""),
            (#"{"time":12.5,"ts":"2026-11-20T10:20:30Z"}"#, true, ""),
            (#"{"level":{"code":3},"severity":"error"}"#, false, "error"),
            (#"{"level":"","severity":"error"}"#, false, "error"),
            (#"{"request":{"level":"debug"},"level":"error","message":"nested"}"#, false, "error"),
            (#"{"message":"ok","level":"info","context":{"level":"error"}}"#, false, "info"),
            (#"{"log":{"level":"error"},"@timestamp":"2026-11-20T10:20:30Z"}"#, true, "error"),
            (#"{"context":{"level":"error"},"request":{"time":"2026-11-20T10:20:30Z"}}"#, false, ""),
        ])
    func members(_ line: String, _ hasTime: Bool, _ level: String) {
        let record = LineRecognizer(now: Self.now).record(of: line)
        #expect(record.moment == (hasTime ? moment("2026-11-20T10:20:30Z") : nil))
        #expect(record.level?.name ?? "" == level)
        #expect(LogLine(text: line).level == record.level)
    }

    @Test("The line's own level counts, however long the message in front of it is")
    func late() {
        let line = #"{"message":"\#(String(repeating: "x", count: 600))","levelname":"ERROR","n":1}"#
        #expect(LogLine(text: line).level == .error)
    }

    @Test(
        "A digit is a level only in a format that defines it",
        arguments: [
            (#"{"level":1,"msg":"x"}"#, ""), (#"{"lvl":0,"msg":"x"}"#, ""), (#"{"severity":3}"#, ""),
            ("Jul  1 09:01:06 mac corecaptured[31174]: [lvl=2] x", ""), ("ts=2026-11-20 level=2 x=y", ""),
            (#"{"reqId":"a","level":1,"message":"x"}"#, "info"), (#"{"reqId":"a","level":4}"#, "fatal"),
            (#"{"version":"1.1","short_message":"x","level":3}"#, "error"),
            (#"{"PRIORITY":"3","MESSAGE":"x"}"#, "error"), ("<4>x", "warning"),
            (#"{"severityNumber":17,"body":"x"}"#, "error"), (#"{"level":50,"msg":"x"}"#, "error"),
        ])
    func digits(_ line: String, _ level: String) { #expect(LogLine(text: line).level?.name ?? "" == level) }

    @Test(
        "A zone is read where it means one zone; with another, the line has no time",
        arguments: [
            ("2026-11-20 10:20:30.123 EST [7] ERROR: x", "2026-11-20T15:20:30.123Z"),
            ("2026-11-20 10:20:30 CET x", "2026-11-20T09:20:30Z"),
            ("2026-11-20 10:20:30 -03 [7] x", "2026-11-20T13:20:30Z"),
            ("2026-11-20 10:20:30 GMT+3 x", "2026-11-20T07:20:30Z"),
            ("2026-11-20 10:20:30 UTC-03:30 x", "2026-11-20T13:50:30Z"),
            ("2026-11-20 10:20:30 GMT x", "2026-11-20T10:20:30Z"),
            ("2026-11-20T10:20:30+0545 x", "2026-11-20T04:35:30Z"),
            ("Fri Nov 20 10:20:30 EST 2026", "2026-11-20T15:20:30Z"),
            ("Wed May 19 08:00:01 UTC 2021 x", "2021-05-19T08:00:01Z"),
            ("Fri, 20 Nov 2026 10:20:30 +0100 x", "2026-11-20T09:20:30Z"),
            ("[20-Nov-2026 10:20:30 UTC] PHP Warning:  x", "2026-11-20T10:20:30Z"),
            ("2026-11-20 10:20:30 IST [7] ERROR: x", ""), ("2026-11-20 10:20:30 CST x", ""),
            ("2026-11-20T10:20:30FOO x", ""), ("Fri Nov 20 10:20:30 XYZ 2026", ""),
            ("[20-Nov-2026 10:20:30 Europe/Berlin] PHP Warning:  x", ""),
            ("2026-11-20 10:20:30 ABC x", "2026-11-20T10:20:30Z"),
            (#"{"time":"2026-11-20 10:20:30 IST","msg":"x"}"#, ""), ("time=2026-11-20T10:20:30FOO msg=x", ""),
        ])
    func zones(_ line: String, _ time: String) {
        let head = Array(line.utf8).withUnsafeBytes { LineRecognizer(now: Self.now).head(of: $0) }
        #expect(head.moment.map { LineRecord.text(of: $0) } ?? "" == time)
        #expect(head.hasUnknownZone == time.isEmpty)
    }

    @Test(
        "What other tools put in front of a line becomes a field",
        arguments: [
            ("web-1  | 2026-11-20T10:20:30Z ERROR boom", "container=web-1"),
            ("\u{1B}[2Kweb-1  | \u{1B}[31m2026-11-20T10:20:30Z ERROR boom\u{1B}[0m", "container=web-1"),
            ("[pod/shop-7d9f/app] 2026-11-20T10:20:30Z ERROR boom", "pod=shop-7d9f container=app"),
            ("shop-7d9f9c5b8d-x2x4k app 2026-11-20T10:20:30Z ERROR boom", "container=app"),
            ("10:20:30 web.1  | 2026-11-20T10:20:30Z ERROR boom", "process=web.1"),
            ("logs/shop.log:2026-11-20T10:20:30Z ERROR boom", "file=logs/shop.log"),
            ("logs/shop.log:12:2026-11-20T10:20:30Z ERROR boom", "file=logs/shop.log line=12"),
            (#"a.json:{"level":"error","time":"2026-11-20T10:20:30Z","msg":"boom"}"#, "file=a.json"),
            (
                "nova.log.1.2017-05-16_13:53:08 2026-11-20 10:20:30 ERROR boom",
                "file=nova.log.1.2017-05-16_13:53:08"
            ),
        ])
    func prefixes(_ line: String, _ fields: String) {
        let record = LineRecognizer(now: Self.now).record(of: line)
        #expect(record.moment == moment("2026-11-20T10:20:30Z") && record.level == .error)
        #expect(record.message == "boom")
        for field in fields.split(separator: " ") {
            let parts = field.split(separator: "=").map { String($0) }
            #expect(record[parts[0]]?.value == parts[1])
        }
    }

    @Test(
        "What is not certain is unknown, and what is unusual is not wrong",
        arguments: [
            ("2026-11-20 1:20:30 PM ERROR x", "2026-11-20T13:20:30Z", "error"),
            ("[2026/11/20 12:20:30 am] ERROR x", "2026-11-20T00:20:30Z", "error"),
            ("20.11.2026 10:20:30 p.m. x", "2026-11-20T22:20:30Z", ""),
            ("2026-11-20\t10:20:30\tLAX1", "2026-11-20T10:20:30Z", ""),
            ("[2026-11-20] [10:20:30] [ERROR] x", "2026-11-20T10:20:30Z", "error"),
            ("2026-11-20 | 10:20:30 | ERROR | x", "2026-11-20T10:20:30Z", "error"),
            ("2026-11-20,10:20:30,ERROR,x", "2026-11-20T10:20:30Z", "error"),
            (#""2026-11-20" "10:20:30" "x""#, "2026-11-20T10:20:30Z", ""),
            ("2026-11-20 at 10:20:30 x", "", ""), ("2026-11-20 10h20 x", "", ""),
            ("2026-11-20 backup done", "2026-11-20T00:00:00Z", ""),
            ("Nov 20, 2026 10:20:30 AM EST x", "2026-11-20T15:20:30Z", ""),
            ("2026-11-20T10:20:30[Europe/Berlin] ERROR x", "", "error"),
            ("2026-11-20 10:20:30 [CST] ERROR x", "", "error"), ("[2026-11-20 10:20:30 (CST)] x", "", ""),
            ("2026-11-20 10:20:30 Central Standard Time x", "", ""), ("Nov 20 10:20:30 PST8PDT x", "", ""),
            ("2026-11-20 10:20:30 CAT sat on the mat", "2026-11-20T10:20:30Z", ""),
            ("2026-11-20 10:20:30 CAT [7] x", "2026-11-20T08:20:30Z", ""),
            ("2026-11-20 10:20:30 -05 degrees", "2026-11-20T10:20:30Z", ""),
            ("05/06/2026 10:20:30 ERROR x", "", "error"),
            ("25/12/2026 10:20:30 x", "2026-12-25T10:20:30Z", ""),
            ("1234567890 is my number", "", ""), ("1763634030: started", "2025-11-20T10:20:30Z", ""),
            ("1763634030.5: started", "2025-11-20T10:20:30.5Z", ""),
            ("1428634687123 Hello", "2015-04-10T02:58:07.123Z", ""),
            ("10:20:30 ERROR x", "", "error"), ("Certificate expires 2030-01-01 00:00:00", "", ""),
            ("2026-11-20 10:20:30 alert sent to bob", "2026-11-20T10:20:30Z", ""),
            ("2026-11-20 10:20:30 error rate is 0", "2026-11-20T10:20:30Z", ""),
            ("2026-11-20 10:20:30   error   x", "2026-11-20T10:20:30Z", "error"),
            ("2026-11-20T10:20:30Z error x", "2026-11-20T10:20:30Z", "error"),
            ("2026-11-20 10:20:30,123 p=1 u=bob | TASK [debug] ***", "2026-11-20T10:20:30.123Z", ""),
            ("E AndroidRuntime: FATAL EXCEPTION: main", "", "error"), ("A/B testing(1): on", "", ""),
            ("LogLevel: ERROR", "", ""), ("[A] Em [F] x", "", ""), ("<error>x</error>", "", ""),
            (#"{"levelno":20,"level":20,"levelname":"INFO"}"#, "", "info"),
            (#"{"level":50,"levelno":50,"message":"x"}"#, "", "fatal"),
            (#"{"severity":"DEFAULT","message":"x"}"#, "", ""),
            (#"{"priority":"critical","message":"x"}"#, "", ""),
        ])
    func uncertain(_ line: String, _ time: String, _ level: String) {
        let record = LineRecognizer(now: Self.now).record(of: line)
        #expect(record.moment.map { LineRecord.text(of: $0) } ?? "" == time)
        #expect(record.level?.name ?? "" == level)
        check(Array(line.utf8))
    }

    @Test(
        "Headers are read in any order, and sentences that look like them are not",
        arguments: [
            (
                "[2026-11-20T10:20:30,123][ERROR][o.e.b.Bootstrap          ] [node-1] Exception",
                "time|error|o.e.b.Bootstrap|[node-1] Exception"
            ),
            ("ERROR [ReadStage-2] 2026-11-20 10:20:30,123 Foo.java:42 - boom", "time|error||boom"),
            ("[Nest] 12  - 11/20/2026, 10:20:30 AM   ERROR [Foo] x", "time|error||[Foo] x"),
            ("ERRO[2026-11-20T10:20:30+01:00] boom", "time|error||boom"),
            ("INFO: 2026-11-20 10:20:30 x", "time|info||x"),
            ("INFO - 2026-11-20 10:20:30 - x", "time|info||x"),
            ("[api] 2026-11-20 10:20:30 ERROR x", "time|error||x"),
            ("192.168.1.1: 2026-11-20 10:20:30 foo", "time|||foo"),
            ("2026-11-20 10:20:30 4711 ERROR boom", "time|error||boom"),
            ("2026-11-20 10:20:30,123 4711 INFO shop [-] x", "time|info||shop [-] x"),
            ("2026-11-20T10:20:30.123Z 4711 TID-x INFO: x", "time|info||x"),
            ("2026-11-20 10:20:30.123 [pool-1] com.acme.Foo ERROR boom", "time|error|com.acme.Foo|boom"),
            ("2026-11-20 10:20:30 shop: ERROR: boom", "time|error|shop|boom"),
            ("2026-11-20 10:20:30,123 - shop.pay - [ERROR] - boom", "time|error|shop.pay|boom"),
            ("2026-11-20 10:20:30 :: ERROR :: boom", "time|error||boom"),
            ("2026-11-20 10:20:30 shop.pay[4711] ERROR boom", "time|error|shop.pay|boom"),
            ("2026/11/20 10:20:30.123456 shop/main.go:12: ERROR boom", "time|error||boom"),
            ("0 [main] INFO c.a.Foo - x", "|info|c.a.Foo|x"),
            ("2026-11-20 10:20:30 UTC [12]: [1-1] user=x,db=y ERROR:  z", "time|error||z"),
            ("2026-11-20 10:20:30 UTC [12]: [1-1] LOG:  z", "time|info||z"),
            ("11-20 10:20:30.123  1000  4711  4712 E Tag: x", "time|error|Tag|x"),
            ("2026-11-20 10:20:30 E | x", "time|error||x"),
            ("[2026-11-20T10:20:30Z ERROR shop] boom", "time|error|shop|boom"),
            ("Nov 20 10:20:30 web1 dovecot: imap-login: Error: x", "time|error|dovecot|x"),
            ("2026-11-20 10:20:30 A client [10.0.0.1] connected", "time|||A client [10.0.0.1] connected"),
            ("2026-11-20 10:20:30 got [warning] from peer", "time|||got [warning] from peer"),
            ("2026-11-20 10:20:30 no [error] here", "time|||no [error] here"),
            ("ERROR[404] not found", "|||ERROR[404] not found"),
            ("2026-11-20 10:20:30 set DEBUG", "time|||set DEBUG"),
            ("INFO c.a.Foo - x", "|info|c.a.Foo|x"),
            ("DEBUG [main] c.a.Foo - x", "|debug|c.a.Foo|x"),
            ("[main] INFO c.a.Foo - x", "|info|c.a.Foo|x"),
            ("2026-11-20 10:20:30 [main] [ERROR] c.a.Foo - x", "time|error|c.a.Foo|x"),
            (
                "2026-11-20 10:20:30 INFO sqlalchemy.engine.Engine SELECT 1",
                "time|info|sqlalchemy.engine.Engine|SELECT 1"
            ),
            ("INFO  [2026-11-20 10:20:30,123] io.dropwizard.x: started", "time|info|io.dropwizard.x|started"),
            (
                "2026-11-20 10:20:30.123 ERROR [shop,abc,def] 12 --- [main] c.a.Foo : x",
                "time|error|c.a.Foo|x"
            ),
            (
                "2026-11-20 10:20:30 [scrapy.core.engine] INFO: Spider opened",
                "time|info|scrapy.core.engine|Spider opened"
            ),
            ("2026-11-20 10:20:30 - INFO - x", "time|info||x"),
            ("2026-11-20 10:20:30: y", "time|||y"),
            ("rclone ERROR : file.txt: x", "|error|rclone|file.txt: x"),
            ("foo | 12", "|||foo | 12"),
            ("2026-11-20 10:20:30 total | 12", "time|||total | 12"),
            ("my-app-1 started <b>", "|||my-app-1 started <b>"),
            ("10 1697048351 x", "|||10 1697048351 x"),
            ("Nov 20 10:20:30 h INFO: x", "time|info||x"),
            ("2026-11-20T10:20:30.123Z - error - boom", "time|error||boom"),
        ])
    func headers(_ line: String, _ expected: String) {
        let record = LineRecognizer(now: Self.now).record(of: line)
        let time = record.moment == nil ? "" : "time"
        let parts = [time, record.level?.name ?? "", record.category ?? "", record.message]
        #expect(parts.joined(separator: "|") == expected)
        check(Array(line.utf8))
    }

    @Test("What journald has instead of a text is read: bytes, and several values")
    func journal() {
        let bytes = #"{"PRIORITY":"6","_PID":"7","MESSAGE":[104,105,32,195,169]}"#
        let record = LineRecognizer().record(of: bytes)
        #expect(record.message == "hi é" && record.level == .info && record["pid"]?.value == "7")
        #expect(LineRecognizer().record(of: #"{"MESSAGE":["one","two"]}"#).message == "one")
        #expect(LineRecognizer().record(of: #"{"MESSAGE":null,"PRIORITY":"3"}"#).level == .error)
    }

    @Test("Pairs of logfmt are separated by tabs, too, and a carriage return is not part of a value")
    func pairs() {
        let record = LineRecognizer().record(of: "level=error\tmsg=\"a b\"\tcode=5\r")
        #expect(record.level == .error && record.message == "a b" && record["code"]?.value == "5")
    }

    @Test("No bytes end the process, and all ways of reading a line agree", arguments: 0..<8)
    func cut(_ part: Int) {
        var random = SeededGenerator(seed: UInt64(part))
        let bytes: [UInt8] = Array("\"\\ {[]:1E\t=|".utf8) + [0xFF]
        for (index, sample) in ProgramLine.all.enumerated() where index % 8 == part {
            let line = Array(sample.line.utf8)
            for count in 0...line.count {
                // Without anything after the end that could be read by mistake.
                var changed = Array(line[..<count])
                check(changed)
                guard count > 0 else { continue }
                changed[Int.random(in: 0..<count, using: &random)] = bytes.randomElement(using: &random) ?? 0
                check(changed)
            }
        }
    }

    private func check(_ line: [UInt8]) {
        let recognizer = Self.recognizer
        let (record, head) = line.withUnsafeBytes { (recognizer.record(of: $0), recognizer.head(of: $0)) }
        let level = line.withUnsafeBytes { recognizer.level(of: $0) }
        let moment = line.withUnsafeBytes { recognizer.moment(of: $0) }
        let scan = (line + [UInt8](repeating: 0x45, count: LineScan.slack)).withUnsafeBytes {
            LineScan(.init(rebasing: $0.prefix(line.count)), findsLevels: true)
        }
        let agrees =
            record.level == level && head.level == level && record.moment == moment && head.moment == moment
            && (level == nil || scan.mayHaveLevel)
        #expect(agrees, "\(String(decoding: line, as: UTF8.self))")
    }
}
