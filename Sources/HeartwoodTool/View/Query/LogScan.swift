import Dispatch
import Heartwood
import HeartwoodReading

/// The rows of a log that a filter wants: found from the end to the beginning, and on as lines come.
///
/// For each block it knows which lines are rows, and how many records there are, by time and level. A row is
/// always the same line of its block, even if files change. A scan ends when it is no longer used.
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

        fileprivate mutating func add(_ facts: BlockFacts) {
            for place in 0..<8 { levels[place] += Int(facts.levels[place]) }
            if let first = facts.earliest { earliest = min(earliest ?? first, first) }
            if let last = facts.latest { latest = max(latest ?? last, last) }
        }
    }

    /// What a filter wants of a block.
    private struct Matches {
        var lines = LineSet()
        /// What these lines say.
        var facts = BlockFacts()
    }

    // MARK: Constants (any thread)

    let filter: ViewFilter
    private let store: LogStore
    private let queue = WorkQueue("heartwood.view.scan")
    private let survey = BlockSurvey()
    /// How many blocks are read again for a timeline at most.
    private static let exactLimit = 64

    // MARK: Guarded by 'sieve'

    private let sieve: Locked<LineSieve>

    // MARK: Guarded by 'state'

    private struct State {
        var rows = RowIndex()
        /// The matches in the blocks before 0, the last one first, and in those from 0 on.
        var back: [LineSet] = []
        var front: [LineSet] = []
        /// Of all blocks but the last one of new lines.
        var summary = Summary()
        var bins: [(block: Int, bins: TimeBins)] = []
        /// What the last block of new lines adds, which may still grow.
        var last: BlockFacts?
        var lastVersion = 0
        var isRunning = false
        /// Whether a block may have come since the last one was looked for.
        var isWanted = false

        mutating func add(_ facts: BlockFacts, _ block: Int) {
            guard facts.lines > 0 else { return }
            summary.add(facts)
            if !facts.bins.isEmpty { bins.append((block, facts.bins)) }
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
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a page or a request that uses it, it ends.
        if starts { queue.enqueue { [weak self] in while let self, self.step() {} } }
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
            store.forEachFacts { summary.add($1) }
            return summary
        }
        let known = store.blockCounts
        return state.withLock { state in
            var summary = state.summary
            if let last = state.last { summary.add(last) }
            summary.rows = state.rows
            let all = known.back + known.front
            summary.done = all == 0 ? 1 : Double(state.back.count + state.front.count) / Double(all)
            return summary
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
                state.bins + (state.last.map { [(state.front.count - 1, $0.bins)] } ?? [])
            }
            for (block, own) in found where !sum.add(own) { coarse.append((block, own)) }
        }
        for (index, (number, own)) in coarse.enumerated() {
            // Records that are gone are spread over the time of their block.
            guard index < LogScan.exactLimit, let block = store.block(number),
                case let text = store.files.text(of: block, inPassing: true), text.isWhole
            else {
                sum.spread(own)
                continue
            }
            let lines = filter.isEmpty ? block.facts.heads : lines(of: number, block)
            survey.count(lines, in: text, block, into: &sum)
        }
        bins = sum
        return coarse.count <= LogScan.exactLimit
    }

    /// The lines of a block that are rows.
    private func lines(of number: Int, _ block: LogBlock) -> LineSet {
        if filter.isEmpty { return filter.isFolded ? block.facts.heads : LineSet(first: block.facts.lines) }
        return state.withLock { state in
            let (sets, index) = number < 0 ? (state.back, -number - 1) : (state.front, number)
            return index < sets.count ? sets[index] : LineSet()
        }
    }

    /// Up to `count` rows from a number on, with up to `limit` bytes of the text of each.
    func rows(from first: Int, count: Int, upTo limit: Int = .max) -> [LogRow] {
        let index = self.rows
        let reader = LineReader()
        var rows: [LogRow] = []
        var row = max(first, index.first)
        let end = min(index.end, first.addingReportingOverflow(count).overflow ? index.end : first + count)
        while row < end, let place = index.place(of: row), let block = store.block(place.block) {
            let last = min(end, row + index.count(ofBlock: place.block) - place.index)
            var text = BlockRows(
                store.files.text(of: block), block, reader, file: store.files.name, limit: limit)
            let lines = lines(of: place.block, block)
            var line = lines.line(at: place.index)
            while row < last {
                rows.append(text.row(row, line ?? .max, isFolded: filter.isFolded))
                line = line.flatMap { lines.next(from: $0 + 1) }
                row += 1
            }
        }
        return rows
    }

    /// The next row after or before a row; nil if none is known.
    ///
    /// At most `limit` blocks are read, and only those whose facts say that they may have one. `wanted` says
    /// which lines of a block match; they need not be rows. If the limit was reached, the result says from
    /// which row to go on.
    private func next(
        from row: Int, isForward: Bool, limit: Int = .max, mayHave: (BlockFacts) -> Bool,
        wanted: (LogBlock, BlockText, LineSet) -> LineSet
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
            guard let block = store.block(place.block) else { return (nil, nil) }
            let first = row - place.index
            let count = index.count(ofBlock: place.block)
            if mayHave(block.facts) {
                guard searched < limit else { return (nil, isForward ? row - 1 : row + 1) }
                searched += 1
                let lines = lines(of: place.block, block)
                let found = wanted(block, store.files.text(of: block, inPassing: true), lines)
                var line = lines.line(at: place.index)
                while let candidate = line, !found.contains(candidate) {
                    line = isForward ? lines.next(from: candidate + 1) : lines.last(upTo: candidate - 1)
                }
                if let rank = line.map(lines.rank), rank < count { return (first + rank, nil) }
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
        } wanted: { block, text, lines in
            var wanted = LineSet()
            for line in lines.lines where block.facts.heads.contains(line) {
                if TimeBins.place(of: survey.record(of: line, in: text, block).level) <= limit {
                    wanted.insert(line)
                }
            }
            return wanted
        }.found
    }

    /// The next row, or record where lines are folded, in which one of the searchers finds something.
    ///
    /// At most `limit` blocks are searched. Where that was reached, the result says from which row to go on.
    func next(
        of searchers: [LineSearcher], from row: Int, isForward: Bool, limit: Int
    ) -> (found: Int?, continuation: Int?) {
        next(from: row, isForward: isForward, limit: limit, mayHave: { _ in true }) { block, text, _ in
            var starts: Set<Int> = []
            text.bytes.withUnsafeBytes { bytes in
                for searcher in searchers { searcher.forEachLine(in: bytes) { starts.insert($0.lowerBound) } }
            }
            let hits = text.lines(at: starts)
            return filter.isFolded ? heads(of: hits, block) : hits
        }
    }

    /// The first row that was logged at a moment or later; nil if none is known.
    func first(from moment: Int64) -> Int? {
        let index = rows
        for number in -index.backCount..<index.frontCount where index.count(ofBlock: number) > 0 {
            guard let block = store.block(number), let latest = block.facts.latest, latest >= moment
            else { continue }
            let text = store.files.text(of: block)
            for (place, line) in lines(of: number, block).lines.enumerated()
            where block.facts.heads.contains(line) && place < index.count(ofBlock: number) {
                if let time = survey.record(of: line, in: text, block).moment, time >= moment {
                    return index.firstRow(ofBlock: number) + place
                }
            }
        }
        return nil
    }

    /// The row at a place of a file, or the one after it in the same block; nil if none is known.
    func row(of parts: Set<Int>, at offset: Int) -> Int? {
        guard let number = store.block(of: parts, at: offset), let block = store.block(number),
            let line = store.files.text(of: block).lines.lastIndex(where: {
                $0.range != nil && parts.contains($0.part) && $0.offset <= offset
            })
        else { return nil }
        let index = rows
        guard index.count(ofBlock: number) > 0 else { return nil }
        let lines = lines(of: number, block)
        // The row of the line, or of its record. If that is not a row, the next row.
        let own = lines.contains(line) || !filter.isFolded ? line : block.facts.heads.last(upTo: line) ?? line
        let place = min(lines.rank(of: own), index.count(ofBlock: number) - 1)
        return index.firstRow(ofBlock: number) + place
    }

    /// The whole record that a line of the log belongs to, up to `limit` bytes: its lines, and which of them
    /// is the line.
    func record(of row: LogRow, limit: Int) -> (lines: [LogRow], index: Int) {
        guard let place = rows.place(of: row.number), let block = store.block(place.block),
            row.text != nil
        else { return ([row], 0) }
        let text = store.files.text(of: block)
        var rows = BlockRows(text, block, LineReader(), file: store.files.name)
        let head = block.facts.heads.last(upTo: row.line) ?? row.line
        var (lines, size): ([LogRow], Int) = ([], 0)
        for line in head..<(block.facts.heads.next(from: head + 1) ?? block.facts.lines) {
            guard size < limit, lines.count < 5000, let own = text[line] else { break }
            size += own.count + 1
            lines.append(rows.row(row.number, line))
        }
        return row.line - head < lines.count ? (lines, row.line - head) : ([row], 0)
    }

    /// The number that a row has where no filter is set; nil where the row is gone.
    func numberInAll(of row: LogRow) -> Int? {
        guard row.text != nil, let place = rows.place(of: row.number) else { return nil }
        return store.rows.firstRow(ofBlock: place.block) + row.line
    }

    /// The row with which the record of a row begins, or the first one that is known of it; no filter is set.
    func beginning(of row: Int) -> Int {
        let index = rows
        guard let place = index.place(of: row) else { return row }
        var (number, line) = (place.block, place.index)
        while let block = store.block(number) {
            if let head = block.facts.heads.last(upTo: line) { return index.firstRow(ofBlock: number) + head }
            guard number > -index.backCount else { break }
            number -= 1
            line = .max
        }
        return index.first
    }

    /// Calls `body` with the text of each block, the lines that are rows, in order, and those that begin
    /// records; stops where it returns false.
    func forEachBlock(
        isReversed: Bool = false, _ body: (_ text: BlockText, _ rows: [Int], _ heads: LineSet) -> Bool
    ) {
        let index = rows
        let blocks = Array(-index.backCount..<index.frontCount)
        for number in isReversed ? blocks.reversed() : blocks where index.count(ofBlock: number) > 0 {
            guard let block = store.block(number) else { continue }
            let rows = Array(lines(of: number, block).lines.prefix(index.count(ofBlock: number)))
            if !body(store.files.text(of: block, inPassing: true), rows, block.facts.heads) { return }
        }
    }

    /// The first line of each record that one of the lines belongs to.
    private func heads(of lines: LineSet, _ block: LogBlock) -> LineSet {
        var heads = LineSet()
        for line in lines.lines {
            // A line whose record begins in an earlier block is a row of that.
            if let head = block.facts.heads.last(upTo: line) { heads.insert(head) }
        }
        return heads
    }

    // MARK: On 'queue'

    /// Looks at a block; returns false where there is none left.
    private func step() -> Bool {
        let (front, back) = state.withLock { state in
            state.isWanted = false
            return (state.front.count, state.back.count)
        }
        if front > 0, let (block, version) = store.versioned(front - 1),
            state.withLock({ $0.lastVersion != version })
        {
            let before = state.withLock { $0.front[front - 1] }
            keepLast(look(at: block, before), version, isNew: false)
        } else if let (block, version) = store.versioned(front) {
            keepLast(look(at: block), version, isNew: true)
        } else if let block = store.block(-back - 1) {
            let found = look(at: block)
            state.withLock { state in
                state.rows.addBack(found.lines.count)
                state.back.append(found.lines)
                state.add(found.facts, -back - 1)
            }
        } else {
            // One that was added since would otherwise be found at the next wake only.
            return state.withLock { state in
                state.isRunning = state.isWanted
                return state.isRunning
            }
        }
        return true
    }

    private func keepLast(_ found: Matches, _ version: Int, isNew: Bool) {
        state.withLock { state in
            if isNew {
                if let last = state.last { state.add(last, state.front.count - 1) }
                state.rows.addFront(found.lines.count)
                state.front.append(found.lines)
            } else {
                state.rows.replaceLastFront(found.lines.count)
                state.front[state.front.count - 1] = found.lines
            }
            state.last = found.facts
            state.lastVersion = version
        }
    }

    /// The lines of a block that are rows, and what they say.
    ///
    /// Lines that were rows `before` and are gone by now stay rows.
    private func look(at block: LogBlock, _ before: LineSet = LineSet()) -> Matches {
        let parts = Set(block.pieces.map(\.part))
        let names = parts.map(store.files.name)
        return sieve.withLock { sieve in
            if sieve.canSkip(block.facts, files: names) { return Matches() }
            let wanted = parts.filter { sieve.wantsFile(store.files.name(of: $0)) }
            let text = store.files.text(of: block, inPassing: true)
            var starts: [Int] = []
            sieve.forEachMatch(in: text, after: block.carry) { starts.append($0) }
            var lines = text.lines(at: starts)
            if wanted.count < parts.count {
                for line in lines.lines where !wanted.contains(text.lines[line].part) { lines.remove(line) }
            }
            for line in before.lines where text[line] == nil { lines.insert(line) }
            if filter.isFolded { lines = heads(of: lines, block) }
            return Matches(lines: lines, facts: survey.facts(of: lines, in: text, block))
        }
    }
}

/// The scans that pages use, one for each filter: those that are held, and the last ones that were used.
final class LogScans: Sendable {
    /// How many scans are kept that no answer uses: a page that asks again and again needs its own between
    /// two requests, and another one for the numbers of the levels.
    private static let limit = 32

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
