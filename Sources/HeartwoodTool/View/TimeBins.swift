import Heartwood

/// How many lines of each level there are in each of some equal pieces of time.
struct TimeBins: Sendable {
    /// Lines by level: fatal to verbose, and those without a level.
    typealias Counts = SIMD8<UInt32>

    /// Where the first piece begins, in nanoseconds since 1970.
    private(set) var start: Int64 = 0
    /// How long a piece is, in nanoseconds.
    private(set) var width: Int64 = 1
    /// The lines of each piece.
    private(set) var counts: [Counts] = []

    init() {}

    /// Makes empty pieces for a range of time; what is before 1830 or after 2109 has none.
    init(from first: Int64, to last: Int64, pieces: Int) {
        // No sum or difference of two of these times overflows.
        let limit = 4_400_000_000_000_000_000 as Int64
        start = min(max(first, -limit), limit)
        let span = max(1, min(max(last, -limit), limit) - start + 1)
        width = span / Int64(pieces) + (span % Int64(pieces) == 0 ? 0 : 1)
        counts = Array(repeating: .zero, count: Int((span - 1) / width) + 1)
    }

    var isEmpty: Bool { counts.isEmpty }
    /// The first moment after the last piece.
    var end: Int64 { start + width * Int64(counts.count) }

    /// Counts a line; one outside of the range is not counted.
    mutating func add(_ moment: Int64, level: Int) {
        guard moment >= start, moment < end else { return }
        counts[Int((moment - start) / width)][level] &+= 1
    }

    /// Counts the lines of other pieces, each spread over the pieces here that it overlaps.
    mutating func add(_ other: TimeBins) {
        for (index, amounts) in other.counts.enumerated() where amounts != .zero {
            let from = other.start + other.width * Int64(index)
            let last = min(from + other.width, other.end) - 1
            guard last >= start, from < end else { continue }
            let first = Int((max(from, start) - start) / width)
            let count = Int((min(last, end - 1) - start) / width) - first + 1
            for level in 0..<8 where amounts[level] > 0 {
                // What a piece gets are the lines up to its end less those up to its beginning: the sum stays the same.
                let total = Int(amounts[level])
                for piece in 0..<count {
                    let part = total * (piece + 1) / count - total * piece / count
                    counts[first + piece][level] &+= UInt32(part)
                }
            }
        }
    }

    /// The place of a level in the counts.
    static func place(of level: LogLevel?) -> Int { level.map { min($0.severity.index, 6) } ?? 7 }
}
