import Heartwood

/// `heartwood cat`: all lines of a directory's logs, in order.
enum CatCommand: Subcommand {
    static let name = "cat"
    static let summary = "Shows the lines of rolled, compressed and encrypted logs, in their order."
    static let operands = "DIR|FILE…"
    static let options = [LogSelection.filters, LogSelection.looks]
    static let details = """
        Of a DIR all files are read whose names end in .log, .log.gz or .log.hwe, the oldest first.

        Lines of text and of JSON are understood: what begins with a date, and objects with `time` and `level`.
        In a pipe lines are shown as they are. On a terminal they have the colours of their levels, and control
        characters are shown, and not obeyed.

        Exit codes: 0, all was read; 1, a file could not be read, or is damaged, and standard error says which;
        2, the arguments make no sense.

        Examples:
            heartwood cat /var/log/shop --since 2h --level warning
            heartwood cat /var/log/shop --since 2026-11-20 --until 2026-11-21 > thursday.log
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        var reading = LogReading(try LogSelection(arguments, operands: arguments.operands))
        var printer = try LinePrinter(arguments)
        try reading.readAll { printer.print($0) }
        printer.flush()
        return reading.isWhole ? .success : .failure
    }
}
