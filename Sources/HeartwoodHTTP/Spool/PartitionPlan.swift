import Heartwood

/// Decides which partition of a store is sent, which is written, which are passed by, and which are closed.
///
/// Pure: it knows partitions by their names, and no disk. ``PartitionedSpool`` opens, closes and deletes them
/// as it says. It also counts what the partitions had that are not open. Invariants, each held by a test, and
/// those of the state asked for after each step of the simulation (``violation``):
/// 1. A partition is sent, written, passed by or closed, and only one of these. Where no older one is sent,
///    the one that is written is also sent.
/// 2. What an earlier run has left is sent first, partition by partition, in the order in which they were
///    made. So closed partitions are opened from the oldest on.
/// 3. At most two are open: the one that is sent and the one that is written. Where all that is pending in
///    the first was refused, it is passed by, and a later one is tried, to find out whether the server takes
///    anything. No closed one is opened for that while ``widestSearch`` are passed by.
/// 4. A partition that cannot be opened holds up those after it for ``SpoolPlan/readAttempts`` attempts. Then
///    it is left where it is until the next start.
/// 5. A record is counted in one place: by the spool of its partition while that is open, here otherwise.
struct PartitionPlan {
    /// How many partitions may be passed by when a closed one is opened.
    static let widestSearch = 3

    /// The open partitions without the one that is written, the oldest first.
    private var older: [String] = []
    /// The one of them that is sent, while the others are passed by; nil: the one that is written is sent.
    private var sending: String?
    /// The partition that is written, once something was.
    private(set) var written: String?
    /// The partitions that are not open, the oldest first, and what their files hold.
    private var closed = Deque<(name: String, bytes: Int, records: Int)>()
    /// How often the oldest closed partition could not be opened.
    private(set) var openFailures = 0

    // MARK: Counts
    /// What the files of the closed partitions hold.
    private(set) var held = (bytes: 0, records: 0)
    /// The counts of partitions that are not open, and of records that no partition took.
    private(set) var past = SpoolCounters()
    /// How many records were pending when the store was closed.
    private(set) var left = 0

    /// What is wrong with the state, if anything is.
    var violation: String? {
        if Set(names).count != names.count { return "a partition is in two places" }
        if sending.map(older.contains) == false { return "a partition is sent that is not open" }
        let sum = (bytes: closed.reduce(0) { $0 + $1.bytes }, records: closed.reduce(0) { $0 + $1.records })
        return sum == held ? nil : "closed partitions hold \(sum), not \(held)"
    }

    // MARK: Which there are

    /// All partitions, the oldest first.
    var names: [String] { older + closed.map(\.name) + [written].compactMap(\.self) }
    var newest: String? { written ?? closed.last?.name ?? older.last }
    var open: [String] { older + [written].compactMap(\.self) }
    /// Where the next piece comes from.
    var sender: String? { sending ?? written }
    /// Whether an older partition is sent, and not the one that is written.
    var sendsOlder: Bool { sending != nil }
    /// The partition with the oldest record.
    var oldest: String? { older.first ?? written }
    var oldestClosed: String? { closed.first?.name }
    /// Whether the oldest closed partition is to be sent next.
    var isClosedDue: Bool { older.isEmpty && !closed.isEmpty }
    /// Whether a closed partition may be opened while the one that is sent is passed by.
    var maySearch: Bool { older.count <= Self.widestSearch }

    /// How many records a closed partition holds; 0 when it is not among them.
    func records(of name: String) -> Int { closed.first { $0.name == name }?.records ?? 0 }

    // MARK: Closed partitions

    /// A partition is closed that is newer than all other closed ones.
    mutating func close(_ name: String, bytes: Int, records: Int) {
        closed.append((name, bytes, records))
        held = (held.bytes + bytes, held.records + records)
    }

    /// The oldest closed partition was opened, or could not be; false when it is to be tried again.
    ///
    /// Its records were counted when they came, or were found; its spool counts them as found from now on.
    mutating func didOpen(_ isOpen: Bool) -> Bool {
        openFailures += 1
        guard isOpen || openFailures >= SpoolPlan.readAttempts else { return false }
        openFailures = 0
        guard let oldest = closed.popFirst() else { return true }
        held = (held.bytes - oldest.bytes, held.records - oldest.records)
        past.recovered -= oldest.records
        return true
    }

    // MARK: Open partitions

    /// A partition is written from now on.
    mutating func write(to name: String) { written = name }

    /// A partition that was closed is sent, or the written one if it is nil; older ones are passed by.
    mutating func send(_ name: String?) {
        if let name { older.append(name) }
        sending = name
    }

    /// Sends the oldest open one again.
    mutating func comeBack() { sending = older.first }

    /// Takes the older ones out that have nothing left.
    mutating func removeEmpty(_ isEmpty: (String) -> Bool) -> [String] {
        let empty = older.filter(isEmpty)
        older.removeAll { empty.contains($0) }
        if let sending, empty.contains(sending) { comeBack() }
        return empty
    }

    /// Nothing more is written to the partition that was; returns it unless it is sent next: it has something
    /// left, and no older one has.
    mutating func releaseWritten(isEmpty: Bool) -> String? {
        defer { written = nil }
        guard sending == nil, closed.isEmpty, !isEmpty else { return written }
        send(written)
        return nil
    }

    // MARK: Counting

    /// Counts what no open spool counts: what one had counted that was closed, and records that none has.
    mutating func count(_ counters: SpoolCounters) { past += counters }

    /// The store is closed, with so many records pending; the counts stay.
    mutating func end(pending: Int) { self = PartitionPlan(past: past, left: pending) }

    /// Continues the counts of an earlier opening.
    mutating func goOn(from earlier: PartitionPlan) {
        past += earlier.past
        // They are found again, or not.
        past.recovered -= earlier.left
    }
}
