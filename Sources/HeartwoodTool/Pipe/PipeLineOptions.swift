import Heartwood

/// What `heartwood pipe` takes out of lines: where a record ends, and when it was written.
struct PipeLineOptions {
    let join: JoinRule?
    private(set) var patience = PipeLineOptions.defaultPatience
    private static let defaultPatience = Duration.milliseconds(500)
    /// Whether the time that a line begins with, or names, is its time.
    let takesTime: Bool
    /// Whether the members of JSON objects become members of what is written.
    let mergesJSON: Bool
    /// What is taken out of lines before anything else is done with them.
    let redaction: RedactionRules?

    static let options = [
        Option(
            "--join", value: "RULE",
            help: "Makes one record of several lines. traces: stack traces of Swift, Java, Kotlin, .NET, "
                + "Python, Go, Rust, Node, Ruby, PHP and C++; indented: lines that begin with a blank or a "
                + "tab continue the one before."),
        Option(
            "--join-start", value: "PATTERN",
            help: "A record begins with each line in which PATTERN is found, a regular expression as for "
                + "`heartwood grep`; all others continue it."),
        Option(
            "--join-continue", value: "PATTERN",
            help: "A line in which PATTERN is found continues the record."),
        Option(
            "--join-wait", value: "TIME",
            help: "Writes a record that no line has continued for TIME; "
                + "\(Option.text(of: defaultPatience)) by default."),
        Option(
            "--line-time",
            help: "Takes the time of a line from the line, where it has one: RFC 3339, syslog, and other "
                + "common forms."),
        LogSelection.redact,
    ]

    /// Reads the options.
    ///
    /// - Throws: ``UsageError`` if they are not valid.
    init(_ arguments: Arguments) throws {
        var rules: [JoinRule.Kind] = []
        let named: KeyValuePairs = ["traces": JoinRule.Kind.traces, "indented": .indented]
        rules += try arguments.choice("--join", named).map { [$0] } ?? []
        if let text = arguments.value("--join-start") {
            rules.append(.start(try CompiledPattern(text, of: "--join-start")))
        }
        if let text = arguments.value("--join-continue") {
            rules.append(.continuation(try CompiledPattern(text, of: "--join-continue")))
        }
        if rules.count > 1 { throw UsageError("--join, --join-start and --join-continue cannot be combined") }
        join = rules.first.map { JoinRule($0) }
        if let wait = try arguments.duration("--join-wait") {
            guard join != nil else {
                throw UsageError("--join-wait requires --join, --join-start or --join-continue")
            }
            patience = wait
        }
        takesTime = arguments.has("--line-time")
        mergesJSON = arguments.has("--json")
        redaction = try LogSelection.redaction(arguments)
        if takesTime, arguments.has("--raw") {
            throw UsageError("--raw writes no times: leave out --line-time")
        }
    }

    /// Whether lines are looked into for more than their level.
    var readsContent: Bool { takesTime || mergesJSON }
}
