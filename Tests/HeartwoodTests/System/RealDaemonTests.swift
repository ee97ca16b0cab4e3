import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Log daemons that nobody here wrote, each started by a test in a directory of its own.
enum RealDaemon {
    /// Where a program is; nil where it is not installed.
    static func find(_ name: String) -> String? {
        ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/", "/usr/lib/systemd/", "/lib/systemd/"].map { $0 + name }
            .first { access($0, X_OK) == 0 }
    }

    /// Whether this process may give journald a `/run` of its own.
    static var hasOwnNamespace: Bool {
        geteuid() == 0 && find("unshare") != nil && find("systemd-journald") != nil
            && find("journalctl") != nil
    }

    /// What a program writes to its standard output.
    static func output(of program: String, _ arguments: [String], in scratch: Scratch, input: String? = nil)
        throws -> String
    {
        let file = scratch.path + "/output"
        let child = try ChildProcess(
            program, arguments, input: input.map { .file($0) } ?? .nothing, output: .file(file))
        child.wait(upTo: .seconds(120))
        return String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }

    /// Waits until `condition` holds, looking ten times a second, two minutes at the most.
    static func wait(until condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<1200 {
            if try condition() { return true }
            usleep(100_000)
        }
        return false
    }
}

@Suite("rsyslog reads what the logger sends", .inTurn)
struct RsyslogTests {
    private let scratch = Scratch()

    /// An entry as rsyslog has understood it.
    private struct Entry: Decodable, Equatable {
        let msg: String
        let hostname: String
        let syslogtag: String
        let syslogfacility: String
        let syslogseverity: String
        let data: String
        let appName: String
        let processID: String
        let messageID: String

        enum CodingKeys: String, CodingKey {
            case msg, hostname, syslogtag, syslogfacility, syslogseverity
            case data = "structured-data"
            case appName = "app-name"
            case processID = "procid"
            case messageID = "msgid"
        }
    }

    private func start(_ program: String, port: Int) throws -> ChildProcess {
        let path = scratch.path
        let configuration = """
            global(workDirectory="\(path)" maxMessageSize="64k" net.enableDNS="off")
            module(load="imuxsock" SysSock.Use="off")
            module(load="imudp")
            module(load="imtcp")
            module(load="imptcp")
            input(type="imuxsock" Socket="\(path)/log" RateLimit.Interval="0")
            input(type="imuxsock" Socket="\(path)/log5424" RateLimit.Interval="0" UseSpecialParser="off" ParseHostname="on")
            input(type="imptcp" Path="\(path)/stream")
            input(type="imudp" address="127.0.0.1" port="\(port)")
            input(type="imtcp" address="127.0.0.1" port="\(port)")
            template(name="json" type="list") { property(name="jsonmesg") constant(value="\\n") }
            action(type="omfile" file="\(path)/out" template="json")

            """
        try configuration.write(toFile: path + "/conf", atomically: true, encoding: .utf8)
        return try ChildProcess(
            program, ["-n", "-f", path + "/conf", "-i", path + "/pid"], error: .file(path + "/errors"))
    }

    private func entries() throws -> [Entry] {
        let data = FileManager.default.contents(atPath: scratch.path + "/out") ?? Data()
        let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(Entry.self, from: Data($0)) }
    }

    @Test(
        "Over every transport and in every form: text, level, program, fields, in order",
        .enabled(if: RealDaemon.find("rsyslogd") != nil, "rsyslogd is not installed"))
    func everything() throws {
        let program = try #require(RealDaemon.find("rsyslogd"))
        let port = try SocketReceiver(.tcp).port
        let path = scratch.path
        let ways: [(String, SystemLogger.Destination)] = [
            ("tcp-counted", .tcp(host: "localhost", port: port)),
            ("tcp-lines", .tcp(host: "127.0.0.1", port: port, framing: .newline)),
            ("tcp-old", .tcp(host: "127.0.0.1", port: port, format: .rfc3164)),
            ("local-old", .local(socket: path + "/log")),
            ("local-new", .local(socket: path + "/log5424", format: .rfc5424)),
            ("stream-new", .local(socket: path + "/stream", format: .rfc5424)),
            ("stream-counted", .local(socket: path + "/stream", format: .rfc5424, framing: .octetCounting)),
            ("udp-new", .udp(host: "127.0.0.1", port: port)),
            ("udp-old", .udp(host: "127.0.0.1", port: port, format: .rfc3164)),
        ]
        let dispatcher = LogDispatcher.forTest()
        var daemon: ChildProcess?
        defer {
            daemon?.signal(SIGTERM)
            daemon?.wait()
        }
        var total = 0
        for (name, destination) in ways {
            let isFirst = daemon == nil
            let logger = SystemLogger(destination)
            logger.program = name
            logger.host = "web1"
            logger.facility = .local3
            logger.sendTimeout = .seconds(30)
            dispatcher.add(logger)
            let texts = ["plain", "two\nlines", "quote \" bracket ] backslash \\ \u{1B}[31m", "größe €"]
            for text in texts {
                logWarning(
                    "\(text)", category: LogCategory("shop"), metadata: ["k": "]\"\\ v"], to: dispatcher)
            }
            // What is logged before the daemon runs waits for it.
            if isFirst { daemon = try start(program, port: port) }
            #expect(RealDaemon.wait { dispatcher.flush(timeout: .testLimit).isComplete }, "\(name)")
            total += texts.count
            #expect(try RealDaemon.wait { try entries().count >= total }, "\(name)")
            let found = try entries().suffix(texts.count)
            let isOld = name.hasSuffix("old")
            for (entry, text) in zip(found, texts) {
                var line = LogBuffer()
                line.appendEscaped(text)
                #expect(entry.syslogfacility == "19" && entry.syslogseverity == "4", "\(name)")
                #expect(entry.appName == name && entry.processID == "\(getpid())", "\(name)")
                if !name.hasPrefix("local-old") { #expect(entry.hostname == "web1", "\(name)") }
                if isOld {
                    #expect(entry.syslogtag == "\(name)[\(getpid())]:")
                    var fields = LogBuffer()
                    fields.appendEscaped("]\"\\ v")
                    #expect(entry.msg == " [shop] \(line.text) {k=\(fields.text)}", "\(name)")
                } else {
                    #expect(entry.msg == line.text, "\(name)")
                    #expect(entry.messageID == "shop")
                    #expect(entry.data == "[heartwood@32473 k=\"\\]\\\"\\\\ v\"]", "\(name)")
                }
            }
            dispatcher.remove(logger)
            #expect(logger.statistics.failed == 0 && logger.statistics.delivered == texts.count)
        }
    }

    @Test(
        "A restart in the middle loses nothing that was logged while it was away",
        .enabled(if: RealDaemon.find("rsyslogd") != nil, "rsyslogd is not installed"))
    func restart() throws {
        let program = try #require(RealDaemon.find("rsyslogd"))
        let port = try SocketReceiver(.tcp).port
        let dispatcher = LogDispatcher.forTest()
        let logger = SystemLogger(.tcp(host: "127.0.0.1", port: port))
        logger.sendTimeout = .seconds(30)
        dispatcher.add(logger)
        var expected = 0
        for round in 0..<3 {
            let daemon = try start(program, port: port)
            logInfo("\(expected)", to: dispatcher)
            expected += 1
            #expect(RealDaemon.wait { dispatcher.flush(timeout: .testLimit).isComplete }, "round \(round)")
            #expect(try RealDaemon.wait { try entries().count == expected }, "round \(round)")
            daemon.signal(SIGTERM)
            daemon.wait()
            for _ in 0..<10 {
                logInfo("\(expected)", to: dispatcher)
                expected += 1
            }
            dispatcher.flush(timeout: .testLimit)
        }
        let daemon = try start(program, port: port)
        #expect(RealDaemon.wait { dispatcher.flush(timeout: .testLimit).isComplete })
        #expect(try RealDaemon.wait { try entries().count == expected })
        #expect(try entries().map(\.msg) == (0..<expected).map { "\($0)" })
        #expect(logger.statistics.failed == 0)
        daemon.signal(SIGTERM)
        daemon.wait()
    }
}

@Suite("systemd reads what the logger sends", .inTurn)
struct JournaldTests {
    private let scratch = Scratch()

    /// The entries that journalctl shows, a dictionary each; values of several lines and other bytes as texts.
    private func entries(_ arguments: [String]) throws -> [[String: Any]] {
        let journalctl = try #require(RealDaemon.find("journalctl"))
        let text = try RealDaemon.output(
            of: journalctl, arguments + ["-o", "json", "--all", "--no-pager"], in: scratch)
        return text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    private func text(_ value: Any?) -> String? {
        if let bytes = value as? [Int] { return String(decoding: bytes.map { UInt8($0) }, as: UTF8.self) }
        return value as? String
    }

    @Test(
        "journald itself, in a mount namespace of its own: every field, newlines, and 1 MiB",
        .enabled(
            if: RealDaemon.hasOwnNamespace, "needs root, unshare, journalctl and systemd-journald"))
    func journald() throws {
        let path = scratch.path
        for folder in ["run", "run/systemd", "run/systemd/journal", "run/log", "run/log/journal", "log"] {
            mkdir(path + "/" + folder, 0o755)
        }
        try "[Journal]\nStorage=volatile\nForwardToSyslog=no\nReadKMsg=no\nAudit=no\nRateLimitIntervalSec=0\n"
            .write(toFile: path + "/conf", atomically: true, encoding: .utf8)
        let program = try #require(RealDaemon.find("systemd-journald"))
        let script = """
            mount --make-rprivate / && mount --bind \(path)/run /run && mount --bind \(path)/log /var/log &&
            mount --bind \(path)/conf /etc/systemd/journald.conf && exec \(program)
            """
        let daemon = try ChildProcess(
            "unshare", ["-m", "/bin/sh", "-c", script], error: .file(path + "/errors"))
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        let socket = path + "/run/systemd/journal/socket"
        guard RealDaemon.wait(until: { access(socket, W_OK) == 0 || !daemon.isRunning }), daemon.isRunning
        else {
            print("skipped: journald does not run in a mount namespace here")
            return
        }

        let dispatcher = LogDispatcher.forTest()
        let logger = SystemLogger(.journal(socket: socket))
        logger.sendTimeout = .seconds(30)
        logger.program = "heartwood-test"
        dispatcher.add(logger)
        let large = String(repeating: "0123456789abcde\n", count: 1 << 16)
        let id = UUID()
        let texts = ["plain", "two\nlines", "", large, "control \u{1B}[31m \u{0}"]
        for text in texts {
            logError(
                "\(text)", category: LogCategory("shop"),
                metadata: [
                    "order id": 17, "value": "a\nPRIORITY=0", "message_id": .uuid(id), "_hidden": true,
                ], to: dispatcher)
        }
        logInfo("mail \("ann@example.org", as: "to", privacy: .private)", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let arguments = ["--directory", path + "/run/log/journal", "SYSLOG_IDENTIFIER=heartwood-test"]
        #expect(try RealDaemon.wait { try entries(arguments).count == texts.count + 1 })
        let found = try entries(arguments)
        for (entry, expected) in zip(found, texts) {
            #expect((text(entry["MESSAGE"]) ?? "") == expected)
            #expect(text(entry["PRIORITY"]) == "3")
            #expect(text(entry["CATEGORY"]) == "shop")
            #expect(text(entry["ORDER_ID"]) == "17")
            #expect(text(entry["VALUE"]) == "a\nPRIORITY=0")
            #expect(text(entry["FIELD__HIDDEN"]) == "true")
            #expect(text(entry["MESSAGE_ID"]) == id.uuidString.lowercased().filter { $0 != "-" })
            #expect(text(entry["CODE_FILE"]) == "HeartwoodTests/RealDaemonTests.swift")
            #expect(text(entry["_PID"]) == "\(getpid())")
            #expect(text(entry["_TRANSPORT"]) == "journal")
        }
        let last = try #require(found.last)
        #expect(text(last["MESSAGE"]) == "mail <private>" && text(last["TO"]) == "<private>")
    }

    @Test(
        "systemd-journal-remote takes an entry's fields as they are",
        .enabled(
            if: RealDaemon.find("systemd-journal-remote") != nil && RealDaemon.find("journalctl") != nil,
            "needs systemd-journal-remote and journalctl"))
    func remote() throws {
        let program = try #require(RealDaemon.find("systemd-journal-remote"))
        let style = JournalEntry(program: "shop", facility: 1, privacy: .redact, limit: 0)
        var generator = SeededGenerator(seed: 9)
        var body = LogBuffer()
        let texts = (0..<50).map {
            "\($0) " + HostileText.random(&generator) + ($0 % 2 == 0 ? "\nTWO=2" : "")
        }
        for (index, text) in texts.enumerated() {
            body.append("__REALTIME_TIMESTAMP=\(1_763_634_030_000_000 + index)\n")
            let message = LogMessage("\(text, as: "piece")", metadata: ["n": .integer(Int64(index))])
            _ = style.append(message, to: &body) {
                $0.appendText(of: message, privacy: .redact)
                return true
            }
            body.append("\n")
        }
        let (input, journal) = (scratch.path + "/body", scratch.path + "/x.journal")
        try body.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: input)) }
        let child = try ChildProcess(program, ["-o", journal, "-"], input: .file(input))
        #expect(child.wait(upTo: .seconds(120))?.isSuccess == true)
        let found = try entries(["--file", journal])
        #expect(found.count == texts.count)
        for (index, (entry, expected)) in zip(found, texts).enumerated() {
            #expect(text(entry["MESSAGE"]) == expected)
            #expect(text(entry["PIECE"]) == expected)
            #expect(text(entry["N"]) == "\(index)")
            #expect(entry["TWO"] == nil)
        }
    }
}
