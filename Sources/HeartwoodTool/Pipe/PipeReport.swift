import Heartwood

/// The summary of `heartwood pipe`: how many lines arrived where.
struct PipeReport {
    let counts: PipeCounts
    let duration: Duration
    let signal: String?
    private var places: [String] = []
    private(set) var failure: String?

    init(counts: PipeCounts, duration: Duration, signal: String?) {
        self.counts = counts
        self.duration = duration
        self.signal = signal
    }

    /// Notes what a logger did.
    mutating func add(_ name: String, _ figures: LoggerStatistics) {
        let summary =
            "\(name): \(Readable.count(figures.delivered)) delivered, \(Readable.count(figures.dropped)) "
            + "dropped, \(Readable.count(figures.failed)) failed; \(ByteCount(figures.bytes))"
        let missing = counts.records - figures.delivered
        let of = "\(Readable.count(missing)) of \(Readable.count(counts.records, "line"))"
        add((summary, missing > 0 ? "\(of) did not reach \(name)" : nil))
    }

    /// Notes a line for the summary, and what is missing.
    mutating func add(_ place: (summary: String, failure: String?)) {
        places.append(place.summary)
        if let failure = place.failure { self.failure = self.failure.map { "\($0); \(failure)" } ?? failure }
    }

    /// Notes which files there are.
    mutating func noteFiles(_ files: [LogFileInfo], removed: Int, directory: String) {
        guard let index = places.firstIndex(where: { $0.hasPrefix("files:") }) else { return }
        let size = ByteCount(files.reduce(0) { $0 + $1.size.bytes })
        places[index] += " written; \(Readable.count(files.count, "file")) of \(size) in \(directory)"
        if removed > 0 { places[index] += ", \(Readable.count(removed)) removed by the limits" }
    }

    /// The summary, lines and all.
    var text: String {
        var text =
            "heartwood pipe: \(Readable.count(counts.lines, "line")), \(ByteCount(counts.bytes)), from "
        text += "\(Readable.count(counts.inputs, "input")) in \(Readable.duration(duration))"
        if let signal { text += ", ended by \(signal)" }
        text += "\n"
        let levels = zip(LogLevel.standardLevels, counts.levels).filter { $1 > 0 }
        if !levels.isEmpty {
            text +=
                "  levels: " + levels.map { "\(Readable.count($1)) \($0.name)" }.joined(separator: ", ")
                + "\n"
        }
        var remarks: [String] = []
        if counts.cutLines > 0 { remarks.append("\(Readable.count(counts.cutLines)) cut for their length") }
        if counts.joinedRecords > 0 {
            remarks.append(
                "\(Readable.count(counts.joinedLines)) joined into "
                    + "\(Readable.count(counts.joinedRecords, "record"))")
        }
        if counts.notUTF8 > 0 {
            remarks.append("\(Readable.count(counts.notUTF8)) with bytes that are not UTF-8")
        }
        if counts.belowLevel > 0 { remarks.append("\(Readable.count(counts.belowLevel)) below the level") }
        if !remarks.isEmpty { text += "  lines: " + remarks.joined(separator: ", ") + "\n" }
        return text + places.map { "  \($0)\n" }.joined()
    }
}

/// What was read so far.
struct PipeCounts {
    var inputs = 0
    var lines = 0
    var bytes = 0
    /// Messages that were handed over: lines, and pieces of long ones.
    var records = 0
    /// Lines that were longer than a piece.
    var cutLines = 0
    /// Lines that `--level` leaves out.
    var belowLevel = 0
    /// Records that are made of several lines, and how many lines these have.
    var joinedRecords = 0
    var joinedLines = 0
    /// Lines that are not UTF-8.
    var notUTF8 = 0
    /// Lines by level.
    var levels = [Int](repeating: 0, count: 7)
}

/// One line on a terminal's standard error that says how far the work is.
final class ProgressLine {
    private var shown = Duration.milliseconds(300)
    private var isVisible = false

    /// Shows the figures, five times a second at most.
    func show(_ counts: PipeCounts, after duration: Duration) {
        guard duration - shown > .milliseconds(200) else { return }
        shown = duration
        isVisible = true
        let rate = Int(Double(counts.lines) / max(0.001, duration.seconds))
        Terminal.error.write(
            "\r\(Readable.count(counts.lines, "line"))  \(ByteCount(counts.bytes))  \(Readable.count(rate)) "
                + "lines/s\u{1B}[K")
    }

    /// Takes the line away.
    func clear() {
        if isVisible { Terminal.error.write("\r\u{1B}[K") }
        isVisible = false
    }
}
