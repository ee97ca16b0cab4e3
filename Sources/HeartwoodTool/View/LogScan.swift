import Dispatch
import Heartwood

/// The rows of a log that a filter wants: found from the end to the beginning, and on as lines come.
///
/// Of each block only the number of its rows is kept, by time and level. Rows themselves are found again when they are
/// asked for, in the one block that they are in.
final class LogScan: Sendable {
    /// How many rows there are, and of which levels.
    struct Summary: Sendable {
        var rows = RowIndex()
        var levels = [Int](repeating: 0, count: 8)
        var earliest: Int64?
        var latest: Int64?
        /// The part of the known blocks that was looked at, from 0 to 1.
        var done = 0.0
    }

    /// The rows of a block.
    fileprivate struct Matches {
        let block: Int
        let version: Int
        let ranges: [Range<Int>]
    }

    // MARK: Constants (any thread)

    let filter: ViewFilter
    private let store: LogStore
    private let queue = DispatchQueue(label: "heartwood.view.scan")
    private let survey = BlockSurvey(LineReader())

    // MARK: Guarded by 'sieve'

    private let sieve: Locked<LineSieve>

    // MARK: Guarded by 'state'

    fileprivate struct State {
        var rows = RowIndex()
        var levels = [Int](repeating: 0, count: 8)
        var bins: [TimeBins] = []
        var earliest: Int64?
        var latest: Int64?
        /// What the last block of new lines adds, which may still grow.
        var last: BlockFacts?
        var lastVersion = 0
        var isRunning = false
        var isCancelled = false
        var recent: [Matches] = []
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

    /// Ends the scan.
    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Looks at blocks that were not looked at, on the scan's own queue.
    func wake() {
        guard !filter.isEmpty else { return }
        let starts = state.withLock { state in
            if state.isRunning || state.isCancelled { return false }
            state.isRunning = true
            return true
        }
        if starts { queue.async { self.run() } }
    }

    /// Looks at all blocks that are known now, on the caller's thread.
    func finish() {
        wake()
        queue.sync {}
    }

    // MARK: Asking

    /// How many rows there are at the moment.
    var summary: Summary {
        if filter.isEmpty {
            var summary = Summary(rows: store.rows, done: 1)
            if let span = store.span { (summary.earliest, summary.latest) = (span.earliest, span.latest) }
            store.forEachFacts { facts in
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

    /// Adds the rows by time and level.
    func fill(_ bins: inout TimeBins) {
        if filter.isEmpty {
            var sum = bins
            store.forEachFacts { sum.add($0.bins) }
            bins = sum
            return
        }
        let (found, last) = state.withLock { ($0.bins, $0.last) }
        for block in found { bins.add(block) }
        if let last { bins.add(last.bins) }
    }

    /// Some rows, from a number on; fewer where there are not so many.
    func rows(from first: Int, count: Int) -> [LogRow] {
        let index = filter.isEmpty ? store.rows : state.withLock { $0.rows }
        var rows: [LogRow] = []
        var row = max(first, index.first)
        let end = min(index.end, first + count)
        while row < end, let place = index.place(of: row) {
            let wanted = min(end - row, index.count(ofBlock: place.block) - place.index)
            guard let (block, version) = store.block(place.block) else { break }
            let name = store.parts.name(of: block.part)
            if let bytes = store.parts.bytes(of: block) {
                let ranges = ranges(of: place.block, block, version, bytes)
                for number in 0..<wanted {
                    let index = place.index + number
                    guard index < ranges.count else { break }
                    rows.append(LogRow(row + number, block, name, bytes, ranges[index]))
                }
            } else {
                for number in 0..<wanted { rows.append(LogRow(missing: row + number, name)) }
            }
            row += wanted
        }
        return rows
    }

    /// The next row of a level, or a more serious one, after or before a row; nil if none is known.
    func next(of level: LogLevel, from row: Int, isForward: Bool) -> Int? {
        let index = filter.isEmpty ? store.rows : state.withLock { $0.rows }
        let limit = TimeBins.place(of: level)
        var row = isForward ? max(row + 1, index.first) : min(row - 1, index.end - 1)
        while let place = index.place(of: row) {
            guard let (block, version) = store.block(place.block) else { return nil }
            let first = row - place.index
            let count = index.count(ofBlock: place.block)
            let hasLevel = (0...limit).contains { block.facts.levels[$0] > 0 }
            if hasLevel, let bytes = store.parts.bytes(of: block) {
                let ranges = ranges(of: place.block, block, version, bytes)
                let numbers = isForward ? Array(place.index..<count) : Array((0...place.index).reversed())
                for number in numbers where number < ranges.count {
                    let row = LogRow(first + number, block, "", bytes, ranges[number])
                    if TimeBins.place(of: row.ownLevel) <= limit { return first + number }
                }
            }
            row = isForward ? first + count : first - 1
        }
        return nil
    }

    /// The first row that was logged at a moment or later; nil if none is known.
    func first(from moment: Int64) -> Int? {
        let index = filter.isEmpty ? store.rows : state.withLock { $0.rows }
        for number in -index.backCount..<index.frontCount where index.count(ofBlock: number) > 0 {
            guard let (block, version) = store.block(number), let latest = block.facts.latest,
                latest >= moment,
                let bytes = store.parts.bytes(of: block)
            else { continue }
            let first = index.firstRow(ofBlock: number)
            for (place, range) in ranges(of: number, block, version, bytes).enumerated() {
                let row = LogRow(first + place, block, "", bytes, range)
                if row.isHead, let time = row.moment, time >= moment { return row.number }
            }
        }
        return nil
    }

    /// The number that a row has where no filter is set; nil where the row is gone.
    func numberInAll(of row: LogRow) -> Int? {
        if filter.isEmpty { return row.number }
        let index = state.withLock { $0.rows }
        guard let place = index.place(of: row.number), let (block, _) = store.block(place.block),
            let bytes = store.parts.bytes(of: block), row.offset >= block.offset
        else { return nil }
        let lines = bytes.prefix(row.offset - block.offset).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        return store.rows.firstRow(ofBlock: place.block) + lines
    }

    /// Calls `body` with the text of each row, the newline included, in order; stops where it returns false.
    func forEachText(_ body: ([UInt8]) -> Bool) {
        let index = filter.isEmpty ? store.rows : state.withLock { $0.rows }
        for number in -index.backCount..<index.frontCount where index.count(ofBlock: number) > 0 {
            guard let (block, version) = store.block(number), let bytes = store.parts.bytes(of: block) else {
                continue
            }
            var text: [UInt8] = []
            for range in ranges(of: number, block, version, bytes).prefix(index.count(ofBlock: number)) {
                text += bytes[range]
                text.append(0x0A)
            }
            if !body(text) { return }
        }
    }

    /// The rows of a block, as ranges of its lines.
    private func ranges(of number: Int, _ block: LogBlock, _ version: Int, _ bytes: [UInt8]) -> [Range<Int>] {
        let kept = state.withLock { state in
            state.recent.first { $0.block == number && $0.version == version }?.ranges
        }
        if let kept { return kept }
        var ranges: [Range<Int>] = []
        bytes.withUnsafeBytes { bytes in
            if filter.isEmpty {
                LogBlockReader.forEachLine(of: bytes) { ranges.append($0) }
            } else {
                sieve.withLock { $0.forEachMatch(in: bytes, after: block.carry) { ranges.append($0) } }
            }
        }
        state.withLock { state in
            if state.recent.count >= 12 { state.recent.removeFirst() }
            state.recent.append(Matches(block: number, version: version, ranges: ranges))
        }
        return ranges
    }

    // MARK: On 'queue'

    private func run() {
        while true {
            let (front, back) = state.withLock { ($0.rows.frontCount, $0.rows.backCount) }
            let isCancelled = state.withLock { $0.isCancelled }
            if !isCancelled, front > 0, let (block, version) = store.block(front - 1), isChanged(version) {
                keepLast(look(at: block), version, isNew: false)
            } else if !isCancelled, let (block, version) = store.block(front) {
                keepLast(look(at: block), version, isNew: true)
            } else if !isCancelled, let (block, _) = store.block(-back - 1) {
                let facts = look(at: block)
                state.withLock { state in
                    state.rows.addBack(facts.lines)
                    state.add(facts)
                }
            } else {
                state.withLock { $0.isRunning = false }
                return
            }
        }
    }

    private func isChanged(_ version: Int) -> Bool { state.withLock { $0.lastVersion != version } }

    private func keepLast(_ facts: BlockFacts, _ version: Int, isNew: Bool) {
        state.withLock { state in
            if isNew {
                if let last = state.last { state.add(last) }
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
        let name = store.parts.name(of: block.part)
        if sieve.withLock({ $0.canSkip(block.facts, file: name) }) { return BlockFacts() }
        guard let bytes = store.parts.bytes(of: block) else { return BlockFacts() }
        return bytes.withUnsafeBytes { bytes in
            var ranges: [Range<Int>] = []
            sieve.withLock { $0.forEachMatch(in: bytes, after: block.carry) { ranges.append($0) } }
            return survey.facts(of: ranges, in: bytes, after: block.carry)
        }
    }
}

extension LogScan.State {
    fileprivate mutating func add(_ facts: BlockFacts) {
        guard facts.lines > 0 else { return }
        for place in 0..<8 { levels[place] += Int(facts.levels[place]) }
        if !facts.bins.isEmpty { bins.append(facts.bins) }
        if let first = facts.earliest { earliest = min(earliest ?? first, first) }
        if let last = facts.latest { latest = max(latest ?? last, last) }
    }
}
