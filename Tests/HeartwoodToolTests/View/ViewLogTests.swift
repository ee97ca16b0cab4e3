import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import Heartwood
import HeartwoodReading
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("What heartwood view shows", .inTurn)
struct ViewLogTests {
    private let archives: Void = LogArchives.register()

    /// Lines of a shop, with stack traces, over several files.
    private static func text(_ hours: Range<Int>) -> String {
        var text = ""
        let levels = ["info   ", "debug  ", "error  ", "warning", "notice "]
        for hour in hours {
            for number in 0..<400 {
                let second = number * 9
                let clock = String(format: "%02d:%02d:%02d", hour, second / 60, second % 60)
                let category = number % 3 == 0 ? "shop " : ""
                text +=
                    "2026-11-20 \(clock).000Z \(levels[number % 5]) \(category)A.swift:\(number) "
                    + "Order \(number) ms=\(number)\n"
                if number % 50 == 2 { text += "  at Pool.lease() Pool.swift:141\n  at main\n" }
            }
        }
        return text
    }

    @Test("With rules, the page has no secrets, finds none, and says where lines are in their files")
    func redacted() async throws {
        let text =
            "2026-11-20 10:00:00.000Z info    password=hunter2 x\n2026-11-20 10:00:01.000Z info    last\n"
        var files = BlockText(
            [BlockText.Source(part: 3, offset: 100, bytes: Array(text.utf8))], LineOrder(lines: 2))
        files.redact(.standard)
        let shown = String(decoding: files.bytes, as: UTF8.self)
        #expect(shown == text.replacingOccurrences(of: "hunter2", with: "<secret>"))
        let second = try #require(text.utf8.firstIndex(of: 0x0A)).utf16Offset(in: text) + 1
        #expect(files.lines[1].part == 3 && files.lines[1].offset == 100 + second)
        #expect(
            files[1].map { String(decoding: $0, as: UTF8.self) } == "2026-11-20 10:00:01.000Z info    last")
    }

    private static func files() throws -> [(name: String, bytes: [UInt8])] {
        [
            ("shop 2026-11-20--08-00-00-000.log.gz", try GzipMember.compress(Array(text(8..<11).utf8))),
            ("shop 2026-11-20--11-00-00-000.log", Array(text(11..<13).utf8)),
            (
                "shop 2026-11-20--13-00-00-000.log",
                Array((text(13..<15) + "  the end, without a newline").utf8)
            ),
        ]
    }

    @Test(
        "The lines of a filter are those of heartwood grep and cat, byte for byte",
        arguments: [
            ("", "cat LOGS"), ("q=Order+7", "grep -F -i 'order 7' LOGS"),
            ("q=order+7&cs=1", "grep -F 'order 7' LOGS"), ("q=Order+7&cs=1", "grep -F 'Order 7' LOGS"),
            ("q=Order+%5B12%5D7%3F+&re=1&cs=1", "grep 'Order [12]7? ' LOGS"),
            ("level=warning", "cat LOGS --level warning"), ("level=fatal", "cat LOGS --level fatal"),
            ("level=error&q=lease", "grep -F -i lease LOGS --level error"),
            ("category=shop", "cat LOGS --category shop"),
            (
                "since=2026-11-20T10:59:30Z&until=2026-11-20T11:00:30Z",
                "cat LOGS --since 2026-11-20T10:59:30Z --until 2026-11-20T11:00:30Z"
            ),
            (
                "since=2026-11-20T14:30:00Z&level=error&q=a",
                "grep -F -i a LOGS --since 2026-11-20T14:30:00Z --level error"
            ),
            ("not=order+1&not=pool", "cat LOGS | grep -vFi -e 'order 1' -e pool"),
            ("file=shop+2026-11-20--11-00-00-000.log", "cat 'LOGS/shop 2026-11-20--11-00-00-000.log'"),
            ("q=no+such+thing", "grep -F 'no such thing' LOGS"),
        ])
    func equalsGrep(_ query: String, _ command: String) async throws {
        let view = try ViewFixture(try Self.files())
        #expect(await view.indexed())
        // The last line has no newline yet, so it counts as one that comes.
        #expect(await view.reaches { $0.store.rows.end == 1 })
        let tool = try ToolProcess()
        let line =
            command.contains("'LOGS/") ? command : command.replacingOccurrences(of: "LOGS", with: "'LOGS'")
        let outcome = try await tool.shell(
            "\"$HEARTWOOD\" " + line.replacingOccurrences(of: "LOGS", with: view.directory))
        var expected = Array(outcome.output.utf8)
        // grep and cat leave the last line without a newline as it is; the page's lines all end with one.
        if !expected.isEmpty, expected.last != 0x0A { expected.append(0x0A) }
        let lines = try #require(view.lines(query))
        if lines != expected {
            ToolProcess.expectSame(
                String(decoding: lines, as: UTF8.self).split(separator: "\n"),
                String(decoding: expected, as: UTF8.self).split(separator: "\n"))
        }
    }

    @Test("The page finds text that JSON escapes as it shows it")
    func escapes() async throws {
        let line = #"{"message":"caf\u00e9 \"Paris\""}"#
        let view = try ViewFixture([("a.log", Array((line + "\n{}\n").utf8))])
        #expect(await view.indexed())
        for query in ["q=caf%C3%A9+%22paris", "q=%C3%A9+%22P&cs=1&re=1", "q=u00e9"] {
            #expect(view.lines(query) == Array((line + "\n").utf8), "\(query)")
        }
        #expect(view.lines("not=caf%C3%A9") == Array("{}\n".utf8))
    }

    @Test(
        "In every format, the lines of a condition, a level, a category and a time are those of heartwood cat",
        arguments: 0..<FormatsTests.formatters.count)
    func equalsCat(_ format: Int) async throws {
        let formatter = FormatsTests.formatters[format]
        var text = ""
        let count = Tier.amount(1200, full: 9000)
        for number in 0..<count {
            let level = LogLevel.standardLevels[number * number % LogLevel.standardLevels.count]
            let message = LogMessage(
                "request \(number) took \(number % 97, as: "ms") ms", level: level,
                category: LogCategory(number % 7 == 3 ? "net.http" : "shop"),
                timestamp: LogTimestamp(
                    nanoseconds: 1_795_000_000_000_000_000 + Int64(number) * 1_000_000_000))
            text += (formatter.format(message) ?? "") + "\n"
        }
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        let tool = try ToolProcess()
        let field = format == 3 ? "_ms" : "ms"
        let since = LineRecord.text(
            of: LogTimestamp(nanoseconds: 1_795_000_000_000_000_000 + Int64(count - 1000) * 1_000_000_000))
        let filters = [
            ("where=\(field)%3E%3D90", "--where '\(field)>=90'"), ("level=error", "--level error"),
            ("where=\(field)%3D42&level=info", "--where \(field)=42 --level info"),
            ("category=net.http&where=\(field)!%3D3", "--category net.http --where '\(field)!=3'"),
            ("since=\(since)&level=warning", "--since \(since) --level warning"),
        ]
        for (query, options) in filters {
            let outcome = try await tool.shell("\"$HEARTWOOD\" cat '\(view.directory)' \(options)")
            let lines = String(decoding: try #require(view.lines(query)), as: UTF8.self)
            // A line of text says nothing of its fields.
            #expect(format == 0 || lines.count > 500, "\(query)")
            #expect(lines == outcome.output, "\(query)")
        }
    }

    @Test(
        "The command that the page copies prints the lines that the page shows",
        arguments: [
            "", "q=Order+7", "q=it's+not+there", "q=-7&cs=1", "q=Order+%5B12%5D7%3F+&re=1",
            "level=warning&category=shop&not=order+1&not=pool", "since=2026-11-20T11:30:00Z&q=order+%22",
            "where=file%3DA.swift", "where=line%3E%3D100&level=error", "where=thread%3Dmain",
        ])
    func copiedCommand(_ query: String) async throws {
        let view = try ViewFixture(try Self.files())
        #expect(await view.indexed())
        // The last line has no newline yet, so it counts as one that comes.
        #expect(await view.reaches { $0.store.rows.end == 1 })
        let answer = try #require(view.get("api/command" + (query.isEmpty ? "" : "?" + query)))
        let content = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
        let command = try #require(content?["command"])
        #expect(command.hasPrefix("heartwood "))
        let outcome = try await ToolProcess().shell("heartwood() { \"$HEARTWOOD\" \"$@\"; }; \(command)")
        var expected = outcome.output
        if !expected.isEmpty, !expected.hasSuffix("\n") { expected += "\n" }
        #expect(String(decoding: try #require(view.lines(query)), as: UTF8.self) == expected, "\(command)")
    }

    @Test("A stack trace that is longer than several blocks is part of its record")
    func longTrace() async throws {
        let trace = (0..<60_000).map { "  at Frame.call() Frame.swift:\($0)\n" }.joined()
        let record = "2026-11-20 10:00:01.000Z error   failed\n" + trace
        let text = "2026-11-20 10:00:00.000Z info    a\n\(record)2026-11-20 10:00:02.000Z info    b\n"
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        let isAlike = view.lines("level=error").map { $0 == Array(record.utf8) }
        #expect(isAlike == true)
        #expect(view.log.store.records.end - view.log.store.records.first == 3)
    }

    @Test("Lines that come in parts are shown once, whole")
    func parts() async throws {
        let view = try ViewFixture([("a.log", Array("one\n".utf8))])
        #expect(await view.indexed())
        for (text, count) in [("two\nth", 1), ("ree\nfour\nfi", 3), ("ve\n", 4)] {
            try view.append(text, to: "a.log")
            #expect(await view.reaches { $0.store.rows.end >= count })
        }
        #expect(view.lines("").map { String(decoding: $0, as: UTF8.self) } == "one\ntwo\nthree\nfour\nfive\n")
    }

    @Test("Any part of a compressed file is that of its text, whatever was read before")
    func archivedParts() async throws {
        let text = Array((0..<60_000).map { "line \($0) of a file that has several pieces\n" }.joined().utf8)
        let view = try ViewFixture([("a.log.gz", try GzipMember.compress(text))])
        #expect(await view.indexed())
        for offset in [2_000_000, 0, 1_000_000, 1_900_000, 524_000, 524_288, text.count - 10] {
            let part = text[offset..<min(offset + 700_000, text.count)]
            let isAlike =
                view.log.store.files.bytes(of: 0, at: offset, count: part.count).map { $0[...] == part }
            #expect(isAlike == true, "at \(offset)")
        }
    }

    @Test(
        "A hole of zero bytes is nothing, whatever line comes after it, in a file alone and in one of several",
        arguments: [10, 600_000, 2_000_000], [false, true])
    func hole(_ length: Int, isMerged: Bool) async throws {
        func line(_ second: Int, _ text: String) -> String {
            "2026-11-20 10:00:0\(second).000Z info    \(text)\n"
        }
        let long = line(2, String(repeating: "x", count: length))
        let zeros = [UInt8](repeating: 0, count: 1_700_000)
        var files = [("a.log", Array(line(0, "before").utf8) + zeros + Array((long + line(4, "last")).utf8))]
        if isMerged { files.append(("b.log", Array((line(1, "other") + line(3, "other")).utf8))) }
        let view = try ViewFixture(files)
        #expect(await view.indexed())
        var expected = line(0, "before") + long + line(4, "last")
        if isMerged {
            expected = line(0, "before") + line(1, "other") + long + line(3, "other") + line(4, "last")
        }
        let isAlike = view.lines("").map { $0 == Array(expected.utf8) }
        #expect(isAlike == true)
    }

    @Test("Rows are numbered from the end, the same in every answer, and found in compressed files")
    func numbersRows() async throws {
        let view = try ViewFixture(try Self.files())
        #expect(await view.indexed())
        // The last line has no newline yet, so it counts as one that comes.
        #expect(await view.reaches { $0.store.rows.end == 1 })
        let all = String(decoding: try #require(view.lines("")), as: UTF8.self).split(separator: "\n")
        let total = all.count
        let index = view.log.store.rows
        #expect(index.first == -(total - 1))
        let first = try view.rows("from=\(index.first)&count=3")
        #expect(first.map(\.number) == [index.first, index.first + 1, index.first + 2])
        #expect(first[0].message.hasPrefix("Order 0"))
        let last = try view.rows("from=-1&count=5")
        #expect(last.map(\.number) == [-1, 0])
        #expect(last[1].message.contains("the end, without a newline"))
        _ = view.lines("level=error")
        let errors = try view.rows("level=error&from=-2&count=2")
        #expect(errors.count == 2)
    }

    /// A view of a directory whose log has a new name in each round.
    private struct UsedView {
        let view: ViewFixture
        private var rounds = 0

        init() async throws {
            view = try ViewFixture([("first.log", Array("2026-11-20 10:00:00.000Z info first\n".utf8))])
            #expect(await view.indexed())
        }

        /// Adds lines to a log, and waits until they are rows.
        func add(_ lines: [String], to name: String) async throws {
            let end = view.log.store.rows.end + lines.count
            try view.append(lines.map { "2026-11-20 11:00:00.000Z info \($0)\n" }.joined(), to: name)
            #expect(await view.reaches { $0.store.rows.end >= end })
        }

        func cut(_ name: String) throws {
            #expect(truncate(view.directory + "/" + name, 0) == 0)
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(atPath: view.directory + "/" + name)
        }

        mutating func round() async throws -> [String] {
            rounds += 1
            let (log, start) = ("log\(rounds).log", view.log.store.rows.end)
            try await add(["one", "two"], to: log)
            try await add(["three"], to: log)
            try cut(log)
            try await add(["four"], to: log)
            try FileManager.default.moveItem(
                atPath: view.directory + "/" + log, toPath: view.directory + "/\(log).1")
            try await add(["five"], to: log)
            let rows = try view.rows("from=\(start)&count=9").map { "\($0.number - start) \($0.message)" }
            let damages = view.log.store.progress.damages.map { "\($0)" }
            return rows + damages + ["\(view.log.store.progress.isComplete)"]
        }
    }

    @Test("Whatever a view has shown, the lines of the next log come as those of the first")
    func used() async throws {
        try await expectAsNew(
            { try await UsedView() },
            after: [
                "a file that was cut": { used in
                    try await used.add(["more"], to: "first.log")
                    try used.cut("first.log")
                    try await used.add(["again"], to: "first.log")
                },
                "a file that was removed": { used in
                    try await used.add(["more"], to: "first.log")
                    try used.remove("first.log")
                },
                "a line without its end": { used in
                    let end = used.view.log.store.rows.end
                    try used.view.append("2026-11-20 11:00:00.000Z info half", to: "first.log")
                    #expect(await used.view.reaches { $0.store.rows.end > end })
                },
                "many lines": { used in try await used.add((0..<5000).map { "\($0)" }, to: "first.log") },
            ]
        ) { try await $0.round() }
    }

    @Test("Lines that come are rows after the others, across a roll, a renamed file and one that is cut")
    func follows() async throws {
        let view = try ViewFixture([("app.log", Array("2026-11-20 10:00:00.000Z info one\n".utf8))])
        #expect(await view.indexed())
        try view.append("2026-11-20 10:00:01.000Z error two\n", to: "app.log")
        #expect(await view.reaches { $0.store.rows.end == 1 })
        try view.append("2026-11-20 10:00:02.000Z info thr", to: "app.log")
        #expect(await view.reaches { $0.store.rows.end == 2 })
        try view.append("ee\n", to: "app.log")
        try view.append("2026-11-20 10:00:03.000Z info four\n", to: "app 2.log")
        #expect(await view.reaches { $0.store.rows.end == 3 })
        try FileManager.default.moveItem(
            atPath: view.directory + "/app.log", toPath: view.directory + "/app 1.log")
        try view.append("2026-11-20 10:00:04.000Z info five\n", to: "app 2.log")
        #expect(await view.reaches { $0.store.rows.end == 4 })
        let rows = try view.rows("from=0&count=10").map(\.message)
        #expect(rows == ["two", "three", "four", "five"])
        // A filter sees them too, and each once.
        _ = view.lines("q=info")
        #expect(try view.rows("q=info&from=0&count=9").map(\.message) == ["three", "four", "five"])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: view.directory + "/app 2.log"))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try view.append("2026-11-20 10:00:05.000Z info six\n", to: "app 2.log")
        #expect(await view.reaches { $0.store.rows.end == 5 })
        #expect(try view.rows("from=4&count=1").first?.message == "six")
    }

    @Test("A file that was compressed after it was read is still there to scroll in")
    func readsArchivesOfReadFiles() async throws {
        let text = Self.text(8..<9)
        let view = try ViewFixture([
            ("a 1.log", Array(text.utf8)), ("a 2.log", Array("2026-11-20 10:00:00.000Z info last\n".utf8)),
        ])
        #expect(await view.indexed())
        let before = try #require(view.lines(""))
        try Data(try GzipMember.compress(Array(text.utf8))).write(
            to: URL(fileURLWithPath: view.directory + "/a 1.log.gz"))
        try FileManager.default.removeItem(atPath: view.directory + "/a 1.log")
        #expect(try #require(view.lines("")) == before)
        // Its archive is not new text.
        try view.append("2026-11-20 10:00:01.000Z info more\n", to: "a 2.log")
        #expect(await view.reaches { $0.store.rows.end == 1 }, "\(view.log.store.rows.end) rows came")
    }

    @Test("Encrypted files are shown with the key, and named as unreadable without it")
    func decrypts() async throws {
        let key = Secret(String(repeating: "a7", count: 32))
        var encoder = try FrameEncoder(FrameCipher(key: key))
        var bytes = try encoder.encode(Array("2026-11-20 10:00:00.000Z error secret\n".utf8), isLast: false)
        bytes += try encoder.encode(Array("2026-11-20 10:00:01.000Z info open\n".utf8), isLast: true)
        let files = [
            ("a 2026-11-20--10-00-00-000.log.hwe", bytes),
            ("b.log", Array("2026-11-20 10:00:02.000Z info plain\n".utf8)),
        ]
        let view = try ViewFixture(files, key: GivenSecret(secret: key))
        #expect(await view.indexed())
        #expect(String(decoding: try #require(view.lines("level=error")), as: UTF8.self).contains("secret"))
        let keyless = try ViewFixture(files)
        #expect(await keyless.indexed())
        #expect(keyless.log.store.progress.damages.contains { $0.contains("key") })
        // The newest file, which may be written at the moment, as well.
        let newest = try ViewFixture([("a.log", bytes)])
        #expect(await newest.indexed())
        #expect(newest.log.store.progress.damages.contains { $0.hasPrefix("a.log: ") && $0.contains("key") })
        #expect(String(decoding: try #require(keyless.lines("")), as: UTF8.self).contains("plain"))
    }

    private struct GivenSecret: SecretProvider {
        let secret: Secret
        func secret(named _: String) throws -> Secret { secret }
    }

    @Test("A directory of links to logs shows their lines, each file once, here and in cat, and follows them")
    func links() async throws {
        let view = try ViewFixture([("a.log", Array("2026-11-20 10:00:00.000Z info one\n".utf8))])
        let links = view.scratch.path + "/links"
        try FileManager.default.createDirectory(atPath: links, withIntermediateDirectories: true)
        for name in ["pod_a.log", "pod_a again.log"] {
            try FileManager.default.createSymbolicLink(
                atPath: links + "/" + name, withDestinationPath: view.directory + "/a.log")
        }
        try FileManager.default.createSymbolicLink(
            atPath: links + "/gone.log", withDestinationPath: view.directory + "/missing.log")
        let log = ViewLog(paths: [links], key: nil)
        try log.start()
        defer { log.stop() }
        try await eventually("the line is indexed") { log.store.progress.isComplete }
        #expect(log.store.rows.end - log.store.rows.first == 1)
        try view.append("2026-11-20 10:00:01.000Z info two\n", to: "a.log")
        try await eventually("the new line is there") { log.store.rows.end == 1 }
        let tool = try ToolProcess()
        let outcome = try await tool.shell("\"$HEARTWOOD\" cat '\(links)'")
        #expect(outcome.output.split(separator: "\n").count == 2 && outcome.code == 0)
        // A link beside its file is no second one.
        try FileManager.default.createSymbolicLink(
            atPath: view.directory + "/current.log", withDestinationPath: "a.log")
        let both = try await tool.shell("\"$HEARTWOOD\" cat '\(view.directory)'")
        #expect(both.output == outcome.output && both.error.isEmpty)
    }

    @Test(
        "A named pipe in the place of a log or of its archive does not keep the page waiting",
        arguments: ["a.log", "a.log.gz", "c.log"])
    func namedPipe(name: String) async throws {
        let line = "2026-11-20 10:00:00.000Z info one\n"
        let view = try ViewFixture([
            ("a.log", Array("2026-11-20 09:59:59.000Z info gone\n".utf8)), ("b.log", Array(line.utf8)),
        ])
        #expect(await view.indexed())
        try FileManager.default.removeItem(atPath: view.directory + "/a.log")
        #expect(mkfifo(view.directory + "/" + name, 0o600) == 0)
        #expect(try view.rows("from=-2&count=2").count == 2)
        try view.append("2026-11-20 10:00:01.000Z info two\n", to: "b.log")
        #expect(await view.reaches { $0.store.rows.end == 1 })
        #expect(try view.rows("from=-2&count=3").map(\.message).filter { !$0.isEmpty } == ["one", "two"])
    }

    @Test("A damaged archive is told, also where it is the newest file")
    func damagedArchive() async throws {
        let whole = try GzipMember.compress(Array(Self.text(8..<9).utf8))
        for names in [["a.log.gz"], ["a.log.gz", "b.log"]] {
            let view = try ViewFixture(
                names.map { ($0, Array(whole.prefix($0 == "a.log.gz" ? whole.count / 2 : 0))) })
            #expect(await view.indexed())
            #expect(view.log.store.progress.damages == ["a.log.gz: cut off"])
        }
    }

    @Test("All escape sequences are taken out of a line that is read, those of the cursor as well")
    func strips() {
        let line = Array(
            "\u{1B}[2K\u{1B}[1Ga\u{1B}[3;1Hb\u{1B}[ qc\u{1B}]0;title\u{7}d\u{1B}[38;5;1me\u{1B}".utf8)
        #expect(line.withUnsafeBytes { AnsiText.stripped($0) } == Array("abcde".utf8))
    }

    @Test("Nothing is written to the directory of the logs, and nothing in it is changed")
    func leavesDirectoryAlone() async throws {
        let view = try ViewFixture(try Self.files())
        func state() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: view.directory).sorted().map { name in
                let facts = try FileManager.default.attributesOfItem(atPath: view.directory + "/" + name)
                return
                    "\(name) \(facts[.size] ?? 0) \(facts[.modificationDate] ?? 0) \(facts[.posixPermissions] ?? 0)"
            }
        }
        let before = try state()
        #expect(await view.indexed())
        for query in ["", "q=order", "level=error", "not=order"] { #expect(view.lines(query) != nil) }
        for part in [
            "", "api/about", "api/histogram", "api/next?from=-9999", "api/seek?t=1", "api/command?q=x",
        ] {
            #expect(view.get(part)?.status == 200, "\(part)")
        }
        #expect(try state() == before)
    }

    @Test("The timeline counts every record once, and the next error is found in both directions")
    func timeline() async throws {
        let view = try ViewFixture(try Self.files())
        #expect(await view.indexed())
        let lines = try #require(view.lines("level=error"))
        let answer = try #require(view.get("api/histogram?pieces=50&level=error"))
        let content = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let bins = try #require(content["bins"] as? [[Int]])
        // The lines of a stack trace are part of their record.
        let errors = String(decoding: lines, as: UTF8.self).split(separator: "\n").count {
            !$0.hasPrefix(" ")
        }
        #expect(errors < lines.count { $0 == 0x0A })
        #expect(bins.reduce(0) { $0 + $1[1] } == errors)
        #expect(bins.allSatisfy { $0[4] == 0 })
        let first = view.log.store.rows.first
        let next = try #require(view.get("api/next?from=\(first)&step=1"))
        #expect(next.text == "{\"n\":\(first + 2)}")
        let back = try #require(view.get("api/next?from=\(first + 6)&step=-1"))
        #expect(back.text == "{\"n\":\(first + 2)}")
        #expect(view.get("api/next?from=\(first + 2)&step=-1")?.text == "{\"n\":null}")
    }

    @Test("The last of many lines that came at once are rows with their right numbers")
    func tellsOfGrowth() async throws {
        let view = try ViewFixture([("a.log", [])])
        #expect(await view.indexed())
        let many = (0..<5000).map { "2026-11-20 10:00:00.000Z info line \($0)\n" }.joined()
        try view.append(many, to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 5000 })
        let rows = try view.rows("from=4990&count=100")
        #expect(rows.map(\.number) == Array(4990..<5000))
        #expect(rows.last?.message == "line 4999")
    }

    @Test("Times are exact to the millisecond")
    func exactTimes() async throws {
        let lines = (0..<1000).map { String(format: "2026-11-20 10:00:00.%03dZ info line\n", $0) }
        let view = try ViewFixture([("a.log", Array(lines.joined().utf8))])
        #expect(await view.indexed())
        for first in [-1000, -500] {
            let answer = try #require(view.get("api/rows?from=\(first)&count=500"))
            let content = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            let times = (content?["rows"] as? [[Any]] ?? []).compactMap { $0[1] as? Double }
            #expect(times == (0..<500).map { 1_795_168_800_000 + Double(1000 + first + $0) })
        }
    }
}
