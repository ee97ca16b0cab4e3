/// An option that a subcommand takes.
struct Option {
    /// Its names, the one that the program asks for first: `["--directory", "-d"]`.
    let names: [String]
    /// The placeholder for its value in the help; nil if it takes no value.
    let value: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// The value of `--name` alone, where others follow an equals sign; nil where it needs one.
    let standard: String?
    /// What it does, and what holds without it.
    let help: String

    init(
        _ names: String..., value: String? = nil, isRepeatable: Bool = false, standard: String? = nil,
        help: String
    ) {
        self.names = names
        self.value = value
        self.standard = standard
        self.isRepeatable = isRepeatable
        self.help = help
    }

    /// What follows the name in the help: ` VALUE`, `[=VALUE]` or nothing.
    var placeholder: String {
        guard let value else { return "" }
        return standard == nil ? " \(value)" : "[=\(value)]"
    }
}
