import Heartwood

/// Records in memory, in the order of their ids.
struct RecordQueue {
    /// Some of the records, one after the other.
    typealias Run = Deque<SpoolRecord>.SubSequence

    private var records = Deque<SpoolRecord>()
    /// How many bytes the records take as frames.
    private(set) var bytes = 0

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }
    var first: SpoolRecord? { records.first }
    var all: Run { records[...] }

    mutating func append(_ record: SpoolRecord) {
        bytes += SpoolFrame.size(of: record)
        records.append(record)
    }

    mutating func removeFirst(_ number: Int) {
        for record in records.prefix(number) { bytes -= SpoolFrame.size(of: record) }
        records.removeFirst(number)
    }

    /// Removes the records for which `isGone` is true; returns how many.
    mutating func removeAll(where isGone: (SpoolRecord) -> Bool) -> Int {
        let before = count
        records.removeAll(where: isGone)
        bytes = records.reduce(0) { $0 + SpoolFrame.size(of: $1) }
        return before - count
    }

    /// The records from `id` on.
    func from(_ id: UInt64) -> Run {
        var low = 0
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return records[low...]
    }
}
