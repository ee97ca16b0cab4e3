/// Which records of a file that is damaged or gone count as lost: not those that need no sending any more.
struct SpoolLosses {
    private var isDone: (UInt64) -> Bool = { _ in false }
    private var onLoss: (UInt64) -> Void = { _ in }
    /// Records of a group that was given up and whose files could not be cut yet: they count as not there.
    private(set) var cancelled: ClosedRange<UInt64>?
    /// Whether the number of lost records is a guess, until those that are pending were counted.
    private(set) var isUncertain = false

    /// Connects it with the spool.
    ///
    /// - Parameters:
    ///   - isDone: Whether a record needs no sending any more: losing it is no damage.
    ///   - onLoss: Told of each record that counts as damaged from now on, so that it counts as nothing else
    ///     afterwards.
    mutating func connect(isDone: @escaping (UInt64) -> Bool, onLoss: @escaping (UInt64) -> Void) {
        (self.isDone, self.onLoss) = (isDone, onLoss)
    }

    /// Takes the counts as exact: the pending records are being counted.
    mutating func beginCounting() { isUncertain = false }

    /// Takes the counts as a guess: something could not be read.
    mutating func noteUncertain() { isUncertain = true }

    // MARK: A group that was given up

    func isCancelled(_ id: UInt64) -> Bool { cancelled?.contains(id) == true }

    /// Gives up a group; nothing was written since an earlier one that could not be taken away.
    mutating func cancel(_ group: ClosedRange<UInt64>) {
        cancelled = cancelled.map { min($0.lowerBound, group.lowerBound)...group.upperBound } ?? group
    }

    /// Notes that the files have nothing of the group any more.
    mutating func endCancelling() { cancelled = nil }

    // MARK: Damage

    /// How many records of a segment that are not among the entries are done, as far as their ids tell.
    func countDone(in segment: SpoolSegment, besides entries: [SegmentParser.Entry]) -> Int {
        guard segment.count > 0 else { return 0 }
        return missing(in: segment, entries).reduce(0) { $0 + (isDone($1) || isCancelled($1) ? 1 : 0) }
    }

    /// Tells which records of a segment are lost: all that are not among the entries.
    mutating func tell(_ segment: SpoolSegment, besides entries: [SegmentParser.Entry]) {
        isUncertain = true
        for id in missing(in: segment, entries) { onLoss(id) }
    }

    private func missing(in segment: SpoolSegment, _ entries: [SegmentParser.Entry]) -> [UInt64] {
        guard let last = segment.lastID else { return [] }
        let known = Set(entries.map(\.id))
        let limit = segment.firstID + UInt64(2 * BatchState.widestBatch)
        return (segment.firstID...min(last, limit)).filter { !known.contains($0) }
    }
}
