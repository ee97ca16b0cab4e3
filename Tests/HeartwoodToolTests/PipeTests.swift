import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood pipe", .inTurn)
struct PipeTests {
    let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private func numbered(_ count: Int) -> [UInt8] {
        Array((0..<count).map { "line \($0)\n" }.joined().utf8)
    }

    @Test("A real log becomes three files of the size asked for, with the newest lines, whole and in order")
    func realLog() async throws {
        guard let input = ToolProcess.realLog("OpenSSH_2k.log") else { return }
        let path = try tool.file("OpenSSH_2k.log", input)
        let outcome = try await tool.run(
            "pipe", path, "--directory", tool.logs, "--max-size", "64KiB", "--keep", "3")
        #expect(outcome.code == 0, "\(outcome.error)")

        let files = try tool.logFiles()
        #expect(files.count == 3)
        #expect(files.allSatisfy { $0.count <= 65_536 && $0.last == 0x0A })
        #expect(files.dropLast().allSatisfy { $0.count > 60_000 })
        let expected = input.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        let messages = try tool.messages()
        #expect(messages.count > 1000)
        ToolProcess.expectSame(messages, expected.suffix(messages.count))
        #expect(outcome.error.contains("2,000 lines"))
        #expect(outcome.error.contains("2,000 delivered, 0 dropped, 0 failed"))
        #expect(outcome.error.contains("3 files"))
    }

    @Test("The levels of a real log are those that it names")
    func realLevels() async throws {
        guard let input = ToolProcess.realLog("Zookeeper_2k.log") else { return }
        let path = try tool.file("Zookeeper_2k.log", input)
        let outcome = try await tool.run("pipe", path, "-d", tool.logs, "--json")
        #expect(outcome.code == 0, "\(outcome.error)")
        struct Entry: Decodable {
            let level: String
            let message: String
        }
        let names = ["INFO": "info", "WARN": "warning", "ERROR": "error"]
        for line in try tool.logLines() {
            let entry = try JSONDecoder().decode(Entry.self, from: line)
            let word = entry.message.split(separator: " ")[3]
            #expect(names[String(word)] == entry.level, "\(entry.message)")
        }
    }

    @Test(
        "Lines come out in the order in which they went in, from several inputs and without a final newline")
    func order() async throws {
        let first = try tool.file("first", numbered(3000))
        let outcome = try await tool.run(
            "pipe", first, "-", "-d", tool.logs, "--max-size", "10KiB", "--keep", "0",
            input: Array("a\r\nb\n\nc".utf8))
        #expect(outcome.code == 0, "\(outcome.error)")
        let expected = (0..<3000).map { "line \($0)" } + ["a", "b", "", "c"]
        ToolProcess.expectSame(try tool.messages(), expected)
        #expect(try tool.logFiles().count > 10)
        #expect(outcome.error.contains("3,004 lines"))
    }

    @Test("--raw keeps any bytes as they are")
    func rawBytes() async throws {
        var random = SystemRandomNumberGenerator()
        let input = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) } + [0x0A]
        let outcome = try await tool.run("pipe", "-d", tool.logs, "--raw", "--max-size", "0", input: input)
        #expect(outcome.code == 0, "\(outcome.error)")
        ToolProcess.expectSame(Array(try tool.logFiles().reduce(Data(), +)), input)
    }

    @Test("Any bytes become lines of clean UTF-8 that can be read back")
    func escapedBytes() async throws {
        var random = SystemRandomNumberGenerator()
        var input = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        input += Array("\u{1b}[31mred\u{202e}\u{2028}ü😀 \\ \\x{ff} \t\u{0}\n".utf8) + Array(0...255) + [0x0A]
        let outcome = try await tool.run("pipe", "-d", tool.logs, input: input)
        #expect(outcome.code == 0, "\(outcome.error)")
        let messages = try tool.messages()
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        #expect(messages.count == lines.count)
        for (message, line) in zip(messages, lines) {
            // Zero bytes in front of a line are no part of it.
            let text = line.drop { $0 == 0 }
            ToolProcess.expectSame(
                unescaped(message), text.last == 0x0D ? Array(text.dropLast()) : Array(text))
        }
        for line in try tool.logLines() {
            let text = try #require(String(validating: line, as: UTF8.self))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        }
        #expect(outcome.error.contains("with bytes that are not UTF-8"))
    }

    /// Reads back what the line formatter has escaped.
    private func unescaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                bytes += Array(String(scalar).utf8)
                continue
            }
            switch rest.popFirst() {
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "x":
                bytes.append(UInt8(hexadecimal(&rest)))
            case "u":
                if let scalar = Unicode.Scalar(hexadecimal(&rest)) { bytes += Array(String(scalar).utf8) }
            default: bytes.append(0x5C)
            }
        }
        return bytes
    }

    private func hexadecimal(_ rest: inout Substring.UnicodeScalarView) -> UInt32 {
        _ = rest.popFirst()
        var number: UInt32 = 0
        while let scalar = rest.popFirst(), let digit = Character(scalar).hexDigitValue {
            number = number * 16 + UInt32(digit)
        }
        return number
    }

    @Test("Every line of --json is JSON, whatever the input")
    func json() async throws {
        var random = SystemRandomNumberGenerator()
        let input = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) } + [0x0A]
        #expect(try await tool.run("pipe", "-d", tool.logs, "--json", input: input).code == 0)
        struct Entry: Decodable {
            let message: String
        }
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        let logged = try tool.logLines()
        #expect(logged.count == lines.count)
        for line in logged { _ = try JSONDecoder().decode(Entry.self, from: line) }
    }

    @Test("A long line is cut between characters, and nothing of it is lost")
    func longLines() async throws {
        let long = String(repeating: "äöü😀x", count: 30_000)
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--max-line", "1000", "--raw", "--max-size", "0",
            input: Array("before\n\(long)\nafter\n".utf8))
        #expect(outcome.code == 0, "\(outcome.error)")
        let lines = try tool.logLines()
        #expect(lines.first == Data("before".utf8))
        #expect(lines.last == Data("after".utf8))
        let joined = lines.dropFirst().dropLast().reduce(Data(), +)
        ToolProcess.expectSame(Array(joined), Array(long.utf8))
        #expect(lines.allSatisfy { $0.count <= 1000 && String(validating: $0, as: UTF8.self) != nil })
        #expect(outcome.error.contains("3 lines"))
        #expect(outcome.error.contains("1 cut for their length"))
    }

    @Test("The pieces of a long line carry their numbers")
    func parts() async throws {
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--max-line", "16", input: Array("0123456789abcdefghij\n".utf8))
        #expect(outcome.code == 0)
        #expect(try tool.messages() == ["0123456789abcdef {part=1}", "ghij {part=2 last=true}"])
    }

    @Test("An empty input makes no file, and is no failure")
    func empty() async throws {
        let outcome = try await tool.run("pipe", "-d", tool.logs)
        #expect(outcome.code == 0)
        #expect(try tool.logFiles().isEmpty)
        #expect(outcome.error.contains("0 lines"))
    }

    @Test("--level, --level-pattern and --default-level decide what is kept, and as what")
    func levels() async throws {
        let input = Array("ERROR one\nplain\ncard declined\nDEBUG two\n".utf8)
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--level", "notice", "--level-pattern", "fatal=(?i)DECLINED",
            "--default-level", "notice", input: input)
        #expect(outcome.code == 0)
        let lines = try tool.logLines().map { String(decoding: $0.dropFirst(25), as: UTF8.self) }
        #expect(lines == ["error   ERROR one", "notice  plain", "fatal   card declined"])
        #expect(outcome.error.contains("1 below the level"))
    }

    @Test("--quiet shows nothing but errors")
    func quiet() async throws {
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--quiet", "missing.log", "-", input: Array("x\n".utf8))
        #expect(outcome.code == 1)
        #expect(
            outcome.error
                == "heartwood pipe: cannot be opened [missing.log] (errno 2: No such file or directory)\n")
        #expect(try tool.messages() == ["x"], "what can be read is read")
    }

    @Test("Lines go over HTTP, each once and in order, and to the files beside")
    func http() async throws {
        let server = try LoopbackServer(
            answers: [.status(503, headers: ["Retry-After": "1"]), .lost], then: .status(200))
        defer { server.stop() }
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--http", server.address + "/logs", "--keep", "0", input: numbered(2500))
        #expect(outcome.code == 0, "\(outcome.error)")
        struct Entry: Decodable {
            let message: String
        }
        var seen: Set<String> = []
        var messages: [String] = []
        // A request whose answer was lost comes again, with the same key.
        for request in server.stored where seen.insert(request.headers["Idempotency-Key"] ?? "").inserted {
            let entries = try JSONDecoder().decode([Entry].self, from: Data(request.body))
            messages += entries.map(\.message)
            // Those of the pipe itself tell nothing of the program.
            #expect(!request.text.contains("\"thread\"") && !request.text.contains("\"queue\""))
        }
        ToolProcess.expectSame(messages, (0..<2500).map { "line \($0)" })
        ToolProcess.expectSame(try tool.messages(), messages)
        #expect(outcome.error.contains("http: 2,500 delivered"))
    }

    @Test(
        "Requests have the form, the header and the token asked for",
        arguments: [
            ("ndjson", "application/x-ndjson", "Authorization", "Bearer s3cret"),
            ("splunk", "application/json", "Authorization", "Splunk s3cret"),
            ("datadog", "application/json", "DD-API-KEY", "s3cret"),
            ("journal", "application/vnd.fdo.journal", "Authorization", "Bearer s3cret"),
        ])
    func encodings(_ encoding: String, _ type: String, _ field: String, _ token: String) async throws {
        let server = try LoopbackServer(then: .status(200, body: "{}"))
        defer { server.stop() }
        let file = try tool.file("token", Array("s3cret\n".utf8))
        chmod(file, 0o600)
        let outcome = try await tool.run(
            "pipe", "--http", server.address, "--encoding", encoding, "--header", "X-Team:shop", "--gzip",
            "--token-file", "token", input: numbered(200))
        #expect(outcome.code == 0, "\(outcome.error)")
        let request = try #require(server.stored.first)
        #expect(request.headers["Content-Type"] == type)
        #expect(request.headers[field] == token)
        #expect(request.headers["X-Team"] == "shop")
        #expect((request.headers["Content-Encoding"] == "gzip") == (encoding != "journal"))
    }

    @Test(
        "A big file goes over HTTP whole and in order, however much slower the server is than the disk",
        .secondTier)
    func bigFile() async throws {
        let count = 120_000  // more than may wait at a time
        let server = try LoopbackServer()
        defer { server.stop() }
        let input = try tool.file("big.log", numbered(count))
        let outcome = try await tool.run("pipe", input, "--http", server.address, "--encoding", "ndjson")
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.error.contains("http: 120,000 delivered, 0 dropped, 0 rejected"), "\(outcome.error)")
        var next = 0
        for request in server.stored {
            for line in request.body.split(separator: 0x0A) {
                let isNext = line.firstRange(of: Array("\"line \(next)\"".utf8)) != nil
                try #require(isNext, "line \(next) is missing")
                next += 1
            }
        }
        #expect(next == count)
    }
}
