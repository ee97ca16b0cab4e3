import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading
@testable import HeartwoodTool

@Suite("What heartwood pipe can do with lines and files", .inTurn)
struct PipeOptionsTests {
    private let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func objects() throws -> [[String: Any]] {
        try tool.logLines().map { try #require(try JSONSerialization.jsonObject(with: $0) as? [String: Any]) }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tool.logs).filter { !$0.hasPrefix(".") }.sorted()
    }

    @Test("A pattern of the user's is found anywhere in a line, in any bytes, in the case asked for")
    func patterns() throws {
        let plain = try LevelPattern(parsing: "error=timed? out|refused=[0-9]+")
        let caseless = try LevelPattern(parsing: "warn=(?i)slow")
        func matches(_ pattern: LevelPattern, _ line: String) -> Bool {
            Array(line.utf8).withUnsafeBytes { pattern.pattern.firstMatch(in: $0) != nil }
        }
        #expect(plain.level == .error)
        #expect(matches(plain, "it timed out"))
        #expect(matches(plain, "\u{0}\u{0} refused=17"))
        #expect(!matches(plain, "it Timed out"))
        #expect(!matches(plain, ""))
        #expect(caseless.level == .warning)
        #expect(matches(caseless, "a SLOW query"))
        #expect(matches(try LevelPattern(parsing: "info=^$"), ""))
        #expect(throws: UsageError("--level-pattern: the pattern is empty")) {
            try LevelPattern(parsing: "info=")
        }
        #expect(
            throws: UsageError(
                "--level-pattern: “ü(” is not a valid regular expression: missing closing parenthesis, "
                    + "at character 3")
        ) { try LevelPattern(parsing: "info=ü(") }
    }

    @Test("A pattern of the user's sees a record as a whole, as bytes, and as grep sees a line")
    func recordPatterns() throws {
        func matches(_ pattern: String, _ record: [UInt8]) throws -> Bool {
            let pattern = try LevelPattern(parsing: "error=\(pattern)").pattern
            return record.withUnsafeBytes { pattern.firstMatch(in: $0) != nil }
        }
        let record = Array("start\nmiddle\nend\n".utf8)
        #expect(try matches("^start.middle", record) && !matches("^middle", record))
        #expect(try !matches("end$", record) && matches("end.$", record))
        #expect(try matches("[[:digit:]]{2}|(x|xy)z", Array("a xyz".utf8)))
        let broken = [0xFF, 0xFE] + Array("refused ".utf8) + [0xC3] + Array("Ünd 17".utf8)
        #expect(try matches("refused", broken) && matches("(?i)ünd [0-9]+$", broken))
        #expect(try !matches("refused .Ü", broken), "a byte that is not UTF-8 matches nothing")
    }

    @Test("A line for which a pattern needs too many steps is written, and told of at the end")
    func tooComplex() async throws {
        let line = "2026 \(String(repeating: "a", count: 40))b"
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--level-pattern", "error=(a+)+$", input: bytes(line + "\nx\n"))
        #expect(outcome.code == 0 && outcome.error.contains(": the pattern is too complex for 1 line\n"))
        #expect(try tool.messages() == [line, "x"])
    }

    @Test("--join traces keeps a trace in the record of its message, with that message's level")
    func join() async throws {
        let input = bytes(
            "INFO ready\nERROR payment failed\njava.lang.Error: x\n\tat A.b(A.java:1)\nINFO next\n")
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--join", "traces", "--level", "warning", input: input)
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(try tool.messages() == ["ERROR payment failed\\njava.lang.Error: x\\n\\tat A.b(A.java:1)"])
        #expect(outcome.error.contains("5 lines") && outcome.error.contains("3 joined into 1 record"))
    }

    @Test("JSON lines keep their members and types; others and broken ones are text")
    func json() async throws {
        let input = bytes(
            """
            {"level":"warn","msg":"slow","ms":12.50,"ok":true,"user":{"id":17},"list":[1,"a"],"time":"2020-01-02T03:04:05Z"}
            {"message":"a\\u00fc\\n","seq":"mine","n":null}
            {"broken":
            plain

            """)
        #expect(try await tool.run("pipe", "-d", tool.logs, "--json", input: input).code == 0)
        let objects = try objects()
        #expect(objects.count == 4)
        let first = objects[0]
        #expect(first["message"] as? String == "slow" && first["level"] as? String == "warning")
        #expect(first["ms"] as? Double == 12.5 && first["ok"] as? Bool == true)
        #expect((first["user"] as? [String: Any])?["id"] as? Int == 17)
        #expect(first["_time"] as? String == "2020-01-02T03:04:05Z")
        #expect(objects[1]["message"] as? String == "aü\n" && objects[1]["_seq"] as? String == "mine")
        #expect(objects[2]["message"] as? String == "{\"broken\":")
        #expect(objects[3]["message"] as? String == "plain")
    }

    @Test(
        "--line-time takes the time from the line, on the short way and on the long one",
        arguments: [false, true])
    func lineTime(isJoined: Bool) async throws {
        let input = bytes(
            "2020-01-02T03:04:05.678Z error a\nno time\n{\"time\":\"2021-01-02T03:04:05Z\",\"msg\":\"b\"}\n")
        let arguments =
            ["pipe", "-d", tool.logs, "--json", "--line-time"] + (isJoined ? ["--join", "traces"] : [])
        let path = try tool.file("input", input)
        let quoted = (arguments + [path]).map { "'\($0)'" }.joined(separator: " ")
        #expect(try await tool.shell("$HEARTWOOD \(quoted)").code == 0)
        let objects = try objects()
        #expect(objects[0]["time"] as? String == "2020-01-02T03:04:05.678000000Z")
        #expect(
            (objects[1]["time"] as? String)?.hasPrefix("202") == true
                && objects[1]["time"] as? String != objects[0]["time"] as? String)
        #expect(
            objects[2]["time"] as? String == "2021-01-02T03:04:05.000000000Z" && objects[2]["_time"] == nil)
    }

    @Test("--timestamps none writes no times, as text, JSON and on the console")
    func noTimes() async throws {
        let input = bytes("error: a\n")
        #expect(try await tool.run("pipe", "-d", tool.logs, "--timestamps", "none", input: input).code == 0)
        #expect(try tool.logLines().map { String(decoding: $0, as: UTF8.self) } == ["error   error: a"])
        let console = try await tool.run("pipe", "--timestamps", "none", input: input)
        #expect(console.output == "error   error: a\n")
        let json = try await tool.run("pipe", "--json", "--timestamps", "none", input: input)
        #expect(json.output.hasPrefix("{\"level\":\"error\""))
        #expect(try await tool.run("pipe", "--timestamps", "maybe", input: input).code == 2)
    }

    @Test(
        "--raw keeps the exact last byte, with and without a newline",
        arguments: ["a\nb", "a\r\nb\n", "a", "", "\n"])
    func lastByte(text: String) async throws {
        #expect(try await tool.run("pipe", "-d", tool.logs, "--raw", input: bytes(text)).code == 0)
        #expect(try tool.logFiles().reduce(Data(), +) == Data(text.utf8))
        // The next run goes on after what is there.
        #expect(try await tool.run("pipe", "-d", tool.logs, "--raw", input: bytes("c\n")).code == 0)
        let all = String(decoding: try tool.logFiles().reduce(Data(), +), as: UTF8.self)
        #expect(all.hasPrefix(text) && all.hasSuffix("c\n"))
    }

    @Test("--fixed-name and --current-link name the current file, and finished files keep their names")
    func currentFile() async throws {
        let input = (0..<3000).flatMap { bytes("line \($0)\n") }
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--fixed-name", "current", "--max-size", "20KiB", "--keep", "0", "--raw",
            input: input)
        #expect(outcome.code == 0, "\(outcome.error)")
        let names = try names()
        #expect(names.contains("current") && names.count { $0.hasSuffix(".log") } >= 1)
        let finished = try tool.logFiles().reduce(Data(), +)
        let current = try Data(contentsOf: URL(fileURLWithPath: tool.logs + "/current"))
        ToolProcess.expectSame(Array(finished + current), input)
        let linked = try await tool.run(
            "pipe", "-d", tool.logs + "/b", "--current-link", "now", input: bytes("x\n"))
        #expect(linked.code == 0)
        #expect(
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: tool.logs + "/b/now")), as: UTF8.self)
                .hasSuffix("x\n"))
    }

    @Test("--mode sets the permissions of files, and of a new directory")
    func mode() async throws {
        #expect(try await tool.run("pipe", "-d", tool.logs, "--mode", "0640", input: bytes("x\n")).code == 0)
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try permissions(tool.logs) == 0o750)
        let name = try #require(try names().first { $0.hasSuffix(".log") })
        #expect(try permissions(tool.logs + "/" + name) == 0o640)
        for bad in ["0400", "777", "rw", "07777"] {
            #expect(try await tool.run("pipe", "-d", tool.logs, "--mode", bad, input: bytes("x\n")).code == 2)
        }
    }

    @Test("--gzip-files compresses finished files, --encrypt all of them, and cat reads both")
    func archives() async throws {
        let input = (0..<3000).flatMap { bytes("line \($0)\n") }
        let size = ["--max-size", "20KiB", "--keep", "0"]
        let first = tool.logs + "/a"
        let path = try tool.file("input", input)
        var line = "$HEARTWOOD pipe '\(path)' -d '\(first)' --gzip-files " + size.joined(separator: " ")
        #expect(try await tool.shell(line).code == 0)
        // A run that has nothing to write compresses what the one before had no time for.
        #expect(try await tool.shell("$HEARTWOOD pipe /dev/null -d '\(first)' --gzip-files").code == 0)
        let cat = try await tool.run("cat", first)
        #expect(cat.output.split(separator: "\n").count == 3000)
        #expect(try FileManager.default.contentsOfDirectory(atPath: first).contains { $0.hasSuffix(".gz") })
        let key = try tool.file("key", (0..<32).map { UInt8($0) })
        chmod(key, 0o600)
        let second = tool.logs + "/b"
        line =
            "$HEARTWOOD pipe '\(path)' -d '\(second)' --encrypt --key-file '\(key)' "
            + size.joined(separator: " ")
        let outcome = try await tool.shell(line)
        #expect(outcome.code == 0, "\(outcome.error)")
        for name in try FileManager.default.contentsOfDirectory(atPath: second) where !name.hasPrefix(".") {
            let data = try Data(contentsOf: URL(fileURLWithPath: second + "/" + name))
            #expect(data.firstRange(of: Data("line 1".utf8)) == nil)
        }
        // Not only compressed: nothing can be read without the key.
        let keyless = try await tool.run("cat", second)
        #expect(keyless.code == 1 && !keyless.output.contains("line "))
        let read = try await tool.run("cat", second, "--key-file", key)
        #expect(read.output.split(separator: "\n").count == 3000)
        for bad in ["--encrypt", "--key-env X", "--roll-at month", "--join both", "--join-wait 1s"] {
            #expect(try await tool.shell("$HEARTWOOD pipe /dev/null -d '\(second)' \(bad)").code == 2)
        }
        #expect(try await tool.shell("$HEARTWOOD pipe /dev/null --gzip-files").code == 2)
    }

    @Test(
        "SIGUSR1 and SIGALRM start a new file, SIGHUP opens a renamed one again, and none of them ends the pipe"
    )
    func signals() async throws {
        let ends = Pipe()
        let error = try tool.file("error")
        let child = try tool.start(
            ["pipe", "-d", tool.logs, "--fixed-name", "current", "--raw"],
            input: .descriptor(ends.fileHandleForReading.fileDescriptor), error: .file(error))
        try ends.fileHandleForReading.close()
        func write(_ text: String) throws { try ends.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }
        func wait(_ isDone: () -> Bool) async throws {
            for _ in 0..<6000 where !isDone() { try await Task.sleep(for: .milliseconds(10)) }
            #expect(isDone())
        }
        func current() -> String {
            (try? String(contentsOfFile: tool.logs + "/current", encoding: .utf8)) ?? ""
        }
        func finished() -> [String] { ((try? names()) ?? []).filter { $0.hasSuffix(".log") } }
        try write("a\n")
        try await wait { current() == "a\n" }
        child.signal(SIGUSR1)
        try await wait { finished().count == 1 }
        try write("b\n")
        try await wait { current() == "b\n" }
        child.signal(SIGALRM)
        try await wait { finished().count == 2 }
        try write("c\n")
        try await wait { current() == "c\n" }
        try FileManager.default.moveItem(atPath: tool.logs + "/current", toPath: tool.logs + "/moved")
        #if os(Linux)
        func hasMovedOpen() -> Bool {
            let folder = "/proc/\(child.id)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name))?
                    .hasSuffix("/moved") == true
            }
        }
        #expect(hasMovedOpen())
        child.signal(SIGHUP)
        // At once, and not with the next line: what postrotate compresses is complete.
        try await wait { !hasMovedOpen() }
        #else
        child.signal(SIGHUP)
        #endif
        try write("d\n")
        try await wait { current() == "d\n" }
        try ends.fileHandleForWriting.close()
        let ending = await child.ended()
        #expect(ending.code == 0 && !ending.isSignal)
        #expect(try String(contentsOfFile: tool.logs + "/moved", encoding: .utf8) == "c\n")
    }

    @Test("Lines in the journal when the pipe is killed are written by the next run, one at most twice")
    func journal() async throws {
        let journal = tool.scratch.appendingPathComponent("journal").path
        let ends = Pipe()
        let child = try tool.start(
            ["pipe", "-d", tool.logs, "--journal", journal],
            input: .descriptor(ends.fileHandleForReading.fileDescriptor))
        try ends.fileHandleForReading.close()
        let lines = (0..<20_000).map { "line \($0)\n" }.joined()
        try ends.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        child.signal(SIGKILL)
        _ = await child.ended()
        try ends.fileHandleForWriting.close()
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--journal", journal, input: bytes("after\n"))
        #expect(outcome.code == 0, "\(outcome.error)")
        let messages = try tool.messages().filter { $0.hasPrefix("line ") || $0 == "after" }
        #expect(messages.last == "after" || messages.contains("after"))
        // The line that was being copied may be there twice, and what was read may end in the middle of a line.
        var (next, repeated) = (0, 0)
        var others: [String] = []
        for text in messages where text != "after" {
            if text == "line \(next)" {
                next += 1
            } else if text == "line \(next - 1)" {
                repeated += 1
            } else {
                others.append(text)
            }
        }
        #expect(repeated <= 1)
        #expect(others.count <= 1 && others.allSatisfy { "line \(next)".hasPrefix($0) }, "\(others)")
        // The write returned, so no more than 64 KiB of 224 were left in the pipe.
        #expect(next > 15_000)
    }

    @Test("Levels of logcat are those of its letters, in all its forms")
    func logcat() {
        func level(_ text: String) -> LogLevel? {
            var text = text
            return text.withUTF8 { LineRecognizer().level(of: UnsafeRawBufferPointer($0)) }
        }
        #expect(level("03-17 16:13:38.811  1702  2395 D WindowManager: error in a word") == .debug)
        #expect(level("03-17 16:13:38.811  1702  2395 E AndroidRuntime: FATAL EXCEPTION") == .error)
        #expect(level("03-17 16:13:38.811 V/ActivityManager( 123): x") == .verbose)
        #expect(level("W/Tag ( 4711): x") == .warning && level("F/libc(1): x") == .fatal)
        #expect(level("I/O error") == nil && level("a/b(c): x") == nil)
        #expect(level("D/E/F path") == nil)
    }
}
