import Foundation
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodTool

@Suite("heartwood recover", .inTurn)
struct RecoverTests {
    let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private var journals: String { tool.scratch.appendingPathComponent("journals").path }

    /// Leaves the journal of a process that was killed before its file logger could write.
    private func leaveDead() async throws {
        let (journals, logs) = (journals, tool.logs)
        await #expect(processExitsWith: .failure) {
            [journals = journals as String, logs = logs as String] in
            let dispatcher = LogDispatcher(journal: .file(journals))
            dispatcher.diagnostics.handler = { _ in }
            let broken = SystemCalls { $0 == .write ? .fails(ENOSPC) : nil }
            dispatcher.add(
                try FileLogger(
                    Directory(logs, calls: broken),
                    settings: FileSettings(naming: LogFileNaming(application: "shop")),
                    formatter: LineFormatter()))
            for number in 0..<100 { logInfo("order \(number, as: "order")", to: dispatcher) }
            log("GET /", level: LogLevel(bit: 27, name: "access", severity: .notice), to: dispatcher)
            kill(getpid(), SIGKILL)
        }
    }

    private func lines() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.logs).filter {
            $0.hasSuffix(".log")
        }
        return try names.sorted().flatMap { name in
            try String(contentsOfFile: tool.logs + "/" + name, encoding: .utf8).split(separator: "\n").map(
                String.init)
        }
    }

    @Test(
        "What a killed program had logged is delivered once, to where it logged to", arguments: [false, true])
    func recovers(_ isJSON: Bool) async throws {
        try await leaveDead()
        let first = try await isJSON ? tool.run("recover", "--json", journals) : tool.run("recover", journals)
        #expect(first.code == 0, "\(first.error)")
        #expect(first.error.contains("recovered 101 messages"))
        let lines = try lines()
        #expect(lines.count == 102)
        if !isJSON {
            // The time is the call's, even where nothing but the call had happened.
            #expect(lines.allSatisfy { $0.prefix(10) == lines[0].prefix(10) }, "\(lines[1])")
        }
        for number in 0..<100 { #expect(lines[number + 1].contains("order \(number)")) }
        // The tool knows this level from the journal alone.
        #expect(lines[101].contains("access") && lines[101].contains("GET /"), "\(lines[101])")
        #expect(lines.last?.hasPrefix("{") == isJSON)
        #expect(try FileManager.default.contentsOfDirectory(atPath: journals).isEmpty)
        let second = try await tool.run("recover", journals)
        #expect(second.code == 0 && second.error.isEmpty)
        #expect(try self.lines() == lines)
    }

    @Test("A directory that is missing is an error, and nothing is made")
    func missing() async throws {
        let outcome = try await tool.run("recover", journals)
        #expect(outcome.code == 1)
        #expect(!FileManager.default.fileExists(atPath: journals))
        #expect(try await tool.run("recover").code == 2)
    }

    @Test("A key tells directory and application, whatever is in their names")
    func keys() {
        #expect(JournalKey("file:/var/log/a:b:shop").files ?? ("", "") == ("/var/log/a", "b:shop"))
        #expect(JournalKey("file:/a:b/c:shop").files ?? ("", "") == ("/a:b/c", "shop"))
        #expect(JournalKey("http:/spool").files == nil)
        #expect(
            [JournalKey("file:/a/b:shop"), JournalKey("http:/spool")].map(\.description)
                == ["messages of “shop” in /a/b", "http:/spool"])
    }
}
