/// Invalid arguments: what is wrong, and what would be right.
struct UsageError: Error, Equatable {
    let message: String
    /// The subcommand whose help would help.
    let command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }
}
