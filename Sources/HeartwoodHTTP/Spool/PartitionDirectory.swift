import Heartwood

/// The directory of a ``PartitionedSpool``: opens its partitions, closes them, and deletes those that were
/// sent.
///
/// It has the figures and the errors of those that are not open any more.
final class PartitionDirectory {
    let path: String
    let clock: any LogClock
    let calls: SystemCalls
    /// The settings of each partition.
    var settings = SpoolSettings()
    /// The directory and its lock; nil once closed.
    private(set) var root: Directory?
    /// The figures of partitions that are not open any more.
    private(set) var past = SpoolCounters()
    private let filesAtOpening: [String]
    private var troubles: [LogError] = []

    /// Locks the directory, and removes what scopes have left whose process died.
    ///
    /// - Throws: `LogError` when it cannot be used, or another logger has it.
    init(path: String, clock: any LogClock, _ calls: SystemCalls) throws {
        self.path = path
        self.clock = clock
        self.calls = calls
        let root = try Directory(path, for: .spool, calls: calls)
        self.root = root
        filesAtOpening = ((try? root.regularFiles()) ?? []).map(\.name)
        for name in filesAtOpening where name.hasPrefix("scope.") { _ = try? root.remove(name) }
    }

    /// The names of the partitions that there are, the oldest first.
    func names() -> [String] { ((try? root?.subdirectories()) ?? []).filter(Self.isName).sorted() }

    /// Finds out what a partition of an earlier run holds; the names of its files say it, unless a crash has
    /// left one that was never sealed.
    func count(_ name: String) -> (bytes: Int, records: Int) {
        let files = try? root?.subdirectory(name).regularFiles()
        let segments = (files ?? []).compactMap { SpoolSegment(name: $0.name, size: $0.size) }
        let bytes = segments.reduce(0) { $0 + $1.size }
        if segments.contains(where: { $0.lastID == nil }), let spool = open(name) {
            let records = spool.pending
            leave((name, spool))
            return (bytes, records)
        }
        let records = segments.reduce(0) { $0 + $1.count }
        past.recovered += records
        return (bytes, records)
    }

    // MARK: Partitions

    /// Opens a partition that exists; nil, with a report, when that is not possible now.
    func open(_ name: String) -> Spool? {
        do {
            return try spool(name, settings)
        } catch {
            report(error as? LogError ?? LogError(.file, "\(error)", place: path + "/" + name))
            return nil
        }
    }

    /// Makes a partition.
    ///
    /// - Throws: `LogError` when its directory cannot be made or used.
    func make(_ name: String) throws -> Spool { try spool(name, settings) }

    private func spool(_ name: String, _ settings: SpoolSettings) throws -> Spool {
        let spool = try Spool(directory: path + "/" + name, settings: settings, clock: clock, calls: calls)
        // A new partition waits for the names in its path with its first file: those of a new store, too.
        spool.directory?.addMade(root?.made ?? 0)
        return spool
    }

    /// Makes a partition of so many dead letters.
    ///
    /// - Throws: `LogError` when it cannot be written.
    func make(_ name: String, storing letters: DeadLetters, _ count: Int) throws -> Spool {
        var settings = settings
        settings.payloadLimit = SpoolRecord.largestPayload
        settings.synchronizes = true
        let spool = try spool(name, settings)
        try spool.appendWhole(count, letters)
        return spool
    }

    /// Closes a partition.
    func leave(_ partition: OpenPartitions.Partition) {
        partition.spool.sealActive()
        look(at: partition.spool)
        partition.spool.close()
        past += partition.spool.counters
    }

    /// Closes an empty partition and deletes it; one in which damage was found is kept, for a person to look
    /// at.
    func retire(_ partition: OpenPartitions.Partition) {
        leave(partition)
        guard let root else { return }
        let name = partition.name
        let quarantine = try? root.subdirectory(name).subdirectory("quarantine").regularFiles()
        do throws(SystemFailure) {
            if quarantine?.isEmpty == false {
                try root.replace(name + ".damaged", with: name)
            } else {
                // What is known of the segments goes after them, the lock at last.
                try root.removeDirectory(name) { $0.hasSuffix(".seg") ? 0 : $0 == Directory.Use.lock ? 2 : 1 }
            }
        } catch {
            report(
                LogError(
                    .file, "a partition that was sent cannot be removed", place: path + "/" + name,
                    cause: error.number))
        }
    }

    /// Ends what a process was doing that died while it stored dead letters again.
    ///
    /// - Parameter isStored: Whether the partition of that name has messages.
    func finishResending(_ isStored: (String) -> Bool) {
        guard let root else { return }
        do throws(SystemFailure) {
            try ResendMark.finish(in: root, among: filesAtOpening, isStored)
        } catch {
            report(
                LogError(
                    .file, "cannot remove dead letters that were queued again",
                    place: path + "/" + DeadLetterFile.name, cause: error.number))
        }
    }

    /// Frees the directory for others.
    func close() { root = nil }

    // MARK: Figures and errors

    /// A record was dropped, since the store is full.
    func countRefused() {
        past.appended += 1
        past.droppedFull += 1
    }

    /// A partition was opened, whose records its spool counts from now on.
    func countOpened(_ records: Int) { past.recovered -= records }

    /// Continues the figures of an earlier opening, which left so many records.
    func goOn(from earlier: SpoolCounters, pending: Int) {
        past += earlier
        past.recovered -= pending
    }

    /// Takes over what went wrong in a partition.
    func look(at spool: Spool) { troubles += spool.drainErrors() }

    func report(_ trouble: LogError) { if troubles.count < 100 { troubles.append(trouble) } }

    /// What went wrong since this was last asked.
    func drainErrors() -> [LogError] {
        defer { troubles = [] }
        return troubles
    }
}

// The names of partitions: 24 hexadecimal digits, which sort as the partitions were made.
extension PartitionDirectory {
    /// Whether a directory of that name is a partition.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 24
            && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// A name that is greater than the newest there is; it starts with the seconds, as an event's id does.
    static func freshName(after newest: String?, at time: LogTimestamp) -> String {
        let digits = String(UInt32(clamping: time.nanoseconds / 1_000_000_000), radix: 16)
        let fresh =
            String(repeating: "0", count: 8 - digits.count) + digits
            + Hexadecimal.encode(RandomBytes.make(8))
        return newest.flatMap { $0 >= fresh ? name(after: $0) : nil } ?? fresh
    }

    /// The name whose digits are the next number; nil after the last.
    private static func name(after name: String) -> String? {
        var digits = Array(name.utf8)
        for index in digits.indices.reversed() {
            guard digits[index] == UInt8(ascii: "f") else {
                digits[index] = digits[index] == UInt8(ascii: "9") ? UInt8(ascii: "a") : digits[index] + 1
                return String(decoding: digits, as: UTF8.self)
            }
            digits[index] = UInt8(ascii: "0")
        }
        return nil
    }
}

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
