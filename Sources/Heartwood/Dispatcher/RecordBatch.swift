/// A run of records on its way from the ring to the loggers, shared by all of them.
///
/// The records follow each other as in `RecordLayout`; the first word holds the size alone, and the sequence
/// number is filled in.
final class RecordBatch: @unchecked Sendable {  // written by the drain, then only read
    let base: UnsafeMutableRawPointer
    let capacity: Int
    var size = 0
    /// The position in the ring after its last record.
    var end: UInt64 = 0
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
            base = .allocate(byteCount: wanted, alignment: 64)
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
            for record in RecordCursor(base, from: 0, to: size) { RecordLayout.releaseReferences(of: record) }
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

    /// Takes note of the record of `size` bytes at `offset`, which has been copied there.
    @inline(__always)
    func add(at offset: Int, size: Int, sequence: UInt64) {
        let record = base + offset
        record.storeBytes(of: sequence, toByteOffset: RecordLayout.sequence, as: UInt64.self)
        let level = Int(record.load(fromByteOffset: RecordLayout.level, as: UInt8.self)) & 31
        let flags = record.load(fromByteOffset: RecordLayout.flags, as: UInt8.self)
        record.storeBytes(of: UInt64(size), toByteOffset: RecordLayout.commit, as: UInt64.self)
        count += 1
        levels |= 1 << UInt32(level)
        var weight = size
        if flags & (RecordLayout.Flags.tag.rawValue | RecordLayout.Flags.large.rawValue) != 0 {
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
        slice.forEach { size += Int($0.load(fromByteOffset: RecordLayout.commit, as: UInt64.self)) }
        let copy = RecordBatch(capacity: max(size, 8))
        copy.end = slice.batch.end
        slice.forEach { record in
            let size = Int(record.load(fromByteOffset: RecordLayout.commit, as: UInt64.self))
            (copy.base + copy.size).copyMemory(from: record, byteCount: size)
            RecordLayout.retainReferences(of: record)
            let sequence = record.load(fromByteOffset: RecordLayout.sequence, as: UInt64.self)
            copy.add(at: copy.size, size: size, sequence: sequence)
            copy.size += size
        }
        return copy
    }

    /// The memory that a record uses, its tag and its large body included.
    static func weight(of record: UnsafeRawPointer) -> Int {
        let size = Int(record.load(fromByteOffset: RecordLayout.commit, as: UInt64.self))
        let flags = RecordLayout.Flags(
            rawValue: record.load(fromByteOffset: RecordLayout.flags, as: UInt8.self))
        if flags.isDisjoint(with: [.tag, .large]) { return size }
        let tag = RecordLayout.references(of: record).tag?._withUnsafeGuaranteedRef(\.weight) ?? 0
        if !flags.contains(.large) { return size + tag }
        return size + tag + Int(record.load(fromByteOffset: RecordLayout.textSize, as: UInt32.self))
            + Int(record.load(fromByteOffset: RecordLayout.fieldsSize, as: UInt32.self))
    }
}

extension RecordLayout {
    /// The position in a journal's ring after a record of a batch.
    @inline(__always)
    static func end(of record: UnsafeRawPointer, in batch: RecordBatch) -> UInt64 {
        let place = UInt64(record.load(fromByteOffset: taskSize, as: UInt32.self) >> 8)
        let distance = (batch.end >> 3 &- place) & 0xFF_FFFF
        let size = record.load(fromByteOffset: commit, as: UInt64.self)
        return batch.end &- distance << 3 &+ size
    }
}
