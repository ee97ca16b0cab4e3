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

    /// Cuts off the end, so that what stays weighs at most `limit`; returns how many wanted records were cut off.
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

    /// Cuts off the beginning, by at least `excess` of weight or all of it; returns how many wanted records it had.
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
