import Heartwood

/// `heartwood grep`: the lines that match a pattern.
enum GrepCommand: Subcommand {
    static let name = "grep"
    static let summary = "Shows the lines of logs that match a pattern."
    static let operands = "PATTERN DIR|FILE…"
    static let options = [
        OptionGroup(
            title: "What",
            options: [
                Option("--ignore-case", "-i", help: "Capitals and small letters are the same."),
                Option("--fixed", "-F", help: "PATTERN is a text, and no regular expression."),
                Option("--invert", "-v", help: "Lines that do not match."),
                Option("--count", "-c", help: "Shows only how many lines match."),
                Option("--with-file", "-H", help: "Shows the name of the file in front of each line."),
                Option(
                    "--follow", "-f",
                    help: "Goes on with lines as they come, across rolls, until it is ended."),
            ]),
        LogSelection.filters, LogSelection.looks,
    ]
    static let details = """
        Exit codes: 0, a line matched; 1, none did, or a file could not be read, and standard error says which;
        2, the arguments make no sense.

        Examples:
            heartwood grep -i 'timed? out' /var/log/shop --since 1d
            heartwood grep -F '"request_id":17' /var/log/shop --level error
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard let pattern = arguments.operands.first else { throw UsageError("a pattern is needed") }
        let matcher = try Matcher(pattern, arguments)
        let selection = try LogSelection(arguments, operands: Array(arguments.operands.dropFirst()))
        var reading = LogReading(selection)
        var printer = try LinePrinter(arguments)
        printer.showsFile = arguments.has("--with-file")
        let isCounted = arguments.has("--count")
        let end = try arguments.has("--follow") ? reading.end() : nil
        var count = 0
        func show(_ line: LogLine) {
            guard let matches = matcher.matches(line.text) else { return }
            count += 1
            if !isCounted { printer.print(line, matches: matches) }
        }
        try reading.readAll { show($0) }
        printer.flush()
        if arguments.has("--follow") {
            try reading.follow(start: end) { line in
                if let line { show(line) } else { printer.flush() }
            }
        }
        if isCounted { Terminal.output.write("\(count)\n") }
        return count > 0 && reading.isWhole ? .success : .failure
    }
}

/// Finds a pattern in lines.
private struct Matcher {
    private let regex: Regex<AnyRegexOutput>?
    private let fixed: String
    private let ignoresCase: Bool
    private let isInverted: Bool

    init(_ pattern: String, _ arguments: Arguments) throws {
        ignoresCase = arguments.has("--ignore-case")
        isInverted = arguments.has("--invert")
        fixed = ignoresCase ? pattern.lowercased() : pattern
        guard !arguments.has("--fixed") else {
            regex = nil
            return
        }
        do {
            let made = try Regex(pattern)
            regex = ignoresCase ? made.ignoresCase() : made
        } catch {
            throw UsageError("“\(pattern)” is no regular expression; --fixed takes it as a text")
        }
    }

    /// Where the text matches; nil for a line that is not wanted.
    func matches(_ text: String) -> [Range<String.Index>]? {
        let found: [Range<String.Index>]
        if let regex {
            found = text.ranges(of: regex)
        } else {
            let searched = ignoresCase ? text.lowercased() : text
            found = searched.contains(fixed) ? (ignoresCase ? [] : text.ranges(of: fixed)) : []
            if ignoresCase, searched.contains(fixed) { return isInverted ? nil : [] }
        }
        if isInverted { return found.isEmpty ? [] : nil }
        return found.isEmpty ? nil : found
    }
}
