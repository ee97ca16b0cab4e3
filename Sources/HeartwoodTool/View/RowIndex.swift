/// Numbers the rows of a log that is indexed backwards from its end while it grows at its end.
///
/// Row 0 is the first line that came after the log was opened, row -1 the last one that was there. A row keeps its number
/// whatever is found in front of it, and whatever comes after it. Blocks are numbered the same way.
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

    /// The block that a row is in, and its place among the rows of the block; nil for a row that is not known.
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
