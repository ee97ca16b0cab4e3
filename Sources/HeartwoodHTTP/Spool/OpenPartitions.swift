/// The partitions that are open: the one that is sent, the one that is written, which may be the same, and
/// those that are passed by, since everything in them was refused and a later one is tried.
struct OpenPartitions {
    typealias Partition = (name: String, spool: Spool)

    /// How many partitions may be passed by at the same time.
    static let widestSearch = 3

    /// An older partition, while there is one: it is sent before the current one.
    private var sending: Partition?
    /// Older partitions that are passed by while a later one is tried, the oldest first.
    private var aside: [Partition] = []
    /// The partition that is written, once something was.
    private(set) var current: Partition?

    /// All of them.
    var all: [Partition] {
        var all = aside
        if let sending { all.append(sending) }
        if let current { all.append(current) }
        return all
    }
    /// Those that are older than the current one, in their order.
    var older: [Partition] { (aside + [sending].compactMap(\.self)).sorted { $0.name < $1.name } }
    /// Where the next piece comes from.
    var sender: Spool? { (sending ?? current)?.spool }
    /// The partition with the oldest record.
    var oldest: Spool? { aside.first?.spool ?? sender }
    /// Whether an older partition is sent, and not the current one.
    var sendsOlder: Bool { sending != nil }
    /// Whether the oldest closed partition is the next to be sent.
    var needsOlder: Bool { sending == nil && aside.isEmpty }

    /// Adds up what `value` says of each of them.
    func sum(_ value: (Spool) -> Int) -> Int {
        var sum = 0
        for partition in aside { sum += value(partition.spool) }
        if let sending { sum += value(sending.spool) }
        if let current { sum += value(current.spool) }
        return sum
    }

    /// The partition that a piece came from.
    func owner(of piece: SpoolPiece) -> Spool? {
        all.first { $0.spool.identity == piece.origin }?.spool
    }

    /// Sends a partition before the current one.
    mutating func send(_ partition: Partition?) { sending = partition }

    /// Writes to a partition from now on.
    mutating func write(to partition: Partition) { current = partition }

    /// Nothing more is written to the current one; returns it unless it is sent next, which it is only where
    /// no older one `isLeft` to be opened.
    mutating func releaseCurrent(whileOlder isLeft: Bool) -> Partition? {
        defer { current = nil }
        guard let current, sending == nil, !isLeft, current.spool.pending > 0 else { return current }
        sending = current
        return nil
    }

    /// Sends from a later partition, since everything in the oldest one is parked; false when no later one
    /// has messages.
    ///
    /// `open` opens the oldest closed partition, if there is one.
    mutating func passBy(_ open: () -> Partition?) -> Bool {
        guard let passed = sending else { return false }
        if aside.count < Self.widestSearch, let next = open() {
            aside.append(passed)
            sending = next
            return true
        }
        guard let current, current.spool.pending > 0 else { return false }
        aside.append(passed)
        sending = nil
        return true
    }

    /// Makes the oldest of them the one that is sent.
    mutating func comeBack() {
        guard !aside.isEmpty else { return }
        let all = older
        sending = all.first
        aside = Array(all.dropFirst())
    }

    /// Takes the older ones out that have nothing left.
    mutating func removeEmpty() -> [Partition] {
        var empty = aside.filter { $0.spool.pending == 0 }
        aside.removeAll { $0.spool.pending == 0 }
        if let sent = sending, sent.spool.pending == 0 {
            empty.append(sent)
            sending = nil
            comeBack()
        }
        return empty
    }

    /// Takes all of them out.
    mutating func removeAll() -> [Partition] {
        defer { (aside, sending, current) = ([], nil, nil) }
        return all
    }
}
