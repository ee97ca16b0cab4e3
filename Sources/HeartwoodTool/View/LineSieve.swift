import Heartwood

/// Finds the lines of blocks that a filter wants, by the searcher and the filter of `heartwood grep`.
///
/// Not thread-safe: owned by the scan that uses it.
final class LineSieve {
    private let file: String?
    private let selection: LogSelection
    private let searcher: LineSearcher?
    private let excluded: [LineSearcher]
    private let parser = LineRecordParser()

    /// Prepares a filter for the log of some paths.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid: a pattern, a time, a level or a condition.
    init(_ filter: ViewFilter, paths: [String]) throws {
        file = filter.file
        let arguments = try Arguments(parsing: filter.options, options: GrepCommand.options)
        selection = try LogSelection(arguments, operands: paths)
        let ignoresCase = !filter.isCaseSensitive
        searcher =
            filter.text.isEmpty
            ? nil : try LineSearcher(filter.text, isLiteral: !filter.isRegex, ignoresCase: ignoresCase)
        excluded = try filter.excluded.map {
            try LineSearcher($0, isLiteral: true, ignoresCase: ignoresCase)
        }
    }

    /// Whether a block with these facts in a file of this name cannot have a line that is wanted.
    func canSkip(_ facts: BlockFacts, file: String) -> Bool {
        if let wanted = self.file, wanted != file { return true }
        if let levels = selection.levels {
            let found = LogLevel.standardLevels.contains { level in
                levels.contains(level) && facts.levels[TimeBins.place(of: level)] > 0
            }
            if !found { return true }
        }
        guard facts.leading == 0, let earliest = facts.earliest, let latest = facts.latest else {
            return false
        }
        if let since = selection.since, latest < since.nanoseconds { return true }
        if let until = selection.until, earliest >= until.nanoseconds { return true }
        return false
    }

    /// Calls `body` with each line that is wanted, in order, as a range without the newline.
    func forEachMatch(in bytes: UnsafeRawBufferPointer, after carry: LineCarry, _ body: (Range<Int>) -> Void)
    {
        var records = RecordFilter(selection, parser: parser)
        for line in [carry.timed, carry.head].compactMap({ $0 }) {
            _ = line.withUnsafeBytes { records.passes(alone: $0) }
        }
        func pass(_ range: Range<Int>) {
            guard records.passes(range, in: bytes) else { return }
            let line = UnsafeRawBufferPointer(rebasing: bytes[range])
            if !excluded.contains(where: { $0.finds(line) }) { body(range) }
        }
        if let searcher {
            searcher.forEachLine(in: bytes, pass)
        } else {
            LogBlockReader.forEachLine(of: bytes, pass)
        }
    }
}
