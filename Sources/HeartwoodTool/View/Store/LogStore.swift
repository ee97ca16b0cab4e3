import Heartwood

/// The blocks of a log that is viewed: those that were there, found from the end to the beginning, and those
/// that come.
///
/// Block -1 is the last one that was there when the log was opened, block 0 the first one after that.
final class LogStore: Sendable {
    /// How far the log is known.
    struct Progress: Sendable {
        /// How many bytes were there when the log was opened, as far as their number is known.
        var total = 0
        /// How many of them are indexed.
        var done = 0
        /// How many bytes have come since.
        var came = 0
        /// Whether all are.
        var isComplete = false
        /// What could not be read.
        var damages: [String] = []
    }

    // MARK: Constants (any thread)

    let files: LogFiles
    /// How much text a block has, about.
    let blockSize: Int

    // MARK: Guarded by 'state'

    fileprivate struct State {
        var back: [LogBlock] = []
        var front: [LogBlock] = []
        var rows = RowIndex()
        /// The same, with a row for each record instead of each line.
        var records = RowIndex()
        var progress = Progress()
        /// Counts what has changed.
        var version = 0
        /// Counts the changes of each block of `front`.
        var frontVersions: [Int] = []
        var earliest: Int64?
        var latest: Int64?
    }
    private let state = Locked(State())

    init(files: LogFiles, blockSize: Int = 1 << 19) {
        self.files = files
        self.blockSize = blockSize
    }

    // MARK: Adding

    /// Adds a block in front of all others.
    func addBack(_ block: LogBlock, bytes: Int) {
        state.withLock { state in
            state.back.append(block)
            state.rows.addBack(block.facts.lines)
            state.records.addBack(block.facts.heads.count)
            state.progress.done += bytes
            state.version += 1
            state.extend(block.facts)
        }
    }

    /// Adds a block after all others.
    func addFront(_ block: LogBlock) {
        state.withLock { state in
            state.front.append(block)
            state.frontVersions.append(0)
            state.rows.addFront(block.facts.lines)
            state.records.addFront(block.facts.heads.count)
            state.version += 1
            state.extend(block.facts)
        }
    }

    /// Gives the last block again, which has grown.
    func replaceLastFront(_ block: LogBlock) {
        state.withLock { state in
            guard !state.front.isEmpty else { return }
            state.front[state.front.count - 1] = block
            state.frontVersions[state.front.count - 1] += 1
            state.rows.replaceLastFront(block.facts.lines)
            state.records.replaceLastFront(block.facts.heads.count)
            state.version += 1
            state.extend(block.facts)
        }
    }

    /// Changes what is said about the index.
    func update(_ change: (inout Progress) -> Void) {
        state.withLock { state in
            change(&state.progress)
            state.version += 1
        }
    }

    /// Says what cannot be read; once, however often it is found.
    func tell(_ damage: String) {
        update { if !$0.damages.contains(damage) { $0.damages.append(damage) } }
    }

    // MARK: Asking

    /// The number of changes so far.
    var version: Int { state.withLock { $0.version } }
    /// How often the last block has changed.
    var frontVersion: [Int] {
        state.withLock { [$0.frontVersions.count, $0.frontVersions.last ?? 0] }
    }
    /// How far the log is known.
    var progress: Progress { state.withLock { $0.progress } }
    /// The numbers of all rows.
    var rows: RowIndex { state.withLock { $0.rows } }
    /// The numbers of all records.
    var records: RowIndex { state.withLock { $0.records } }
    /// How many blocks there are on both sides.
    var blockCounts: (back: Int, front: Int) { state.withLock { ($0.back.count, $0.front.count) } }
    /// The first and the last moment of all lines.
    var span: (earliest: Int64, latest: Int64)? {
        state.withLock { state in
            guard let earliest = state.earliest, let latest = state.latest else { return nil }
            return (earliest, latest)
        }
    }

    /// The block with a number, and how often it has changed.
    func versioned(_ number: Int) -> (block: LogBlock, version: Int)? {
        state.withLock { state in
            if number < 0 {
                let index = -number - 1
                return index < state.back.count ? (state.back[index], 0) : nil
            }
            return number < state.front.count ? (state.front[number], state.frontVersions[number]) : nil
        }
    }

    /// The block with a number.
    func block(_ number: Int) -> LogBlock? { versioned(number)?.block }

    /// Calls `body` with the number of each block, and what its lines say.
    func forEachFacts(_ body: (Int, BlockFacts) -> Void) {
        // A copy: adding goes on meanwhile.
        let (back, front) = state.withLock { ($0.back, $0.front) }
        for (index, block) in back.enumerated() { body(-index - 1, block.facts) }
        for (index, block) in front.enumerated() { body(index, block.facts) }
    }

    /// The block that has a place in a file's text, searched from the end.
    func block(of parts: Set<Int>, at offset: Int) -> Int? {
        func holds(_ block: LogBlock) -> Bool {
            block.pieces.contains {
                parts.contains($0.part) && $0.offset <= offset && offset < $0.offset + max(1, $0.count)
            }
        }
        return state.withLock { state in
            if let index = state.front.lastIndex(where: holds) { return index }
            return state.back.firstIndex(where: holds).map { -$0 - 1 }
        }
    }
}

extension LogStore.State {
    fileprivate mutating func extend(_ facts: BlockFacts) {
        if let first = facts.earliest { earliest = min(earliest ?? first, first) }
        if let last = facts.latest { latest = max(latest ?? last, last) }
    }
}

/// Numbers the rows of a log that is indexed backwards from its end while it grows at its end.
///
/// Row 0 is the first line that came after the log was opened, row -1 the last one that was there. A row
/// keeps its number whatever is found in front of it, and whatever comes after it. Blocks are numbered the
/// same way.
struct RowIndex {
    /// How many rows the blocks -1, -2, … have together, up to each.
    private var back: [Int] = []
    /// How many rows the blocks 0, 1, … have together, up to each.
    private var front: [Int] = []

    /// The first row that is known.
    var first: Int { -(back.last ?? 0) }
    /// The number after the last row.
    var end: Int { front.last ?? 0 }
    /// How many blocks are known in front of the place where the log was opened.
    var backCount: Int { back.count }
    /// How many blocks came after it.
    var frontCount: Int { front.count }

    /// Adds the next block in front of all others.
    mutating func addBack(_ rows: Int) { back.append((back.last ?? 0) + rows) }

    /// Adds the next block after all others.
    mutating func addFront(_ rows: Int) { front.append((front.last ?? 0) + rows) }

    /// Says how many rows the last block has now.
    mutating func replaceLastFront(_ rows: Int) {
        guard !front.isEmpty else { return }
        front.removeLast()
        addFront(rows)
    }

    /// The block that a row is in, and its place among the rows of the block; nil for a row that is not
    /// known.
    func place(of row: Int) -> (block: Int, index: Int)? {
        guard row >= first, row < end else { return nil }
        if row < 0 {
            let position = RowIndex.firstIndex(in: back) { $0 >= -row }
            return (-position - 1, back[position] + row)
        }
        let position = RowIndex.firstIndex(in: front) { $0 > row }
        return (position, row - (position > 0 ? front[position - 1] : 0))
    }

    /// The number of the first row of a block.
    func firstRow(ofBlock block: Int) -> Int {
        if block < 0 { return -block - 1 < back.count ? -back[-block - 1] : first }
        return block > 0 && block <= front.count ? front[block - 1] : block > 0 ? end : 0
    }

    /// How many rows a block has.
    func count(ofBlock block: Int) -> Int {
        if block < 0 {
            let position = -block - 1
            guard position < back.count else { return 0 }
            return back[position] - (position > 0 ? back[position - 1] : 0)
        }
        guard block < front.count else { return 0 }
        return front[block] - (block > 0 ? front[block - 1] : 0)
    }

    private static func firstIndex(in sums: [Int], where isReached: (Int) -> Bool) -> Int {
        var low = 0
        var high = sums.count
        while low < high {
            let middle = (low + high) / 2
            if isReached(sums[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
