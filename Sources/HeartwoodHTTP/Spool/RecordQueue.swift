/// Records in memory, in the order of their ids; taking from the front is cheap.
struct RecordQueue {
    private var records: [SpoolRecord] = []
    private var start = 0
    /// How many bytes the records take as frames.
    private(set) var bytes = 0

    var count: Int { records.count - start }
    var isEmpty: Bool { count == 0 }
    var first: SpoolRecord? { isEmpty ? nil : records[start] }
    var all: ArraySlice<SpoolRecord> { records[start...] }

    mutating func append(_ record: SpoolRecord) {
        bytes += SpoolFrame.size(of: record)
        records.append(record)
    }

    mutating func removeFirst(_ number: Int) {
        for index in start..<start + number {
            bytes -= SpoolFrame.size(of: records[index])
            records[index].payload = []
        }
        start += number
        if start > 1024 && start * 2 > records.count {
            records.removeFirst(start)
            start = 0
        }
    }

    /// Removes the records for which `isGone` is true; returns how many.
    mutating func removeAll(where isGone: (SpoolRecord) -> Bool) -> Int {
        let before = count
        records.removeFirst(start)
        start = 0
        records.removeAll(where: isGone)
        bytes = records.reduce(0) { $0 + SpoolFrame.size(of: $1) }
        return before - count
    }

    /// The records from `id` on.
    func from(_ id: UInt64) -> ArraySlice<SpoolRecord> {
        var low = start
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return records[low...]
    }
}
