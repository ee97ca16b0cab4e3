import Foundation
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("A pipe that is started again", .inTurn) struct PipeRestartTests {
    @Test("What a failed run left goes out with the token, from the first request on")
    func token() async throws {
        let tool = try ToolProcess()
        let file = try tool.file("token", Array("s3cret\n".utf8))
        chmod(file, 0o600)
        let server = try LoopbackServer { request in
            request.headers["Authorization"] == "Bearer s3cret" ? .ok : .status(401)
        }
        defer { server.stop() }
        for (run, address) in ["http://127.0.0.1:1", server.address, server.address].enumerated() {
            let lines = (0..<700).map { "run \(run) line \($0)\n" }.joined()
            let outcome = try await tool.run(
                "pipe", "--http", address, "--encoding", "ndjson", "--token-file", "token", "--spool",
                "spool",
                input: Array(lines.utf8))
            if run > 0 { #expect(outcome.code == 0, "\(outcome.error)") }
        }
        #expect(server.requests.count >= 3)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer s3cret" })
        var next = 0
        for request in server.stored {
            for line in request.text.split(separator: "\n") {
                #expect(line.contains("\"run \(next / 700) line \(next % 700)\""))
                next += 1
            }
        }
        #expect(next == 2100)
    }
}
