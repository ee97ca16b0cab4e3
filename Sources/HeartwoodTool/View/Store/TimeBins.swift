import Heartwood

/// How many records of each level there are in each of some equal pieces of time.
///
/// A piece is 2ⁿ nanoseconds long and begins at a multiple of that. So pieces of different lengths never
/// overlap in part: short ones add up to long ones exactly.
struct TimeBins: Sendable {
    /// Records by level: fatal to verbose, and those without a level.
    typealias Counts = SIMD8<UInt32>
    /// No sum or difference of two times up to this one overflows: 1830 to 2109.
    private static let limit = 4_400_000_000_000_000_000 as Int64

    /// The number of the first piece: its start in units of its length.
    private var first: Int64 = 0
    /// The length of a piece is 2 to the power of this, in nanoseconds.
    private(set) var shift = 0
    /// The records of each piece.
    private(set) var counts: [Counts] = []

    init() {}

    /// Makes empty pieces for a range of time: as many as possible, but not more than `pieces`, or 2.
    ///
    /// What is before 1830 or after 2109 has none.
    init(from first: Int64, to last: Int64, pieces: Int) {
        let start = min(max(first, -TimeBins.limit), TimeBins.limit)
        let end = max(start, min(max(last, -TimeBins.limit), TimeBins.limit))
        while (end >> shift) - (start >> shift) >= Int64(max(2, pieces)) { shift += 1 }
        self.first = start >> shift
        counts = Array(repeating: .zero, count: Int((end >> shift) - self.first) + 1)
    }

    var isEmpty: Bool { counts.isEmpty }
    /// Where the first piece begins, in nanoseconds since 1970.
    var start: Int64 { first << shift }
    /// How long a piece is, in nanoseconds.
    var width: Int64 { 1 << shift }

    /// Counts a record; one outside of the range is not counted.
    mutating func add(_ moment: Int64, level: Int) {
        guard moment >= -TimeBins.limit, moment <= TimeBins.limit else { return }
        let piece = (moment >> shift) - first
        guard piece >= 0, piece < counts.count else { return }
        counts[Int(piece)][level] &+= 1
    }

    /// Counts the records of other pieces; does nothing and returns false where these are longer, so that it
    /// is not known where in them the records are.
    mutating func add(_ other: TimeBins) -> Bool {
        guard other.shift <= shift || !overlaps(other) else { return false }
        guard other.shift <= shift else { return true }
        for (index, amounts) in other.counts.enumerated() where amounts != .zero {
            let piece = ((other.first + Int64(index)) >> (shift - other.shift)) - first
            if piece >= 0, piece < counts.count { counts[Int(piece)] &+= amounts }
        }
        return true
    }

    /// Counts the records of other, longer pieces as if they were spread evenly over each.
    mutating func spread(_ other: TimeBins) {
        guard other.shift > shift else { return }
        let (count, steps) = (Int64(counts.count), Int64(1) << (other.shift - shift))
        for (index, amounts) in other.counts.enumerated() where amounts != .zero {
            // A piece of others begins where one of these does.
            let begin = ((other.first + Int64(index)) << (other.shift - shift)) - first
            for piece in max(0, begin)..<max(0, begin, min(count, begin + steps)) {
                for level in 0..<8 where amounts[level] > 0 {
                    let total = Double(amounts[level])
                    let upTo = (total * Double(piece + 1 - begin) / Double(steps)).rounded(.down)
                    let before = (total * Double(piece - begin) / Double(steps)).rounded(.down)
                    counts[Int(piece)][level] &+= UInt32(upTo - before)
                }
            }
        }
    }

    private func overlaps(_ other: TimeBins) -> Bool {
        guard !isEmpty, !other.isEmpty else { return false }
        let common = max(shift, other.shift)
        let (low, high) = (first >> (common - shift), (first + Int64(counts.count) - 1) >> (common - shift))
        let otherLow = other.first >> (common - other.shift)
        let otherHigh = (other.first + Int64(other.counts.count) - 1) >> (common - other.shift)
        return low <= otherHigh && otherLow <= high
    }

    /// The place of a level in the counts.
    static func place(of level: LogLevel?) -> Int { level.map { min($0.severity.index, 6) } ?? 7 }
}
