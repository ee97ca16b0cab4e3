import CHeartwood
import Heartwood
import HeartwoodConfiguration
import HeartwoodReading

/// Which lines of which files the reading subcommands show, by the options that they share.
struct LogSelection {
    let paths: [String]
    var since: LogTimestamp?
    var until: LogTimestamp?
    var levels: LogLevelMask?
    var category: String?
    var conditions: [FieldCondition] = []
    /// Finds the lines that are left out.
    var excluded: [LineSearcher] = []
    var key: (any SecretProvider)?
    /// What is taken out of the lines before anything else is done with them.
    var redaction: RedactionRules?

    static let filters = OptionGroup(
        title: "Which lines",
        options: [
            Option(
                "--since", value: "TIME",
                help: "Starts at this time: 2026-11-20, 2026-11-20T10:30, 1763634030 or @1763634030 (since "
                    + "1970), or 1h30m (90 minutes ago)."),
            Option(
                "--until", value: "TIME",
                help: "Ends before this time, written as for --since. Times without a zone are UTC."),
            Option(
                "--level", "-p", value: "LEVEL",
                help: "Shows messages of this level or more severe, with all their lines, as those of a "
                    + "stack trace; none without a level. '=warning' shows only this level, 'error,debug' "
                    + "these."),
            Option(
                "--category", value: "NAME",
                help: "Shows lines of this category, logger or syslog program: 'net' includes 'net.http'."),
            Option(
                "--where", value: "CONDITION", isRepeatable: true,
                help: "Shows lines whose field meets CONDITION: 'ms>100', 'user=ann', 'path~/login' "
                    + "(contains); also !=, <, <=, >=. 'user=ann or user=bob' takes either. May be given "
                    + "several times: all must hold. A name or value in double quotes may contain any "
                    + "character."),
            Option(
                "--not", value: "TEXT", isRepeatable: true,
                help: "Hides lines that contain TEXT. May be given several times."),
        ])

    static let looks = OptionGroup(
        title: "How",
        options: [
            Option(
                "--json",
                help: "Writes a JSON object per line: time, level, category, message and the fields."),
            Option(
                "--fields", value: "NAMES",
                help: "Writes only these, with tabs between them, or as JSON with --json: "
                    + "time,level,message,ms."),
            Option("--color", value: "WHEN", help: "auto (the default): on a terminal; always; never."),
            redact,
        ] + keys.options)

    /// The option that takes secrets out of lines.
    static let redact = Option(
        "--redact", value: "RULES", standard: "standard",
        help:
            "Replaces secrets in the lines, such as password=<secret>. RULES is standard (the default) or "
            + "names with commas between them: "
            + RedactionRules.named.dropFirst().map(\.name).joined(separator: ", ")
            + "; and hash, so that equal secrets are shown equal.")

    /// The rules that `--redact` names; nil without it.
    ///
    /// - Throws: ``UsageError`` for a name that no rule has.
    static func redaction(_ arguments: Arguments) throws -> RedactionRules? {
        guard let text = arguments.value(redact.names[0]) else { return nil }
        var rules = RedactionRules([])
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if name == "hash" {
                rules.replacement = .hash
                continue
            }
            guard let known = RedactionRules.named.first(where: { $0.name == name }) else {
                let names = RedactionRules.named.map(\.name) + ["hash"]
                let near = Spelling.suggestion(Spelling.nearest(to: name, among: names))
                throw UsageError(
                    "--redact: “\(name)” is not a rule\(near); rules are \(names.joined(separator: ", "))")
            }
            rules.rules += known.rules
        }
        return rules.rules.isEmpty ? RedactionRules(RedactionRules.standard.rules, replacement: .hash) : rules
    }

    /// Where the key of encrypted files comes from.
    static let keys = OptionGroup(
        title: "Encrypted files", options: keyOptions("Reads encrypted files with the key in"))

    /// The options that ``key(_:)`` reads; their help begins with a text.
    static func keyOptions(_ help: String) -> [Option] {
        [
            Option("--key-file", value: "FILE", help: "\(help) FILE."),
            Option("--key-env", value: "NAME", help: "\(help) the environment variable NAME."),
        ]
    }

    /// The logs that are named, or standard input.
    ///
    /// - Throws: ``UsageError`` where there is neither.
    static func operands(_ operands: [String]) throws -> [String] {
        // As with grep and cat, what is piped in needs no name.
        let isPiped =
            operands.isEmpty && isatty(0) != 1 && (try? SystemCalls().status(0))?.kind == .other
            && !LogSelection.isNull
        guard !operands.isEmpty || isPiped else {
            throw UsageError("missing DIR or FILE (- is standard input)")
        }
        return operands.isEmpty ? ["-"] : operands
    }

    init(_ arguments: Arguments, operands: [String]) throws {
        paths = try LogSelection.operands(operands)
        since = try LogSelection.moment("--since", arguments)
        until = try LogSelection.moment("--until", arguments)
        levels = try arguments.value("--level").map { try LogSelection.levels($0) }
        category = arguments.value("--category")
        conditions = try arguments.values("--where").map { try FieldCondition(parsing: $0) }
        let ignoresCase = arguments.has("--ignore-case")
        excluded = try arguments.values("--not").filter { !$0.isEmpty }.map {
            try LineSearcher($0, isLiteral: true, ignoresCase: ignoresCase)
        }
        key = try LogSelection.key(arguments)
        redaction = try LogSelection.redaction(arguments)
    }

    /// Whether standard input is `/dev/null`, so that there is nothing to read.
    private static var isNull: Bool {
        let null = try? SystemCalls().openForReading("/dev/null")
        guard let null else { return false }
        defer { close(null) }
        return (try? SystemCalls().status(0).identity) == (try? SystemCalls().status(null).identity)
    }

    /// Reads `error` (and worse), `=error` (alone) or `error,debug` (these).
    private static func levels(_ text: String) throws -> LogLevelMask {
        let isExact = text.hasPrefix("=")
        let names = text.dropFirst(isExact ? 1 : 0).split(separator: ",", omittingEmptySubsequences: false)
        let levels = try names.map { try Arguments.level(String($0), for: "--level") }
        if levels.count == 1, !isExact { return LogLevelMask(atLeast: levels[0]) }
        return levels.reduce(LogLevelMask.off) { $0.union(LogLevelMask(rawValue: $1.rawValue)) }
    }

    /// Where the key comes from.
    static func key(_ arguments: Arguments) throws -> (any SecretProvider)? {
        if let file = arguments.value("--key-file") {
            return SecretReference(FileSecrets(), name: file)
        }
        if let name = arguments.value("--key-env") {
            return SecretReference(EnvironmentSecrets(), name: name)
        }
        return nil
    }

    private static func moment(_ option: String, _ arguments: Arguments) throws -> LogTimestamp? {
        try arguments.value(option).map { text in
            if let moment = LineClock.moment(of: text) { return moment }
            let age = text.hasSuffix(" ago") ? String(text.dropLast(4)) : text
            guard let duration = Duration(parsing: age) else {
                throw UsageError(
                    "\(option) expects a time such as 2026-11-20T10:30, 1763634030 or 90m (got “\(text)”)")
            }
            return SystemClock().now() + (.zero - duration)
        }
    }

    /// The files of an operand, oldest first; those of a directory as they are at the moment.
    func files(
        of path: String, doubtful: @escaping LogFileReader.DoubtfulFile = { _, _, _ in }
    ) throws -> [String] {
        if path == "-" { return [path] }
        let calls = SystemCalls()
        if LogSelection.isDirectory(path) {
            // Named as the operand is, as grep does it.
            let directory = path.hasSuffix("/") ? path : path + "/"
            func name(_ file: String) -> String { directory + file.folderAndName.name }
            return try LogFileReader(directory: path).paths { doubtful(name($0), $1, $2) }.map(name)
        }
        do throws(SystemFailure) {
            _ = try calls.status(path: path)
        } catch {
            throw LogError(.file, "Cannot read the logs", place: path, cause: error.number)
        }
        return [path]
    }

    /// All files that are there at the moment, oldest first.
    func presentFiles() throws -> [String] {
        // What is rotated may go at any moment: that it was there just before says nothing.
        try paths.flatMap { path in
            do { return try files(of: path) } catch let error as LogError where error.cause == ENOENT {
                return []
            }
        }
    }

    /// The directories that the files are in, or will be.
    var directories: [String] {
        paths.filter { $0 != "-" }.map { path in
            if LogSelection.isDirectory(path) { return path }
            guard let slash = path.lastIndex(of: "/") else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    func isThere(_ path: String) -> Bool { path == "-" || (try? SystemCalls().status(path: path)) != nil }

    /// Whether something may come after what is there: not from standard input and pipes, which end.
    var canGrow: Bool {
        paths.contains { path in
            guard path != "-", let source = try? LogFileSource(path: path) else { return path != "-" }
            return source.status?.kind != .other
        }
    }

    static func isDirectory(_ path: String) -> Bool {
        (try? SystemCalls().status(path: path + "/."))?.kind == .directory
    }

    /// The options that ask for times; empty where none does.
    var timeFilters: String {
        let names = [since.map { _ in "--since" }, until.map { _ in "--until" }]
        return names.compactMap { $0 }.joined(separator: " and ")
    }

    /// Whether a filter is set, so that not all lines are shown.
    var isSelective: Bool { selectsRecords || !excluded.isEmpty }

    /// Whether a filter is set that looks at records.
    var selectsRecords: Bool {
        since != nil || until != nil || levels != nil || category != nil
            || !conditions.isEmpty
    }
}
