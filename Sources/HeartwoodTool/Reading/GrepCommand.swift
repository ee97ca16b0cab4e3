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
                Option(
                    "--extended-regexp", "-E", "-P",
                    help: "PATTERN is a regular expression, as it is without this."),
                Option("--invert", "-v", help: "Finds the lines that do not match."),
                Option(
                    "--max-count", "-m", value: "COUNT", isRepeatable: true,
                    help: "Stops after COUNT lines of each file."),
                Option(
                    "--follow", "-f",
                    help: "Follows new lines across rolls until interrupted; with -q, until a line matches."),
            ]),
        OptionGroup(
            title: "What is shown",
            options: [
                Option(
                    "--count", "-c",
                    help: "Shows only how many lines were found: for each DIR and FILE, or with names for "
                        + "each file."),
                Option("--files-with-matches", "-l", help: "Shows only the names of files with such a line."),
                Option("--files-without-match", "-L", help: "Shows only the names of files without one."),
                Option("--quiet", "-q", help: "Shows nothing, and ends at the first line found."),
                Option(
                    "--only-matching", "-o",
                    help: "Shows only the parts of lines that match, a line for each."),
                Option("--line-number", "-n", help: "Shows the number of each line in its file."),
                Option("--with-file", "-H", help: "Shows the name of the file before each line."),
                Option(
                    "--no-filename", "-h",
                    help: "Shows no names of files, as is usual where only one DIR or FILE is named."),
                Option(
                    "--after-context", "-A", value: "COUNT", isRepeatable: true,
                    help: "Shows COUNT lines after each one found."),
                Option(
                    "--before-context", "-B", value: "COUNT", isRepeatable: true,
                    help: "Shows COUNT lines before each one found."),
                Option(
                    "--context", "-C", value: "COUNT", isRepeatable: true,
                    help: "Shows COUNT lines before and after."),
            ]),
        LogSelection.filters, LogSelection.looks,
    ]
    static let details = """
        PATTERN is a PCRE2 regular expression, as in Perl. It has the syntax of `grep -E`, but for
        `\\<` and `\\>`: the ends of a word are `\\b`. Lines are bytes: they may contain invalid UTF-8
        and null bytes. The options with one letter mean what
        they mean in GNU grep, except for -f. Lines around one that was found are shown whether the
        filters select them or not; `--` separates lines that do not follow each other.

        In a JSON object, text is also found as it reads: 'say "hi"' finds {"message":"say \\"hi\\""}.

        - is standard input, which is also read if nothing is named and something is piped in.

        Exit codes: 0, a line matched; 1, none did; 2, a file could not be read, and standard error says
        which (the others are searched), the output could not be written, or the arguments are not
        valid.

        With -q, the exit code is 0 when a line matched, even if another file could not be read.

        Examples:
            heartwood grep -i 'timed? out' /var/log/shop --since 1d
            heartwood grep -F '"request_id":17' /var/log/shop --level error
            heartwood grep -C 3 -n 'pool exhausted' /var/log/shop/shop.log
            kubectl logs shop | heartwood grep -o 'user=[a-z]+' -
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard let pattern = arguments.operands.first else { throw UsageError("missing PATTERN") }
        let searcher = try LineSearcher(
            pattern, isLiteral: arguments.has("--fixed"), ignoresCase: arguments.has("--ignore-case"),
            isInverted: arguments.has("--invert"))
        let selection = try LogSelection(arguments, operands: Array(arguments.operands.dropFirst()))
        let output = try GrepOutput(arguments, searcher, operands: selection.paths.count)
        if output.looksForNothing { return .failure }
        let isFollowed = arguments.has("--follow")
        if isFollowed, let option = unfollowed.first(where: arguments.has) {
            throw UsageError("\(option) and --follow cannot be combined")
        }
        var reading = LogReading(selection, searcher: searcher)
        reading.isQuiet = output.kind == .nothing
        if isFollowed { try reading.prepareToFollow() }
        let hasFound = search(&reading, output)
        if isFollowed, !(output.kind == .nothing && hasFound) {
            output.begin()
            try reading.follow(until: { output.kind == .nothing && output.isEnough }) { lines in
                if let lines { output.show(lines) } else { output.flush() }
            }
        }
        if output.kind == .nothing, hasFound || output.found > 0 { return .success }
        if !reading.isWhole { return .trouble }
        return hasFound || output.found > 0 ? .success : .failure
    }

    /// The options that say something of a file as a whole, or of a line's place in it.
    private static let unfollowed = [
        "--count", "--files-with-matches", "--files-without-match", "--max-count", "--line-number",
        "--after-context", "--before-context", "--context",
    ]

    /// Searches all files that are there.
    ///
    /// - Returns: whether a line was found.
    private static func search(_ reading: inout LogReading, _ output: GrepOutput) -> Bool {
        var hasFound = false
        for operand in reading.selection.paths {
            guard let files = reading.files(of: operand) else { continue }
            var count = 0
            // Without names, a directory is one log.
            let isWhole = output.kind == .count && !output.showsNames
            var isRead = files.isEmpty
            for file in files {
                output.begin()
                let isFileRead = reading.read(
                    file, singly: !output.takesRuns, until: { output.isEnough }, finish: output.finish,
                    output.show)
                isRead = isRead || isFileRead
                count += output.found
                if !isWhole, isFileRead { output.summarize(file, count: output.found) }
                if output.kind == .nothing, count > 0 { return true }
            }
            if isWhole, isRead { output.summarize(operand, count: count) }
            hasFound = hasFound || count > 0
        }
        output.flush()
        reading.complain()
        return hasFound
    }
}
