/// The batch that is being sent: how far it is, and the pieces that are to be sent or parked.
struct OpenBatch {
    /// What the cursor keeps of it.
    private(set) var state: BatchState
    /// Pieces that are to be sent, in their order.
    private(set) var todo: [ClosedRange<UInt64>] = []
    private(set) var parked: [ParkedPiece] = []
    /// How many of its records were done since its files were last looked at for room.
    private(set) var reclaimable = 0

    /// Goes on where a state says; of an open batch all that is not done is to be sent, the piece on its way
    /// unchanged.
    init(_ state: BatchState) {
        self.state = state
        guard let range = state.range else { return }
        todo = [range]
        if let piece = state.piece {
            todo = [piece]
            if piece.lowerBound > range.lowerBound {
                todo.insert(range.lowerBound...piece.lowerBound - 1, at: 0)
            }
            if piece.upperBound < range.upperBound { todo.append(piece.upperBound + 1...range.upperBound) }
        }
    }

    /// Whether every piece of it is done.
    var isSettled: Bool { todo.isEmpty && parked.isEmpty }
    /// Whether nothing can be sent before it is opened, or made longer.
    var needsMore: Bool { todo.isEmpty && (!state.isOpen || !parked.isEmpty) }

    // MARK: Its extent

    /// Opens it with records that follow each other.
    mutating func begin(_ range: ClosedRange<UInt64>) {
        state.skip(to: range.lowerBound - 1)
        state.begin(last: range.upperBound)
        todo = [range]
    }

    /// Makes it longer by pieces that follow each other.
    mutating func widen(by pieces: [ClosedRange<UInt64>]) {
        guard let last = pieces.last else { return }
        state.widen(to: last.upperBound)
        todo += pieces
    }

    /// Ends it; returns the last id that it had.
    mutating func finish() -> UInt64 {
        let last = state.last
        state.finish()
        (todo, parked, reclaimable) = ([], [], 0)
        return last
    }

    // MARK: Its pieces

    /// Makes two pieces of one that is to be sent, the first of which ends with `id`.
    mutating func cut(_ range: ClosedRange<UInt64>, after id: UInt64) {
        guard let index = todo.firstIndex(of: range), id < range.upperBound else { return }
        todo[index] = range.lowerBound...id
        todo.insert(id + 1...range.upperBound, at: index + 1)
    }

    /// Takes a piece out that has nothing left.
    mutating func remove(_ range: ClosedRange<UInt64>) { todo.removeAll { $0 == range } }

    /// Notes which piece is on its way.
    mutating func send(_ range: ClosedRange<UInt64>) { state.send(range) }

    /// Keeps a piece while others are sent.
    mutating func park(_ range: ClosedRange<UInt64>, isUnconfirmed: Bool) {
        guard todo.contains(range) else { return }
        remove(range)
        parked.append(ParkedPiece(range: range, isUnconfirmed: isUnconfirmed))
    }

    /// Has parked pieces sent again, in their order.
    mutating func unpark(_ ranges: [ClosedRange<UInt64>]) {
        let ranges = Set(ranges)
        todo += parked.lazy.map(\.range).filter(ranges.contains)
        parked.removeAll { ranges.contains($0.range) }
        todo.sort { $0.lowerBound < $1.lowerBound }
    }

    mutating func unparkAll() { unpark(parked.map(\.range)) }

    // MARK: What is done

    /// Notes that records are done; returns how many of them were not before.
    mutating func mark(_ ids: some Collection<UInt64>) -> Int {
        let new = ids.filter { !state.isDone($0) }
        state.mark(new)
        reclaimable += new.count
        return new.count
    }

    /// Notes that a record is lost.
    mutating func lose(_ id: UInt64) { state.mark(CollectionOfOne(id)) }

    /// Notes that all records of a piece are done.
    mutating func complete(_ range: ClosedRange<UInt64>) {
        remove(range)
        parked.removeAll { $0.range == range }
        if state.piece == range { state.send(nil) }
    }

    /// Forgets parked pieces of which none of these records is left, whose ids grow.
    mutating func removeParked(without left: [UInt64]) {
        parked.removeAll { piece in
            var (low, high) = (0, left.count)
            while low < high {
                let middle = (low + high) / 2
                if left[middle] < piece.range.lowerBound { low = middle + 1 } else { high = middle }
            }
            return low == left.count || left[low] > piece.range.upperBound
        }
    }

    /// Notes that its files have no more room to give.
    mutating func endReclaiming() { reclaimable = 0 }
}

/// A piece of the open batch that is kept while others are sent.
struct ParkedPiece: Equatable {
    /// The ids between which its records lie.
    let range: ClosedRange<UInt64>
    /// Whether the server has received it, and will confirm that later; otherwise it has refused it.
    let isUnconfirmed: Bool
}
