import Foundation
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The help in other forms", .inTurn)
struct HelpFormTests {
    @Test("The manual page and the completions have every command and every option")
    func complete() async throws {
        let tool = try ToolProcess()
        let page = try await tool.run("help", "--man")
        #expect(page.code == 0 && page.output.hasPrefix(".TH HEARTWOOD 1 "))
        let scripts = try await ["bash", "zsh", "fish"].asyncMap { shell in
            let outcome = try await tool.run("help", "--completions", shell)
            #expect(outcome.code == 0)
            return outcome.output
        }
        for command in Tool.subcommands {
            #expect(page.output.contains(".SS \"heartwood \(command.name) "))
            for script in scripts { #expect(script.contains(command.name)) }
            for option in command.options.flatMap(\.options) {
                let name = option.names[0]
                #expect(page.output.contains("\\fB\(name.replacingOccurrences(of: "-", with: "\\-"))\\fR"))
                #expect(scripts[0].contains(name) && scripts[1].contains(name))
                #expect(scripts[2].contains(" -l \(name.dropFirst(2))"))
            }
        }
        #expect(try await tool.run("help", "--completions", "tcsh").code == 2)
    }

    @Test("Shells accept the completions, and man formats the page without a warning")
    func accepted() async throws {
        let tool = try ToolProcess()
        let bash = try await tool.shell(
            "$HEARTWOOD help --completions bash > c && bash -n c && bash -c '. ./c; COMP_WORDS=(heartwood pi); COMP_CWORD=1; _heartwood; echo $COMPREPLY'"
        )
        #expect(bash.code == 0 && bash.output == "pipe\n", "\(bash.error)")
        for (program, check) in [
            ("zsh", "$HEARTWOOD help --completions zsh > z && zsh -n z"),
            ("fish", "$HEARTWOOD help --completions fish > f && fish -n f"),
            ("groff", "$HEARTWOOD help --man > m && test -z \"$(groff -man -Tutf8 -ww -z m 2>&1)\""),
        ] {
            let outcome = try await tool.shell("command -v \(program) > /dev/null || exit 0; \(check)")
            #expect(outcome.code == 0, "\(program): \(outcome.error)")
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
