import Heartwood

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

    /// Does the work. What it throws is shown, and ends the tool with ``ExitStatus/failure``; a
    /// ``UsageError`` with ``ExitStatus/usage``.
    static func run(_ arguments: Arguments) throws -> ExitStatus
}

/// How the tool ends.
enum ExitStatus: Equatable {
    /// All is done.
    case success
    /// Something could not be read, written or delivered; standard error says what.
    case failure
    /// The same for a command that, as grep does, says with 1 that there was nothing to find.
    case trouble
    /// The arguments made no sense.
    case usage

    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .trouble, .usage: 2
        }
    }
}

/// Options that belong together in the help.
struct OptionGroup {
    let title: String
    let options: [Option]
}

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

    /// A default as the help shows it.
    static func text(of standard: Any?) -> String { SettingValue.text(of: standard) ?? "" }

    /// What follows the name in the help: ` VALUE`, `[=VALUE]` or nothing.
    var placeholder: String {
        guard let value else { return "" }
        return standard == nil ? " \(value)" : "[=\(value)]"
    }
}
