/// A subcommand of the tool: what it is called, what it takes, and what it does.
protocol Subcommand: Sendable {
    /// The word after `heartwood`.
    static var name: String { get }
    /// One line for the overview.
    static var summary: String { get }
    /// What follows the options in the usage line, such as `[FILE…]`; empty where nothing may.
    static var operands: String { get }
    /// The options; `--help` is added by itself.
    static var options: [OptionGroup] { get }
    /// What the help says besides: behavior, exit codes, examples.
    static var details: String { get }

    /// Does the work. What it throws is shown, and ends the tool with ``ExitStatus/failure``; a ``UsageError`` with
    /// ``ExitStatus/usage``.
    static func run(_ arguments: Arguments) throws -> ExitStatus
}

extension Subcommand {
    static var takesOperands: Bool { !operands.isEmpty }
}
