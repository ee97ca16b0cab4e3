import Foundation
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood config", .inTurn)
struct ConfigCommandTests {
    @Test("A configuration that is right is shown as all files make it, without secrets")
    func show() async throws {
        let tool = try ToolProcess()
        let file = try tool.file(
            "logging.json",
            #"{"level": "info", "loggers": {"remote": {"kind": "http", "url": "https://logs.example.com/", "encoding": "json", "authorization": {"bearer": {"environment": "TOKEN"}}}, "own": {"kind": "slack", "channel": "x"}}}"#
                .utf8)
        _ = try tool.file("logging.dev.json", #"{"level": "debug", "loggers": {"own": null}}"#.utf8)
        #expect(try await tool.run("config", "check", "--kind", "slack", file).code == 0)
        let shown = try await tool.run("config", "show", "-e", "dev", file)
        #expect(shown.code == 0 && shown.error == "")
        let mistyped = try await tool.run("config", "check", "-e", "dve", "--kind", "slack", file)
        #expect(mistyped.code == 0)
        #expect(
            mistyped.error
                == "heartwood config: there is no overlay "
                + file.replacing("logging.json", with: "logging.dve.json") + "\n")
        #expect(
            shown.output == """
                {
                  "level": "debug",
                  "loggers": {
                    "remote": {
                      "kind": "http",
                      "url": "https://logs.example.com/",
                      "encoding": "json",
                      "authorization": {
                        "bearer": {
                          "environment": "TOKEN"
                        }
                      }
                    }
                  }
                }

                """)
        let variables = try await tool.shell(
            "HEARTWOOD_LEVEL=fatal,a=off HEARTWOOD_ENVIRONMENT=dev \"$HEARTWOOD\" config show --variables logging.json"
        )
        #expect(variables.output.contains("\"level\": \"fatal\""))
        #expect(variables.output.contains("\"categories\": {\n    \"a\": \"off\""))
    }

    @Test("What is wrong is told with its place, and arguments that make no sense are")
    func wrong() async throws {
        let tool = try ToolProcess()
        let file = try tool.file(
            "logging.json", "{\"level\": \"debgu\",\n \"loggers\": {\"a\": {\"kind\": \"slack\"}}}".utf8)
        let outcome = try await tool.run("config", "check", file)
        #expect(outcome.code == 1)
        #expect(
            outcome.error == """
                \(file):1:11: level: “debgu” is not a valid level: did you mean “debug”?
                \(file):2:28: loggers.a.kind: unknown logger kind “slack”; there are console, file, system, memory, http, sqlite

                """)
        #expect(try await tool.run("config", "check", file + "x").code == 1)
        #expect(try await tool.run("config", "chekc", file).code == 2)
        #expect(try await tool.run("config", file).code == 2)
    }
}
