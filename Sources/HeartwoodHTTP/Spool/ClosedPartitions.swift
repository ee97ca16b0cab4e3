/// The partitions that are not open, the oldest first, and what their files hold.
struct ClosedPartitions {
    private var partitions: [(name: String, bytes: Int, records: Int)] = []

    /// Their names, the oldest first.
    var names: [String] { partitions.map(\.name) }
    /// Whether no partition is closed.
    var isEmpty: Bool { partitions.isEmpty }
    /// The name of the oldest.
    var oldest: String? { partitions.first?.name }
    /// What their files take.
    var bytes: Int { partitions.reduce(0) { $0 + $1.bytes } }
    /// How many records they hold.
    var records: Int { partitions.reduce(0) { $0 + $1.records } }

    /// How many records one of them holds; 0 when it is not among them.
    func records(of name: String) -> Int { partitions.first { $0.name == name }?.records ?? 0 }

    /// Adds a partition that is newer than all of them.
    mutating func append(_ name: String, bytes: Int, records: Int) {
        partitions.append((name, bytes, records))
    }

    /// Takes the oldest out, which is open from now on or gone; returns how many records it was thought to hold.
    mutating func removeOldest() -> Int { partitions.removeFirst().records }

    /// Forgets them, when the store is closed.
    mutating func removeAll() { partitions = [] }
}
