import Heartwood

/// `heartwood cat`: all lines of a directory's logs, in order.
enum CatCommand: Subcommand {
    static let name = "cat"
    static let summary = "Shows the lines of logs, rolled, compressed and encrypted files included, in order."
    static let operands = "[DIR|FILE…]"
    static let options = [LogSelection.filters, LogSelection.looks]
    static let details = """
        In a DIR, all files named *.log, current, syslog or messages are read, the oldest first, and
        their rotated files (*.log.1, *.1.log, *.log-20261120, *-2026-11-20.log), also compressed (.gz)
        and encrypted (.hwe) ones. The numbers and dates in the names give the order; if modification
        times contradict them, the first times in the files do. If there are other files, standard error
        says so; name them to read them. - is standard input, which is also read if nothing is named
        and something is piped in. Compressed text is recognized by its content.

        The command recognizes all formats that Heartwood writes (lines, JSON, ECS, GELF, logfmt,
        syslog), those of syslog, journald and common libraries, and text that begins with a time and
        names its level. Indented lines and stack traces belong to the line before them; with --json and
        --fields, they are a part of its message. If no line has
        the level, time, category or field that an option asks for, standard error says so. In a pipe,
        lines are copied byte for byte. On a terminal, they have the colors of their levels, and control
        characters are made visible.

        Exit codes: 0, everything was read; 1, a file could not be read, or is damaged, and standard
        error says which (the others are shown), or the output could not be written; 2, invalid
        arguments.

        Examples:
            heartwood cat /var/log/shop --since 2h --level warning
            heartwood cat /var/log/shop --since 2026-11-20 --until 2026-11-21 > thursday.log
            heartwood cat /var/log/shop --where 'ms>100' --fields time,ms,message
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        var reading = LogReading(try LogSelection(arguments, operands: arguments.operands))
        let printer = try LinePrinter(arguments)
        let isPlain = printer.isPlain
        reading.readAll(singly: !isPlain) { lines in
            if isPlain {
                printer.write(lines: lines.bytes)
            } else {
                printer.print(lines)
            }
        }
        printer.flush()
        return reading.isWhole ? .success : .failure
    }
}
