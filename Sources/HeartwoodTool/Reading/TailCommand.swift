import Heartwood
import HeartwoodReading

/// `heartwood tail`: the last lines, and those that come.
enum TailCommand: Subcommand {
    static let name = "tail"
    static let summary = "Shows the last lines of logs, and with -f new lines as they arrive."
    static let operands = "[DIR|FILE…]"
    private static let defaultCount = 10
    static let options = [
        OptionGroup(
            title: "How many",
            options: [
                Option(
                    "--lines", "-n", value: "COUNT",
                    help: "The last COUNT lines, \(defaultCount) by default."),
                Option("--follow", "-f", help: "Follows new lines across rolls until interrupted."),
            ]),
        LogSelection.filters, LogSelection.looks,
    ]
    static let details = """
        A plain file is read from its end, so its size does not matter. If the newest file has too few lines,
        lines of earlier files are shown too. - is standard input.

        With -f, a file is followed as `tail -F` does: when it is rotated by renaming, the old one is
        read to its end and then the new one from its beginning; one that is cut is read from its
        beginning; one that is missing is waited for. In a DIR, new files are read as they come, and
        copies and archives of what was read are not shown again. With --json and --fields, lines of a
        stack trace are a part of the message before them if they arrive together.

        Examples:
            heartwood tail -f /var/log/shop
            heartwood tail -n 100 --level error /var/log/shop
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let count = try arguments.integer("--lines") ?? defaultCount
        var reading = LogReading(try LogSelection(arguments, operands: arguments.operands))
        let printer = try LinePrinter(arguments)
        if arguments.has("--follow") { try reading.prepareToFollow() }
        for (line, offset, path) in try last(count, &reading, isFollowed: arguments.has("--follow")) {
            line.withUnsafeBytes { printer.print(LogReading.Lines($0, offset: offset, path: path)) }
        }
        printer.flush()
        if arguments.has("--follow") {
            try reading.follow { line in
                if let line { printer.print(line) } else { printer.flush() }
            }
        }
        return reading.isWhole ? .success : .failure
    }

    private typealias Line = (bytes: [UInt8], offset: Int, path: String)

    /// The last selected lines, oldest first.
    private static func last(
        _ count: Int, _ reading: inout LogReading, isFollowed: Bool
    ) throws -> [Line] {
        guard count > 0 else { return [] }
        var parts: [[Line]] = []
        var missing = count
        let paths = isFollowed ? try reading.selection.presentFiles() : reading.files()
        for path in paths.reversed() where missing > 0 {
            var offset = 0
            if !reading.selection.isSelective, path != "-",
                let start = try? LogTail.start(of: path, lines: missing)
            {
                offset = start.offset
            }
            var ring: [Line] = []
            var next = 0
            _ = reading.read(path, from: offset) { lines in
                let line = (Array(lines.bytes), lines.offset + lines.range.lowerBound, lines.path)
                if ring.count < missing {
                    ring.append(line)
                } else {
                    ring[next] = line
                    next = (next + 1) % missing
                }
            }
            let lines = Array(ring[next...] + ring[..<next])
            parts.append(lines)
            missing -= lines.count
        }
        reading.complain()
        return Array(parts.reversed().joined())
    }
}
