/// Finished records one after the other, and where each of them ends.
///
/// 1. `ends` is rising, and its last element is the number of bytes.
/// 2. There is a mark for each record.
/// 3. Records leave at the front, and whole.
struct RecordBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []
    /// The mark of each record in the journal; 0 for those that it does not keep.
    private(set) var marks: [UInt64] = []

    init() {}

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    /// Appends one record.
    mutating func append(_ record: some Collection<UInt8>) {
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
        marks.append(0)
    }

    /// Appends one record of raw bytes.
    mutating func append(record: UnsafeRawBufferPointer, mark: UInt64 = 0) {
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
        marks.append(mark)
    }

    /// Removes records from the front.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        if count >= ends.count {
            removeAll()
            return
        }
        let removed = ends[count - 1]
        bytes.removeFirst(removed)
        ends.removeFirst(count)
        marks.removeFirst(count)
        for index in ends.indices { ends[index] -= removed }
    }

    /// Removes everything, and keeps the memory for the next records.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }
}
