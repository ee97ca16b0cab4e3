/// Completions for shells, made from what the subcommands declare: `heartwood help --completions bash`.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    /// The script for a shell; nil for one that is not known.
    static func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private static var names: String { Tool.subcommands.map { $0.name }.joined(separator: " ") }

    private static func options(_ command: any Subcommand.Type) -> [Option] {
        let options = command.options.flatMap(\.options)
        return options + [Arguments.help(besides: options)]
    }

    private static var bash: String {
        var text = """
            _heartwood() {
                local word="${COMP_WORDS[COMP_CWORD]}" options=""
                if [ "$COMP_CWORD" = 1 ]; then
                    COMPREPLY=($(compgen -W "\(names) help --help --version" -- "$word"))
                    return
                fi
                case "${COMP_WORDS[1]}" in

            """
        for command in Tool.subcommands {
            let words = options(command).flatMap(\.names).joined(separator: " ")
            text += "        \(command.name)) options=\"\(words)\" ;;\n"
        }
        text += """
                    help) options="\(names) --man --completions" ;;
                esac
                case "$word" in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
                    *) COMPREPLY=($(compgen -f -- "$word")) ;;
                esac
            }
            complete -o filenames -F _heartwood heartwood

            """
        return text
    }

    private static var zsh: String {
        var text =
            "#compdef heartwood\n_heartwood() {\n"
            + "    if (( CURRENT == 2 )); then\n        local -a commands=(\n"
        for command in Tool.subcommands {
            text += "            \("\(command.name):\(command.summary)".shellQuoted)\n"
        }
        text +=
            "        )\n        _describe command commands\n        return\n    fi\n    case $words[2] in\n"
        for command in Tool.subcommands {
            text += "        \(command.name)) _arguments -s"
            for option in options(command) {
                for name in option.names {
                    let value = option.standard == nil ? option.value.map { ":\($0):_files" } ?? "" : ""
                    let help = option.help.filter { !"[]:".contains($0) }
                    let word = "\(option.isRepeatable ? "*" : "")\(name)[\(help)]\(value)"
                    text += " \\\n            \(word.shellQuoted)"
                }
            }
            text += " \\\n            '*:file:_files' ;;\n"
        }
        return text + "    esac\n}\n_heartwood \"$@\"\n"
    }

    private static var fish: String {
        var text = "complete -c heartwood -n __fish_use_subcommand -f\n"
        for command in Tool.subcommands {
            text +=
                "complete -c heartwood -n __fish_use_subcommand -a \(command.name) -d "
                + "\(command.summary.shellQuoted)\n"
        }
        for command in Tool.subcommands {
            for option in options(command) {
                text += "complete -c heartwood -n '__fish_seen_subcommand_from \(command.name)'"
                for name in option.names {
                    text += name.hasPrefix("--") ? " -l \(name.dropFirst(2))" : " -s \(name.dropFirst())"
                }
                text +=
                    (option.value == nil || option.standard != nil ? "" : " -r")
                    + " -d \(option.help.shellQuoted)\n"
            }
        }
        return text
    }
}
