public import Heartwood

extension LogError.Code {
    /// A store has reached its limit, and takes nothing more until something was sent.
    public static let full = LogError.Code(rawValue: "full")
}

/// Spools in a row, each in a directory of its own: one is written, the oldest is sent, and deleted when it
/// is empty.
///
/// 1. At most two are open: the one that is sent and the one that is written, which may be the same. Where
///    all that is pending in the first was refused, up to ``OpenPartitions/widestSearch`` more, to find out
///    whether the server takes anything.
/// 2. What an earlier run has left is sent first, partition by partition, in the order in which they were
///    made.
/// 3. A partition that has reached ``partitionSize`` when something is to be written is closed, and a new one
///    is started. So it may become larger by one write; a group is never divided.
/// 4. Nothing is ever dropped to make room: what does not fit into `settings.maximumBytes` is refused.
/// 5. ``pending`` is zero only when no partition has anything left.
package final class PartitionedSpool: UnsentStore {
    /// When a partition is full.
    package var partitionSize: ByteCount { didSet { applySettings() } }
    /// The limits; `maximumBytes` is that of all partitions together.
    package var settings: SpoolSettings { didSet { applySettings() } }
    /// Called with each error, in addition to ``drainErrors()``.
    package var onTrouble: (@Sendable (LogError) -> Void)?

    private let makeName: @Sendable (_ newest: String?) -> String
    private let home: PartitionDirectory
    /// The partitions that are open, and those that are not.
    private(set) var open = OpenPartitions()
    private var closed = ClosedPartitions()
    /// How often the oldest partition that is not open could not be opened.
    private var openFailures = 0
    /// How many records waited when the store was closed.
    private var left = 0

    /// Opens the store; a partition is made when the first record comes.
    ///
    /// - Parameters:
    ///   - path: The directory, whose subdirectories the partitions are.
    ///   - partitionSize: When a partition is full.
    ///   - settings: The limits.
    ///   - clock: Where times come from.
    ///   - calls: What files are reached by.
    ///   - makeName: A name for a new partition, 24 hexadecimal digits, that is greater than the newest there
    ///     is.
    /// - Throws: `LogError` when the directory cannot be used, or another store has it.
    package init(
        path: String, partitionSize: ByteCount, settings: SpoolSettings, clock: any LogClock,
        calls: SystemCalls = SystemCalls(), makeName: @escaping @Sendable (String?) -> String
    ) throws {
        self.partitionSize = partitionSize
        self.settings = settings
        self.makeName = makeName
        home = try PartitionDirectory(path: path, clock: clock, calls)
        home.settings = partitionSettings
        for name in home.names() {
            let (bytes, records) = home.count(name)
            closed.append(name, bytes: bytes, records: records)
        }
        home.finishResending { closed.records(of: $0) > 0 }
        advance()
    }

    /// The partitions that there are, the oldest first.
    package var partitions: [String] {
        open.older.map(\.name) + closed.names + [open.current?.name].compactMap(\.self)
    }

    private var newest: String? { open.current?.name ?? closed.newest ?? open.older.last?.name }

    /// How many partitions are open.
    package var openCount: Int { open.all.count }

    private func applySettings() {
        home.settings = partitionSettings
        for partition in open.all { partition.spool.settings = home.settings }
    }

    private var partitionSettings: SpoolSettings {
        var settings = settings
        settings.maximumBytes = ByteCount(.max)
        settings.maximumFiles = nil
        settings.overflow = .dropNewest
        settings.segmentBytes = min(
            settings.segmentBytes, ByteCount(max(4096, partitionSize.bytes / 8)))
        return settings
    }

    // MARK: Storing

    /// Writes records that belong together, as ``Spool/appendWhole(_:_:)`` does; no records make no
    /// partition.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - size: How many bytes their payloads have together.
    ///   - next: The next record's payload, time and level.
    /// - Throws: `LogError`: `.full` when the store has reached its limit, `.file` when the files could not
    ///   take them.
    package func appendWhole(
        _ count: Int, bytes size: Int,
        _ next: () throws -> (payload: [UInt8], time: LogTimestamp, level: UInt8)
    ) throws {
        if count == 0 { return }
        let size = size + count * SpoolFrame.headerSize
        guard bytes + size <= settings.maximumBytes.bytes else {
            throw LogError(
                .full,
                "the store has reached its limit of \(settings.maximumBytes): raise it, or have it sent",
                place: home.path)
        }
        try receiver().appendWhole(count, next)
    }

    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0)
        -> Bool
    {
        do { try add(payload, time: time, level: level) } catch {
            home.report(error as? LogError ?? LogError(.file, "\(error)", place: home.path))
            return false
        }
        return true
    }

    /// Takes a record over, in memory until ``save()``.
    ///
    /// - Throws: `LogError`, and counts the record as refused: `.full` when the store has reached its limit,
    ///   `.file` when the files cannot take it.
    package func add(_ payload: [UInt8], time: LogTimestamp, level: UInt8) throws {
        guard bytes + payload.count + SpoolFrame.headerSize <= settings.maximumBytes.bytes else {
            home.countRefused()
            throw LogError(
                .full, "the store has reached its limit of \(settings.maximumBytes)", place: home.path)
        }
        let spool: Spool
        do { spool = try receiver() } catch {
            home.countRefused()
            throw error
        }
        guard spool.append(payload, time: time, level: level) else {
            throw LogError(
                .file, "the disk takes nothing, and neither does the memory now", place: home.path)
        }
    }

    @discardableResult
    package func save() -> Bool { open.all.reduce(true) { $1.spool.save() && $0 } }

    /// The partition to be written: the current one, or a new one where that is full.
    private func receiver() throws -> Spool {
        if let current = open.current?.spool, current.bytes >= partitionSize.bytes, current.save() {
            closeCurrent()
        }
        if let current = open.current { return current.spool }
        guard home.root != nil else { throw LogError(.file, "the store is closed", place: home.path) }
        let name = makeName(newest)
        let spool = try home.make(name)
        open.write(to: (name, spool))
        return spool
    }

    /// Writes to the current partition no more: it goes on being sent, waits for its turn, or is gone.
    private func closeCurrent() {
        guard let partition = open.releaseCurrent(whileOlder: !closed.isEmpty) else { return }
        if partition.spool.pending > 0 { enqueue(partition) } else { home.retire(partition) }
    }

    /// Closes a partition that is the newest and has something left.
    private func enqueue(_ partition: OpenPartitions.Partition) {
        closed.append(partition.name, bytes: partition.spool.bytes, records: partition.spool.pending)
        home.leave(partition)
    }

    // MARK: Dead letters

    /// Stores the dead letters of the directory again, in a new partition, and removes them from their files;
    /// as ``Spool/resendRejected()`` does it.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let root = home.root else {
            throw LogError(.file, "the store is closed", place: home.path)
        }
        let letters = DeadLetters(in: root, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0 else { return found }
        if open.current?.spool.save() == true { closeCurrent() }
        let name = makeName(newest)
        try letters.resend(to: name) {
            let spool = try home.make(name, storing: letters, found.messages)
            enqueue((name, spool))
        }
        advance()
        return found
    }

    /// Calls `body` with every pending record and its name, the oldest first, until it returns false.
    package func forEachPending(_ body: (SpoolRecord, String) -> Bool) {
        save()
        var goesOn = true
        func visit(_ spool: Spool) {
            spool.forEachPending { record in
                goesOn = body(record, spool.name(of: record))
                return goesOn
            }
        }
        open.comeBack()
        for partition in open.older where goesOn { visit(partition.spool) }
        for name in closed.names where goesOn {
            guard let spool = home.open(name) else { continue }
            visit(spool)
            home.look(at: spool)
            spool.close()
        }
        if let current = open.current, goesOn { visit(current.spool) }
    }

    // MARK: Sending

    package func expire() {
        for partition in open.all { partition.spool.expire() }
        advance()
    }

    package var hasOpenBatch: Bool { open.all.contains { $0.spool.hasOpenBatch } }

    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        if open.needsOlder, !closed.isEmpty {
            open.send(openNext())
            if open.needsOlder, !closed.isEmpty { return nil }
        }
        // The newest messages are in the partition that is written.
        if probe, open.sendsOlder, let current = open.current?.spool, current.pending > 0,
            let piece = current.nextPiece(
                maximumCount: maximumCount, maximumBytes: maximumBytes, probe: true)
        {
            return piece
        }
        while let sender = open.sender {
            if let piece = sender.nextPiece(
                maximumCount: maximumCount, maximumBytes: maximumBytes, probe: probe)
            {
                return piece
            }
            if open.sendsOlder, sender.pending == 0 {
                advance()
            } else if !probe || !open.passBy(openNext) {
                return nil
            }
        }
        return nil
    }

    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = open.owner(of: piece)?.complete(piece, done: done) ?? 0
        advance()
        return count
    }

    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        open.owner(of: piece)?.park(piece, isUnconfirmed: isUnconfirmed)
    }

    package func unpark(_ pieces: [SpoolPiece]) {
        for piece in pieces { open.owner(of: piece)?.unpark([piece]) }
        open.comeBack()
    }

    package func split(_ piece: SpoolPiece) -> Bool { open.owner(of: piece)?.split(piece) ?? false }

    package func dropOldest(_ count: Int) -> Int {
        open.comeBack()
        var left = count
        while left > 0, let sender = open.sender, sender.pending > 0 {
            let dropped = sender.dropOldest(left)
            if dropped == 0 { break }
            left -= dropped
            advance()
        }
        return count - left
    }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String {
        open.owner(of: piece)?.name(of: record) ?? ""
    }

    /// Deletes partitions that were sent and are empty, and opens the next one that is not.
    private func advance() {
        for partition in open.removeEmpty() { home.retire(partition) }
        if open.needsOlder, openFailures == 0 { open.send(openNext()) }
    }

    /// Opens the oldest partition that is not open and has something left.
    private func openNext() -> OpenPartitions.Partition? {
        while let name = closed.oldest {
            let spool = home.open(name)
            if spool == nil {
                // What follows must wait for it, but not longer than this run has tried it.
                openFailures += 1
                if openFailures < SpoolPlan.readAttempts { return nil }
            }
            openFailures = 0
            // They were counted when they came, or were found, and are counted by the spool now.
            home.countOpened(closed.removeOldest())
            guard let spool else { continue }
            if spool.pending > 0 { return (name, spool) }
            home.retire((name, spool))
        }
        return nil
    }

    // MARK: Figures

    package var pending: Int {
        isClosed ? left : open.sum(\.pending) + closed.records
    }

    package var unsavedCount: Int { open.sum(\.unsavedCount) }

    package var counters: SpoolCounters {
        open.all.reduce(into: home.past) { $0 += $1.spool.counters }
    }

    package var oldestTime: LogTimestamp? { open.oldest?.oldestTime }

    /// What all partitions take.
    package var bytes: Int {
        open.sum(\.bytes) + closed.bytes
    }

    package var isOnDisk: Bool { home.root != nil }
    package var isClosed: Bool { home.root == nil }
    package var keepsEverything: Bool { true }
    package var directory: Directory? { home.root }

    package func drainErrors() -> [LogError] {
        let all = home.drainErrors() + open.all.flatMap { $0.spool.drainErrors() }
        if let onTrouble { for trouble in all { onTrouble(trouble) } }
        return all
    }

    // MARK: Opening and closing

    package func close() {
        save()
        let partitions = open.removeAll()
        for partition in partitions {
            if partition.spool.pending == 0 { home.retire(partition) } else { home.leave(partition) }
        }
        left = partitions.reduce(0) { $0 + $1.spool.pending } + closed.records
        closed.removeAll()
        home.close()
    }

    package func reopened() throws -> any UnsentStore {
        let opened = try PartitionedSpool(
            path: home.path, partitionSize: partitionSize, settings: settings, clock: home.clock,
            calls: home.calls, makeName: makeName)
        opened.home.goOn(from: home.past, pending: left)
        opened.onTrouble = onTrouble
        return opened
    }

    /// There is no memory in the place of what must be on disk: it stays closed.
    package func reopenedInMemory() -> any UnsentStore { self }
}

extension PartitionedSpool {
    /// Opens a store that exists, for other purposes than writing events.
    convenience init(existing path: String) throws {
        let clock = SystemClock()
        try self.init(
            path: path, partitionSize: .mebibytes(256), settings: SpoolSettings(), clock: clock
        ) { newest in PartitionDirectory.freshName(after: newest, at: clock.now()) }
    }

    /// Whether the directory is a store of this kind, and no single spool.
    static func isStore(_ path: String) throws -> Bool {
        let directory = try Directory(path, for: .spool, isMade: false)
        let files = Set(((try? directory.regularFiles()) ?? []).map(\.name))
        guard !files.contains("cursor"), !files.contains(where: { $0.hasSuffix(".seg") }) else {
            return false
        }
        return files.contains("device.json")
            || (try? directory.subdirectories())?.contains(where: PartitionDirectory.isName) == true
    }
}

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

    /// Takes the oldest out, which is open from now on or gone; returns how many records it was thought to
    /// hold.
    mutating func removeOldest() -> Int {
        guard let oldest = partitions.popFirst() else { return 0 }
        bytes -= oldest.bytes
        records -= oldest.records
        return oldest.records
    }

    /// Forgets them, when the store is closed.
    mutating func removeAll() { self = ClosedPartitions() }
}
