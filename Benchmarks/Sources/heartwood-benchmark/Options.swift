import Foundation

/// What the command line asks for.
struct Options {
    var names: [String] = []
    var json = false
    var peers = false
    var runs = 5
    /// Where charts are written; nil: nowhere.
    var plots: String?
    /// Where the sources of peers are that no package manager installs; nil: those are left out.
    var peerSources: String?

    static let help = """
        heartwood-benchmark [scenario …] [--json] [--peers] [--peer-sources DIR] [--runs N] [--plot DIR]

          scenario   what to measure; everything unless named (--list shows the names)
          --json     one JSON object per scenario: scenario, unit, value (median), min, max
          --peers    build and run others on the same work, in turn with ours, and print the ratios
          --peer-sources DIR
                     with peers that are built from their sources: quill in DIR/quill, fmtlog in DIR/fmtlog
          --runs N   how many times to measure each, 5 unless given
          --plot DIR write charts: DIR/peers.svg compares with the peers, which it runs, and DIR/growth.svg shows how
                     costs grow with producers, message length, loggers and files; without names of scenarios,
                     or with the name growth
        """

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--peers": peers = true
            case "--peer-sources":
                guard let path = rest.popFirst() else {
                    throw WrongResult("--peer-sources takes a directory")
                }
                var isDirectory: ObjCBool = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                    isDirectory.boolValue
                else { throw WrongResult("--peer-sources: \(path) is not a directory") }
                peerSources = path
                peers = true
            case "--runs":
                guard let text = rest.popFirst(), let number = Int(text), number > 0 else {
                    throw WrongResult("--runs takes a number above 0")
                }
                runs = number
            case "--plot":
                guard let path = rest.popFirst() else { throw WrongResult("--plot takes a directory") }
                plots = path
                peers = true
            case "--burst":
                try MemoryScenario.burst()
                exit(0)
            case "--lines":
                // What is counted: lines in one format, or calls of one kind, without a look at the result.
                guard let name = rest.popFirst(), let count = rest.popFirst().flatMap({ Int($0) }) else {
                    throw WrongResult("--lines takes a format or a kind of call, and a number")
                }
                if let kind = CallInstructions.kinds.first(where: { $0.name == name }) {
                    try kind.make(count)
                } else {
                    _ = try FormatsScenario.rate(of: name, lines: count, verifies: false)
                }
                exit(0)
            case "--list":
                print(scenarios.map(\.name).joined(separator: "\n"))
                exit(0)
            case "--help", "-h":
                print(Options.help)
                exit(0)
            default:
                guard argument == "growth" || scenarios.contains(where: { $0.name == argument }) else {
                    throw WrongResult("there is no scenario “\(argument)”; --list shows those that there are")
                }
                names.append(argument)
            }
        }
    }
}
