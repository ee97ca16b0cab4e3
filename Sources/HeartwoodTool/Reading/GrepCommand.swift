import Heartwood

/// `heartwood grep`: the lines that match a pattern.
enum GrepCommand: Subcommand {
    static let name = "grep"
    static let summary = "Shows the lines of logs that match a pattern."
    static let operands = "PATTERN [DIR|FILE…]"
    static let options = [
        OptionGroup(
            title: "What",
            options: [
                Option("--ignore-case", "-i", help: "Ignores case."),
                Option("--fixed", "-F", help: "PATTERN is plain text, not a regular expression."),
                Option("--invert", "-v", help: "Shows the lines that do not match."),
                Option("--count", "-c", help: "Shows only how many lines match."),
                Option("--with-file", "-H", help: "Shows the name of the file before each line."),
                Option(
                    "--follow", "-f",
                    help: "Follows new lines across rolls until interrupted."),
            ]),
        LogSelection.filters, LogSelection.looks,
    ]
    static let details = """
        PATTERN is a PCRE2 regular expression, which includes the syntax of `grep -E` and Perl. Lines are bytes: they
        may contain invalid UTF-8 and null bytes.

        - is standard input, which is also read if nothing is named and something is piped in.

        Exit codes: 0, a line matched; 1, none did; 2, a file could not be read, and standard error says which (the
        others are searched), the output could not be written, or the arguments are not valid.

        Examples:
            heartwood grep -i 'timed? out' /var/log/shop --since 1d
            heartwood grep -F '"request_id":17' /var/log/shop --level error
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard let pattern = arguments.operands.first else { throw UsageError("missing PATTERN") }
        let searcher = try LineSearcher(
            pattern, isLiteral: arguments.has("--fixed"), ignoresCase: arguments.has("--ignore-case"),
            isInverted: arguments.has("--invert"))
        let selection = try LogSelection(arguments, operands: Array(arguments.operands.dropFirst()))
        var reading = LogReading(selection, searcher: searcher)
        let printer = try LinePrinter(arguments)
        printer.showsFile = arguments.has("--with-file")
        let isCounted = arguments.has("--count")
        let isPlain = printer.isPlain
        printer.failureCode = ExitStatus.trouble.code
        if arguments.has("--follow") { try reading.prepareToFollow() }
        var count = 0
        func show(_ lines: LogReading.Lines) {
            count += isCounted ? LineCount.lines(in: lines.bytes) : 1
            if isCounted { return }
            if isPlain { return printer.write(lines: lines.bytes) }
            printer.print(lines.line, file: lines.file, matches: searcher.matches(in: lines.line))
        }
        reading.readAll(singly: !isPlain && !isCounted, show)
        printer.flush()
        if arguments.has("--follow") {
            try reading.follow { lines in
                if let lines { show(lines) } else { printer.flush() }
            }
        }
        if isCounted { Terminal.output.write("\(count)\n") }
        if !reading.isWhole { return .trouble }
        return count > 0 ? .success : .failure
    }
}
