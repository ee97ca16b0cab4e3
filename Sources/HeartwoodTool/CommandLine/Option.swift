/// An option that a subcommand takes.
struct Option {
    /// Its names, the one that the program asks for first: `["--directory", "-d"]`.
    let names: [String]
    /// The placeholder for its value in the help; nil if it takes no value.
    let value: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// What it does, and what holds without it.
    let help: String

    init(_ names: String..., value: String? = nil, isRepeatable: Bool = false, help: String) {
        self.names = names
        self.value = value
        self.isRepeatable = isRepeatable
        self.help = help
    }
}
