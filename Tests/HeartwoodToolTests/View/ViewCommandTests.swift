#if os(Linux)
import Foundation
import HeartwoodArchive
import HeartwoodServer
import HeartwoodTestSupport
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood view, as a command", .inTurn) struct ViewCommandTests {
    private let archives: Void = LogArchives.register()

    @Test(
        "Standard input, compressed or not, and pipes are shown while they come, and nothing is left of them",
        arguments: [(["-"], false), ([], true), (["/dev/fd/0"], false)])
    func streams(_ operands: [String], _ isCompressed: Bool) async throws {
        let tool = try ToolProcess()
        let said = try tool.file("said")
        let text = Array("error 1\nerror 2\nerror 3\n".utf8)
        let pipe = Pipe()
        let child = try tool.start(
            ["view", "--no-open"] + operands, input: .descriptor(pipe.fileHandleForReading.fileDescriptor),
            output: .file(said))
        try pipe.fileHandleForWriting.write(
            contentsOf: Data(isCompressed ? try GzipMember.compress(text) : text))
        try pipe.fileHandleForWriting.close()
        let page = try await eventually("the address is there") {
            (try? String(contentsOfFile: said, encoding: .utf8))?.firstMatch(
                of: /http:\/\/127\.0\.0\.1:(\d+)(\/\w+\/)\n/)
        }
        let port = try #require(Int(page.1))
        let lines = try await eventually("the page has all lines") {
            RawClient.get("\(page.2)api/lines?q=error", port: port).flatMap {
                $0.text.hasSuffix("error 3\n") ? $0.text : nil
            }
        }
        #expect(lines == "error 1\nerror 2\nerror 3\n")
        #expect(try left(tool) == 1)
        kill(child.id, SIGTERM)
        #expect(await child.ended().isSuccess)
        #expect(try left(tool) == 0)
    }

    /// How many temporary directories there are.
    private func left(_ tool: ToolProcess) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: tool.scratch.path).filter {
            $0.hasPrefix("heartwood-")
        }.count
    }

    @Test(
        "Whoever lets other machines connect is told what that means; nobody else is",
        arguments: [("0.0.0.0", true), ("127.0.0.1", false), ("::1", false)])
    func exposed(_ address: String, _ isExposed: Bool) async throws {
        let tool = try ToolProcess()
        _ = try tool.file("a.log", Array("2026-11-20 10:00:00.000Z info one\n".utf8))
        let (told, said) = (try tool.file("told"), try tool.file("said"))
        let child = try tool.start(
            ["view", "--no-open", "--listen", address, "a.log"], output: .file(said), error: .file(told))
        let text = try await eventually("the address is there") {
            let text = try String(contentsOfFile: said, encoding: .utf8)
            return text.hasSuffix("\n") ? text : nil
        }
        #expect(text.contains(/http:\/\/\S+:\d+\/\w{16,}\//))
        // Nobody can open “all addresses”.
        #expect(!text.contains("0.0.0.0") || SocketAddress.ofThisMachine(isVersion6: false) == nil)
        kill(child.id, SIGTERM)
        #expect(await child.ended().isSuccess)
        let warning = try String(contentsOfFile: told, encoding: .utf8)
        #expect(warning.contains("other machines can connect; the connection is not encrypted") == isExposed)
    }
}
#endif
