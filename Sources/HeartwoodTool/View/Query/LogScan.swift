import Dispatch
import Heartwood
import HeartwoodReading

/// The rows of a log that a filter wants: found from the end to the beginning, and on as lines come.
///
/// Of each block only the number of its rows is kept, by time and level. Rows themselves are found again when
/// they are asked for, in the one block that they are in. It ends when no page or request uses it any more.
final class LogScan: Sendable {
    /// How many rows there are, and of which levels.
    struct Summary: Sendable {
        var rows = RowIndex()
        /// Records by level.
        var levels = [Int](repeating: 0, count: 8)
        var earliest: Int64?
        var latest: Int64?
        /// The part of the known blocks that was looked at, from 0 to 1.
        var done = 0.0
    }

    /// The rows of a block.
    private struct Matches {
        let block: Int
        let version: Int
        let ranges: [Range<Int>]
    }

    // MARK: Constants (any thread)

    let filter: ViewFilter
    private let store: LogStore
    private let queue = DispatchQueue(label: "heartwood.view.scan")
    private let survey = BlockSurvey()
    /// How many blocks are read again for a timeline at most.
    private static let exactLimit = 64

    // MARK: Guarded by 'sieve'

    private let sieve: Locked<LineSieve>

    // MARK: Guarded by 'state'

    private struct State {
        var rows = RowIndex()
        var levels = [Int](repeating: 0, count: 8)
        var bins: [(block: Int, bins: TimeBins)] = []
        var earliest: Int64?
        var latest: Int64?
        /// What the last block of new lines adds, which may still grow.
        var last: BlockFacts?
        var lastVersion = 0
        var isRunning = false
        var recent: [Matches] = []

        mutating func add(_ facts: BlockFacts, _ block: Int) {
            guard facts.lines > 0 else { return }
            for place in 0..<8 { levels[place] += Int(facts.levels[place]) }
            if !facts.bins.isEmpty { bins.append((block, facts.bins)) }
            if let first = facts.earliest { earliest = min(earliest ?? first, first) }
            if let last = facts.latest { latest = max(latest ?? last, last) }
        }
    }
    private let state = Locked(State())

    /// Makes a scan, which does nothing before ``wake()``.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid.
    init(_ filter: ViewFilter, store: LogStore, paths: [String]) throws {
        self.filter = filter
        self.store = store
        sieve = Locked(try LineSieve(filter, paths: paths))
    }

    /// Looks at blocks that were not looked at, on the scan's own queue.
    func wake() {
        guard !filter.isEmpty else { return }
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a page or a request that uses it, it ends.
        if starts { queue.async { [weak self] in while let self, self.step() {} } }
    }

    /// Looks at all blocks that are known now, on the caller's thread.
    func finish() {
        wake()
        queue.sync {}
    }

    // MARK: Asking

    /// The numbers of the rows.
    var rows: RowIndex {
        guard filter.isEmpty else { return state.withLock { $0.rows } }
        return filter.isFolded ? store.records : store.rows
    }

    /// How many rows there are at the moment.
    var summary: Summary {
        if filter.isEmpty {
            var summary = Summary(rows: rows, done: 1)
            if let span = store.span { (summary.earliest, summary.latest) = (span.earliest, span.latest) }
            store.forEachFacts { _, facts in
                for place in 0..<8 { summary.levels[place] += Int(facts.levels[place]) }
            }
            return summary
        }
        let known = store.blockCounts
        return state.withLock { state in
            var levels = state.levels
            var earliest = state.earliest
            var latest = state.latest
            if let last = state.last {
                for place in 0..<8 { levels[place] += Int(last.levels[place]) }
                if let first = last.earliest { earliest = min(earliest ?? first, first) }
                if let end = last.latest { latest = max(latest ?? end, end) }
            }
            let seen = state.rows.backCount + state.rows.frontCount
            let all = known.back + known.front
            return Summary(
                rows: state.rows, levels: levels, earliest: earliest, latest: latest,
                done: all == 0 ? 1 : Double(seen) / Double(all))
        }
    }

    /// Adds the records by time and level; returns whether each is counted in its own piece.
    ///
    /// Blocks that are known in longer pieces only are read again, as long as there are few of them; other
    /// records are spread over the time in which they are known to be.
    func fill(_ bins: inout TimeBins) -> Bool {
        var sum = bins
        var coarse: [(block: Int, bins: TimeBins)] = []
        if filter.isEmpty {
            store.forEachFacts { if !sum.add($1.bins) { coarse.append(($0, $1.bins)) } }
        } else {
            let found = state.withLock { state in
                state.bins + (state.last.map { [(state.rows.frontCount - 1, $0.bins)] } ?? [])
            }
            for (block, own) in found where !sum.add(own) { coarse.append((block, own)) }
        }
        for (index, (number, own)) in coarse.enumerated() {
            guard index < LogScan.exactLimit, let (block, version) = store.block(number),
                let text = store.files.text(of: block)
            else {
                sum.spread(own)
                continue
            }
            let ranges = filter.isEmpty ? nil : self.ranges(of: number, block, version, text)
            text.bytes.withUnsafeBytes { survey.count(ranges, in: $0, after: block.carry, into: &sum) }
        }
        bins = sum
        return coarse.count <= LogScan.exactLimit
    }

    /// Some rows, from a number on; fewer where there are not so many.
    func rows(from first: Int, count: Int) -> [LogRow] {
        let index = self.rows
        var rows: [LogRow] = []
        var row = max(first, index.first)
        let end = min(index.end, first.addingReportingOverflow(count).overflow ? index.end : first + count)
        while row < end, let place = index.place(of: row) {
            let wanted = min(end - row, index.count(ofBlock: place.block) - place.index)
            guard let (block, version) = store.block(place.block) else { break }
            let text = store.files.text(of: block)
            let ranges = text.map { self.ranges(of: place.block, block, version, $0) } ?? []
            let name = block.pieces.first.map { store.files.name(of: $0.part) } ?? ""
            for number in place.index..<(place.index + wanted) {
                let own = row + number - place.index
                guard let text, number < ranges.count else {
                    rows.append(LogRow(missing: own, name))
                    continue
                }
                let folded = filter.isFolded ? self.folded(after: ranges[number], in: text) : 0
                rows.append(
                    LogRow(own, block, text, ranges[number], file: store.files.name, folded: folded))
            }
            row += wanted
        }
        return rows
    }

    /// How many lines of the same record follow its first one, up to 10,000.
    private func folded(after line: Range<Int>, in text: BlockText) -> Int {
        text.bytes.withUnsafeBytes { bytes in
            let reader = LineReader()
            var start = line.upperBound + 1
            var count = 0
            while start < bytes.count, count < 10_000 {
                let end = LogBlockReader.lineEnd(in: bytes, from: start)
                if reader.head(of: .init(rebasing: bytes[start..<end])).isHead { break }
                count += 1
                start = end + 1
            }
            return count
        }
    }

    /// The next row after or before a row; nil if none is known.
    ///
    /// At most `limit` blocks are read, and only those whose facts say that they may have one. `places` says
    /// which of the rows of a block are wanted; the rows are found only when they are asked for. Where the
    /// limit was reached, the result says from which row to go on.
    private func next(
        from row: Int, isForward: Bool, limit: Int = .max, mayHave: (BlockFacts) -> Bool,
        places: (LogBlock, BlockText, () -> [Range<Int>]) -> [Int]
    ) -> (found: Int?, continuation: Int?) {
        let index = rows
        guard index.first < index.end else { return (nil, nil) }
        // One step on, within what there is: no sum of two numbers overflows.
        var row =
            isForward
            ? max(row, index.first - 1) + (row >= index.end ? 0 : 1)
            : min(row, index.end) - (row < index.first ? 0 : 1)
        var searched = 0
        while let place = index.place(of: row) {
            guard let (block, version) = store.block(place.block) else { return (nil, nil) }
            let first = row - place.index
            let count = index.count(ofBlock: place.block)
            if mayHave(block.facts), let text = store.files.text(of: block) {
                guard searched < limit else { return (nil, isForward ? row - 1 : row + 1) }
                searched += 1
                let found = places(block, text) { ranges(of: place.block, block, version, text) }
                let next = isForward ? found.first { $0 >= place.index } : found.last { $0 <= place.index }
                if let next, next < count { return (first + next, nil) }
            }
            row = isForward ? first + count : first - 1
        }
        return (nil, nil)
    }

    /// The next row of a level, or a more serious one, after or before a row; nil if none is known.
    func next(of level: LogLevel, from row: Int, isForward: Bool) -> Int? {
        let limit = TimeBins.place(of: level)
        return next(from: row, isForward: isForward) { facts in
            (0...limit).contains { facts.levels[$0] > 0 }
        } places: { block, text, rows in
            rows().enumerated().filter { _, range in
                let row = LogRow(0, block, text, range, file: { _ in "" })
                return TimeBins.place(of: row.ownLevel) <= limit
            }.map(\.offset)
        }.found
    }

    /// The next row, or record where lines are folded, in which one of the searchers finds something.
    ///
    /// At most `limit` blocks are searched. Where that was reached, the result says from which row to go on.
    func next(
        of searchers: [LineSearcher], from row: Int, isForward: Bool, limit: Int
    ) -> (found: Int?, continuation: Int?) {
        next(from: row, isForward: isForward, limit: limit, mayHave: { _ in true }) { block, text, rows in
            text.bytes.withUnsafeBytes { bytes in
                var hits: [Range<Int>] = []
                for searcher in searchers { searcher.forEachLine(in: bytes) { hits.append($0) } }
                guard !hits.isEmpty else { return [] }
                if filter.isFolded {
                    hits = heads(of: hits.sorted { $0.lowerBound < $1.lowerBound }, bytes, block)
                }
                let starts = Set(hits.map(\.lowerBound))
                return rows().enumerated().filter { starts.contains($1.lowerBound) }.map(\.offset)
            }
        }
    }

    /// The first row that was logged at a moment or later; nil if none is known.
    func first(from moment: Int64) -> Int? {
        let index = rows
        for number in -index.backCount..<index.frontCount where index.count(ofBlock: number) > 0 {
            guard let (block, version) = store.block(number), let latest = block.facts.latest,
                latest >= moment, let text = store.files.text(of: block)
            else { continue }
            let first = index.firstRow(ofBlock: number)
            for (place, range) in ranges(of: number, block, version, text).enumerated() {
                let row = LogRow(first + place, block, text, range, file: { _ in "" })
                if row.isHead, let time = row.moment, time >= moment { return row.number }
            }
        }
        return nil
    }

    /// The row at a place of a file, or the one after it in the same block; nil if none is known.
    func row(of parts: Set<Int>, at offset: Int) -> Int? {
        guard let number = store.block(of: parts, at: offset), let (block, version) = store.block(number),
            let text = store.files.text(of: block)
        else { return nil }
        let index = rows
        let ranges = ranges(of: number, block, version, text)
        let first = index.firstRow(ofBlock: number)
        let run = text.runs.last { parts.contains($0.part) && $0.offset <= offset }
        guard let run, index.count(ofBlock: number) > 0 else {
            return index.count(ofBlock: number) > 0 ? first : nil
        }
        let start = run.start + offset - run.offset
        let place = ranges.lastIndex { $0.lowerBound <= start } ?? 0
        // The line itself, or, where it is none of the rows, the one behind it.
        let isInside =
            place < ranges.count && start <= ranges[place].upperBound && start >= ranges[place].lowerBound
        return first + min(isInside || filter.isFolded ? place : place + 1, index.count(ofBlock: number) - 1)
    }

    /// The whole record that a line of the log belongs to, up to `limit` bytes: its lines, and which of them
    /// is the line.
    func record(of row: LogRow, limit: Int) -> (lines: [LogRow], index: Int) {
        guard let place = rows.place(of: row.number), let (block, _) = store.block(place.block),
            let text = store.files.text(of: block)
        else { return ([row], 0) }
        var lines: [LogRow] = []
        var index = 0
        text.bytes.withUnsafeBytes { bytes in
            let reader = LineReader()
            var start =
                row.isHead
                ? row.start
                : survey.record(of: range(at: row.start, bytes), in: bytes, after: block.carry).start
                    ?? row.start
            let head = start
            while start < bytes.count, start - head < limit, lines.count < 5000 {
                let line = start..<LogBlockReader.lineEnd(in: bytes, from: start)
                if start > max(head, row.start), reader.head(of: .init(rebasing: bytes[line])).isHead {
                    break
                }
                if start == row.start { index = lines.count }
                lines.append(LogRow(row.number, block, text, line, file: store.files.name))
                start = line.upperBound + 1
            }
        }
        return lines.isEmpty ? ([row], 0) : (lines, index)
    }

    private func range(at start: Int, _ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        start..<LogBlockReader.lineEnd(in: bytes, from: start)
    }

    /// The number that a row has where no filter is set; nil where the row is gone.
    func numberInAll(of row: LogRow) -> Int? {
        if filter.isEmpty, !filter.isFolded { return row.number }
        guard row.text != nil, let place = rows.place(of: row.number),
            let (block, _) = store.block(place.block),
            let text = store.files.text(of: block), row.start <= text.bytes.count
        else { return nil }
        let lines = text.bytes.prefix(row.start).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        return store.rows.firstRow(ofBlock: place.block) + lines
    }

    /// Calls `body` with the text of each block and its rows, in order; stops where it returns false.
    func forEachBlock(
        isReversed: Bool = false,
        _ body: (_ block: LogBlock, _ text: BlockText, _ rows: ArraySlice<Range<Int>>) -> Bool
    ) {
        let index = rows
        let blocks = Array(-index.backCount..<index.frontCount)
        for number in isReversed ? blocks.reversed() : blocks where index.count(ofBlock: number) > 0 {
            guard let (block, version) = store.block(number), let text = store.files.text(of: block) else {
                continue
            }
            let rows = ranges(of: number, block, version, text).prefix(index.count(ofBlock: number))
            if !body(block, text, rows) { return }
        }
    }

    /// The rows of a block, as ranges of its lines.
    private func ranges(of number: Int, _ block: LogBlock, _ version: Int, _ text: BlockText) -> [Range<Int>]
    {
        let kept = state.withLock { state in
            state.recent.first { $0.block == number && $0.version == version }?.ranges
        }
        if let kept { return kept }
        let ranges = text.bytes.withUnsafeBytes { matches(block, text, $0) }
        state.withLock { state in
            if state.recent.count >= 12 { state.recent.removeFirst() }
            state.recent.append(Matches(block: number, version: version, ranges: ranges))
        }
        return ranges
    }

    /// The lines of a block that are rows.
    private func matches(
        _ block: LogBlock, _ text: BlockText, _ bytes: UnsafeRawBufferPointer
    ) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        if filter.isEmpty {
            LogBlockReader.forEachLine(of: bytes) { ranges.append($0) }
        } else {
            sieve.withLock { sieve in
                var wanted: [Int: Bool] = [:]
                for part in Set(text.runs.map(\.part)) {
                    wanted[part] = sieve.wantsFile(store.files.name(of: part))
                }
                let wantsAll = wanted.values.allSatisfy { $0 }
                sieve.forEachMatch(in: bytes, after: block.carry) { line in
                    if wantsAll || wanted[text.place(of: line.lowerBound).part] == true {
                        ranges.append(line)
                    }
                }
            }
        }
        return filter.isFolded ? heads(of: ranges, bytes, block) : ranges
    }

    /// The first line of each record that one of the lines belongs to.
    private func heads(of lines: [Range<Int>], _ bytes: UnsafeRawBufferPointer, _ block: LogBlock) -> [Range<
        Int
    >] {
        var heads: [Range<Int>] = []
        survey.forEachRecord(of: lines, in: bytes, after: block.carry) { line, _, start in
            // A line whose record begins in an earlier block is a row of that; one of no record is a row of
            // its own.
            if start == nil, block.carry.head != nil { return }
            heads.append(start.map { range(at: $0, bytes) } ?? line)
        }
        return heads
    }

    // MARK: On 'queue'

    /// Looks at a block; returns false where there is none left.
    private func step() -> Bool {
        let (front, back) = state.withLock { ($0.rows.frontCount, $0.rows.backCount) }
        if front > 0, let (block, version) = store.block(front - 1),
            state.withLock({ $0.lastVersion != version })
        {
            keepLast(look(at: block), version, isNew: false)
        } else if let (block, version) = store.block(front) {
            keepLast(look(at: block), version, isNew: true)
        } else if let (block, _) = store.block(-back - 1) {
            let facts = look(at: block)
            state.withLock { state in
                state.rows.addBack(facts.lines)
                state.add(facts, -back - 1)
            }
        } else {
            state.withLock { $0.isRunning = false }
            return false
        }
        return true
    }

    private func keepLast(_ facts: BlockFacts, _ version: Int, isNew: Bool) {
        state.withLock { state in
            if isNew {
                if let last = state.last { state.add(last, state.rows.frontCount - 1) }
                state.rows.addFront(facts.lines)
            } else {
                state.rows.replaceLastFront(facts.lines)
            }
            state.last = facts
            state.lastVersion = version
        }
    }

    /// What the rows of a block say.
    private func look(at block: LogBlock) -> BlockFacts {
        let names = Set(block.pieces.map(\.part)).map { store.files.name(of: $0) }
        if sieve.withLock({ $0.canSkip(block.facts, files: names) }) { return BlockFacts() }
        guard let text = store.files.text(of: block) else { return BlockFacts() }
        return text.bytes.withUnsafeBytes { bytes in
            survey.facts(of: matches(block, text, bytes), in: bytes, after: block.carry)
        }
    }
}

/// The scans that pages use, one for each filter: those that are held, and the last ones that were used.
final class LogScans: Sendable {
    /// How many scans are kept that no page uses.
    private static let limit = 8

    private struct State {
        /// The last ones that were used.
        var recent: [LogScan] = []
        var all: [ViewFilter: Weak<LogScan>] = [:]
    }

    private let store: LogStore
    private let paths: [String]
    private let state = Locked(State())

    init(_ store: LogStore, paths: [String]) {
        self.store = store
        self.paths = paths
    }

    /// The scan for a filter, which goes on looking.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid.
    func scan(_ filter: ViewFilter) throws -> LogScan {
        let scan = try state.withLock { state -> LogScan in
            let scan = try state.all[filter]?.object ?? LogScan(filter, store: store, paths: paths)
            state.recent.removeAll { $0 === scan }
            state.recent.append(scan)
            if state.recent.count > LogScans.limit { state.recent.removeFirst() }
            state.all = state.all.filter { $0.value.object != nil }
            state.all[filter] = Weak(scan)
            return scan
        }
        scan.wake()
        return scan
    }
}
