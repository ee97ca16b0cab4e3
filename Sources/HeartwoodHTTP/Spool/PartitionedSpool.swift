public import Heartwood

extension LogError.Code {
    /// A store has reached its limit, and takes nothing more until something was sent.
    public static let full = LogError.Code(rawValue: "full")
}

/// Spools in a row, each in a directory of its own: one is written, the oldest is sent, and deleted when it
/// is empty.
///
/// ``PartitionPlan`` decides which; this opens, closes and deletes them.
/// 1. A partition that has reached ``partitionSize`` when something is to be written is closed, and a new one
///    is started. So it may become larger by one write; a group is never divided.
/// 2. Nothing is ever dropped to make room: what does not fit into `settings.maximumBytes` is refused.
/// 3. ``pending`` is zero only when no partition has anything left.
package final class PartitionedSpool: UnsentStore {
    /// When a partition is full.
    package var partitionSize: ByteCount { didSet { applySettings() } }
    /// The limits; `maximumBytes` is that of all partitions together.
    package var settings: SpoolSettings { didSet { applySettings() } }
    /// Called with each error, in addition to ``drainErrors()``.
    package var onTrouble: (@Sendable (LogError) -> Void)?

    private(set) var plan = PartitionPlan()
    /// The directory, whose subdirectories the partitions are, and its lock; nil once closed.
    package private(set) var directory: Directory?
    /// The open partitions, by their names.
    private var spools: [String: Spool] = [:]
    private var troubles: [LogError] = []
    private let path: String
    private let clock: any LogClock
    private let calls: SystemCalls
    private let makeName: @Sendable (_ newest: String?) -> String

    /// Opens the store; a partition is made when the first record comes.
    ///
    /// `makeName` makes a name for a new partition, 24 hexadecimal digits, that is greater than the newest
    /// there is.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another store has it.
    package init(
        path: String, partitionSize: ByteCount, settings: SpoolSettings, clock: any LogClock,
        calls: SystemCalls = SystemCalls(), makeName: @escaping @Sendable (String?) -> String
    ) throws {
        (self.path, self.partitionSize, self.settings) = (path, partitionSize, settings)
        (self.clock, self.calls, self.makeName) = (clock, calls, makeName)
        let root = try Directory(path, for: .spool, calls: calls)
        directory = root
        let files = ((try? root.regularFiles()) ?? []).map(\.name)
        // A process that died in a scope has left them.
        for name in files where name.hasPrefix("scope.") { _ = try? root.remove(name) }
        for name in ((try? root.subdirectories()) ?? []).filter(Self.isName).sorted() { find(name, in: root) }
        do { try ResendMark.finish(in: root, among: files) { plan.records(of: $0) > 0 } } catch {
            report(error, DeadLetterFile.name, "cannot remove dead letters that were queued again")
        }
        advance()
    }

    /// Finds out what a partition of an earlier run holds; the names of its files say it, unless a crash has
    /// left one that was never sealed.
    private func find(_ name: String, in root: Directory) {
        let files = try? root.subdirectory(name).regularFiles()
        let segments = (files ?? []).compactMap { SpoolSegment(name: $0.name, size: $0.size) }
        var records = segments.reduce(0) { $0 + $1.count }
        if segments.contains(where: { $0.lastID == nil }), let spool = open(name) {
            records = spool.pending
            leave(spool)
        } else {
            plan.count(SpoolCounters(recovered: records))
        }
        plan.close(name, bytes: segments.reduce(0) { $0 + $1.size }, records: records)
    }

    /// Opens a store that exists, for other purposes than writing events.
    convenience init(existing path: String) throws {
        let clock = SystemClock()
        try self.init(
            path: path, partitionSize: .mebibytes(256), settings: SpoolSettings(), clock: clock
        ) { newest in Self.freshName(after: newest, at: clock.now()) }
    }

    package func close() {
        save()
        for name in plan.open where spools[name]?.pending == 0 { retire(name) }
        for spool in openSpools { leave(spool) }
        plan.end(pending: pending)
        spools = [:]
        directory = nil
    }

    package func reopened() throws -> any UnsentStore {
        let opened = try PartitionedSpool(
            path: path, partitionSize: partitionSize, settings: settings, clock: clock, calls: calls,
            makeName: makeName)
        opened.plan.goOn(from: plan)
        opened.onTrouble = onTrouble
        return opened
    }

    /// There is no memory in the place of what must be on disk: it stays closed.
    package func reopenedInMemory() -> any UnsentStore { self }

    private func applySettings() { for spool in spools.values { spool.settings = partitionSettings } }

    private var partitionSettings: SpoolSettings {
        var settings = settings
        settings.maximumBytes = ByteCount(.max)
        settings.maximumFiles = nil
        settings.overflow = .dropNewest
        settings.segmentBytes = min(settings.segmentBytes, ByteCount(max(4096, partitionSize.bytes / 8)))
        return settings
    }

    // MARK: Figures and errors

    var openSpools: [Spool] { plan.open.compactMap { spools[$0] } }

    package var pending: Int { isClosed ? plan.left : sum(\.pending) + plan.held.records }
    package var unsavedCount: Int { sum(\.unsavedCount) }
    package var counters: SpoolCounters { spools.values.reduce(into: plan.past) { $0 += $1.counters } }
    package var oldestTime: LogTimestamp? { spool(plan.oldest)?.oldestTime }
    /// What all partitions take.
    package var bytes: Int { sum(\.bytes) + plan.held.bytes }
    package var isOnDisk: Bool { !isClosed }
    package var isClosed: Bool { directory == nil }
    package var keepsEverything: Bool { true }

    private func sum(_ value: (Spool) -> Int) -> Int { spools.values.reduce(0) { $0 + value($1) } }

    package func drainErrors() -> [LogError] {
        let all = troubles + openSpools.flatMap { $0.drainErrors() }
        troubles = []
        if let onTrouble { for trouble in all { onTrouble(trouble) } }
        return all
    }

    /// Keeps an error until it is asked for; `message` says in words what failed.
    private func report(_ error: any Error, _ name: String? = nil, _ message: String? = nil) {
        guard troubles.count < 100 else { return }
        let place = name.map { path + "/" + $0 } ?? path
        let cause = (error as? SystemFailure)?.number
        let other = LogError(.file, message ?? "\(error)", place: place, cause: cause)
        troubles.append(error as? LogError ?? other)
    }

    // MARK: Opening and closing partitions

    private func spool(_ name: String?) -> Spool? { name.flatMap { spools[$0] } }
    private var written: Spool? { spool(plan.written) }
    private var sender: Spool? { spool(plan.sender) }

    /// Opens a partition, or makes it.
    private func spool(_ name: String, _ settings: SpoolSettings) throws -> Spool {
        let spool = try Spool(directory: path + "/" + name, settings: settings, clock: clock, calls: calls)
        // A new partition waits for the names in its path with its first file: those of a new store, too.
        spool.directory?.addMade(directory?.made ?? 0)
        return spool
    }

    /// Opens a partition that exists; nil, with a report, when that is not possible now.
    private func open(_ name: String) -> Spool? {
        do { return try spool(name, partitionSettings) } catch { report(error, name) }
        return nil
    }

    /// Opens the oldest closed partition that has something left.
    private func openNext() -> String? {
        while let name = plan.oldestClosed {
            let spool = open(name)
            guard plan.didOpen(spool != nil) else { return nil }
            guard let spool else { continue }
            spools[name] = spool
            if spool.pending > 0 { return name }
            retire(name)
        }
        return nil
    }

    /// Opens the closed partition that is to be sent next, if one is.
    private func sendDue() { if plan.isClosedDue, let name = openNext() { plan.send(name) } }

    /// Deletes partitions that were sent and are empty, and opens the next one that is not.
    private func advance() {
        for name in plan.removeEmpty({ spools[$0]?.pending == 0 }) { retire(name) }
        if plan.openFailures == 0 { sendDue() }
    }

    /// Sends from a later partition, since everything in the one that is sent is parked; false when no later
    /// one has messages.
    private func passBy() -> Bool {
        guard plan.sendsOlder else { return false }
        let next = plan.maySearch ? openNext() : nil
        guard next != nil || written?.pending ?? 0 > 0 else { return false }
        plan.send(next)
        return true
    }

    /// Writes to the current partition no more: it goes on being sent, waits for its turn, or is gone.
    private func releaseWritten() {
        guard let written, let name = plan.releaseWritten(isEmpty: written.pending == 0) else { return }
        if written.pending == 0 { return retire(name) }
        spools[name] = nil
        enqueue(name, written)
    }

    /// Closes a partition that is the newest and has something left.
    private func enqueue(_ name: String, _ spool: Spool) {
        plan.close(name, bytes: spool.bytes, records: spool.pending)
        leave(spool)
    }

    private func leave(_ spool: Spool) {
        spool.sealActive()
        troubles += spool.drainErrors()
        spool.close()
        plan.count(spool.counters)
    }

    /// Closes an empty partition and deletes it, unless damage was found in it: a person may look at that.
    private func retire(_ name: String) {
        if let spool = spools.removeValue(forKey: name) { leave(spool) }
        guard let root = directory else { return }
        let quarantine = try? root.subdirectory(name).subdirectory("quarantine").regularFiles()
        do {
            if quarantine?.isEmpty == false { return try root.replace(name + ".damaged", with: name) }
            // What is known of the segments goes after them, the lock at last.
            try root.removeDirectory(name) { $0.hasSuffix(".seg") ? 0 : $0 == Directory.Use.lock ? 2 : 1 }
        } catch {
            report(error, name, "a partition that was sent cannot be removed")
        }
    }

    // MARK: Storing

    /// Writes records that belong together, as ``Spool/appendWhole(_:_:)`` does; no records make no
    /// partition.
    ///
    /// Their payloads have `size` bytes together.
    ///
    /// - Throws: `LogError`: `.full` when the store has reached its limit, `.file` when the files could not
    ///   take them.
    package func appendWhole(
        _ count: Int, bytes size: Int,
        _ next: () throws -> (payload: [UInt8], time: LogTimestamp, level: UInt8)
    ) throws {
        if count == 0 { return }
        try receiver(size + count * SpoolFrame.headerSize, remedy: ": raise it, or have it sent")
            .appendWhole(count, next)
    }

    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        do { try add(payload, time: time, level: level) } catch {
            report(error)
            return false
        }
        return true
    }

    /// Takes a record over, in memory until ``save()``.
    ///
    /// - Throws: `LogError`, and counts the record as refused: `.full` when the store has reached its limit,
    ///   `.file` when the files cannot take it.
    package func add(_ payload: [UInt8], time: LogTimestamp, level: UInt8) throws {
        let spool: Spool
        do { spool = try receiver(payload.count + SpoolFrame.headerSize) } catch {
            plan.count(SpoolCounters(appended: 1, droppedFull: 1))
            throw error
        }
        guard spool.append(payload, time: time, level: level) else {
            throw LogError(.file, "the disk takes nothing, and neither does the memory now", place: path)
        }
    }

    /// The partition that takes so many bytes: the current one, or a new one where that is full.
    private func receiver(_ size: Int, remedy: String = "") throws -> Spool {
        guard bytes + size <= settings.maximumBytes.bytes else {
            let limit = settings.maximumBytes
            throw LogError(.full, "the store has reached its limit of \(limit)\(remedy)", place: path)
        }
        if let written, written.bytes >= partitionSize.bytes, written.save() { releaseWritten() }
        if let written { return written }
        guard !isClosed else { throw LogError(.file, "the store is closed", place: path) }
        let name = makeName(plan.newest)
        let spool = try spool(name, partitionSettings)
        spools[name] = spool
        plan.write(to: name)
        return spool
    }

    @discardableResult
    package func save() -> Bool { openSpools.reduce(true) { $1.save() && $0 } }

    /// Stores the dead letters again, in a new partition, as ``Spool/resendRejected()`` does it.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let directory else { throw LogError(.file, "the store is closed", place: path) }
        let letters = DeadLetters(in: directory, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0 else { return found }
        guard written?.save() ?? true else {
            throw LogError(
                .file, "the disk does not accept the messages logged before; fix that first", place: path)
        }
        releaseWritten()
        let name = makeName(plan.newest)
        try letters.resend(to: name) {
            var settings = partitionSettings
            (settings.payloadLimit, settings.synchronizes) = (SpoolRecord.largestPayload, true)
            let spool = try spool(name, settings)
            try spool.appendWhole(found.messages, letters)
            enqueue(name, spool)
        }
        advance()
        return found
    }

    // MARK: Sending

    package var hasOpenBatch: Bool { spools.values.contains(where: \.hasOpenBatch) }

    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        func next(_ spool: Spool) -> SpoolPiece? {
            spool.nextPiece(maximumCount: maximumCount, maximumBytes: maximumBytes, probe: probe)
        }
        save()
        sendDue()
        if plan.isClosedDue { return nil }
        // The newest messages are in the partition that is written.
        if probe, plan.sendsOlder, let written, written.pending > 0, let piece = next(written) {
            return piece
        }
        while let sender {
            if let piece = next(sender) { return piece }
            if plan.sendsOlder, sender.pending == 0 {
                advance()
            } else if !probe || !passBy() {
                return nil
            }
        }
        return nil
    }

    private func owner(of piece: SpoolPiece) -> Spool? {
        spools.values.first { $0.identity == piece.origin }
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
        plan.comeBack()
    }

    package func split(_ piece: SpoolPiece) -> Bool { owner(of: piece)?.split(piece) ?? false }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String {
        owner(of: piece)?.name(of: record) ?? ""
    }

    package func expire() {
        for spool in openSpools { spool.expire() }
        advance()
    }

    package func dropOldest(_ count: Int) -> Int {
        plan.comeBack()
        var left = count
        while left > 0, let sender, sender.pending > 0 {
            let dropped = sender.dropOldest(left)
            if dropped == 0 { break }
            left -= dropped
            advance()
        }
        return count - left
    }

    /// Calls `body` with every pending record and its name, the oldest first, until it returns false.
    package func forEachPending(_ body: (SpoolRecord, String) -> Bool) {
        save()
        plan.comeBack()
        var goesOn = true
        for name in plan.names where goesOn {
            guard let spool = spools[name] ?? open(name) else { continue }
            spool.forEachPending { record in
                goesOn = body(record, spool.name(of: record))
                return goesOn
            }
            if spools[name] != nil { continue }
            troubles += spool.drainErrors()
            spool.close()
        }
    }

    // MARK: Names

    /// Whether the directory is a store of this kind, or a single spool; nil where it is neither.
    ///
    /// Nothing is made in it: it may be any directory.
    static func isStore(_ path: String) throws -> Bool? {
        let directory = try Directory(path, policy: .init(acceptsShared: true), isMade: false)
        let files = ((try? directory.regularFiles()) ?? []).map(\.name)
        if files.contains(where: { $0 == CursorFile.name || $0.hasSuffix(".seg") }) { return false }
        if files.contains("device.json") { return true }
        if (try? directory.subdirectories())?.contains(where: isName) == true { return true }
        let isSpool = files.contains { $0 == Directory.Use.lock || $0.hasPrefix("rejected.") }
        return isSpool ? false : nil
    }

    /// Whether a name is a partition's: 24 hexadecimal digits, which sort as the partitions were made.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 24 && name.utf8.allSatisfy(Hexadecimal.digits.contains)
    }

    /// A name that is greater than the newest there is; it starts with the seconds, as an event's id does.
    static func freshName(after newest: String?, at time: LogTimestamp) -> String {
        let seconds = UInt32(clamping: time.nanoseconds / 1_000_000_000).bigEndian
        let fresh = Hexadecimal.encode(withUnsafeBytes(of: seconds, Array.init) + RandomBytes.make(8))
        guard let newest, newest >= fresh, let index = newest.lastIndex(where: { $0 != "f" }),
            let digit = newest[index].hexDigitValue
        else { return fresh }
        let next = newest[..<index] + String(digit + 1, radix: 16)
        return next + String(repeating: "0", count: newest.count - next.count)
    }
}
