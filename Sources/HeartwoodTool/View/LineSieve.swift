import Heartwood

/// Finds the lines of blocks that a filter wants, as `heartwood grep` does it.
///
/// Not thread-safe: owned by the scan that uses it.
final class LineSieve {
    private let filter: ViewFilter
    private let selection: LogSelection
    private let excluded: [String]

    /// Prepares a filter for the log of some paths.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid: a pattern, a time or a level.
    init(_ filter: ViewFilter, paths: [String]) throws {
        self.filter = filter
        let arguments = try Arguments(parsing: filter.options, options: GrepCommand.options)
        selection = try LogSelection(arguments, operands: paths)
        excluded = filter.excluded.map { filter.isCaseSensitive ? $0 : $0.lowercased() }
    }

    /// Whether a block with these facts in a file of this name cannot have a line that is wanted.
    func canSkip(_ facts: BlockFacts, file: String) -> Bool {
        if let wanted = filter.file, wanted != file { return true }
        if let levels = selection.levels {
            let found = LogLevel.standardLevels.contains { level in
                levels.contains(level) && facts.levels[TimeBins.place(of: level)] > 0
            }
            if !found { return true }
        }
        guard facts.leading == 0, let earliest = facts.earliest, let latest = facts.latest else { return false }
        if let since = selection.since, latest < since.nanoseconds { return true }
        if let until = selection.until, earliest >= until.nanoseconds { return true }
        return false
    }

    /// Calls `body` with each line that is wanted, in order, as a range without the newline.
    func forEachMatch(in bytes: UnsafeRawBufferPointer, after carry: LineCarry, _ body: (Range<Int>) -> Void) {
        var lines = LineFilter(selection)
        if let head = carry.head { _ = lines.passes(LogLine(text: String(decoding: head, as: UTF8.self))) }
        forEachLine(of: bytes) { range in
            let text = String(decoding: bytes[range], as: UTF8.self)
            guard lines.passes(LogLine(text: text)) else { return }
            let searched = filter.isCaseSensitive ? text : text.lowercased()
            let wanted = filter.isCaseSensitive ? filter.text : filter.text.lowercased()
            guard wanted.isEmpty || searched.contains(wanted) else { return }
            if !excluded.contains(where: { searched.contains($0) }) { body(range) }
        }
    }
}
