import Heartwood

/// `heartwood demo`: the framework at work, in a few seconds.
enum DemoCommand: Subcommand {
    static let name = "demo"
    static let summary = "Shows the framework in a few seconds: console, files, HTTP, and what arrived where."
    static let operands = ""
    static let options: [OptionGroup] = []
    static let details = ""

    static func run(_ arguments: Arguments) throws -> ExitStatus { .success }
}
