/// A run of records on its way from the ring to the loggers, shared by all of them.
///
/// The records follow each other as `RecordView` describes them; the first word holds the size alone, and the
/// sequence number is filled in.
final class RecordBatch: @unchecked Sendable {  // written by the drain, then only read
    let base: UnsafeMutableRawPointer
    let capacity: Int
    var size = 0
    /// The position in the ring after its last record.
    var end: UInt64 = 0
    /// The number of that ring; 0 for none.
    private(set) var ring: UInt64 = 0
    /// How many records there are.
    private(set) var count = 0
    private(set) var hasReferences = false
    /// Per level bit: how many records, and how many bytes they stand for; nil for a small batch.
    let counts: UnsafeMutablePointer<Int>?
    /// The memory that all records stand for.
    private(set) var weight = 0
    /// Which levels occur.
    private(set) var levels: UInt32 = 0

    static let usualCapacity = 128 * 1024
    private static let pool = Locked<[UnsafeMutableRawPointer]>([])
    private static let poolLimit = 16

    static func handleFork(_ fork: ForkStep) { fork.apply(to: pool) }

    init(capacity wanted: Int) {
        if wanted > 64 * 1024, wanted <= RecordBatch.usualCapacity {
            capacity = RecordBatch.usualCapacity
            base =
                RecordBatch.pool.withLock { $0.popLast() }
                ?? .allocate(byteCount: RecordBatch.usualCapacity, alignment: 64)
        } else {
            capacity = wanted
            // A small one needs no cache line of its own; memory with more than the usual alignment takes
            // long to find.
            base = .allocate(byteCount: wanted, alignment: wanted < 8 * 1024 ? 16 : 64)
        }
        if wanted < 8 * 1024 {
            counts = nil
        } else {
            let counts = UnsafeMutablePointer<Int>.allocate(capacity: 64)
            counts.initialize(repeating: 0, count: 64)
            self.counts = counts
        }
    }

    deinit {
        if hasReferences {
            for record in RecordCursor(base, from: 0, to: size) { record.releaseReferences() }
        }
        counts?.deallocate()
        let kept =
            capacity == RecordBatch.usualCapacity
            && RecordBatch.pool.withLock { pool in
                if pool.count >= RecordBatch.poolLimit { return false }
                pool.append(base)
                return true
            }
        if !kept { base.deallocate() }
    }

    /// Says where in which ring its records end.
    func set(end: UInt64, of ring: UInt64) { (self.end, self.ring) = (end, ring) }

    /// Forgets the records, none of which has references.
    func removeAll() {
        assert(!hasReferences && counts == nil)
        (size, count, weight, levels) = (0, 0, 0, 0)
    }

    /// Takes note of the record of `size` bytes at `offset`, which has been copied there.
    @inline(__always)
    func add(at offset: Int, size: Int, sequence: UInt64) {
        let record = RecordView(base + offset)
        let level = record.level & 31
        record.sequence = sequence
        record.size = size
        count += 1
        levels |= 1 << UInt32(level)
        var weight = size
        if !record.flags.isDisjoint(with: .references) {
            hasReferences = true
            weight = RecordBatch.weight(of: record)
        }
        self.weight += weight
        if let counts {
            counts[level] += 1
            counts[32 + level] += weight
        }
    }

    /// A batch of the records of `slice` alone, for a logger that wants few of many.
    static func copy(of slice: RecordSlice) -> RecordBatch {
        var size = 0
        slice.forEach { size += $0.size }
        let copy = RecordBatch(capacity: max(size, 8))
        copy.set(end: slice.batch.end, of: slice.batch.ring)
        slice.forEach { record in
            let size = record.size
            (copy.base + copy.size).copyMemory(from: record.base, byteCount: size)
            record.retainReferences()
            copy.add(at: copy.size, size: size, sequence: record.sequence)
            copy.size += size
        }
        return copy
    }

    /// The memory that a record uses, its tag and its large body included.
    static func weight(of record: RecordView) -> Int {
        let (size, flags) = (record.size, record.flags)
        if flags.isDisjoint(with: .references) { return size }
        let tag = record.references.tag?._withUnsafeGuaranteedRef(\.weight) ?? 0
        if !flags.contains(.large) { return size + tag }
        return size + tag + record.textSize + record.fieldsSize
    }

    /// The position in a journal's ring after a record of the batch.
    @inline(__always)
    func end(of record: RecordView) -> UInt64 {
        let distance = (end >> 3 &- record.place) & 0xFF_FFFF
        return end &- distance << 3 &+ UInt64(record.size)
    }
}

/// Walks over the records of a batch.
struct RecordCursor: Sequence, IteratorProtocol {
    private let base: UnsafeMutableRawPointer
    private(set) var offset: Int
    private let end: Int

    init(_ base: UnsafeMutableRawPointer, from start: Int, to end: Int) {
        self.base = base
        offset = start
        self.end = end
    }

    @inline(__always)
    mutating func next() -> RecordView? {
        if offset >= end { return nil }
        let record = RecordView(base + offset)
        offset += record.size
        return record
    }
}

/// The part of a batch that one logger wants: a range of its records, and the levels that count.
struct RecordSlice {
    let batch: RecordBatch
    private(set) var start: Int
    private(set) var end: Int
    private(set) var levels: UInt32
    /// How many records are wanted.
    private(set) var count: Int
    /// The memory that the wanted records take, with what it costs to keep them; 0 without any.
    private(set) var weight: Int

    /// What a batch and its entry in a backlog cost beside their records.
    static let overhead = 256

    /// Takes the wanted records of a whole batch.
    init(_ batch: RecordBatch, levels: UInt32) {
        self.batch = batch
        start = 0
        end = batch.size
        self.levels = levels
        count = 0
        weight = 0
        guard let counts = batch.counts else {
            measure()
            return
        }
        var rest = levels & batch.levels
        while rest != 0 {
            let level = rest.trailingZeroBitCount
            rest &= rest - 1
            count += counts[level]
            weight += counts[32 + level]
        }
        if count > 0 { weight += RecordSlice.overhead }
    }

    /// Counts the wanted records, one by one.
    private mutating func measure() {
        (count, weight) = (0, 0)
        for record in RecordCursor(batch.base, from: start, to: end) where wants(record) {
            count += 1
            weight += RecordBatch.weight(of: record)
        }
        if count > 0 { weight += RecordSlice.overhead }
    }

    @inline(__always)
    func wants(_ record: RecordView) -> Bool { levels & record.levelBit != 0 }

    /// Calls `body` with each wanted record.
    @inline(__always)
    func forEach(_ body: (RecordView) -> Void) {
        for record in RecordCursor(batch.base, from: start, to: end) where wants(record) { body(record) }
    }

    /// Cuts off the end, so that what stays weighs at most `limit`; returns how many wanted records were cut
    /// off.
    ///
    /// A first record that does not fit stays alone if it is heavier than `least`.
    mutating func keepBeginning(weighing limit: Int, orOneAbove least: Int = .max) -> Int {
        var kept = 0
        var keptWeight = RecordSlice.overhead
        var cursor = RecordCursor(batch.base, from: start, to: end)
        var cut = start
        while let record = cursor.next() {
            if wants(record) {
                let weight = RecordBatch.weight(of: record)
                if keptWeight + weight > limit, kept > 0 || weight <= least { break }
                keptWeight += weight
                kept += 1
            }
            cut = cursor.offset
        }
        let lost = count - kept
        (end, count, weight) = (cut, kept, kept == 0 ? 0 : keptWeight)
        return lost
    }

    /// Cuts off the beginning, by at least `excess` of weight or all of it; returns how many wanted records
    /// it had.
    ///
    /// `keepingOne`: the last wanted record stays in any case.
    mutating func dropBeginning(weighing excess: Int, keepingOne: Bool = false) -> Int {
        let most = keepingOne ? count - 1 : count
        var lost = 0
        var lostWeight = 0
        var cursor = RecordCursor(batch.base, from: start, to: end)
        while lostWeight < excess, lost < most, let record = cursor.next() {
            if wants(record) {
                lostWeight += RecordBatch.weight(of: record)
                lost += 1
            }
        }
        start = cursor.offset
        count -= lost
        weight = count == 0 ? 0 : weight - lostWeight
        return lost
    }

    /// Gives up the levels outside of `mask`; returns how many wanted records that were.
    mutating func narrow(to mask: UInt32) -> Int {
        if levels & batch.levels & ~mask == 0 { return 0 }
        levels &= mask
        let before = count
        measure()
        return before - count
    }

    /// The same records in a batch of their own, where this one is kept in memory for a small part of it.
    var compacted: RecordSlice {
        weight * 2 < batch.weight ? RecordSlice(.copy(of: self), levels: levels) : self
    }
}
