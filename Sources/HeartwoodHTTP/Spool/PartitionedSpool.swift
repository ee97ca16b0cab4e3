public import Heartwood

extension LogError.Code {
    /// A store has reached its limit, and takes nothing more until something was sent.
    public static let full = LogError.Code(rawValue: "full")
}

/// Spools in a row, each in a directory of its own: one is written, the oldest is sent, and deleted when it is empty.
///
/// 1. At most two are open: the one that is sent and the one that is written, which may be the same. Where all that is
///    pending in the first was refused, up to ``widestSearch`` more, to find out whether the server takes anything.
/// 2. What an earlier run has left is sent first, partition by partition, in the order in which they were made.
/// 3. A partition that has reached ``partitionSize`` when something is to be written is closed, and a new one is started. So
///    it may become larger by one write; a group is never divided.
/// 4. Nothing is ever dropped to make room: what does not fit into `settings.maximumBytes` is refused.
/// 5. ``pending`` is zero only when no partition has anything left.
package final class PartitionedSpool: UnsentStore {
    typealias Partition = (name: String, spool: Spool)

    /// How many partitions of which everything was refused stay open while later ones are tried.
    static let widestSearch = 3

    /// When a partition is full.
    package var partitionSize: ByteCount { didSet { applySettings() } }
    /// The limits; `maximumBytes` is that of all partitions together.
    package var settings: SpoolSettings { didSet { applySettings() } }
    /// Told of each trouble, beside those that ask for them.
    package var onTrouble: (@Sendable (LogError) -> Void)?

    private let path: String
    private let clock: any LogClock
    private let makeName: @Sendable (_ newest: String?) -> String
    /// The store's own directory and its lock; nil once closed.
    private var root: SpoolDirectory?
    /// Partitions that are not open, the oldest first.
    private var waiting: [String] = []
    /// What the files of those have in bytes and records.
    private var closed: [String: (bytes: Int, records: Int)] = [:]
    /// An older partition, while there is one: it is sent before the current one.
    private var sending: Partition?
    /// Older partitions that are open while a later one is tried, the oldest first.
    private var aside: [Partition] = []
    /// The partition that is written, once something was.
    private var current: Partition?
    /// How often the oldest partition that is not open could not be opened.
    private var openFailures = 0
    /// The figures of partitions that are not open any more.
    private var past = SpoolCounters()
    private var troubles: [LogError] = []
    /// How many records waited when the store was closed.
    private var left = 0

    /// Opens the store; a partition is made when the first record comes.
    ///
    /// - Parameters:
    ///   - path: The directory, whose subdirectories the partitions are.
    ///   - partitionSize: When a partition is full.
    ///   - settings: The limits.
    ///   - clock: Where times come from.
    ///   - makeName: A name for a new partition, 24 hexadecimal digits, that is greater than the newest there is.
    /// - Throws: `LogError` when the directory cannot be used, or somebody else has it.
    package init(
        path: String, partitionSize: ByteCount, settings: SpoolSettings, clock: any LogClock,
        makeName: @escaping @Sendable (String?) -> String
    ) throws {
        self.path = path
        self.partitionSize = partitionSize
        self.settings = settings
        self.clock = clock
        self.makeName = makeName
        let root = try SpoolDirectory(path: path)
        self.root = root
        waiting = (root.subdirectories() ?? []).filter(Self.isName).sorted()
        // A scope's file whose owner died before it could take its name away.
        for file in root.list() ?? [] where file.name.hasPrefix("scope.") { _ = root.remove(file.name) }
        for name in waiting { count(name, in: root) }
        finishResending(in: root)
        advance()
    }

    /// Opens a store that exists, for other purposes than writing events.
    convenience init(existing path: String) throws {
        let clock = SystemClock()
        try self.init(
            path: path, partitionSize: .mebibytes(256), settings: SpoolSettings(), clock: clock
        ) { newest in
            // As an `EventID` begins: with the seconds. Where a newer one is there, the next after that.
            let digits = String(UInt32(clamping: clock.now().nanoseconds / 1_000_000_000), radix: 16)
            let fresh =
                String(repeating: "0", count: 8 - digits.count) + digits
                + Hexadecimal.encode(Digest.random(8))
            return newest.flatMap { $0 >= fresh ? Self.name(after: $0) : nil } ?? fresh
        }
    }

    /// Whether the directory is a store of this kind, and no single spool.
    static func isStore(_ path: String) throws -> Bool {
        let directory = try SpoolDirectory(path: path)
        let files = Set((directory.list() ?? []).map(\.name))
        guard !files.contains("cursor"), !files.contains(where: { $0.hasSuffix(".seg") }) else {
            return false
        }
        return files.contains("device.json") || directory.subdirectories()?.contains(where: isName) == true
    }

    /// The name whose 24 hexadecimal digits are the next number; nil after the last.
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

    /// The partitions that there are, the oldest first.
    package var partitions: [String] {
        (aside.map(\.name) + [sending?.name].compactMap(\.self)).sorted() + waiting
            + [current?.name].compactMap(\.self)
    }

    /// How many partitions are open.
    package var openCount: Int { open.count }

    private var open: [Partition] { aside + [sending, current].compactMap(\.self) }
    private var sender: Spool? { (sending ?? current)?.spool }

    private func applySettings() {
        for partition in open { partition.spool.settings = partitionSettings }
    }

    private var partitionSettings: SpoolSettings {
        var settings = settings
        settings.maximumBytes = ByteCount(.max)
        settings.maximumFiles = 0
        settings.overflow = .dropNewest
        settings.segmentBytes = min(settings.segmentBytes, ByteCount(max(4096, partitionSize.bytes / 8)))
        return settings
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count == 24 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// Finds out what a partition of an earlier run holds; the names of its files say it, unless a crash has left one
    /// that was never sealed.
    private func count(_ name: String, in root: SpoolDirectory) {
        let segments = (root.list(name) ?? []).compactMap { SpoolSegment(name: $0.name, size: $0.size) }
        var records = segments.reduce(0) { $0 + $1.count }
        if segments.contains(where: { $0.lastID == nil }), let spool = openSpool(name) {
            records = spool.pending
            leave((name, spool))
        } else {
            past.recovered += records
        }
        closed[name] = (segments.reduce(0) { $0 + $1.size }, records)
    }

    private func openSpool(_ name: String) -> Spool? {
        do {
            return try Spool(directory: path + "/" + name, settings: partitionSettings, clock: clock)
        } catch {
            report(error as? LogError ?? LogError(.file, "\(error)", place: path + "/" + name))
            return nil
        }
    }

    // MARK: Storing

    /// Writes records that belong together, as ``Spool/appendWhole(_:_:)`` does; no records make no partition.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - size: How many bytes their payloads have together.
    ///   - next: The next record's payload, time and level.
    /// - Throws: `LogError`: `.full` when the store has reached its limit, `.file` when the files could not take them.
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
                place: path)
        }
        try receiver().appendWhole(count, next)
    }

    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        do {
            let fits = bytes + payload.count + SpoolFrame.headerSize <= settings.maximumBytes.bytes
            if fits {
                if try receiver().append(payload, time: time, level: level) { return true }
                report(
                    LogError(.file, "the disk takes nothing, and neither does the memory now", place: path))
                return false
            }
            report(
                LogError(.full, "the store has reached its limit of \(settings.maximumBytes)", place: path))
        } catch {
            report(error as? LogError ?? LogError(.file, "\(error)", place: path))
        }
        past.appended += 1
        past.droppedFull += 1
        return false
    }

    @discardableResult
    package func save() -> Bool { open.reduce(true) { $1.spool.save() && $0 } }

    /// The partition to be written: the current one, or a new one where that is full.
    private func receiver() throws -> Spool {
        if let current, current.spool.bytes >= partitionSize.bytes, current.spool.save() { close(current) }
        if let current { return current.spool }
        guard root != nil else { throw LogError(.file, "the store is closed", place: path) }
        let name = makeName(partitions.last)
        let spool = try Spool(directory: path + "/" + name, settings: partitionSettings, clock: clock)
        current = (name, spool)
        return spool
    }

    /// Takes the current partition out of the way: it goes on being sent, or waits for its turn.
    private func close(_ partition: Partition) {
        current = nil
        if sending == nil && partition.spool.pending > 0 {
            sending = partition
        } else if partition.spool.pending > 0 {
            closed[partition.name] = (partition.spool.bytes, partition.spool.pending)
            waiting.append(partition.name)
            leave(partition)
        } else {
            retire(partition)
        }
    }

    // MARK: Dead letters

    /// Stores the dead letters of the directory again, in a new partition, and removes them from their files; as
    /// ``Spool/resendRejected()`` does it.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let root else { throw LogError(.file, "the store is closed", place: path) }
        let letters = DeadLetters(in: root, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0 else { return found }
        if let current, current.spool.save() { close(current) }
        let name = makeName(partitions.last)
        let mark = ResendMark(name)
        let error = mark.make(in: root)
        guard error == 0 else {
            throw LogError(.file, "the store cannot be written", place: path, cause: error)
        }
        do {
            var settings = partitionSettings
            settings.payloadLimit = SpoolRecord.largestPayload
            settings.synchronizes = true
            let spool = try Spool(directory: path + "/" + name, settings: settings, clock: clock)
            try spool.appendWhole(found.messages, letters)
            closed[name] = (spool.bytes, spool.pending)
            waiting.append(name)
            leave((name, spool))
        } catch {
            mark.remove(from: root)
            throw error
        }
        try letters.removeStored(in: root)
        mark.remove(from: root)
        advance()
        return found
    }

    /// Ends what a process was doing that died while it stored dead letters again.
    private func finishResending(in root: SpoolDirectory) {
        guard let mark = ResendMark(leftIn: root) else { return }
        if let records = closed[mark.place]?.records, records > 0 {
            let error = DeadLetters(in: root, payloadLimit: SpoolRecord.largestPayload).remove()
            if error != 0 {
                report(
                    LogError(
                        .file, "cannot remove dead letters that were queued again",
                        place: path + "/" + DeadLetterFile.name, cause: error))
            }
        }
        mark.remove(from: root)
    }

    /// Calls `body` with every record that waits and its name, the oldest first, until it returns false.
    package func forEachPending(_ body: (SpoolRecord, String) -> Bool) {
        save()
        var goesOn = true
        func visit(_ spool: Spool) {
            spool.forEachPending { record in
                goesOn = body(record, spool.name(of: record))
                return goesOn
            }
        }
        comeBack()
        for partition in [sending].compactMap(\.self) + aside where goesOn { visit(partition.spool) }
        for name in waiting where goesOn {
            guard let spool = openSpool(name) else { continue }
            visit(spool)
            troubles += spool.takeTroubles()
            spool.close()
        }
        if let current, goesOn { visit(current.spool) }
    }

    // MARK: Sending

    package func expire() {
        for partition in open { partition.spool.expire() }
        advance()
    }

    package var hasOpenBatch: Bool { open.contains { $0.spool.hasOpenBatch } }

    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        if sending == nil, aside.isEmpty, !waiting.isEmpty {
            sending = openNext()
            if sending == nil, !waiting.isEmpty { return nil }
        }
        // The newest messages are in the partition that is written.
        if probe, sending != nil, let current, current.spool.pending > 0,
            let piece = current.spool.nextPiece(
                maximumCount: maximumCount, maximumBytes: maximumBytes, probe: true)
        {
            return piece
        }
        while let sender {
            if let piece = sender.nextPiece(
                maximumCount: maximumCount, maximumBytes: maximumBytes, probe: probe)
            {
                return piece
            }
            if sending != nil, sender.pending == 0 { advance() } else if !probe || !tryLater() { return nil }
        }
        return nil
    }

    /// Sends from a later partition, since everything in the oldest one is parked; false when no later one has messages.
    private func tryLater() -> Bool {
        guard let sending else { return false }
        if aside.count < Self.widestSearch, let next = openNext() {
            aside.append(sending)
            self.sending = next
            return true
        }
        guard let current, current.spool.pending > 0 else { return false }
        aside.append(sending)
        self.sending = nil
        return true
    }

    /// Makes the oldest of the open partitions the one that is sent.
    private func comeBack() {
        guard !aside.isEmpty else { return }
        let all = (aside + [sending].compactMap(\.self)).sorted { $0.name < $1.name }
        sending = all.first
        aside = Array(all.dropFirst())
    }

    private func owner(of piece: SpoolPiece) -> Spool? {
        open.first { $0.spool.identity == piece.origin }?.spool
    }

    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = owner(of: piece)?.complete(piece, done: done) ?? 0
        advance()
        return count
    }

    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        owner(of: piece)?.park(piece, isUnconfirmed: isUnconfirmed)
    }

    package func unpark(_ pieces: [SpoolPiece]) {
        for piece in pieces { owner(of: piece)?.unpark([piece]) }
        comeBack()
    }

    package func split(_ piece: SpoolPiece) -> Bool { owner(of: piece)?.split(piece) ?? false }

    package func dropOldest(_ count: Int) -> Int {
        comeBack()
        var left = count
        while left > 0, let sender, sender.pending > 0 {
            let dropped = sender.dropOldest(left)
            if dropped == 0 { break }
            left -= dropped
            advance()
        }
        return count - left
    }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String {
        owner(of: piece)?.name(of: record) ?? ""
    }

    /// Deletes partitions that were sent and are empty, and opens the next one that is not.
    private func advance() {
        for partition in aside where partition.spool.pending == 0 { retire(partition) }
        aside.removeAll { $0.spool.pending == 0 }
        if let sending, sending.spool.pending == 0 {
            self.sending = nil
            retire(sending)
            comeBack()
        }
        if sending == nil, aside.isEmpty, openFailures == 0 { sending = openNext() }
    }

    /// Opens the oldest partition that is not open and has something left.
    private func openNext() -> Partition? {
        while let name = waiting.first {
            let spool = openSpool(name)
            if spool == nil {
                // What follows must wait for it, but not longer than this run has tried it.
                openFailures += 1
                if openFailures < SpoolDisk.readAttempts { return nil }
            }
            openFailures = 0
            waiting.removeFirst()
            // They were counted when they came, or were found, and are counted by the spool now.
            past.recovered -= closed.removeValue(forKey: name)?.records ?? 0
            guard let spool else { continue }
            if spool.pending > 0 { return (name, spool) }
            retire((name, spool))
        }
        return nil
    }

    /// Closes an empty partition and deletes it; one in which damage was found is kept for somebody to look at.
    private func retire(_ partition: Partition) {
        leave(partition)
        guard let root else { return }
        let isDamaged = root.list(partition.name + "/quarantine")?.isEmpty == false
        let error =
            isDamaged
            ? root.rename(partition.name, to: partition.name + ".damaged")
            : root.removeDirectory(partition.name)
        if error != 0 {
            report(
                LogError(
                    .file, "a partition that was sent cannot be removed", place: path + "/" + partition.name,
                    cause: error))
        }
    }

    private func leave(_ partition: Partition) {
        partition.spool.disk?.sealActive()
        troubles += partition.spool.takeTroubles()
        partition.spool.close()
        past += partition.spool.counters
    }

    // MARK: Figures

    package var pending: Int {
        isClosed
            ? left : open.reduce(0) { $0 + $1.spool.pending } + closed.values.reduce(0) { $0 + $1.records }
    }

    package var unsavedCount: Int { open.reduce(0) { $0 + $1.spool.unsavedCount } }

    package var counters: SpoolCounters { open.reduce(into: past) { $0 += $1.spool.counters } }

    package var oldestTime: LogTimestamp? { (aside.first?.spool ?? sender)?.oldestTime }

    /// What all partitions take.
    package var bytes: Int {
        open.reduce(0) { $0 + $1.spool.bytes } + closed.values.reduce(0) { $0 + $1.bytes }
    }

    package var isOnDisk: Bool { root != nil }
    package var isClosed: Bool { root == nil }
    package var keepsEverything: Bool { true }
    package var directory: SpoolDirectory? { root }

    private func report(_ trouble: LogError) { if troubles.count < 100 { troubles.append(trouble) } }

    package func takeTroubles() -> [LogError] {
        let all = open.reduce(troubles) { $0 + $1.spool.takeTroubles() }
        troubles = []
        if let onTrouble { for trouble in all { onTrouble(trouble) } }
        return all
    }

    // MARK: Opening and closing

    package func close() {
        save()
        let partitions = open
        for partition in partitions { partition.spool.pending == 0 ? retire(partition) : leave(partition) }
        left = partitions.reduce(0) { $0 + $1.spool.pending } + closed.values.reduce(0) { $0 + $1.records }
        (aside, sending, current, waiting, closed, root) = ([], nil, nil, [], [:], nil)
    }

    package func reopened() throws -> any UnsentStore {
        let opened = try PartitionedSpool(
            path: path, partitionSize: partitionSize, settings: settings, clock: clock, makeName: makeName)
        opened.past += past
        opened.past.recovered -= left
        opened.onTrouble = onTrouble
        return opened
    }

    /// There is no memory in the place of what must be on disk: it stays closed.
    package func reopenedInMemory() -> any UnsentStore { self }
}
