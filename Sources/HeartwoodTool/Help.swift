/// Writes the help texts from what the subcommands declare.
enum Help {
    private static let width = 96

    /// What `heartwood --help` shows.
    static var overview: String {
        let longest = Tool.subcommands.map { $0.name.count }.max() ?? 0
        let commands = Tool.subcommands.map { command in
            "  \(command.name)\(String(repeating: " ", count: longest - command.name.count))  "
                + "\(command.summary)\n"
        }
        return """
            heartwood \(Tool.version): keeps the output of programs, in files and on servers

            Usage: heartwood COMMAND [OPTION…]

            Commands:
            \(commands.joined())
            Options:
              --help     Shows this help; `heartwood COMMAND --help` shows that of a command.
              --version  Shows the version.

            `heartwood help --man` writes a manual page, `heartwood help --completions SHELL`
            completions for bash, zsh or fish.

            \(exitCodes)

            """
    }

    /// What `heartwood COMMAND --help` shows.
    static func page(of command: any Subcommand.Type) -> String {
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var text = "\(command.summary)\n\nUsage: heartwood \(command.name) [OPTION…]\(operands)\n"
        var groups = command.options
        let help = Arguments.help(besides: groups.flatMap(\.options))
        if groups.isEmpty {
            groups = [OptionGroup(title: "Options", options: [help])]
        } else {
            let last = groups.removeLast()
            groups.append(OptionGroup(title: last.title, options: last.options + [help]))
        }
        for group in groups {
            text += "\n\(group.title):\n"
            for option in group.options { text += entry(of: option) }
        }
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        return command.details.contains("Exit codes:") ? text : text + "\n\(exitCodes)\n"
    }

    private static let exitCodes = """
        Exit codes: 0, success; 1, something could not be read, written or delivered, and standard
        error says what; 2, invalid arguments.
        """

    private static func entry(of option: Option) -> String {
        let names = option.names.reversed().joined(separator: ", ")
        let head = "  " + names + option.placeholder
        let column = 28
        var lines = wrapped(option.help, to: width - column)
        var text = head
        if head.count + 2 <= column, !lines.isEmpty {
            text += String(repeating: " ", count: column - head.count) + lines.removeFirst()
        }
        text += "\n"
        for line in lines { text += String(repeating: " ", count: column) + line + "\n" }
        return text
    }

    /// Breaks a text into lines of at most `width` characters.
    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
