import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The rows of heartwood view", .inTurn)
struct ViewRowsTests {
    private static func clock(_ milliseconds: Int) -> String {
        String(
            format: "2026-11-20 %02d:%02d:%02d.%03dZ", 8 + milliseconds / 3_600_000,
            milliseconds / 60_000 % 60,
            milliseconds / 1000 % 60, milliseconds % 1000)
    }

    /// Rows as the page gets them.
    private func rows(_ view: ViewFixture, _ query: String) throws -> [[Any]] {
        let answer = try #require(view.get("api/rows?" + query))
        let content = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(content?["rows"] as? [[Any]])
    }

    private func object(_ view: ViewFixture, _ target: String) throws -> [String: Any] {
        let answer = try #require(view.get("api/" + target))
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    // MARK: Files merged by time

    /// Records of several services, each at a moment of its own, some with a stack trace.
    private static func services(_ count: Int, records: Int, seed: UInt64) -> [(service: Int, text: String)] {
        var random = SeededGenerator(seed: seed)
        var time = 0
        return (0..<records).map { number in
            time += Int.random(in: 1...40, using: &random)
            // For a while one service alone is busy, as after the start of a rolled file.
            let service = number / 2000 % 3 == 1 ? 0 : Int.random(in: 0..<count, using: &random)
            var text =
                "\(clock(time)) \(number % 50 == 0 ? "error" : "info") service \(service) record \(number)\n"
            if number % 50 == 0 { text += "  at one of \(number)\n  at two of \(number)\n" }
            return (service, text)
        }
    }

    @Test("A compressed file in the time of plain ones does not keep these from being merged")
    func mergesBesideArchives() async throws {
        func text(_ name: String, _ minutes: [Int]) -> String {
            minutes.map { "\(Self.clock($0 * 60_000)) info \(name)\n" }.joined()
        }
        LogArchives.register()
        let archive = try GzipMember.compress(Array(text("old", [3, 5]).utf8))
        let view = try ViewFixture([
            ("a.log", Array(text("a", [0, 4, 8, 12]).utf8)), ("b.log.1.gz", archive),
            ("c.log", Array(text("c", [2, 6, 10]).utf8)),
        ])
        #expect(await view.indexed())
        let lines = String(decoding: try #require(view.lines("")), as: UTF8.self)
        let names = lines.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
        #expect(names == ["a", "c", "a", "c", "a", "c", "a", "old", "old"])
    }

    @Test(
        "Files whose times overlap are merged, records stay whole, and each row knows its file",
        arguments: Tier.amount([1], full: [1, 2, 3]))
    func mergesByTime(seed: UInt64) async throws {
        let records = Self.services(5, records: Tier.amount(9000, full: 30_000), seed: seed)
        var files = [String](repeating: "", count: 5)
        for (service, text) in records { files[service] += text }
        // A service that has rolled, and one that has said everything before the others.
        let half = files[0].index(files[0].startIndex, offsetBy: files[0].count / 2)
        let cut = try #require(files[0][half...].firstRange(of: "\n2026"))
        let early = "\(Self.clock(0)) info service early\n"
        let view = try ViewFixture([
            ("s0 1.log", Array(files[0][..<files[0].index(after: cut.lowerBound)].utf8)),
            ("s0 2.log", Array(files[0][files[0].index(after: cut.lowerBound)...].utf8)),
            ("s1.log", Array(files[1].utf8)), ("s2.log", Array(files[2].utf8)),
            ("s3.log", Array(files[3].utf8)),
            ("s4.log", Array(files[4].utf8)), ("early.log", Array(early.utf8)),
        ])
        #expect(await view.indexed())
        let expected = early + records.map(\.text).joined()
        let lines = String(decoding: try #require(view.lines("")), as: UTF8.self)
        if lines != expected {
            ToolProcess.expectSame(lines.split(separator: "\n"), expected.split(separator: "\n"))
        }
        // Several blocks.
        #expect(view.log.store.blockCounts.back > Tier.amount(0, full: 2))
        let first = view.log.store.rows.first
        for from in [first, first / 2, -400] {
            for row in try rows(view, "from=\(from)&count=\(Tier.amount(20, full: 300))") {
                let (message, file) = (try #require(row[4] as? String), try #require(row[6] as? String))
                let offset = try #require(row[8] as? Int)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: view.directory + "/" + file))
                #expect(
                    String(decoding: bytes[offset...].prefix { $0 != 0x0A }, as: UTF8.self).hasSuffix(message)
                )
                // The place in the file leads back to the row.
                let name = file.replacingOccurrences(of: " ", with: "+")
                let found = try object(view, "locate?in=\(name)&offset=\(offset)")
                #expect(found["n"] as? Int == row[0] as? Int)
            }
        }
        // A filter keeps the order, also of one file and without one.
        let some = records.map(\.text).filter { $0.contains("record 7") }.joined()
        let found = String(decoding: try #require(view.lines("q=record+7")), as: UTF8.self)
        let matching: [Substring] = some.split(separator: "\n").filter { $0.contains("record 7") }
        #expect(found == matching.joined(separator: "\n") + "\n")
        let own = String(decoding: try #require(view.lines("file=s1.log")), as: UTF8.self)
        #expect(own == files[1])
        let others = String(
            decoding: try #require(view.lines("notfile=s1.log&notfile=early.log")), as: UTF8.self)
        #expect(others == records.filter { $0.service != 1 }.map(\.text).joined())
    }

    @Test("New lines of all files are shown, those that come together in the order of their times")
    func followsAllFiles() async throws {
        let names = (0..<6).map { "s\($0).log" }
        let view = try ViewFixture(names.map { ($0, Array("\(Self.clock(0)) info start of \($0)\n".utf8)) })
        #expect(await view.indexed())
        for round in 0..<5 {
            for (index, name) in names.enumerated() {
                try view.append(
                    "\(Self.clock(1000 + round * 100 + index)) info round \(round) of \(name)\n", to: name)
            }
        }
        #expect(await view.reaches { $0.store.rows.end == 30 })
        let messages = try view.rows("from=0&count=100").map(\.message)
        #expect(Set(messages).count == 30)
        for name in names {
            let own = messages.filter { $0.hasSuffix(name) }
            #expect(own == (0..<5).map { "round \($0) of \(name)" })
        }
        // A line without an end is completed in place, whatever came behind it meanwhile.
        try view.append("\(Self.clock(2000)) info begun", to: "s1.log")
        #expect(await view.reaches { $0.store.rows.end == 31 })
        try view.append("\(Self.clock(2001)) info other\n", to: "s2.log")
        #expect(await view.reaches { $0.store.rows.end == 32 })
        try view.append(" and ended\n\(Self.clock(2002)) info next\n", to: "s1.log")
        #expect(await view.reaches { $0.store.rows.end == 33 })
        #expect(try view.rows("from=30&count=9").map(\.message) == ["begun and ended", "other", "next"])
    }

    // MARK: Records

    private static let traces =
        (0..<40).map { number in
            "\(clock(number * 1000)) \(number % 4 == 0 ? "error" : "info") record \(number)\n"
                + (number % 4 == 0 ? (0..<31).map { "  at frame \($0)\n" }.joined() : "")
        }.joined()

    @Test("A stack trace is part of its record: it counts once, folds into one row, and opens whole")
    func foldsTraces() async throws {
        let view = try ViewFixture([("a.log", Array(Self.traces.utf8))])
        #expect(await view.indexed())
        let all = try view.log.scans.scan(ViewFilter(try #require(ViewQuery("/"))))
        #expect(all.summary.levels[1] == 10 && all.summary.levels[4] == 30)
        #expect(all.summary.rows.first == -350)
        let folded = try rows(view, "from=-99&count=99&fold=1")
        #expect(folded.count == 40)
        #expect(folded.map { $0[9] as? Int } == (0..<40).map { $0 % 4 == 0 ? 31 : 0 })
        #expect(folded.map { $0[4] as? String } == (0..<40).map { "record \($0)" })
        // A filter that finds a line of the trace shows the record, and each once.
        _ = view.lines("q=frame+1&fold=1")
        let scan = try view.log.scans.scan(ViewFilter(try #require(ViewQuery("/?q=frame+1&fold=1"))))
        scan.finish()
        #expect(scan.summary.rows.first == -10 && scan.summary.levels[1] == 10)
        let plain = try view.log.scans.scan(ViewFilter(try #require(ViewQuery("/?q=frame+1"))))
        plain.finish()
        #expect(plain.summary.rows.first == -110 && plain.summary.levels[1] == 10)
        // Any line of it opens the whole record.
        let record = try object(view, "record?n=-340")
        #expect(record["message"] as? String == "record 0")
        #expect((record["trace"] as? [String])?.count == 31)
        #expect(record["index"] as? Int == 10)
        #expect(record["raw"] as? String == "  at frame 9")
        // Lines that come are folded, too.
        try view.append("\(Self.clock(60_000)) error last\n  at a\n  at b\n", to: "a.log")
        #expect(await view.reaches { $0.store.records.end == 1 && $0.store.rows.end == 3 })
        #expect(try rows(view, "from=0&count=9&fold=1").map { $0[9] as? Int } == [2])
    }

    // MARK: Terminal colors

    @Test("Terminal colors are shown, not said: level, time and message are read without them")
    func ansiColors() async throws {
        let escape = "\u{1B}"
        let lines = [
            "\(Self.clock(0)) \(escape)[32mINFO\(escape)[0m started \(escape)[1;31mred\(escape)[0m end",
            "\(escape)[2m\(Self.clock(1))\(escape)[0m \(escape)[33mWARN\(escape)[0m second \(escape)[38;5;196mbright\(escape)[m",
            #"{"time":"2026-11-20T08:00:00.002Z","level":"error","message":"json \#u{1b}[36mcyan\#u{1b}[0m"}"#
                .replacingOccurrences(of: #"\#u{1b}"#, with: #"\u001b"#),
            "\(escape)]0;title\u{7}\(Self.clock(3)) info link \(escape)]8;;http://x\(escape)\\text\(escape)]8;;\(escape)\\",
        ]
        let view = try ViewFixture([("a.log", Array((lines.joined(separator: "\n") + "\n").utf8))])
        #expect(await view.indexed())
        let rows = try rows(view, "from=-4&count=4")
        #expect(rows.map { $0[2] as? Int } == [4, 2, 1, 4])
        #expect(rows.allSatisfy { $0[7] as? Int == 1 })
        #expect(
            rows.map { $0[4] as? String }
                == ["started red end", "second bright", "json cyan", "link text"])
        func styles(_ index: Int) -> [[String]] {
            (rows[index][10] as? [[Any]] ?? []).map { $0.map { "\($0)" } }
        }
        #expect(styles(0) == [["8", "3", "f1 bold"]])
        #expect(styles(1) == [["7", "6", "f9"]])
        #expect(styles(2) == [["5", "4", "f6"]])
        #expect(styles(3) == [])
    }

    @Test("Escape sequences of any form leave the text, and styles lie within it", arguments: 0..<200)
    func ansiFuzz(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "\u{1B}", "[", "m", "31", ";", "0", "38;5;", "48;2;1;2;3m", "x", "é", "👩‍💻", "]", "\u{7}", "\\",
            "999999999999", "?25h",
            "\u{1B}[1m", "\u{1B}[0m", "\u{1B}[7m", " ",
        ]
        let text = (0..<30).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let read = AnsiText(text)
        #expect(!read.text.unicodeScalars.contains("\u{1B}"))
        for style in read.styles {
            #expect(style.start >= 0 && style.count > 0 && style.start + style.count <= read.text.utf16.count)
        }
        let bytes = Array(text.utf8).withUnsafeBytes { AnsiText.stripped($0) }
        if let bytes { #expect(!bytes.contains(0x1B)) }
    }

    // MARK: Fields

    private static let shop =
        (0..<600).map { number in
            "{\"time\":\"\(clock(number * 10).replacingOccurrences(of: " ", with: "T"))\",\"level\":\"\(["info", "error", "debug"][number % 3])\","
                + "\"category\":\"\(number % 2 == 0 ? "net.http" : "db")\",\"message\":\"say \(number)\","
                + "\"user\":\"u\(number % 5)\",\"ms\":\(number),\"a=b\":\"x or y\",\"formula\":\"=1+1\"}\n"
        }.joined()

    @Test("Facets count the values of each field among the records that pass")
    func facets() async throws {
        let view = try ViewFixture([("a.log", Array(Self.shop.utf8))])
        #expect(await view.indexed())
        _ = view.lines("level=error")
        let answer = try object(view, "facets?level=error")
        #expect(answer["records"] as? Int == 200 && answer["whole"] as? Bool == true)
        let fields = try #require(answer["fields"] as? [[String: Any]])
        #expect(fields.prefix(3).map { $0["name"] as? String } == ["level", "category", "file"])
        let user = try #require(fields.first { $0["name"] as? String == "user" })
        #expect(user["distinct"] as? Int == 5)
        let values = try #require(user["values"] as? [[Any]])
        #expect(values.map { $0[1] as? Int } == [40, 40, 40, 40, 40])
    }

    @Test(
        "Levels are sets, values are joined by or, names and values may contain anything",
        arguments: [
            ("level==error", 200), ("level=error,debug", 400), ("level=error", 200), ("level=debug", 600),
            ("where=user%3Du1+or+user%3Du2", 240), ("where=ms%3C10+or+ms%3E%3D590", 20),
            ("where=user%3Du1+or+user%3Du2&where=ms%3C100", 40), ("where=%22a%3Db%22%3D%22x+or+y%22", 600),
            ("where=%22a%3Db%22%3Dx+or+y", 600), ("where=%22a%3Db%22!%3Dx", 600), ("category=net", 300),
            ("category=net.http", 300), ("category=net.h", 0), ("where=category!%3Ddb", 300),
            ("not=say+1", 489),
        ])
    func filters(_ query: String, _ count: Int) async throws {
        let view = try ViewFixture([("a.log", Array(Self.shop.utf8))])
        #expect(await view.indexed())
        #expect(try #require(view.lines(query)).count { $0 == 0x0A } == count)
    }

    @Test(
        "Lines are saved as CSV and as JSON lines, with their types, and nothing that a spreadsheet computes")
    func exports() async throws {
        let text =
            Self.shop
            + "{\"time\":\"2026-11-20T09:00:00Z\",\"message\":\"a \\\"quote\\\", and\\nmore\",\"user\":\"x\"}\n"
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        let lines = String(decoding: try #require(view.lines("format=jsonl&level=error")), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 200)
        let first = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(first["ms"] as? Int == 1 && first["message"] as? String == "say 1")
        #expect(first["file"] == nil && first["category"] as? String == "db")
        let csv = String(decoding: try #require(view.lines("format=csv&col=ms&col=formula")), as: UTF8.self)
            .components(separatedBy: "\r\n")
        #expect(csv[0] == "time,level,category,message,log file,ms,formula")
        #expect(csv[1] == "2026-11-20T08:00:00Z,info,net.http,say 0,a.log,0,'=1+1")
        #expect(csv[601] == "2026-11-20T09:00:00Z,,,\"a \"\"quote\"\", and\nmore\",a.log,,")
        #expect(csv.count == 603)
        let all = String(decoding: try #require(view.lines("format=csv")), as: UTF8.self)
        #expect(all.hasPrefix("time,level,category,message,log file,"))
        #expect(all.contains("user") && all.contains("a=b"))
        // Some rows only, as for copying.
        let some = try #require(view.lines("from=-2&to=-1&format=lines"))
        #expect(some.count { $0 == 0x0A } == 2)
        #expect(view.get("api/lines?format=xml")?.status == 400)
    }

    @Test("Find goes from hit to hit and hides nothing; a long log is searched in several answers")
    func finds() async throws {
        let lines = (0..<60_000).map {
            "\(Self.clock($0)) info \($0 % 20_000 == 5 ? "needle" : "hay") \($0)\n"
        }
        let view = try ViewFixture([("a.log", Array(lines.joined().utf8))])
        #expect(await view.indexed())
        func next(_ from: Int, _ step: Int, _ more: String = "") throws -> Int? {
            try object(view, "next?from=\(from)&step=\(step)&hl=NEEDLE&hl=nothing\(more)")["n"] as? Int
        }
        #expect(try next(-60_000, 1) == -59_995)
        #expect(try next(-59_995, 1) == -39_995)
        #expect(try next(-1, -1) == -19_995)
        #expect(try next(-19_995, -1) == -39_995)
        #expect(try next(-19_995, 1) == nil)
        let scan = try view.log.scans.scan(ViewFilter(try #require(ViewQuery("/"))))
        let searcher = try LineSearcher("needle", isLiteral: true)
        var (row, steps) = (-1, 0)
        var found: Int?
        while found == nil, steps < 100 {
            let answer = scan.next(of: [searcher], from: row, isForward: false, limit: 1)
            found = answer.found
            row = answer.continuation ?? row
            steps += 1
        }
        #expect(found == -19_995 && steps > 1)
    }
}
