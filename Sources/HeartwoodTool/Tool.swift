import CHeartwood
import Heartwood
import HeartwoodArchive

/// The executable `heartwood`: finds the subcommand, reads its arguments, runs it.
///
/// A new subcommand is a type of its own, in a file of its own, and an entry in ``subcommands``. Help,
/// parsing and the errors for arguments come from what it declares.
enum Tool {
    static let version = "0.1.0"

    /// All subcommands, in the order in which the help shows them.
    static let subcommands: [any Subcommand.Type] = [
        PipeCommand.self, CatCommand.self, TailCommand.self, GrepCommand.self, StatsCommand.self,
        ViewCommand.self, DecryptCommand.self, SpoolCommand.self, RecoverCommand.self, ConfigCommand.self,
        DemoCommand.self,
    ]

    /// Runs the tool with the arguments after its name.
    static func run(_ arguments: [String]) -> ExitStatus {
        LogArchives.register()
        let status = runCommand(arguments)
        let failure = Terminal.failure.withLock { $0 }
        if failure == 0 { return status }
        Terminal.error.write(
            "heartwood: cannot write to standard output: \(String(cString: strerror(failure)))\n")
        return status == .usage || arguments.first == GrepCommand.name ? .trouble : .failure
    }

    private static func runCommand(_ arguments: [String]) -> ExitStatus {
        guard let first = arguments.first else {
            Terminal.error.write(Help.overview)
            return .usage
        }
        switch first {
        case "--help", "-h", "help": return help(Array(arguments.dropFirst()))
        case "--version", "version":
            Terminal.output.write("heartwood \(version)\n")
            return .success
        case PipeView.command where arguments.count == 2: return serve(arguments[1])
        default: break
        }
        guard let subcommand = subcommands.first(where: { $0.name == first }) else {
            return complain(unknown(first))
        }
        return run(subcommand, Array(arguments.dropFirst()))
    }

    private static func run(_ subcommand: any Subcommand.Type, _ arguments: [String]) -> ExitStatus {
        do {
            let parsed = try Arguments(parsing: arguments, options: subcommand.options)
            if parsed.has("--help") {
                Terminal.output.write(Help.page(of: subcommand))
                return .success
            }
            if subcommand.operands.isEmpty, let operand = parsed.operands.first {
                throw UsageError(
                    "unexpected argument “\(operand)”: `heartwood \(subcommand.name)` takes only options")
            }
            return try subcommand.run(parsed)
        } catch let error as UsageError {
            return complain(UsageError(error.message, command: subcommand.name))
        } catch {
            Terminal.error.write("heartwood \(subcommand.name): \(error)\n")
            return subcommand.name == GrepCommand.name ? .trouble : .failure
        }
    }

    /// What `heartwood pipe --view` starts.
    private static func serve(_ directory: String) -> ExitStatus {
        do {
            try PipeView.serve(directory)
            return .success
        } catch {
            Terminal.error.write("heartwood pipe: the page is not shown: \(error)\n")
            return .failure
        }
    }

    private static func help(_ arguments: [String]) -> ExitStatus {
        if arguments == ["--man"] {
            Terminal.output.write(ManPage.text)
            return .success
        }
        if arguments.first == "--completions" {
            guard arguments.count == 2, let text = Completions.text(for: arguments[1]) else {
                return complain(
                    UsageError("--completions expects a shell: \(Completions.shells.joined(separator: ", "))")
                )
            }
            Terminal.output.write(text)
            return .success
        }
        guard let name = arguments.first else {
            Terminal.output.write(Help.overview)
            return .success
        }
        guard let subcommand = subcommands.first(where: { $0.name == name }) else {
            return complain(unknown(name))
        }
        Terminal.output.write(Help.page(of: subcommand))
        return .success
    }

    private static func unknown(_ word: String) -> UsageError {
        let known = subcommands.map { $0.name }
        if word.hasPrefix("-") {
            let near = Spelling.nearest(to: word, among: ["--help", "--version"])
            return UsageError("unknown option “\(word)”" + Spelling.suggestion(near))
        }
        return UsageError(
            "unknown command “\(word)”" + Spelling.suggestion(Spelling.nearest(to: word, among: known)))
    }

    private static func complain(_ error: UsageError) -> ExitStatus {
        let name = error.command.map { "heartwood \($0)" } ?? "heartwood"
        Terminal.error.write("\(name): \(error.message)\nTry `\(name) --help`.\n")
        return .usage
    }
}
