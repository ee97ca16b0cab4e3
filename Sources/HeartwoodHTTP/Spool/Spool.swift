import CHeartwood
package import Heartwood

/// The store of unsent messages: what is appended stays until it is acknowledged, set aside, or dropped and
/// counted.
///
/// With a directory it outlives the process; without one it is memory only, with the same limits. It belongs
/// to one logger and is used in its hooks only. ``SpoolPlan`` decides, ``SpoolFiles`` does; this asks the one
/// and has the other do it.
package final class Spool: UnsentStore {
    /// How many bytes are kept in memory before they are written.
    private static let saveThreshold = 1 << 20

    var plan: SpoolPlan
    /// The files; nil for a spool in memory, and once it is closed.
    var files: SpoolFiles?
    let reports: SpoolReports
    /// The directory's path, if there is one.
    let path: String?
    let identity: [UInt8]
    private let identityDigits: String
    let clock: any LogClock
    private let calls: SystemCalls
    private var jumps: ClockJumps
    /// Where the crash journal is told of each write before it is made.
    private var slot: JournalSlot?
    package private(set) var isClosed = false

    /// Opens a spool in `directory`, in whatever state it was left, or makes one in memory.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it; also when a file
    ///   could not be opened for lack of descriptors or memory.
    package init(
        directory: String?, settings: SpoolSettings = SpoolSettings(), clock: any LogClock = SystemClock(),
        calls: SystemCalls = SystemCalls()
    ) throws {
        self.clock = clock
        self.calls = calls
        path = directory
        // A wrong clock must not empty the store.
        jumps = ClockJumps(clock.now(), clock.uptime(), doubt: ClockJumps.untilRestart)
        plan = SpoolPlan(settings, isOnDisk: directory != nil)
        reports = SpoolReports(path: directory ?? "")
        if let directory {
            let files = try SpoolFiles(
                path: directory, quarantineLimit: settings.quarantineBytes, reports, calls)
            self.files = files
            let names = try Self.load(files, &plan)
            identity = files.identity
            identityDigits = Hexadecimal.encode(identity)
            try endOpening(files, names)
        } else {
            identity = RandomBytes.make(16)
            identityDigits = Hexadecimal.encode(identity)
        }
    }

    package var settings: SpoolSettings {
        get { plan.settings }
        set { plan.settings = newValue }
    }

    /// Has the crash journal told of each write before it is made, or no longer.
    func announceWrites(to slot: JournalSlot?) {
        self.slot = slot
        files?.writer.slot = slot
    }

    /// Tells whether a record of a time is too old; nil where none is, or the clock cannot be trusted.
    var isTooOld: ((LogTimestamp) -> Bool)? {
        guard let age = settings.maximumAge.limit else { return nil }
        let (now, uptime) = (clock.now(), clock.uptime())
        jumps.compare(now, uptime)
        return jumps.tellsAges(at: uptime) ? { ClockJumps.isOlder($0, than: age, at: now) } : nil
    }

    // MARK: Figures

    package var pending: Int { plan.pending }

    package var counters: SpoolCounters {
        plan.settleDamage()
        var sum = plan.counters
        sum.failures += reports.failures
        return sum
    }

    /// What the unsent messages take.
    package var bytes: Int { plan.bytes }

    package var isOnDisk: Bool { files != nil }

    package var directory: Directory? { files?.directory }

    package var unsavedCount: Int { plan.unsaved.count }

    package var oldestTime: LogTimestamp? {
        if pending == 0 { return nil }
        if let known = plan.oldestTime { return known }
        var oldest: LogTimestamp?
        forEach(after: plan.batch.state.acknowledged) { record in
            if !plan.batch.state.isDone(record.id) { oldest = record.time }
            return oldest == nil
        }
        plan.setOldest(oldest)
        return oldest
    }

    package func drainErrors() -> [LogError] { reports.drain() }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String { name(of: record) }

    /// A text that is the same for this record only, over restarts too.
    package func name(of record: SpoolRecord) -> String {
        "\(identityDigits)-\(record.id)-\(String(record.checksum, radix: 16))"
    }

    // MARK: Closing

    package func close() {
        if isOnDisk { plan.dropUnsaved() }
        plan.settleDamage()
        isClosed = true
        files = nil
    }

    package func reopened() throws -> any UnsentStore {
        let figures = counters
        let opened = try Spool(directory: path, settings: settings, clock: clock, calls: calls)
        opened.plan.continueFigures(of: plan, figures)
        opened.announceWrites(to: slot)
        return opened
    }

    package func reopenedInMemory() -> any UnsentStore {
        let figures = counters
        guard let opened = try? Spool(directory: nil, settings: settings, clock: clock) else { return self }
        opened.plan.continueFigures(of: plan, figures)
        return opened
    }
}

// MARK: - Storing

extension Spool {
    @discardableResult
    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        var record = SpoolRecord(id: 0, time: time, level: level, payload: payload)
        record.mark = mark
        while true {
            switch plan.append(record) {
            case true?:
                if isOnDisk, plan.unsaved.bytes >= Self.saveThreshold { save() }
                return true
            case nil where plan.reliefs(for: record).contains(where: relieve): continue
            default:
                plan.countRefused()
                return false
            }
        }
    }

    @discardableResult
    package func save() -> Bool {
        guard isOnDisk, !plan.unsaved.isEmpty else { return true }
        let count = write(plan.unsaved.all)
        plan.removeSaved(count)
        while plan.hasTooManyFiles, evictOldestSegment() {}
        return plan.unsaved.isEmpty
    }

    /// Forgets what is in memory only, as if it had never come: it will come again, from a crash journal.
    func forgetUnsaved() { plan.forgetUnsaved() }

    /// Writes records that belong together to the files, at once: all of them are there afterwards, or none.
    ///
    /// That holds for a crash in the middle of it, too. They are never all in memory: `next` gives one after
    /// the other.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - next: The next record's payload, time and level; it is called `count` times.
    /// - Throws: `LogError` when the files could not take them, and what `next` throws.
    package func appendWhole(
        _ count: Int, _ next: () throws -> (payload: [UInt8], time: LogTimestamp, level: UInt8)
    ) throws {
        guard let files else { throw LogError(.file, "the spool is closed, or has no directory") }
        let place = files.directory.path
        guard save() else {
            throw LogError(
                .file, "the disk does not accept the messages logged before; fix that first", place: place,
                cause: reports.lastCause)
        }
        guard count > 0 else { return }
        guard UInt64(count) < SpoolRecord.largestID - min(plan.nextID, SpoolRecord.largestID) else {
            throw LogError(.file, "the spool has used all its IDs", place: place)
        }
        let group = plan.nextID...plan.nextID + UInt64(count) - 1
        let failures = reports.failures
        do {
            while plan.nextID <= group.upperBound {
                let chunk = try makeChunk(through: group.upperBound, next)
                let written = write(chunk.all, groupEnd: group.upperBound)
                guard written == chunk.count, reports.failures == failures else {
                    throw LogError(.file, "cannot write the spool", place: place, cause: reports.lastCause)
                }
            }
        } catch {
            cancel(group)
            throw error
        }
        plan.countStored(count, from: nil)
    }

    /// The next records of a group, as many as are written at a time.
    private func makeChunk(
        through last: UInt64, _ next: () throws -> (payload: [UInt8], time: LogTimestamp, level: UInt8)
    ) throws -> RecordQueue {
        var chunk = RecordQueue()
        let limit = plan.settings.effectivePayloadLimit
        while plan.nextID <= last, chunk.bytes < 1 << 20 {
            let (payload, time, level) = try next()
            guard payload.count <= limit else {
                throw LogError(
                    .file,
                    "a record of \(payload.count) bytes is too large: the limit is \(ByteCount(limit))")
            }
            chunk.append(SpoolRecord(id: plan.takeID(), time: time, level: level, payload: payload))
        }
        return chunk
    }

    /// Stores the dead letters of the directory again, after everything that is pending, and removes them
    /// from their files.
    ///
    /// All of them are stored or none, each once, also when the process dies in the middle of it.
    ///
    /// - Returns: how many messages are pending again, and how many lines stay since they have no message
    ///   that can be stored.
    /// - Throws: `LogError` when the files cannot be written; then the letters are where they were, unless
    ///   the error says otherwise.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let files else { throw LogError(.file, "the spool is closed, or has no directory") }
        let letters = DeadLetters(in: files.directory, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0 else { return found }
        let before = settings
        settings.synchronizes = true
        settings.payloadLimit = SpoolRecord.largestPayload
        defer { settings = before }
        try letters.resend(to: String(plan.nextID)) { try appendWhole(found.messages, letters) }
        return found
    }

    /// Stores so many letters as a group.
    func appendWhole(_ count: Int, _ letters: DeadLetters) throws {
        var iterator = letters.iterator()
        try appendWhole(count) {
            guard let letter = iterator.next() else {
                throw LogError(.file, "the file of rejected messages changed", place: path)
            }
            return (letter.payload, letter.time, letter.level)
        }
    }
}

// MARK: - Sending

extension Spool {
    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        recount()
        defer { plan.settleDamage() }
        let most = max(1, maximumCount)
        while true {
            let needsMore = plan.batch.needsMore
            if probe, plan.batch.state.isOpen { widenToNewest(most, maximumBytes) }
            if needsMore, plan.batch.todo.isEmpty, !begin(most, maximumBytes) { return nil }
            while let range = probe ? plan.batch.todo.last : plan.batch.todo.first {
                // What cannot be read now is not done: it stays on its way.
                guard let found = records(in: range) else { return nil }
                guard let (range, records) = plan.take(found, of: range, most, isProbe: probe) else {
                    continue
                }
                if plan.send(range) { saveState() }
                return SpoolPiece(range: range, records: records, origin: identity)
            }
            if plan.batch.parked.isEmpty { finish() }
        }
    }

    package var hasOpenBatch: Bool { plan.batch.state.isOpen }

    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        plan.changeBatch { $0.park(piece.range, isUnconfirmed: isUnconfirmed) }
    }

    package func unpark(_ pieces: [SpoolPiece]) { plan.changeBatch { $0.unpark(pieces.map(\.range)) } }

    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = plan.complete(piece, done: done)
        if plan.batch.isSettled { finish() } else { saveState() }
        return count
    }

    package func split(_ piece: SpoolPiece) -> Bool {
        guard piece.records.count > 1, plan.batch.todo.contains(piece.range) else { return false }
        plan.changeBatch { $0.cut(piece.range, after: piece.records[piece.records.count / 2].id - 1) }
        return true
    }

    @discardableResult
    package func dropOldest(_ count: Int) -> Int {
        plan.changeBatch { $0.unparkAll() }
        var left = count
        while left > 0, let piece = nextPiece(maximumCount: left, maximumBytes: .max) {
            let ids = piece.records.prefix(left).map(\.id)
            complete(piece, done: ids)
            plan.countAsked(ids.count)
            left -= ids.count
        }
        return count - left
    }

    /// Calls `body` with every pending record, in their order, until it returns false.
    package func forEachPending(_ body: (SpoolRecord) -> Bool) {
        save()
        forEach(after: plan.batch.state.acknowledged) { plan.batch.state.isDone($0.id) || body($0) }
    }

    /// Opens a batch, or makes the open one longer by a piece; false when there is nothing to take.
    private func begin(_ maximumCount: Int, _ maximumBytes: Int) -> Bool {
        let state = plan.batch.state
        var range: ClosedRange<UInt64>?
        var (count, bytes) = (0, 0)
        forEach(after: state.end) { record in
            let first = range?.lowerBound ?? record.id
            let start = state.isOpen ? state.acknowledged + 1 : first
            // Files can overlap where a person has put one back.
            if record.id < start || record.id < range?.upperBound ?? 0 { return false }
            if record.id - start >= UInt64(BatchState.widestBatch) { return false }
            bytes += record.payload.count
            if count > 0 && bytes > maximumBytes { return false }
            range = first...record.id
            count += 1
            return count < maximumCount
        }
        guard let range else { return false }
        plan.begin(range)
        return true
    }

    /// Makes the open batch as long as it may be, and its newest records a piece.
    private func widenToNewest(_ maximumCount: Int, _ maximumBytes: Int) {
        var found: [(id: UInt64, size: Int)] = []
        let limit = plan.batch.state.acknowledged + UInt64(BatchState.widestBatch)
        forEach(after: plan.batch.state.last) { record in
            guard record.id <= limit, record.id > found.last?.id ?? 0 else { return false }
            found.append((record.id, record.payload.count))
            return true
        }
        plan.widen(found, maximumCount, maximumBytes)
    }

    private func finish() {
        plan.finish()
        saveState()
        removeDone()
    }

    /// Writes the state of the batch to the cursor.
    func saveState() {
        let isSaved = files?.save(plan.batch.state, synchronizes: settings.synchronizes) ?? true
        plan.setStateSaved(isSaved)
    }

    /// Counts the pending records after damage, as soon as all files can be read.
    private func recount() {
        guard isOnDisk, plan.isUncertain else { return }
        plan.settleDamage()
        plan.setUncertain(false)
        var count = 0
        let isRead = forEach(after: plan.batch.state.acknowledged) { record in
            if !plan.batch.state.isDone(record.id) { count += 1 }
            return true
        }
        if isRead { plan.recount(count) } else { plan.setUncertain(true) }
    }
}
