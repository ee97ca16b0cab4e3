import Heartwood
import HeartwoodReading

/// Finds the lines of blocks that a filter wants, by the searcher and the filter of `heartwood grep`.
///
/// Not thread-safe: owned by the scan that uses it.
final class LineSieve {
    private let filter: ViewFilter
    private let selection: LogSelection
    private let searcher: LineSearcher?
    private let parser = LineRecognizer()

    /// Prepares a filter for the log of some paths.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid: a pattern, a time, a level or a condition.
    init(_ filter: ViewFilter, paths: [String]) throws {
        self.filter = filter
        let arguments = try Arguments(parsing: filter.options, options: GrepCommand.options)
        selection = try LogSelection(arguments, operands: paths)
        searcher = try filter.searcher()
    }

    /// Whether a block with these facts, of files with these names, cannot have a line that is wanted.
    func canSkip(_ facts: BlockFacts, files: [String]) -> Bool {
        if !files.contains(where: wantsFile) { return true }
        guard facts.leading == 0 else { return false }
        if let levels = selection.levels, levels.rawValue >> 7 == 0 {
            let found = LogLevel.standardLevels.contains { level in
                levels.contains(level) && facts.levels[TimeBins.place(of: level)] > 0
            }
            if !found { return true }
        }
        // A record without a time is at that of the one in front of it, perhaps in an earlier block.
        let timed = facts.bins.counts.reduce(.zero, &+).wrappedSum()
        guard timed == facts.levels.wrappedSum() else { return false }
        guard let earliest = facts.earliest, let latest = facts.latest else { return false }
        if let since = selection.since, latest < since.nanoseconds { return true }
        if let until = selection.until, earliest >= until.nanoseconds { return true }
        return false
    }

    /// Whether lines of a file are wanted.
    func wantsFile(_ name: String) -> Bool {
        (filter.files.isEmpty || filter.files.contains(name)) && !filter.excludedFiles.contains(name)
    }

    /// Calls `body` with the place of each line that is wanted, in order.
    func forEachMatch(in text: BlockText, after carry: LineCarry, _ body: (Int) -> Void) {
        var records = RecordFilter(selection, parser: parser)
        records.begin(after: [carry.timed, carry.head].compactMap { $0 }, carry.records)
        // Where lines of another file begin, or a line in front is gone.
        var starts = zip(text.lines, text.lines.dropFirst()).compactMap { last, line in
            last.range == nil || last.part != line.part || line.offset == 0 ? line.range?.lowerBound : nil
        }[...]
        text.bytes.withUnsafeBytes { bytes in
            func pass(_ range: Range<Int>) {
                while let start = starts.first, start <= range.lowerBound {
                    records.begin(at: start)
                    starts.removeFirst()
                }
                if records.passes(range, in: bytes) { body(range.lowerBound) }
            }
            if let searcher {
                searcher.forEachLine(in: bytes, pass)
            } else {
                LogBlockReader.forEachLine(of: bytes, pass)
            }
        }
    }
}
