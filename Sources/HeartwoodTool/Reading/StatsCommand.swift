import Heartwood
import HeartwoodReading

/// `heartwood stats`: what is in logs, in numbers.
enum StatsCommand: Subcommand {
    static let name = "stats"
    static let summary = "Counts the messages of logs by level, category, time and text."
    static let operands = "[DIR|FILE…]"
    private static let defaultCount = 10
    static let options = [
        OptionGroup(
            title: "What",
            options: [
                Option(
                    "--top", "-n", value: "COUNT",
                    help: "The COUNT most frequent of each; \(defaultCount) by default."),
                Option("--by", value: "PERIOD", help: "Counts by minute (the default), hour or day."),
                Option("--json", help: "Writes one JSON object."),
            ]),
        LogSelection.filters, LogSelection.keys,
    ]
    static let details = """
        Messages that differ only in numbers are counted as one: `request # took # ms`. Lines of a stack
        trace belong to their message. Up to \(Readable.count(LogTally.limit)) different \
        categories, minutes and messages are
        counted; further ones are counted as `others`. - is standard input.

        Examples:
            heartwood stats /var/log/shop --since 1d
            heartwood stats /var/log/shop --level error --by hour --json
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let count = try arguments.integer("--top") ?? defaultCount
        let minutes: Int64 = try arguments.choice("--by", ["minute": 1, "hour": 60, "day": 1440]) ?? 1
        var reading = LogReading(try LogSelection(arguments, operands: arguments.operands))
        var tally = LogTally()
        var last = (path: "", end: 0)
        reading.readAll(singly: true) { tally.add($0.line, isNext: $0.follows(&last), path: $0.path) }
        let text = arguments.has("--json") ? json(tally, count, minutes) : table(tally, count, minutes)
        Terminal.output.write(text)
        reading.tellTimes(of: tally.examples)
        if tally.unplaced > 0 {
            let verbs = tally.unplaced == 1 ? ("has", "is") : ("have", "are")
            // With a filter by time, that was said.
            let isUnknown =
                tally.first == nil && tally.examples.isEmpty && reading.selection.timeFilters.isEmpty
            Terminal.error.write(
                "heartwood: \(Readable.count(tally.unplaced, "message")) \(verbs.0) no known time and "
                    + "\(verbs.1) missing from the counts by time"
                    + (isUnknown ? "; heartwood recognizes no time in these lines\n" : "\n"))
        }
        return reading.isWhole ? .success : .failure
    }

    private static func levels(_ tally: LogTally) -> [(name: String, count: Int)] {
        let names = LogLevel.standardLevels.map(\.name) + ["-"]
        return zip(names, tally.levels).filter { $1 > 0 }.map { ($0, $1) }
    }

    private static func table(_ tally: LogTally, _ count: Int, _ minutes: Int64) -> String {
        var text = "\(Readable.count(tally.records, "message")) in \(Readable.count(tally.lines, "line"))"
        if let first = tally.first, let last = tally.last {
            text += ", \(LineRecord.text(of: first)) to \(LineRecord.text(of: last))"
        }
        text += "\n"
        func add(_ title: String, _ rows: [(name: String, count: Int)]) {
            guard !rows.isEmpty else { return }
            text += "\n\(title)\n"
            for row in rows {
                let number = Readable.count(row.count)
                let name = LogBuffer.escaped(row.name)
                text += String(repeating: " ", count: max(0, 12 - number.count)) + "\(number)  \(name)\n"
            }
        }
        add("Levels", levels(tally))
        add("Categories", LogTally.top(tally.categories, count))
        let periods = tally.periods(of: minutes).map {
            (name: LineRecord.text(of: $0.start), count: $0.count)
        }
        if periods.count > 2 * count {
            add("Times, the \(count) busiest of \(periods.count)", busiest(periods, count))
        } else {
            add("Times", periods)
        }
        add("Messages", LogTally.top(tally.messages, count))
        if tally.others > 0 { text += "\n\(Readable.count(tally.others)) others\n" }
        return text
    }

    /// The periods with the most messages, in the order of time.
    private static func busiest(_ periods: [(name: String, count: Int)], _ count: Int) -> [(
        name: String, count: Int
    )] {
        periods.sorted { $0.count > $1.count }.prefix(count).sorted { $0.name < $1.name }
    }

    private static func json(_ tally: LogTally, _ count: Int, _ minutes: Int64) -> String {
        func object(_ rows: [(name: String, count: Int)]) -> LogValue {
            .object(LogMetadata(rows.map { ($0.name, LogValue($0.count)) }))
        }
        var output = LogBuffer()
        output.append(json: [
            "lines": LogValue(tally.lines), "messages": LogValue(tally.records),
            "others": LogValue(tally.others), "levels": object(levels(tally)),
            "categories": object(LogTally.top(tally.categories, count)),
            "times": object(tally.periods(of: minutes).map { (LineRecord.text(of: $0.start), $0.count) }),
            "top": object(LogTally.top(tally.messages, count)),
        ])
        return output.text + "\n"
    }
}
