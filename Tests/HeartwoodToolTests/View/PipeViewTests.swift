#if os(Linux)
import Foundation
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood pipe --view", .inTurn) struct PipeViewTests {
    /// A pipe whose page can be opened.
    private struct Started {
        let tool: ToolProcess
        let child: ChildProcess
        /// What the pipe and the page say.
        let said: String
        let port: Int
        let page: String
        private let input: FileHandle

        init(_ options: [String] = []) async throws {
            let pipe = Pipe()
            tool = try ToolProcess()
            let said = try tool.file("said")
            child = try tool.start(
                ["pipe", "--directory", tool.logs, "--view"] + options,
                input: .descriptor(pipe.fileHandleForReading.fileDescriptor), error: .file(said))
            try pipe.fileHandleForReading.close()
            let address = try await eventually("the address is there") {
                try String(contentsOfFile: said, encoding: .utf8).firstMatch(
                    of: /http:\/\/127\.0\.0\.1:(\d+)(\/\w+\/)\n/)
            }
            (self.said, input, page) = (said, pipe.fileHandleForWriting, String(address.2))
            port = try #require(Int(address.1))
        }

        func send(_ range: Range<Int>) throws {
            try input.write(contentsOf: Data(range.map { "error line \($0)\n" }.joined().utf8))
        }

        /// Ends the input; the pipe writes everything, and ends.
        func finish(_ lines: Int) async throws {
            try input.close()
            #expect(await child.ended().isSuccess)
            #expect(try tool.messages().count == lines)
        }

        func get(_ target: String = "") -> RawClient.Answer? { RawClient.get(page + target, port: port) }

        func isSaid(_ text: String) throws -> Bool {
            try String(contentsOfFile: said, encoding: .utf8).contains(text)
        }
    }

    @Test("The page shows lines while they are written, across rolls, and ends with the input")
    func showsWhileWriting() async throws {
        let pipe = try await Started(["--max-size", "64KiB"])
        func lines() -> [Substring] { (pipe.get("api/lines?q=line")?.text ?? "").split(separator: "\n") }
        #expect(pipe.get()?.status == 200)
        #expect(RawClient.get("/", port: pipe.port)?.status == 403)
        try pipe.send(0..<1000)
        try await eventually("the page has the lines") { lines().count == 1000 }
        // Five files and more.
        try pipe.send(1000..<12_000)
        try await eventually("the page has all lines") { lines().count == 12_000 }
        let numbers = lines().compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(numbers == Array(0..<12_000))
        #expect(try pipe.tool.logFiles().count > 4)
        try await pipe.finish(12_000)
    }

    @Test(
        "Whatever ends the page's process, the lines go on, and what happened is told",
        arguments: [SIGILL, SIGKILL, SIGTERM])
    func endOfThePage(signal: Int32) async throws {
        let pipe = try await Started()
        try pipe.send(0..<1000)
        let path = "/proc/\(pipe.child.id)/task/\(pipe.child.id)/children"
        let children = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        let page = try #require(children.first.flatMap { pid_t($0) })
        #expect(kill(page, signal) == 0)
        try await eventually("the end is told") {
            try pipe.isSaid("the page is not shown: it was ended by signal \(signal)")
        }
        try pipe.send(1000..<3000)
        try await pipe.finish(3000)
    }

    @Test("The page's process ends with the pipe, also where that is killed")
    func endOfThePipe() async throws {
        let pipe = try await Started()
        #expect(pipe.get()?.status == 200)
        #expect(kill(pipe.child.id, SIGKILL) == 0)
        _ = await pipe.child.ended()
        try await eventually("the server is gone") { pipe.get() == nil }
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
