#if os(Linux)
import Foundation
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood pipe --view", .inTurn) struct PipeViewTests {
    /// A pipe whose reading end the tool gets.
    private final class Input {
        let reading: FileHandle
        let writing: FileHandle

        init() {
            let pipe = Pipe()
            (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        }

        func send(_ range: Range<Int>) throws {
            try writing.write(contentsOf: Data(range.map { "error line \($0)\n" }.joined().utf8))
        }
    }

    @Test("The page shows lines while they are written, across rolls, and ends with the input")
    func showsWhileWriting() async throws {
        let tool = try ToolProcess()
        let input = Input()
        let said = try tool.file("said")
        let child = try tool.start(
            ["pipe", "--directory", tool.logs, "--max-size", "64KiB", "--view"],
            input: .descriptor(input.reading.fileDescriptor), error: .file(said))
        try input.reading.close()
        let address = try await eventually("the address is there") {
            try String(contentsOfFile: said, encoding: .utf8).firstMatch(
                of: /http:\/\/127\.0\.0\.1:(\d+)(\/\w+\/)\n/)
        }
        let port = try #require(Int(address.1))
        func lines() -> [Substring] {
            let answer = RawClient.get("\(address.2)api/lines?q=line", port: port)
            return (answer?.text ?? "").split(separator: "\n")
        }
        #expect(RawClient.get(String(address.2), port: port)?.status == 200)
        #expect(RawClient.get("/", port: port)?.status == 403)
        try input.send(0..<1000)
        try await eventually("the page has the lines") { lines().count == 1000 }
        // Five files and more.
        try input.send(1000..<12_000)
        try await eventually("the page has all lines") { lines().count == 12_000 }
        let numbers = lines().compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(numbers == Array(0..<12_000))
        #expect(try tool.logFiles().count > 4)
        try input.writing.close()
        #expect(await child.ended().isSuccess)
        #expect(try tool.messages().count == 12_000)
    }

    @Test(
        "Whatever ends the page's process, the lines go on, and what happened is told",
        arguments: [SIGILL, SIGKILL, SIGTERM])
    func endOfThePage(signal: Int32) async throws {
        let tool = try ToolProcess()
        let input = Input()
        let said = try tool.file("said")
        let child = try tool.start(
            ["pipe", "--directory", tool.logs, "--view"],
            input: .descriptor(input.reading.fileDescriptor), error: .file(said))
        try input.reading.close()
        func isSaid(_ text: String) throws -> Bool {
            try String(contentsOfFile: said, encoding: .utf8).contains(text)
        }
        try await eventually("the address is there") { try isSaid("http://") }
        try input.send(0..<1000)
        let path = "/proc/\(child.id)/task/\(child.id)/children"
        let page = try #require(
            try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").first.flatMap {
                pid_t($0)
            })
        #expect(kill(page, signal) == 0)
        try await eventually("the end is told") { try isSaid("the page is not shown: ") }
        try input.send(1000..<3000)
        try input.writing.close()
        #expect(await child.ended().isSuccess)
        #expect(try tool.messages().count == 3000)
        #expect(try isSaid("it was ended by signal \(signal)"))
    }

    @Test("The page's process ends with the pipe, also where that is killed")
    func endOfThePipe() async throws {
        let tool = try ToolProcess()
        let input = Input()
        let said = try tool.file("said")
        let child = try tool.start(
            ["pipe", "--directory", tool.logs, "--view"],
            input: .descriptor(input.reading.fileDescriptor), error: .file(said))
        try input.reading.close()
        let address = try await eventually("the address is there") {
            try String(contentsOfFile: said, encoding: .utf8).firstMatch(
                of: /http:\/\/127\.0\.0\.1:(\d+)(\/\w+\/)\n/)
        }
        let port = try #require(Int(address.1))
        #expect(RawClient.get(String(address.2), port: port)?.status == 200)
        #expect(kill(child.id, SIGKILL) == 0)
        _ = await child.ended()
        try await eventually("nobody answers") { RawClient.get(String(address.2), port: port) == nil }
    }

    @Test("--view without a directory is a mistake that is told") func mistake() async throws {
        let tool = try ToolProcess()
        let outcome = try await tool.run("pipe", "--view")
        #expect(outcome.code == 2 && outcome.error.contains("requires --directory DIR"))
    }

    @Test("The secret for a server is not the token of the page")
    func secret() async throws {
        let tool = try ToolProcess()
        chmod(try tool.file("token", Array("a-secret-of-a-server\n".utf8)), 0o600)
        let server = try LoopbackServer()
        defer { server.stop() }
        let outcome = try await tool.run(
            "pipe", "--directory", tool.logs, "--view", "--http", server.address, "--encoding", "ndjson",
            "--token-file", "token", input: Array("a line\n".utf8))
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(server.stored.first?.headers["Authorization"] == "Bearer a-secret-of-a-server")
        #expect(outcome.error.contains("http://127.0.0.1:"))
        #expect(!outcome.error.contains("a-secret-of-a-server"))
    }
}
#endif
