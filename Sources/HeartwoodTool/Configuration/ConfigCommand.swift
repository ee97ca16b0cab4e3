import Heartwood
import HeartwoodConfiguration
import HeartwoodHTTP
import HeartwoodSQLite

/// `heartwood config`: checks the configuration of a program, or shows what it comes to.
enum ConfigCommand: Subcommand {
    static let name = "config"
    static let summary = "Checks the configuration files of a program, or shows the merged result."
    static let operands = "check|show FILE"
    static let options = [
        OptionGroup(
            title: "What counts",
            options: [
                Option(
                    "--environment", "-e", value: "NAME",
                    help: "Merges the file of this environment over FILE: logging.NAME.json over "
                        + "logging.json."),
                Option(
                    "--variables",
                    help: "Applies the environment variables of this process, as the program does: "
                        + "HEARTWOOD_LEVEL and the others."),
                Option(
                    "--kind", value: "NAME", isRepeatable: true,
                    help: "Accepts a logger kind that the program registers; its settings are not checked."),
            ])
    ]
    static let details = """
        `check` reads JSON or a property list as the program does, and reports every error with file,
        line and column. `show` also prints the merged result as JSON. Nothing is applied: the command
        does not check whether the program can write to its directories.

        Exit codes: 0, the configuration is right; 1, it is not, and standard error says where; 2, invalid
        arguments.

        Example:
            heartwood config check --environment dev /etc/shop/logging.json
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard arguments.operands.count == 2 else {
            throw UsageError("missing the action (check or show) or FILE")
        }
        let (action, path) = (arguments.operands[0], arguments.operands[1])
        guard action == "check" || action == "show" else {
            let near = Spelling.nearest(to: action, among: ["check", "show"])
            throw UsageError("unknown action “\(action)”" + Spelling.suggestion(near))
        }
        LogConfiguration.register(.http)
        LogConfiguration.register(.sqlite)
        for kind in arguments.values("--kind") { LogConfiguration.register(.unknown(kind)) }
        // To a program a missing file is an empty one; here it is a mistake.
        let calls = SystemCalls()
        do throws(SystemFailure) {
            calls.close(try calls.openForReading(path))
        } catch {
            throw LogError(.file, "Cannot read the configuration", place: path, cause: error.number)
        }
        // Most environments have no overlay; the name may be mistyped all the same.
        if let environment = arguments.value("--environment") {
            let overlay = LogConfiguration.overlayPath(path, environment)
            if (try? calls.status(path: overlay)) == nil {
                Terminal.error.write("heartwood config: there is no overlay \(overlay)\n")
            }
        }
        do throws(LogConfigurationError) {
            let configuration = try LogConfiguration.load(
                path, environment: arguments.value("--environment"),
                variables: arguments.has("--variables") ? nil : [:])
            try configuration.check()
            if action == "show" { Terminal.output.write(configuration.json) }
            return .success
        } catch {
            Terminal.error.write("\(error)\n")
            return .failure
        }
    }
}
