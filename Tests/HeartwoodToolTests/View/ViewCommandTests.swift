#if os(Linux)
import Foundation
import HeartwoodServer
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood view, as a command", .inTurn) struct ViewCommandTests {
    @Test(
        "Whoever lets other machines connect is told what that means; nobody else is",
        arguments: [("0.0.0.0", true), ("127.0.0.1", false), ("::1", false)])
    func exposed(_ address: String, _ isExposed: Bool) async throws {
        let tool = try ToolProcess()
        _ = try tool.file("a.log", Array("2026-11-20 10:00:00.000Z info one\n".utf8))
        let (told, said) = (try tool.file("told"), try tool.file("said"))
        let child = try tool.start(
            ["view", "--no-open", "--listen", address, "a.log"], output: .file(said), error: .file(told))
        let deadline = ContinuousClock.now + .seconds(120)
        var text = ""
        while !text.hasSuffix("\n"), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
            text = try String(contentsOfFile: said, encoding: .utf8)
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
