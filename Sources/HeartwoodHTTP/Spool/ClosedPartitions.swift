import Heartwood

/// The partitions that are not open, the oldest first, and what their files hold.
struct ClosedPartitions {
    private var partitions = Deque<(name: String, bytes: Int, records: Int)>()
    /// What their files take.
    private(set) var bytes = 0
    /// How many records they hold.
    private(set) var records = 0

    /// Their names, the oldest first.
    var names: [String] { partitions.map(\.name) }
    /// Whether no partition is closed.
    var isEmpty: Bool { partitions.isEmpty }
    /// The name of the oldest.
    var oldest: String? { partitions.first?.name }
    /// The name of the newest.
    var newest: String? { partitions.last?.name }

    /// How many records one of them holds; 0 when it is not among them.
    func records(of name: String) -> Int { partitions.first { $0.name == name }?.records ?? 0 }

    /// Adds a partition that is newer than all of them.
    mutating func append(_ name: String, bytes: Int, records: Int) {
        partitions.append((name, bytes, records))
        self.bytes += bytes
        self.records += records
    }

    /// Takes the oldest out, which is open from now on or gone; returns how many records it was thought to hold.
    mutating func removeOldest() -> Int {
        guard let oldest = partitions.popFirst() else { return 0 }
        bytes -= oldest.bytes
        records -= oldest.records
        return oldest.records
    }

    /// Forgets them, when the store is closed.
    mutating func removeAll() { self = ClosedPartitions() }
}
