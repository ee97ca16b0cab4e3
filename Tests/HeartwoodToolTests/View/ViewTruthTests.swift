import Foundation
import HeartwoodHTTP
import HeartwoodServer
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// What the page shows, saves and copies is what is in the files, whatever else goes on.
@Suite("heartwood view says nothing untrue", .inTurn)
struct ViewTruthTests {
    private static func steady(_ count: Int, every milliseconds: Int) -> [UInt8] {
        var text = ""
        for number in 0..<count {
            let time = number * milliseconds
            let clock = String(
                format: "%02d:%02d:%02d.%03d", 10 + time / 3_600_000, time / 60_000 % 60, time / 1000 % 60,
                time % 1000)
            let level = ["info", "error", "debug", "info"][number % 4]
            text += "2026-11-20 \(clock)Z \(level) line \(number)\n"
        }
        return Array(text.utf8)
    }

    private func object(_ answer: RawClient.Answer?) throws -> [String: Any] {
        let answer = try #require(answer)
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    @Test("A filter that a page still shows goes on finding lines, however many other filters are used")
    func keepsScansInUse() async throws {
        let view = try ViewFixture([("a.log", Self.steady(100, every: 10))])
        #expect(await view.indexed())
        let held = try view.log.scans.scan(ViewFilter(try #require(ViewQuery("/x?level=error"))))
        held.finish()
        #expect(held.summary.rows.end - held.summary.rows.first == 25)
        for number in 0..<20 { _ = view.lines("q=other+\(number)") }
        try view.append("2026-11-20 11:00:00.000Z error more\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 1 })
        held.finish()
        #expect(held.summary.rows.end - held.summary.rows.first == 26)
        #expect(held.summary.done == 1)
    }

    @Test(
        "Each bar of the timeline has exactly the lines of its time",
        arguments: [60, 207, 400], ["", "&level=error", "&q=line+1"])
    func timelineIsExact(_ pieces: Int, _ filter: String) async throws {
        let view = try ViewFixture([("a.log", Self.steady(9000, every: 137))])
        #expect(await view.indexed())
        // The search is over when its lines are there.
        let lines = String(decoding: try #require(view.lines(String(filter.dropFirst()))), as: UTF8.self)
        let answer = try object(view.get("api/histogram?pieces=\(pieces)\(filter)"))
        let bins = try #require(answer["bins"] as? [[Int]])
        let (from, width) = (
            try #require(answer["from"] as? Double), try #require(answer["width"] as? Double)
        )
        #expect(bins.count > pieces / 3 && bins.count <= pieces)
        var expected = [Int](repeating: 0, count: bins.count)
        for line in lines.split(separator: "\n") {
            let number = try #require(line.split(separator: " ").last.flatMap { Int($0) })
            let time = 1_795_168_800_000.0 + Double(number * 137)
            expected[Int((time - from) / width)] += 1
        }
        #expect(bins.map { $0.reduce(0, +) } == expected)
    }

    /// Sends a request and gives the connection when the head of the answer is there.
    private func begin(_ target: String, port: Int) throws -> Int32 {
        let socket = try #require(RawSocket.connect(port: port))
        RawSocket.send(
            "GET /\(ViewFixture.token)/\(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n",
            on: socket)
        let head = RawSocket.read(socket) { $0.firstRange(of: Array("\r\n\r\n".utf8)) != nil }
        #expect(String(decoding: head.prefix(15), as: UTF8.self) == "HTTP/1.1 200 OK")
        return socket
    }

    @Test(
        "Saved lines are all lines, even if saving begins before the index is complete",
        arguments: ["", "?q=line"])
    func savesWhole(_ query: String) async throws {
        let bytes = Self.steady(3000, every: 10)
        let view = try ViewFixture([("a.log", bytes)])
        // The same log, opened but not indexed yet.
        let log = ViewLog(paths: [view.directory], key: nil)
        let server = try ViewServer(log, token: ViewFixture.token)
        defer { server.stop() }
        let port = Int(server.address.split(separator: "/")[1].split(separator: ":")[1]) ?? 0
        let socket = try begin("api/lines" + query, port: port)
        defer { RawSocket.close(socket) }
        try log.start()
        let rest = RawSocket.read(socket) { _ in false }
        #expect(rest.count == bytes.count)
    }

    @Test(
        "The copied command prints the lines that the page shows: one file, excluded texts, bytes that are no text",
        arguments: [
            "file=b.log", "file=b.log&q=line+1", "not=line+1", "not=LINE+1&q=line", "not=line+1%0Aline+2",
            "file=a.log&not=line+3&level=error", "not=line+1&cs=1", "file=a.log&file=b.log&q=line+77",
        ])
    func commandIsSame(_ query: String) async throws {
        let odd = Array("2026-11-20 10:00:00.000Z info nul ".utf8) + [0, 0xFF, 0xFE, 0x0A]
        let view = try ViewFixture([
            ("a.log", odd + Self.steady(200, every: 10)), ("b.log", Self.steady(200, every: 10)),
        ])
        #expect(await view.indexed())
        let content = try object(view.get("api/command?" + query))
        let command = try #require(content["command"] as? String)
        let tool = try ToolProcess()
        let outcome = try await tool.shell("heartwood() { \"$HEARTWOOD\" \"$@\"; }; \(command)")
        let printed = outcome.output.split(separator: "\n").sorted()
        let shown = String(decoding: try #require(view.lines(query)), as: UTF8.self)
            .split(separator: "\n").sorted()
        #expect(shown.count > 1)
        #expect(printed == shown, "\(command)")
    }

    @Test(
        "The command that the page copies redacts as the page does",
        arguments: [
            ("standard", "--redact"), ("emailAddresses,keys", "--redact=emailAddresses,keys"), (nil, nil),
        ])
    func commandRedacts(_ rules: String?, _ option: String?) async throws {
        let text = "2026-11-20 10:00:00.000Z info password=hunter2 of ann@example.com\n"
        let view = try ViewFixture([("a.log", Array(text.utf8))], redact: rules)
        #expect(await view.indexed())
        for query in ["", "q=of", "level=info"] {
            let command = try #require(object(view.get("api/command?" + query))["command"] as? String)
            #expect(
                command.split(separator: " ").filter { $0.hasPrefix("--redact") }.map(String.init)
                    == [option].compactMap(\.self))
            let outcome = try await ToolProcess().shell("heartwood() { \"$HEARTWOOD\" \"$@\"; }; \(command)")
            #expect(Array(outcome.output.utf8) == view.lines(query), "\(command)")
        }
    }

    @Test("A link leads to its line after a rotation, or to none, and never to another line")
    func linksLast() async throws {
        func text(_ name: String) -> String {
            (0..<50).map { "2026-11-20 10:00:\(10 + $0 / 2).000Z info \(name) \($0)\n" }.joined()
        }
        func line(_ view: ViewFixture, _ query: String) throws -> String? {
            guard let number = try object(view.get("api/locate?" + query))["n"] as? Int else { return nil }
            return try object(view.get("api/record?n=\(number)"))["message"] as? String
        }
        let before = try ViewFixture([("a.log", Array(text("old").utf8))])
        #expect(await before.indexed())
        let record = try object(before.get("api/record?n=-20"))
        let (mark, offset) = (try #require(record["text"] as? Int), try #require(record["offset"] as? Int))
        let time = Int(try #require(record["ms"] as? Double))
        let link = "in=a.log&offset=\(offset)&t=\(time)&text=\(mark)&exact=1"
        #expect(try line(before, link) == "old 30")
        // The log has another name now, and lines of the same times or later ones are at the place.
        for newer in [text("new"), text("new").replacing("10:00", with: "11:00")] {
            let after = try ViewFixture([("a.log.1", Array(text("old").utf8)), ("a.log", Array(newer.utf8))])
            #expect(await after.indexed())
            #expect(try line(after, link) == "old 30")
            let without = try ViewFixture([("a.log", Array(newer.utf8))])
            #expect(await without.indexed())
            #expect(try line(without, link) == nil)
        }
        // A page that keeps its position takes the nearest line.
        #expect(try line(before, "in=other.log&offset=7&t=\(time + 1)") == "old 32")
        #expect(try line(before, "in=a.log&offset=0&t=\(time)") == "old 30")
    }

    @Test(
        "A link leads to its line among very many of the same time, and to its record where lines are folded")
    func linksAmongMany() async throws {
        let text = (0..<1300).map { "2026-11-20 10:00:00Z info same \($0)\n    at frame \($0)\n" }.joined()
        let view = try ViewFixture([("a.log.1", Array(text.utf8))])
        #expect(await view.indexed())
        for (row, folded) in [(-100, -50), (-101, -51)] {
            let record = try object(view.get("api/record?n=\(row)"))
            let (mark, offset) = (
                try #require(record["text"] as? Int), try #require(record["offset"] as? Int)
            )
            let time = Int(try #require(record["ms"] as? Double))
            for name in ["a.log", "a.log.1"] {
                let link = "in=\(name)&offset=\(offset)&t=\(time)&text=\(mark)&exact=1"
                #expect(try object(view.get("api/locate?" + link))["n"] as? Int == row)
                #expect(try object(view.get("api/locate?fold=1&" + link))["n"] as? Int == folded)
            }
        }
    }

    @Test("The number of a level is that of the records that pass the other filters")
    func levelsOfOthers() async throws {
        let text = (0..<400).map {
            "2026-11-20 10:00:00.000Z \($0 % 4 == 0 ? "error" : "info") line \($0 % 100)\n"
        }.joined()
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        #expect(await view.indexed())
        func numbers(_ query: String) throws -> [Int] {
            for parts in [query, query.replacing(/level=[^&]*/, with: "")] {
                try view.log.scans.scan(ViewFilter(#require(ViewQuery("/?" + parts)))).finish()
            }
            let socket = try begin("api/events?" + query, port: view.port)
            defer { RawSocket.close(socket) }
            let text = RawSocket.read(socket) { $0.firstRange(of: Array("\n\n".utf8)) != nil }
            let match = String(decoding: text, as: UTF8.self).firstMatch(of: /"levels":\[(.*?)\]/)
            return try #require(match?.1).split(separator: ",").compactMap { Int($0) }
        }
        for level in ["error", "%3Dinfo", "info,error", ""] {
            #expect(try numbers("level=\(level)") == [0, 100, 0, 0, 300, 0, 0, 0])
            #expect(try numbers("q=line+44&level=\(level)") == [0, 4, 0, 0, 0, 0, 0, 0])
            #expect(try numbers("q=line+45&level=\(level)") == [0, 0, 0, 0, 4, 0, 0, 0])
        }
    }

    @Test(
        "The size that the page shows grows with the files, and the number of files does not count one twice")
    func sizes() async throws {
        let view = try ViewFixture([("a.log", Self.steady(10, every: 10))])
        #expect(await view.indexed())
        func event() throws -> [String: Any] {
            let socket = try begin("api/events?tail=0", port: view.port)
            defer { RawSocket.close(socket) }
            let text = RawSocket.read(socket) { $0.firstRange(of: Array("\n\n".utf8)) != nil }
            let line = try #require(
                String(decoding: text, as: UTF8.self).firstMatch(of: /data: (.*)\n\n/)?.1)
            return try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let before = try #require(try event()["bytes"] as? Int)
        #expect(before == Self.steady(10, every: 10).count)
        let more = String(decoding: Self.steady(5000, every: 10), as: UTF8.self)
        try view.append(more, to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 5000 })
        #expect(try event()["bytes"] as? Int == before + more.utf8.count)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: view.directory + "/a.log"))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try view.append("2026-11-20 12:00:00.000Z info after the cut\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 5001 })
        #expect(try event()["files"] as? Int == 1)
    }

    @Test("A file that was there when the view began is read from its start after a cut")
    func readsOnAfterCut() async throws {
        let view = try ViewFixture([("a.log", Self.steady(3000, every: 10))])
        #expect(await view.indexed())
        try view.append("2026-11-20 11:00:00.000Z info before\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 1 })
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: view.directory + "/a.log"))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try view.append("2026-11-20 11:00:01.000Z info after one\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 2 })
        try view.append("2026-11-20 11:00:02.000Z info after two\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end == 3 })
        #expect(try view.rows("from=0&count=9").map(\.message) == ["", "after one", "after two"])
    }

    @Test("Strangers that say nothing do not keep the owner out, however many they are")
    func strangersDoNotBlock() throws {
        let view = try ViewFixture([("a.log", Self.steady(10, every: 10))])
        var strangers: [Int32] = []
        defer { for socket in strangers { RawSocket.close(socket) } }
        for _ in 0..<200 {
            guard let socket = RawSocket.connect(port: view.port) else { continue }
            RawSocket.send("G", on: socket)
            strangers.append(socket)
        }
        for _ in 0..<5 { #expect(view.get("api/about")?.status == 200) }
    }

    @Test("A run of the server has a number of its own, so that a page knows when its rows are others")
    func runsDiffer() async throws {
        let view = try ViewFixture([("a.log", Self.steady(10, every: 10))])
        let first = try #require(try object(view.get("api/about"))["run"] as? String)
        #expect(try object(view.get("api/about"))["run"] as? String == first)
        let other = try ViewFixture([("a.log", Self.steady(10, every: 10))])
        #expect(try object(other.get("api/about"))["run"] as? String != first)
    }
}
