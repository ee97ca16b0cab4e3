import Foundation
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The command line of heartwood", .inTurn)
struct CommandLineTests {
    private let options = [
        OptionGroup(
            title: "Options",
            options: [
                Option("--directory", "-d", value: "DIR", help: ""),
                Option("--keep", value: "COUNT", help: ""),
                Option("--quiet", "-q", help: ""),
                Option("--level-pattern", value: "LEVEL=PATTERN", isRepeatable: true, help: ""),
            ])
    ]

    private func parse(_ words: String...) throws -> Arguments {
        try Arguments(parsing: words, options: options)
    }

    @Test("Options are read in all their forms, and operands beside them")
    func forms() throws {
        let arguments = try parse(
            "a", "--directory", "x", "-q", "--level-pattern=error=b=c", "--level-pattern", "d", "-", "--",
            "-e")
        #expect(arguments.operands == ["a", "-", "-e"])
        #expect(arguments.value("--directory") == "x")
        #expect(arguments.has("--quiet"))
        #expect(arguments.values("--level-pattern") == ["error=b=c", "d"])
        #expect(try parse("-dx").value("--directory") == "x")
        #expect(try parse("-d", "").value("--directory")?.isEmpty == true)
    }

    @Test(
        "What makes no sense is refused, with what would",
        arguments: [
            (["--directroy", "x"], "did you mean “--directory”?"),
            (["--dir", "x"], "did you mean “--directory”?"),
            (["--keep"], "--keep COUNT"), (["--quiet=yes"], "does not take a value"),
            (["--zzz"], "unknown option “--zzz”"),
            (["--keep", "1", "--keep", "2"], "only once"), (["-x"], "unknown option “-x”"),
        ])
    func refusals(words: [String], hint: String) throws {
        let error = try #require(throws: UsageError.self) { try Arguments(parsing: words, options: options) }
        #expect(error.message.contains(hint))
    }

    @Test("Nothing is suggested that nobody can have meant")
    func noSuggestion() {
        #expect(Spelling.nearest(to: "--zzzzzz", among: ["--keep", "--quota"]) == nil)
        #expect(Spelling.nearest(to: "--kep", among: ["--keep", "--quota"]) == "--keep")
        #expect(Spelling.nearest(to: "gerp", among: ["cat", "grep"]) == "grep")
        #expect(Spelling.nearest(to: "--dire", among: ["--directory", "--dirt"]) == "--directory")
        #expect(
            Spelling.nearest(to: "", among: ["cat"]) == nil && Spelling.nearest(to: "cat", among: []) == nil)
    }

    @Test(
        "Times are read with their units",
        arguments: [
            ("30s", 30.0), ("5m", 300), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), ("45", 45),
            ("0", 0), ("250ms", 0.25),
            ("1.5h", 5400),
        ])
    func times(text: String, seconds: Double) { #expect(Duration(parsing: text) == .seconds(seconds)) }

    @Test("What is no time is refused", arguments: ["", "s", "-5s", "5 parsecs", "1e99s", "nan", "５s"])
    func noTimes(text: String) { #expect(Duration(parsing: text) == nil) }

    @Test("Help is complete: every command, and every option of each")
    func help() async throws {
        let tool = try ToolProcess()
        let overview = try await tool.run("--help")
        #expect(overview.code == 0)
        #expect(overview.error.isEmpty)
        for command in Tool.subcommands {
            #expect(overview.output.contains("  \(command.name) "))
            let page = try await tool.run(command.name, "--help")
            #expect(page.code == 0)
            for option in command.options.flatMap(\.options) {
                for name in option.names { #expect(page.output.contains(name), "\(command.name) \(name)") }
                #expect(!option.help.isEmpty)
            }
            #expect(page.output.contains("Exit codes"))
            #expect(page.output.split(separator: "\n").allSatisfy { $0.count <= 110 })
            #expect(try await tool.run("help", command.name).output == page.output)
        }
        #expect(try await tool.run("--version").output == "heartwood \(Tool.version)\n")
        #expect(try await tool.run().code == 2)
    }

    @Test(
        "Arguments that make no sense end with code 2, and say what to do",
        arguments: [
            (["pip"], "did you mean “pipe”?"), (["--hlep"], "did you mean “--help”?"),
            (["pipe", "--max-sise", "1"], "did you mean “--max-size”?"),
            (["pipe", "-d", "x", "--max-size", "big"], "such as 64KiB"),
            (["pipe", "-d", "x", "--max-age", "soon"], "such as 30s"),
            (["pipe", "-d", "x", "--keep", "-1"], "or none"), (["pipe", "--keep", "5"], "add --directory"),
            (["pipe", "--level", "eror"], "did you mean “error”?"),
            (["pipe", "--level-pattern", "error"], "LEVEL=PATTERN"),
            (["pipe", "--level-pattern", "error=(("], "is not a valid regular expression"),
            (["pipe", "--json", "--raw"], "cannot be combined"),
            (["pipe", "--spool", "x"], "--http URL"), (["pipe", "--gzip"], "--http URL"),
            (["pipe", "--http", "http://127.0.0.1:1", "--encoding", "jsn"], "did you mean “json”?"),
            (["pipe", "--http", "http://127.0.0.1:1", "--header", "X-Team"], "a name and a value"),
            (["pipe", "--http", "http://127.0.0.1:1", "--header", "X Team: a"], "must not contain"),
            (["pipe", "--http", "http://127.0.0.1:1", "--header", "Host: a"], "set automatically"),
            (["spool"], "missing DIR"), (["spool", "a", "b"], "one directory"),
            (["spool", "a", "--token-file", "x"], "add --send URL"),
            (["spool", "a", "--patience", "1s"], "requires --send URL"),
            (["spool", "a", "--send", "http://127.0.0.1:1", "--clear"], "--send cannot be combined"),
            (["spool", "a", "--send", "http://127.0.0.1:1", "--patience", "long"], "such as 30s"),
            (["demo", "x"], "unexpected argument"), (["demo", "--seconds", "0"], "at least 1"),
        ])
    func usageErrors(arguments: [String], hint: String) async throws {
        let tool = try ToolProcess()
        let line = arguments.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try await tool.shell("\"$HEARTWOOD\" \(line)")
        #expect(outcome.code == 2, "\(outcome.error)")
        #expect(outcome.error.contains(hint), "\(outcome.error)")
        #expect(outcome.error.contains("--help"))
        #expect(outcome.output.isEmpty)
    }

    @Test("The demo runs, and everything arrives, a second time in the same directory as well")
    func demo() async throws {
        let tool = try ToolProcess()
        for _ in 0..<2 {
            let outcome = try await tool.run("demo", "--seconds", "1", "--directory", tool.logs)
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(outcome.output.contains("Everything arrived, once and whole."))
            #expect(outcome.output.contains(/\n {10}files +\d+  █{40}\n/), "the picture of the loggers")
            #expect(outcome.output.contains(/\n  level +(fatal|error) +\d+  [█▏▎▍▌▋▊▉]*\n/))
            #expect(!outcome.output.contains("\u{1b}"), "no colours where there is no terminal")
            #expect(try tool.logFiles().count > 1)
        }
    }
}
