/// The manual page, made from what the subcommands declare: `heartwood help --man`.
enum ManPage {
    /// The page for section 1, in the macros of man(7).
    static var text: String {
        var page = ".TH HEARTWOOD 1 \"\" \"heartwood \(Tool.version)\" \"User Commands\"\n"
        page += ".SH NAME\nheartwood \\- keeps, searches and shows the logs of any program\n"
        page += ".SH SYNOPSIS\n.B heartwood\n.I COMMAND\n[\\fIOPTION\\fR...]\n.SH COMMANDS\n"
        for command in Tool.subcommands { page += section(command) }
        page +=
            ".SH EXIT STATUS\n0: all is done; 1: something could not be read, written or "
            + "delivered, and standard error says "
        page += "what; 2: invalid arguments.\n"
        return page
    }

    private static func section(_ command: any Subcommand.Type) -> String {
        var text = ".SS \"heartwood \(escaped(command.name)) [OPTION...] \(escaped(command.operands))\"\n"
        text += line(command.summary)
        for group in command.options {
            text += ".PP\n\\fB\(escaped(group.title))\\fR\n"
            for option in group.options {
                let names = option.names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
                text += ".TP\n\(names)\\fI\(escaped(option.placeholder))\\fR\n"
                text += line(option.help)
            }
        }
        if !command.details.isEmpty {
            // As it is laid out in the help.
            text += ".PP\n.nf\n"
            for part in command.details.split(separator: "\n", omittingEmptySubsequences: false) {
                text += line(String(part))
            }
            text += ".fi\n"
        }
        return text
    }

    /// A line of text: one that begins with a point or an apostrophe is not a macro.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for letter in text {
            switch letter {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case _ where !letter.isASCII:
                for scalar in letter.unicodeScalars {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
                }
            default: result.append(letter)
            }
        }
        return result
    }
}
