/// The segments of a spool in the order of their ids, and what they take together.
///
/// A spool may have 100,000 of them: to take one from the beginning or the end takes constant time, and to
/// find one takes as many looks as their number has bits.
struct SegmentList: RandomAccessCollection {
    /// The segments are in `places[head...]`; those in front of them were removed.
    private var places: [SpoolSegment] = []
    private var head = 0
    /// The bytes of all files.
    private(set) var bytes = 0
    /// Whether no segment may have ids that are in the range of a later one; planted or damaged names can say
    /// so.
    private var isDisjoint = true

    init() {}

    init(_ segments: [SpoolSegment]) {
        for segment in segments { append(segment) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { places.count - head }

    subscript(position: Int) -> SpoolSegment {
        get { places[head + position] }
        set {
            bytes += newValue.size - places[head + position].size
            places[head + position] = newValue
            if position + 1 < count { checkOrder(after: position) }
        }
    }

    // MARK: Finding

    /// The place of the first segment for which `isThere` is true: for none before it, and all after it.
    func place(where isThere: (SpoolSegment) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isThere(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The place of the segment with this first id.
    func index(of firstID: UInt64) -> Int? {
        let place = place { $0.firstID >= firstID }
        return place < count && self[place].firstID == firstID ? place : nil
    }

    /// The place of the first segment that may have records after `id`.
    func place(after id: UInt64) -> Int {
        guard isDisjoint else { return 0 }
        let next = place { $0.firstID > id }
        guard next > 0 else { return 0 }
        let last = self[next - 1]
        return last.count > 0 && last.lastID.map { $0 <= id } == true ? next : next - 1
    }

    /// The place of the oldest segment that has nothing of `range`.
    func oldest(besides range: ClosedRange<UInt64>) -> Int? {
        func isBeside(_ segment: SpoolSegment) -> Bool {
            segment.firstID > range.upperBound || segment.lastID ?? segment.firstID < range.lowerBound
        }
        guard isDisjoint, let first, !isBeside(first) else { return firstIndex(where: isBeside) }
        let place = place { $0.firstID > range.upperBound }
        return place < count ? place : nil
    }

    // MARK: Changes

    /// Adds a segment that is newer than all of them.
    mutating func append(_ segment: SpoolSegment) {
        bytes += segment.size
        places.append(segment)
        if count > 1 { checkOrder(after: count - 2) }
    }

    mutating func remove(at index: Int) {
        bytes -= self[index].size
        if index > 0 {
            places.remove(at: head + index)
            return
        }
        head += 1
        if head == places.count {
            (places, head, isDisjoint) = ([], 0, true)
        } else if head > 64, head > places.count / 2 {
            places.removeFirst(head)
            head = 0
        }
    }

    private mutating func checkOrder(after position: Int) {
        let (segment, next) = (self[position], self[position + 1])
        if segment.lastID ?? segment.firstID >= next.firstID { isDisjoint = false }
    }
}
