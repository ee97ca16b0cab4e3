/// How far the delivery is: what is done, which batch is open, and which part of it is on its way.
///
/// 1. Every record up to ``acknowledged`` is done: delivered, set aside or dropped; it is never sent again.
/// 2. A batch is the records in `acknowledged + 1 ... last`. While pieces of it are parked it may become
///    longer.
/// 3. What of it is done is marked record by record; the batch ends when all of it is.
/// 4. The piece that is on its way is written down before it is sent, so that after a crash the very same
///    piece is sent again, under the same key.
struct BatchState: Equatable, Sendable {
    /// The widest batch, so that its marks fit into the cursor's slot.
    static let widestBatch = 32_000

    private(set) var acknowledged: UInt64 = 0
    private(set) var last: UInt64 = 0
    private(set) var piece: ClosedRange<UInt64>?
    private(set) var done: [UInt8] = []

    /// Starts with everything up to `acknowledged` done, and no batch.
    init(acknowledged: UInt64 = 0) { self.acknowledged = acknowledged }

    /// Takes up what a cursor says; nil when that contradicts itself.
    init?(acknowledged: UInt64, last: UInt64, piece: ClosedRange<UInt64>?, done: [UInt8]) {
        self.acknowledged = acknowledged
        guard last != 0 else {
            guard piece == nil, done.isEmpty else { return nil }
            return
        }
        guard last > acknowledged, last - acknowledged <= UInt64(Self.widestBatch),
            done.count == Int(last - acknowledged + 7) / 8
        else { return nil }
        if let piece, piece.lowerBound <= acknowledged || piece.upperBound > last { return nil }
        self.last = last
        self.piece = piece
        self.done = done
    }

    /// Whether a batch is open.
    var isOpen: Bool { last != 0 }

    /// The last id that is done, or in the open batch.
    var end: UInt64 { max(last, acknowledged) }

    /// The ids of the open batch.
    var range: ClosedRange<UInt64>? { isOpen ? acknowledged + 1...last : nil }

    /// Opens a batch that ends with `last`.
    mutating func begin(last: UInt64) {
        precondition(!isOpen && last > acknowledged, "a batch is open, or ends before it begins")
        precondition(last - acknowledged <= UInt64(Self.widestBatch), "the batch is too wide")
        self.last = last
        done = [UInt8](repeating: 0, count: Int(last - acknowledged + 7) / 8)
        piece = nil
    }

    /// Makes the open batch longer; what came to it is not done.
    mutating func widen(to last: UInt64) {
        precondition(isOpen && last > self.last, "no batch is open, or it would become shorter")
        precondition(last - acknowledged <= UInt64(Self.widestBatch), "the batch is too wide")
        self.last = last
        done += [UInt8](repeating: 0, count: Int(last - acknowledged + 7) / 8 - done.count)
    }

    /// Notes what of the open batch is on its way.
    mutating func send(_ piece: ClosedRange<UInt64>?) { self.piece = piece }

    /// Whether the record is done: delivered, set aside or dropped.
    func isDone(_ id: UInt64) -> Bool {
        guard id > acknowledged else { return true }
        guard isOpen, id <= last else { return false }
        let index = Int(id - acknowledged - 1)
        return done[index / 8] & 1 << UInt8(index % 8) != 0
    }

    /// Notes that records of the open batch are done.
    mutating func mark(_ ids: some Sequence<UInt64>) {
        for id in ids where id > acknowledged && id <= last {
            let index = Int(id - acknowledged - 1)
            done[index / 8] |= 1 << UInt8(index % 8)
        }
    }

    /// Ends the open batch: all of it is done, whatever the marks say.
    mutating func finish() {
        guard isOpen else { return }
        acknowledged = last
        last = 0
        piece = nil
        done = []
    }

    /// Skips to `id`, when nothing up to there exists any more and no batch is open.
    mutating func skip(to id: UInt64) {
        if !isOpen && id > acknowledged { acknowledged = id }
    }
}

/// The batch that is being sent: how far it is, and the pieces that are to be sent or parked.
struct OpenBatch {
    /// What the cursor keeps of it.
    private(set) var state: BatchState
    /// Pieces that are to be sent, in their order.
    private(set) var todo: [ClosedRange<UInt64>] = []
    /// Pieces that are kept while others are sent, and whether the server has received each, and will
    /// confirm that later; otherwise it has refused it.
    private(set) var parked: [(range: ClosedRange<UInt64>, isUnconfirmed: Bool)] = []
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
        parked.append((range, isUnconfirmed))
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
