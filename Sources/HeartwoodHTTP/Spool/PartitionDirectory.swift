import Heartwood

/// The directory of a ``PartitionedSpool``: opens its partitions, closes them, and deletes those that were
/// sent.
///
/// It has the figures and the errors of those that are not open any more.
final class PartitionDirectory {
    let path: String
    let clock: any LogClock
    /// The settings of each partition.
    var settings = SpoolSettings()
    /// The directory and its lock; nil once closed.
    private(set) var root: SpoolDirectory?
    /// The figures of partitions that are not open any more.
    private(set) var past = SpoolCounters()
    private let filesAtOpening: [String]
    private var troubles: [LogError] = []

    /// Locks the directory, and removes what scopes have left whose process died.
    ///
    /// - Throws: `LogError` when it cannot be used, or another logger has it.
    init(path: String, clock: any LogClock) throws {
        self.path = path
        self.clock = clock
        let root = try SpoolDirectory(path: path)
        self.root = root
        filesAtOpening = (root.list() ?? []).map(\.name)
        for name in filesAtOpening where name.hasPrefix("scope.") { _ = root.remove(name) }
    }

    /// The names of the partitions that there are, the oldest first.
    func names() -> [String] { (root?.subdirectories() ?? []).filter(PartitionName.isValid).sorted() }

    /// Finds out what a partition of an earlier run holds; the names of its files say it, unless a crash has
    /// left one that was never sealed.
    func count(_ name: String) -> (bytes: Int, records: Int) {
        let segments = (root?.list(name) ?? []).compactMap {
            SpoolSegment(name: $0.name, size: $0.size)
        }
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
            return try make(name)
        } catch {
            report(error as? LogError ?? LogError(.file, "\(error)", place: path + "/" + name))
            return nil
        }
    }

    /// Makes a partition.
    ///
    /// - Throws: `LogError` when its directory cannot be made or used.
    func make(_ name: String) throws -> Spool {
        try Spool(directory: path + "/" + name, settings: settings, clock: clock)
    }

    /// Makes a partition of so many dead letters.
    ///
    /// - Throws: `LogError` when it cannot be written.
    func make(_ name: String, storing letters: DeadLetters, _ count: Int) throws -> Spool {
        var settings = settings
        settings.payloadLimit = SpoolRecord.largestPayload
        settings.synchronizes = true
        let spool = try Spool(directory: path + "/" + name, settings: settings, clock: clock)
        try spool.appendWhole(count, letters)
        return spool
    }

    /// Closes a partition.
    func leave(_ partition: OpenPartitions.Partition) {
        partition.spool.disk?.sealActive()
        look(at: partition.spool)
        partition.spool.close()
        past += partition.spool.counters
    }

    /// Closes an empty partition and deletes it; one in which damage was found is kept, for a person to look
    /// at.
    func retire(_ partition: OpenPartitions.Partition) {
        leave(partition)
        guard let root else { return }
        let isDamaged = root.list(partition.name + "/quarantine")?.isEmpty == false
        let error =
            isDamaged
            ? root.rename(partition.name, to: partition.name + ".damaged")
            : root.removeDirectory(partition.name)
        guard error != 0 else { return }
        report(
            LogError(
                .file, "a partition that was sent cannot be removed", place: path + "/" + partition.name,
                cause: error))
    }

    /// Ends what a process was doing that died while it stored dead letters again.
    ///
    /// - Parameter isStored: Whether the partition of that name has messages.
    func finishResending(_ isStored: (String) -> Bool) {
        guard let root else { return }
        let error = ResendMark.finish(in: root, among: filesAtOpening, isStored)
        guard error != 0 else { return }
        report(
            LogError(
                .file, "cannot remove dead letters that were queued again",
                place: path + "/" + DeadLetterFile.name, cause: error))
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
