import CHeartwood
package import Heartwood

/// The store of unsent messages: what is appended stays until it is acknowledged, set aside, or dropped and
/// counted.
///
/// With a directory it outlives the process; without one it is memory only, with the same limits. It belongs
/// to one logger and is used in its hooks only. ``SpoolPlan`` decides, ``SpoolFiles`` does; this asks the one
/// and has the other do it.
package final class Spool: UnsentStore {
    private(set) var plan: SpoolPlan
    /// The files; nil for a spool in memory, and once it is closed.
    var files: SpoolFiles?
    private let reports: SpoolReports
    /// The directory's path, if there is one.
    let path: String?
    let identity: [UInt8]
    private let identityDigits: String
    private let clock: any LogClock
    private let calls: SystemCalls
    private var age: SpoolAge
    /// Where the crash journal is told of each write before it is made.
    private var slot: JournalSlot?
    package private(set) var isClosed = false
    /// Whether the spool is being opened: what cannot be read is tried again at once, since ids and counts
    /// depend on it.
    private var isOpening = true
    /// A reason other than damage for which a file could not be read while opening.
    private var openingError: LogError?

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
        age = SpoolAge(clock)
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
            isOpening = false
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
        var record = SpoolRecord(id: plan.nextID, time: time, level: level, payload: payload)
        record.mark = mark
        guard plan.isStorable(payload), makeRoom(for: record) else {
            plan.countRefused()
            return false
        }
        plan.append(record)
        if plan.isSaveDue { save() }
        return true
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
    /// - Throws: `LogError` when the files cannot be written; then the letters are where they were, unless the
    ///   error says otherwise.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let files else { throw LogError(.file, "the spool is closed, or has no directory") }
        let letters = DeadLetters(in: files.directory, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0, save() else { return (0, found.others) }
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
    private func saveState() {
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

// MARK: - Room

extension Spool {
    /// Makes room for a record, as ``SpoolSettings/overflow`` says; false when there is no room.
    private func makeRoom(for record: SpoolRecord) -> Bool {
        while let hasRoom = plan.hasRoom(for: record) {
            if hasRoom { return true }
            guard plan.reliefs(for: record).contains(where: relieve) else { return false }
        }
        return false
    }

    private func relieve(_ relief: SpoolPlan.Relief) -> Bool {
        switch relief {
        case .reclaim: return reclaim()
        case .evictBelow(let level): return evict(below: level)
        case .evictOldest: return evictOldest()
        case .evictFromBatch:
            let ids = pendingOfBatch
            return dropOfBatch(plan.evictable(of: ids), of: ids)
        case .replaceRefused:
            let ids = pendingOfBatch
            return dropOfBatch(plan.newestRefused(of: ids), of: ids)
        }
    }

    /// The ids of the open batch that are not done, as far as they can be read now.
    private var pendingOfBatch: [UInt64] {
        plan.batch.state.range.flatMap { records(in: $0) }?.map(\.id) ?? []
    }

    private func dropOfBatch(_ ids: ArraySlice<UInt64>, of pending: [UInt64]) -> Bool {
        guard !ids.isEmpty else { return false }
        plan.dropOfBatch(ids, of: pending)
        saveState()
        return reclaim()
    }

    /// Takes what is done in the open batch out of memory, or of the oldest file that has such; false when
    /// there is nothing.
    private func reclaim() -> Bool {
        guard plan.batch.reclaimable > 0 else { return false }
        if plan.reclaimUnsaved() { return true }
        let state = plan.batch.state
        var next: UInt64 = 0
        while let segment = plan.reclaimable(from: next) {
            next = segment.firstID + 1
            guard let file = read(segment) else { continue }
            let kept = file.entries.filter { !state.isDone($0.id) }
            guard kept.count < file.entries.count else { continue }
            if rewrite(segment, keeping: kept, of: file) { return true }
            break
        }
        plan.endReclaiming()
        return false
    }

    /// Drops the oldest records that are not in the open batch: a segment, or a part of what is in memory.
    func evictOldest() -> Bool { evictOldestSegment() || plan.evictOldestUnsaved() }

    private func evictOldestSegment() -> Bool {
        guard let oldest = plan.oldestBesideBatch, let count = evict(oldest) else { return false }
        plan.countDropped(count, \.droppedFull)
        return true
    }

    /// Drops records less serious than a level: those of a segment, or in memory.
    func evict(below level: UInt8) -> Bool { compact(below: level) || plan.evictUnsaved(below: level) }

    /// Rewrites the oldest segment that has records less serious than a level, without these.
    private func compact(below level: UInt8) -> Bool {
        var next = plan.beginCompacting(below: level)
        var isWhole = true
        while let segment = plan.compactable(from: next) {
            next = segment.firstID + 1
            if segment.compactedLevel.map({ $0 > level }) ?? true {
                if let file = read(segment) {
                    plan.change(segment.firstID) { $0.compactedLevel = level }
                    let (kept, gone) = plan.kept(of: file.entries, below: level)
                    if gone > 0 {
                        guard rewrite(segment, keeping: kept, of: file) else { return false }
                        plan.countDropped(gone, \.droppedFull)
                        return true
                    }
                } else {
                    isWhole = false
                }
            }
            if isWhole { plan.didCompact(before: next) }
        }
        return false
    }

    package func expire() {
        guard let limit = settings.maximumAge.limit, let isOld = age.rule(limit, clock) else { return }
        while let first = plan.segments.first, plan.oldestBesideBatch?.firstID == first.firstID,
            let last = read(first)?.entries.last, isOld(last.time), let count = evict(first)
        {
            plan.countDropped(count, \.droppedOld)
        }
        plan.expireUnsaved(isOld)
    }

    /// Deletes a segment; returns how many unfinished records went with it.
    private func evict(_ segment: SpoolSegment) -> Int? {
        let count = unfinished(in: segment)
        // One that cannot be read is lost by that, and counted there.
        guard plan.segment(segment.firstID) != nil else { return 0 }
        return remove(sealed(segment)) ? count : nil
    }

    /// Deletes the segments of which everything is done.
    private func removeDone() { while let segment = plan.oldestDone, remove(sealed(segment)) {} }
}

// MARK: - Files

extension Spool {
    /// Writes records to the files, beginning new ones as needed; returns how many are in them now.
    ///
    /// With `groupEnd` they are part of a group that is whole only once that id is in the files.
    private func write(_ records: RecordQueue.Run, groupEnd: UInt64 = 0) -> Int {
        guard let files else { return 0 }
        let uptime = clock.uptime()
        var rest = records
        while let step = plan.next(rest, most: files.writer.recordLimit, at: uptime) {
            var isDone = true
            switch step {
            case .rollBack(let id):
                isDone = rollBack(to: id)
                if isDone { plan.endCancelling() }
            case .seal: sealActive()
            case .begin(let segment):
                isDone = files.begin(segment, synchronizes: settings.synchronizes)
                if isDone { plan.didBegin(segment, at: uptime) }
            case .append(let count):
                let stored = append(rest.prefix(count), groupEnd)
                rest = rest.dropFirst(stored)
                isDone = stored == count
            }
            guard isDone else { break }
        }
        return records.count - rest.count
    }

    /// Appends records to the newest segment; returns how many are in it now.
    private func append(_ records: RecordQueue.Run, _ groupEnd: UInt64) -> Int {
        guard let files, let segment = plan.active else { return 0 }
        let (count, bytes, failure, isTorn) = files.writer.append(records, to: segment, groupEnd: groupEnd)
        let stored = records.prefix(count)
        if let failure {
            reports.fail("cannot write the spool; messages stay in memory", segment.name, failure)
        }
        plan.didAppend(stored, bytes: bytes)
        if settings.synchronizes, let first = stored.first, let last = stored.last,
            !files.confirm(segment.name)
        {
            // The system may forget what the disk has not got, and call the next wait a success: the records
            // are taken away, and written again to another file.
            files.writer.settle(records.prefix(0))
            cancel(first.id...last.id)
            return 0
        }
        files.writer.settle(stored)
        // A file with a torn end is closed, and so is one that may grow no more while another one may.
        let isAtLimit = failure?.isError(EFBIG) == true && segment.count + count > 0
        if isTorn || isAtLimit { sealActive() }
        return count
    }

    func sealActive() {
        guard let active = plan.active else { return }
        files?.writer.end()
        plan.endActive()
        if active.count == 0 { remove(active) } else { seal(active) }
    }

    /// Gives the segment the name that says what is in it; if that fails, the next start reads it instead.
    private func seal(_ segment: SpoolSegment) {
        let name = segment.sealedName
        if files?.rename(segment, to: name) == true { plan.change(segment.firstID) { $0.name = name } }
    }

    /// The segment as it is when nothing is appended to it any more; nil when it is gone then.
    private func sealed(_ segment: SpoolSegment) -> SpoolSegment? {
        if plan.active?.firstID == segment.firstID { sealActive() }
        return plan.segment(segment.firstID)
    }

    /// Puts a file with some of a segment's records in its place, or removes it where it keeps none; false
    /// when that fails.
    private func rewrite(
        _ segment: SpoolSegment, keeping kept: [SegmentParser.Entry], of file: SegmentFile
    ) -> Bool {
        guard let segment = sealed(segment) else { return false }
        if kept.isEmpty { return remove(segment) }
        let new = files?.rewrite(
            segment, keeping: kept, of: file, synchronizes: settings.synchronizes)
        guard let new else { return false }
        plan.change(segment.firstID) { $0 = new }
        return true
    }

    @discardableResult
    private func remove(_ segment: SpoolSegment?) -> Bool {
        guard let segment, files?.remove(segment) == true else { return false }
        plan.remove(segment)
        return true
    }

    /// A segment that is not there any more, or is not ours, counts as lost.
    private func lose(_ segment: SpoolSegment) {
        files?.forget(segment)
        // What is written to it would be lost: the next record begins a new one.
        if plan.active?.firstID == segment.firstID { files?.writer.end() }
        plan.lose(segment)
    }

    /// Gives up a group: its records are taken away, now or before anything else is written.
    private func cancel(_ group: ClosedRange<UInt64>) {
        plan.cancel(group)
        _ = write(RecordQueue().all)
    }

    /// Takes away every record after `id`, and seals the files; false when a file cannot be read, cut or
    /// removed.
    private func rollBack(to id: UInt64) -> Bool {
        sealActive()
        files?.reader = nil
        while let last = plan.segments.last, last.firstID > id {
            guard remove(last) else { return false }
        }
        guard let last = plan.segments.last, last.lastID ?? .max > id else { return true }
        // The name of a sealed file says what is in it: it goes first.
        let unsealed = SpoolSegment(firstID: last.firstID).name
        if last.name != unsealed, files?.rename(last, to: unsealed) == true {
            plan.change(last.firstID) { $0.name = unsealed }
        }
        plan.change(last.firstID) { $0.lastID = nil }
        guard let segment = plan.segment(last.firstID), let file = read(segment) else {
            if plan.segment(last.firstID) == nil { return rollBack(to: id) }  // it is lost
            plan.change(last.firstID) { $0.lastID = last.lastID }
            return false
        }
        let kept = file.entries.prefix { $0.id <= id }
        let size = kept.last?.payload.upperBound ?? SpoolSegment.headerSize
        guard files?.cut(segment, to: size) == true else {
            plan.change(last.firstID) { $0.lastID = last.lastID }
            return false
        }
        plan.change(last.firstID) { ($0.size, $0.count, $0.lastID) = (size, kept.count, kept.last?.id) }
        guard let segment = plan.segment(last.firstID) else { return true }
        if kept.isEmpty { return remove(segment) }
        seal(segment)
        return true
    }
}

// MARK: - Reading

extension Spool {
    /// The records of a range that are not done; nil when a file that may have some of them cannot be read
    /// now.
    private func records(in range: ClosedRange<UInt64>) -> [SpoolRecord]? {
        var records: [SpoolRecord] = []
        var seen: UInt64 = 0
        let isRead = forEach(after: range.lowerBound - 1) { record in
            seen = record.id
            guard record.id <= range.upperBound else { return false }
            if !plan.batch.state.isDone(record.id) { records.append(record) }
            return true
        }
        return isRead || seen >= range.upperBound ? records : nil
    }

    /// Calls `body` with each record after `id`, in their order, until it returns false: files first, since
    /// what they have is older than what is in memory.
    ///
    /// Returns false when it ended before a file that cannot be read now; what follows that must wait.
    @discardableResult
    private func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) -> Bool {
        var index = plan.segments.place(after: id)
        while index < plan.segments.count {
            let segment = plan.segments[index]
            let isBefore = segment.ends(by: id)
            if !isBefore, let file = read(segment) {
                for entry in file.entries where entry.id > id && !plan.isCancelled(entry.id) {
                    guard body(file.record(entry)) else { return true }
                }
            } else if !isBefore, plan.segment(segment.firstID) != nil {
                return false
            }
            // One that is lost is not among them any more.
            index = plan.segments.place { $0.firstID > segment.firstID }
        }
        for record in plan.unsaved.from(id + 1) where !body(record) { break }
        return true
    }

    /// How many of a segment's records are not done; of one that cannot be read now, by what is known without
    /// reading.
    private func unfinished(in segment: SpoolSegment) -> Int {
        guard let file = read(segment) else { return plan.unfinished(in: segment) }
        return file.entries.reduce(0) { $0 + (plan.isPending($1.id) ? 1 : 0) }
    }

    /// The segment's content; of one that is damaged, what is whole of it; nil when it cannot be read now, or
    /// is lost.
    private func read(_ segment: SpoolSegment) -> SegmentFile? {
        guard let files else { return nil }
        let isActive = plan.active?.firstID == segment.firstID
        if let reader = files.reader, reader.firstID == segment.firstID {
            // What was added and cannot be read comes before what follows it.
            if !isActive || (try? reader.file.refresh()) != nil { return reader.file }
            files.reader = nil
        }
        while let current = plan.segment(segment.firstID) {
            let (file, mayRetry) = load(current, isActive, files)
            // Counted as a failure; after the last one the file is no longer among the segments.
            if file != nil || !mayRetry { return file }
        }
        return nil
    }

    /// Reads a segment; without its content, says whether it is to be tried again at once.
    private func load(
        _ segment: SpoolSegment, _ isActive: Bool, _ files: SpoolFiles
    ) -> (file: SegmentFile?, mayRetry: Bool) {
        let file: SegmentFile
        do throws(SystemFailure) {
            guard let found = try SegmentFile(segment, in: files.directory, identity: identity) else {
                setAside(segment, "a file of the spool was replaced; moved to quarantine/")
                return (nil, false)
            }
            file = found
        } catch { return (nil, didFail(segment, error)) }
        var isComplete = true
        do throws(SystemFailure) { try file.refresh() } catch {
            isComplete = false
            reports.fail("cannot read a file of the spool", segment.name, error)
            guard plan.countReadFailure(segment) else { return (nil, mayRetry(segment, error)) }
            if isActive { sealActive() }
        }
        files.reader = (segment.firstID, file)
        // What cannot be read at last counts as damaged.
        if !isActive || !isComplete, let current = plan.segment(segment.firstID),
            plan.compare(segment.firstID, with: file.entries, isDamaged: !file.damage.isEmpty)
        {
            copyDamage(of: file, current)
        }
        return (file, false)
    }

    /// Counts that a file cannot be opened: one that is gone, or fails too often, is lost.
    ///
    /// Returns whether it is to be tried again at once.
    private func didFail(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        reports.fail("cannot read a file of the spool", segment.name, failure)
        if !failure.isError(ENOENT) {
            guard plan.countReadFailure(segment) else { return mayRetry(segment, failure) }
            files?.quarantine.move(segment.name)
        }
        lose(segment)
        return false
    }

    /// Whether reading is to be retried at once, as it is while opening.
    ///
    /// A lack of descriptors or memory says nothing about the file, and refuses the opening instead. A file
    /// that is not ours to open stays where it is.
    private func mayRetry(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        if isOpening, failure.isShortage {
            openingError = LogError(
                .file, "cannot read a file of the spool", place: "\(path ?? "")/\(segment.name)",
                cause: failure.number)
        }
        return isOpening && failure.isError(EIO)
    }

    /// Moves a file that is not the spool's to the quarantine.
    private func setAside(_ segment: SpoolSegment, _ reason: String) {
        reports.report(.damaged, reason, segment.name)
        files?.quarantine.move(segment.name)
        lose(segment)
    }

    /// Copies what is damaged of a file to the quarantine, and counts it.
    private func copyDamage(of file: SegmentFile, _ segment: SpoolSegment) {
        guard let (damaged, torn) = files?.quarantine.copy(file, segment) else { return }
        plan.countDamaged(bytes: damaged, torn: torn)
    }
}

// MARK: - Opening

extension Spool {
    /// Finds the segments, and reads the cursor; returns the names of all files.
    private static func load(_ files: SpoolFiles, _ plan: inout SpoolPlan) throws -> [String] {
        let found = try files.list()
        let segments = found.compactMap { file -> SpoolSegment? in
            let segment = SpoolSegment(name: file.name, size: file.size)
            if segment == nil, file.name.hasSuffix(".seg") {
                files.reports.report(.damaged, "not a file of the spool; ignored", file.name)
            }
            return segment
        }
        let (surplus, foreign) = plan.open(segments)
        for segment in surplus { _ = try? files.directory.remove(segment.name) }
        for segment in foreign { files.quarantine.move(segment.name) }
        for file in found where file.name.hasSuffix(".tmp") { _ = try? files.directory.remove(file.name) }
        try loadCursor(files, &plan)
        return found.map(\.name)
    }

    /// Reads the cursor, and makes one for a new spool, or one whose cursor is gone: what is there counts as
    /// unsent.
    ///
    /// - Throws: `LogError` when the cursor cannot be read, and no file says which spool it is: with a new
    ///   identity, all files would be those of another one.
    private static func loadCursor(_ files: SpoolFiles, _ plan: inout SpoolPlan) throws(LogError) {
        var cursor: SpoolCursor?
        var failure: SystemFailure?
        do throws(SystemFailure) { cursor = try files.cursor.load() } catch {
            failure = error
            files.reports.fail("cannot read the spool's cursor", CursorFile.name, error)
        }
        plan.open(cursor?.state)
        let found = cursor?.identity ?? plan.segments.lazy.compactMap(files.identity(of:)).first
        if let failure, found == nil && !plan.segments.isEmpty || failure.isShortage {
            throw LogError(
                .file, "cannot read the spool's cursor", place: files.directory.path, cause: failure.number)
        }
        files.identity = found ?? RandomBytes.make(16)
        if cursor == nil { files.cursor.start(plan.batch.state, identity: files.identity) }
    }

    /// Seals what a dead process has left, and counts the records that are pending.
    ///
    /// - Throws: `LogError` when a file could not be opened for lack of descriptors or memory.
    private func endOpening(_ files: SpoolFiles, _ names: [String]) throws {
        setAsideImplausible(files)
        cutUnfinishedGroup()
        for segment in plan.segments where segment.lastID == nil { adopt(segment) }
        if let openingError { throw openingError }
        plan.setNextID()
        files.finishResending(among: names, storedUpTo: plan.lastUsedID)
        removeDone()
        var found = 0
        for (segment, pending) in plan.unread { found += pending ?? unfinished(in: segment) }
        plan.endOpening(recovered: found)
        isOpening = false
        if let openingError { throw openingError }
    }

    /// Sets files aside whose names have ids that no spool comes to, unless their headers are the spool's
    /// own: otherwise a planted name would use all ids up.
    private func setAsideImplausible(_ files: SpoolFiles) {
        for segment in plan.segments
        where max(segment.firstID, segment.lastID ?? 0) > SpoolSegment.largestUsualID {
            guard files.identity(of: segment) != identity else { continue }
            reports.report(.damaged, "not a file of the spool; moved to quarantine/", segment.name)
            files.quarantine.move(segment.name)
            plan.remove(segment)
        }
    }

    /// Takes away what a process that ended has written of a group without coming to its end.
    ///
    /// Such a group is always the last thing in the files: nothing is written before a group is whole or
    /// taken back.
    private func cutUnfinishedGroup() {
        var isUnfinished = false
        for segment in plan.segments.reversed() {
            guard let file = read(segment) else { return }
            guard let last = file.entries.last else { continue }
            if !isUnfinished {
                // What a sealed file should have and has not is damage, and no reason to take anything else
                // away.
                guard last.continues, segment.lastID ?? last.id == last.id else { return }
                isUnfinished = true
            }
            if let whole = file.entries.last(where: { !$0.continues }) {
                _ = rollBack(to: whole.id)
                return
            }
        }
        if isUnfinished, let first = plan.segments.first { _ = rollBack(to: first.firstID - 1) }
    }

    /// Reads and seals a segment that an ended process left unsealed.
    private func adopt(_ segment: SpoolSegment) {
        let frames = UInt64(max(0, segment.size - SpoolSegment.headerSize) / SpoolFrame.headerSize)
        guard let file = read(segment), let current = plan.segment(segment.firstID) else {
            plan.useIDs(before: segment.firstID + frames)
            return
        }
        if current.readFailures >= SpoolPlan.readAttempts {
            plan.useIDs(before: segment.firstID + frames)
            if file.entries.isEmpty {
                files?.quarantine.move(segment.name)
                lose(segment)
                return
            }
        }
        copyDamage(of: file, current)
        guard let last = file.entries.last else {
            remove(current)
            return
        }
        if file.damage.contains(where: { $0.lowerBound < file.end }) {
            let ids = Int(clamping: last.id - segment.firstID + 1)
            plan.countDamaged(records: max(0, ids - file.entries.count))
        }
        plan.change(segment.firstID) { ($0.lastID, $0.count) = (last.id, file.entries.count) }
        if let segment = plan.segment(segment.firstID) { seal(segment) }
    }
}

/// How old records are, as far as the wall clock can be trusted.
///
/// Once it was seen to jump by more than an hour, nothing counts as old until the next start: a wrong clock
/// must not empty the store. Times before 2001 are a clock that was never set, and no age.
struct SpoolAge {
    private static let firstTime = 978_307_200_000_000_000 as Int64

    private let opened: (wall: LogTimestamp, uptime: Duration)
    private var hasJumped = false

    init(_ clock: any LogClock) { opened = (clock.now(), clock.uptime()) }

    /// Tells whether a record of a time is older than `age`; nil if the clock cannot be trusted.
    mutating func rule(_ age: Duration, _ clock: any LogClock) -> ((LogTimestamp) -> Bool)? {
        let now = clock.now()
        let drift = (now - opened.wall) - (clock.uptime() - opened.uptime)
        if drift > .seconds(3600) || drift < .seconds(-3600) { hasJumped = true }
        if hasJumped { return nil }
        return { $0.nanoseconds > SpoolAge.firstTime && now - $0 > age }
    }
}
