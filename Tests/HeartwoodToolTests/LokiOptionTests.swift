import Foundation
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("heartwood pipe and spool with Loki", .inTurn)
struct LokiOptionTests {
    private let tool: ToolProcess
    private let lines = (1...5).flatMap { Array("error: line \($0)\n".utf8) }

    init() throws { tool = try ToolProcess() }

    private func values(_ request: LoopbackRequest) throws -> [[Any]] {
        let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let streams = try #require(body?["streams"] as? [[String: Any]])
        return try streams.flatMap { try #require($0["values"] as? [[Any]]) }
    }

    @Test("--loki-json makes each line a JSON object, for servers without structured metadata")
    func json() async throws {
        let server = try LoopbackServer(then: .status(204))
        defer { server.stop() }
        let outcome = try await tool.run(
            "pipe", "--http", server.address, "--encoding", "loki", "--loki-json", "--name", "shop",
            input: lines)
        #expect(outcome.code == 0, "\(outcome.error)")
        let sent = try server.stored.flatMap { try values($0) }
        #expect(sent.count == 5)
        for (index, value) in sent.enumerated() {
            try #require(value.count == 2, "no structured metadata")
            let line = try JSONSerialization.jsonObject(with: Data(try #require(value[1] as? String).utf8))
            let fields = try #require(line as? [String: Any])
            #expect(fields["message"] as? String == "error: line \(index + 1)")
            #expect(fields["level"] as? String == "error" && fields["id"] is String)
        }
        let plain = try LoopbackServer(then: .status(204))
        defer { plain.stop() }
        #expect(
            try await tool.run(
                "pipe", "--http", plain.address, "--encoding", "loki", input: lines
            ).code == 0)
        #expect(try plain.stored.flatMap { try values($0) }.allSatisfy { $0.count == 3 })
        let wrong = try await tool.run("pipe", "--http", plain.address, "--loki-json", input: lines)
        #expect(wrong.code == 2 && wrong.error.contains("--encoding loki"))
    }

    @Test("Lines that Loki refuses are not counted as delivered: pipe and spool say so and do not end with 0")
    func refused() async throws {
        let server = try LoopbackServer { request in
            request.text.contains("line 3") ? .status(400, body: "entry too far behind") : .status(204)
        }
        defer { server.stop() }
        let pipe = try await tool.run("pipe", "--http", server.address, "--encoding", "loki", input: lines)
        #expect(pipe.code == 1)
        #expect(pipe.error.contains("http: 4 delivered, 0 dropped, 1 rejected"), "\(pipe.error)")
        #expect(pipe.error.contains("1 of 5 lines did not reach http"), "\(pipe.error)")

        // A server that refuses everything: nothing is delivered, and everything is kept.
        let refusing = try LoopbackServer { _ in .status(400, body: "entry too far behind") }
        defer { refusing.stop() }
        let spool = tool.scratch.path + "/spool"
        let kept = try await tool.run(
            "pipe", "--http", refusing.address, "--encoding", "loki", "--spool", spool, input: lines)
        #expect(kept.error.contains("http: 0 delivered"), "\(kept.error)")
        let again = try await tool.run(
            "spool", "--send", refusing.address, "--encoding", "loki", "--patience", "1s", spool)
        #expect(again.code == 1)
        #expect(again.error.contains("0 messages delivered"), "\(again.error)")
        // Where it accepts them again, each arrives once.
        let last = try await tool.run("spool", "--send", server.address, "--encoding", "loki", spool)
        #expect(last.error.contains("4 messages delivered, 1 rejected"), "\(last.error)")
    }
}
