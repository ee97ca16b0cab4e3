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

    /// Whether the record needs no sending any more.
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
