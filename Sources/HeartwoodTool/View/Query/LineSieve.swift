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
        guard let earliest = facts.earliest, let latest = facts.latest else { return false }
        if let since = selection.since, latest < since.nanoseconds { return true }
        if let until = selection.until, earliest >= until.nanoseconds { return true }
        return false
    }

    /// Whether lines of a file are wanted.
    func wantsFile(_ name: String) -> Bool {
        (filter.files.isEmpty || filter.files.contains(name)) && !filter.excludedFiles.contains(name)
    }

    /// Calls `body` with each line that is wanted, in order, as a range without the newline.
    func forEachMatch(in bytes: UnsafeRawBufferPointer, after carry: LineCarry, _ body: (Range<Int>) -> Void)
    {
        var records = RecordFilter(selection, parser: parser)
        for line in [carry.timed, carry.head].compactMap({ $0 }) {
            _ = line.withUnsafeBytes { records.passes(alone: $0) }
        }
        func pass(_ range: Range<Int>) {
            if records.passes(range, in: bytes) { body(range) }
        }
        if let searcher {
            searcher.forEachLine(in: bytes, pass)
        } else {
            LogBlockReader.forEachLine(of: bytes, pass)
        }
    }
}
