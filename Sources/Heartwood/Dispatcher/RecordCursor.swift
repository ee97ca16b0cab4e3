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
