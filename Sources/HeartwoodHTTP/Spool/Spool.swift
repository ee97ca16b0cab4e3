package import Heartwood

/// The store of unsent messages: what is appended stays until it is acknowledged, set aside, or dropped and
/// counted.
///
/// With a directory it outlives the process; without one it is memory only, with the same limits. It belongs
/// to one logger and is used in its hooks only.
///
/// `appended + recovered = acknowledged + set aside + lost + pending` holds at any time.
package final class Spool: UnsentStore {
    /// Limits and the cutting into files; may be changed at any time.
    package var settings: SpoolSettings
    /// How many records are pending.
    package private(set) var pending = 0

    let clock: any LogClock
    private let calls: SystemCalls
    var disk: SpoolDisk?
    /// The directory's path, if there is one.
    let path: String?
    /// Whether it was closed: nothing may be asked of it any more but its figures.
    package private(set) var isClosed = false
    let identity: [UInt8]
    private let identityDigits: String
    var batch: OpenBatch
    /// Records that are in memory only.
    var unsaved = RecordQueue()
    private(set) var nextID: UInt64
    var age: SpoolAge
    private(set) var isStateSaved = true
    /// Where the crash journal is told of each write before it is made.
    private var slot: JournalSlot?
    /// What was stored and dropped; the files count damage.
    private var stored = SpoolCounters()
    private var oldestKnown: LogTimestamp?

    /// Opens a spool in `directory`, or makes one in memory.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it.
    package init(
        directory: String?, settings: SpoolSettings = SpoolSettings(), clock: any LogClock = SystemClock(),
        calls: SystemCalls = SystemCalls()
    ) throws {
        self.settings = settings
        self.clock = clock
        self.calls = calls
        path = directory
        age = SpoolAge(clock)
        if let directory {
            let disk = try SpoolDisk(path: directory, quarantineLimit: settings.quarantineBytes, calls)
            self.disk = disk
            identity = disk.identity
            batch = OpenBatch(disk.openedState)
            nextID = disk.nextID
        } else {
            disk = nil
            identity = RandomBytes.make(16)
            batch = OpenBatch(BatchState())
            nextID = 1
        }
        identityDigits = Hexadecimal.encode(identity)
        recover()
        disk?.losses.connect(
            isDone: { [unowned self] in batch.state.isDone($0) },
            onLoss: { [unowned self] in batch.lose($0) })
        try disk?.endOpening()
    }

    /// Counts what an earlier run left.
    private func recover() {
        guard let disk else { return }
        let state = batch.state
        let touched = state.isOpen ? state.last : state.acknowledged
        for segment in disk.segments {
            pending +=
                segment.firstID > touched ? segment.count : disk.unfinished(in: segment, state.isDone)
        }
        disk.reports.settleAll()
        stored.recovered = pending + disk.reports.settled
    }

    /// Has the crash journal told of each write before it is made, or no longer.
    func note(writesIn slot: JournalSlot?) {
        self.slot = slot
        disk?.writer.tell(slot)
    }

    // MARK: What comes and goes

    /// The id of a record that comes, unless all were used.
    private func takeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Counts records that have come, the first of them logged at a time.
    private func countStored(_ count: Int, from time: LogTimestamp?) {
        if pending == 0 { oldestKnown = time }
        pending += count
        stored.appended += count
    }

    /// Counts records that are pending no more.
    func countDone(_ count: Int) {
        pending -= count
        if count > 0 { oldestKnown = nil }
    }

    /// Counts records that are dropped, by reason.
    private func countDropped(_ count: Int, _ reason: WritableKeyPath<SpoolCounters, Int>) {
        countDone(count)
        stored[keyPath: reason] += count
    }

    /// Counts records that the program dropped, which are counted as done already.
    private func countAsked(_ count: Int) { stored.droppedAsked += count }

    /// Counts a record that was not taken.
    func countRefused() {
        stored.appended += 1
        stored.droppedFull += 1
    }

    /// Takes a count of records back that will come again.
    private func countForgotten(_ count: Int) {
        countDone(count)
        stored.appended -= count
    }

    /// Writes the state of the open batch to the cursor.
    private func saveState() {
        isStateSaved = disk?.save(batch.state, synchronizes: settings.synchronizes) ?? true
    }

    // MARK: Figures

    /// The counts so far: stored, dropped by reason, damaged.
    package var counters: SpoolCounters {
        guard let disk else { return stored }
        settleDamage()
        var sum = stored
        sum += disk.reports.counters
        return sum
    }

    /// What the unsent messages take.
    package var bytes: Int { unsaved.bytes + (disk?.segments.bytes ?? 0) }

    /// Whether it outlives the process.
    package var isOnDisk: Bool { disk != nil }

    /// Where it is, if it is on disk.
    package var directory: Directory? { disk?.directory }

    /// How many records are in memory only.
    package var unsavedCount: Int { unsaved.count }

    /// When the oldest pending record was logged.
    package var oldestTime: LogTimestamp? {
        if pending == 0 { return nil }
        if let oldestKnown { return oldestKnown }
        forEach(after: batch.state.acknowledged) { record in
            if !batch.state.isDone(record.id) { oldestKnown = record.time }
            return oldestKnown == nil
        }
        return oldestKnown
    }

    /// What went wrong since this was last asked.
    package func drainErrors() -> [LogError] {
        disk?.reports.drain() ?? []
    }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String { name(of: record) }

    /// A text that is the same for this record only, over restarts too.
    package func name(of record: SpoolRecord) -> String {
        "\(identityDigits)-\(record.id)-\(String(record.checksum, radix: 16))"
    }

    /// Frees the directory for others; what was not saved is gone, and counted.
    package func close() {
        if isOnDisk {
            let state = batch.state
            countDropped(unsaved.removeAll { !state.isDone($0.id) }, \.droppedUnsaved)
        }
        stored = counters
        isClosed = true
        disk = nil
    }

    /// Opens the directory again, after ``close()``, and continues the figures.
    package func reopened() throws -> any UnsentStore {
        let opened = try Spool(directory: path, settings: settings, clock: clock, calls: calls)
        let found = opened.pending + (opened.disk?.reports.settled ?? 0)
        opened.stored = stored
        opened.stored.recovered += found - pending
        opened.note(writesIn: slot)
        return opened
    }

    /// The same in memory, where the directory cannot be had again.
    package func reopenedInMemory() -> any UnsentStore {
        guard let opened = try? Spool(directory: nil, settings: settings, clock: clock) else { return self }
        opened.stored = stored
        opened.stored.recovered -= pending
        return opened
    }
}

// MARK: - Storing

extension Spool {
    /// Takes a record over, in memory until ``save()``; false when it was dropped, which is counted.
    @discardableResult
    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        var record = SpoolRecord(id: nextID, time: time, level: level, payload: payload)
        record.mark = mark
        let isStorable = payload.count <= settings.effectivePayloadLimit && nextID < SpoolRecord.largestID
        guard isStorable, makeRoom(for: record) else {
            countRefused()
            return false
        }
        _ = takeID()
        countStored(1, from: time)
        unsaved.append(record)
        if disk != nil && unsaved.bytes >= 1 << 20 { save() }
        return true
    }

    /// Writes what is in memory only to the files; true when nothing is left there.
    @discardableResult
    package func save() -> Bool {
        guard let disk, !unsaved.isEmpty else { return true }
        let written = disk.write(unsaved.all, settings, uptime: clock.uptime())
        unsaved.removeFirst(written)
        let limit = settings.maximumFiles.limit ?? 0
        while limit > 0 && disk.segments.count > limit, evictOldest() {}
        return unsaved.isEmpty
    }

    /// Forgets what is in memory only, as if it had never come: it will come again, from a crash journal.
    func forgetUnsaved() {
        countForgotten(unsaved.removeAll { _ in true })
    }
}

// MARK: - Sending

extension Spool {
    /// What is to be sent next, noted on disk as being on its way; nil when nothing waits.
    ///
    /// Until ``complete(_:done:)``, ``split(_:)`` or ``park(_:)`` is called, it is the same again, over
    /// restarts too.
    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        recount()
        let most = max(1, maximumCount)
        while true {
            let needsMore = batch.needsMore
            if probe, batch.state.isOpen { widenToNewest(most, maximumBytes) }
            if needsMore, batch.todo.isEmpty, !begin(most, maximumBytes) {
                settleDamage()
                return nil
            }
            while let piece = probe ? batch.todo.last : batch.todo.first {
                var range = piece
                // What cannot be read now is not done: it stays on its way.
                guard var records = self.records(in: range) else {
                    settleDamage()
                    return nil
                }
                if records.isEmpty {
                    batch.remove(range)
                    continue
                }
                if range != batch.state.piece, records.count > most {
                    if probe {
                        batch.cut(range, after: records[records.count - most - 1].id)
                        continue
                    }
                    // Pieces that were parked when the process ended come back as one.
                    batch.cut(range, after: records[most - 1].id)
                    range = range.lowerBound...records[most - 1].id
                    records = Array(records.prefix(most))
                }
                if batch.state.piece != range || !isStateSaved {
                    batch.send(range)
                    saveState()
                }
                settleDamage()
                return SpoolPiece(range: range, records: records, origin: identity)
            }
            guard batch.parked.isEmpty else { continue }
            finish()
        }
    }

    /// Whether pieces of a batch were sent, and not all of it is done.
    package var hasOpenBatch: Bool { batch.state.isOpen }

    /// Keeps the piece, and continues with those after it, newer batches too, until ``unpark(_:)``.
    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        batch.park(piece.range, isUnconfirmed: isUnconfirmed)
    }

    /// Has parked pieces sent again, in their order.
    package func unpark(_ pieces: [SpoolPiece]) { batch.unpark(pieces.map(\.range)) }

    /// Notes that records of a piece need no sending any more: delivered, or set aside.
    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = batch.mark(done)
        countDone(count)
        if piece.records.allSatisfy({ batch.state.isDone($0.id) }) { batch.complete(piece.range) }
        if batch.isSettled { finish() } else { saveState() }
        return count
    }

    /// Makes two pieces of one; false when it is a single record.
    package func split(_ piece: SpoolPiece) -> Bool {
        guard piece.records.count > 1, batch.todo.contains(piece.range) else { return false }
        batch.cut(piece.range, after: piece.records[piece.records.count / 2].id - 1)
        return true
    }

    /// Drops the oldest records, those on their way included; returns how many.
    @discardableResult
    package func dropOldest(_ count: Int) -> Int {
        batch.unparkAll()
        var left = count
        while left > 0, let piece = nextPiece(maximumCount: left, maximumBytes: .max) {
            let ids = piece.records.prefix(left).map(\.id)
            complete(piece, done: ids)
            countAsked(ids.count)
            left -= ids.count
        }
        return count - left
    }

    /// Calls `body` with every pending record, in their order, until it returns false.
    package func forEachPending(_ body: (SpoolRecord) -> Bool) {
        save()
        forEach(after: batch.state.acknowledged) { batch.state.isDone($0.id) || body($0) }
    }

    /// Opens a batch, or makes the open one longer by a piece; false when there is nothing to take.
    private func begin(_ maximumCount: Int, _ maximumBytes: Int) -> Bool {
        var first: UInt64?
        var last: UInt64 = 0
        var count = 0
        var bytes = 0
        let state = batch.state
        forEach(after: state.isOpen ? state.last : state.acknowledged) { record in
            let start = state.isOpen ? state.acknowledged + 1 : first ?? record.id
            if record.id - start >= UInt64(BatchState.widestBatch) { return false }
            bytes += record.payload.count
            if count > 0 && bytes > maximumBytes { return false }
            first = first ?? record.id
            last = record.id
            count += 1
            return count < maximumCount
        }
        guard let first else { return false }
        if state.isOpen { batch.widen(by: [first...last]) } else { batch.begin(first...last) }
        return true
    }

    /// Makes the open batch as long as it may be, and its newest records a piece.
    private func widenToNewest(_ maximumCount: Int, _ maximumBytes: Int) {
        var found: [(id: UInt64, size: Int)] = []
        let limit = batch.state.acknowledged + UInt64(BatchState.widestBatch)
        forEach(after: batch.state.last) { record in
            guard record.id <= limit else { return false }
            found.append((record.id, record.payload.count))
            return true
        }
        guard let first = found.first, let last = found.last else { return }
        var start = last.id
        var bytes = 0
        for record in found.suffix(maximumCount).reversed() {
            bytes += record.size
            if bytes > maximumBytes { break }
            start = record.id
        }
        batch.widen(by: (start > first.id ? [first.id...start - 1] : []) + [start...last.id])
    }

    private func finish() {
        let last = batch.finish()
        if let first = unsaved.first, first.id <= last {
            unsaved.removeFirst(unsaved.count - unsaved.from(last + 1).count)
        }
        saveState()
        if isStateSaved { disk?.reap(through: batch.state.acknowledged) }
    }

    /// The records of a range that are not done; nil when a file that may have some of them cannot be read
    /// now.
    func records(in range: ClosedRange<UInt64>) -> [SpoolRecord]? {
        var records: [SpoolRecord] = []
        var seen: UInt64 = 0
        let isRead = forEach(after: range.lowerBound - 1) { record in
            seen = record.id
            guard record.id <= range.upperBound else { return false }
            if !batch.state.isDone(record.id) { records.append(record) }
            return true
        }
        return isRead || seen >= range.upperBound ? records : nil
    }

    /// Files first: what they have is older than what is in memory.
    ///
    /// Returns false when it ended before a file that cannot be read now; what follows that must wait.
    @discardableResult
    func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) -> Bool {
        var goesOn = true
        let isRead =
            disk?.forEach(after: id) { record in
                goesOn = body(record)
                return goesOn
            } ?? true
        guard isRead, goesOn else { return isRead }
        for record in unsaved.from(id + 1) where !body(record) { break }
        return true
    }

    /// Damage that reading has found takes records away from those that are pending.
    private func settleDamage() {
        guard let disk else { return }
        countDone(disk.reports.settle(disk.reports.unsettled, pending: pending))
    }

    /// Counts the pending records after damage, as soon as all files can be read.
    ///
    /// Until then their number is a guess: a file that is lost may have had records that were done, or not
    /// have had them any more.
    private func recount() {
        guard let disk, disk.losses.isUncertain else { return }
        settleDamage()
        disk.losses.beginCounting()
        var count = 0
        let isRead = forEach(after: batch.state.acknowledged) { record in
            if !batch.state.isDone(record.id) { count += 1 }
            return true
        }
        guard isRead else { return disk.losses.noteUncertain() }
        countDone(disk.reports.settle(pending - count, pending: pending))
    }
}

// MARK: - Room

extension Spool {
    /// Makes room for a record, as ``SpoolSettings/overflow`` says; false when there is no room.
    ///
    /// What the open batch has done takes no room that new messages need: its files are rewritten without it
    /// first.
    func makeRoom(for record: SpoolRecord) -> Bool {
        var size = SpoolFrame.size(of: record)
        if disk != nil {
            let files = 2 * (unsaved.bytes + size) / settings.effectiveSegmentBytes + 2
            size += SpoolSegment.headerSize * min(files, unsaved.count + 1)
        }
        let limit = settings.maximumBytes.bytes
        guard size <= limit else { return false }
        while bytes + size > limit || (disk != nil && unsaved.bytes > 16 << 20) {
            if reclaim() { continue }
            switch settings.overflow {
            case .dropNewest: if !replaceRefused() { return false }
            case .dropOldest: if !evictOldest() && !evictFromBatch() { return false }
            case .dropBelow(let level):
                let threshold = UInt8(clamping: level.severity.index)
                if record.level > threshold { return false }
                if !evict(below: threshold) && !evictOldest() && !evictFromBatch() { return false }
            }
        }
        return true
    }

    /// Drops the oldest records that are not in the open batch: a segment, or a part of what is in memory.
    func evictOldest() -> Bool {
        if let disk, let count = disk.evictOldest(sparing: batch.state.range, batch.state.isDone) {
            countDropped(count, \.droppedFull)
            return true
        }
        let spared = batch.state.last
        guard let oldest = unsaved.from(spared + 1).first else { return false }
        let share = max(1, unsaved.count / 64)
        let end = oldest.id + UInt64(share)
        let count = unsaved.removeAll { $0.id > spared && $0.id < end }
        countDropped(count, \.droppedFull)
        return count > 0
    }

    /// Drops the oldest half of what is left of the open batch, where nothing else is left to go.
    ///
    /// A store that is full of refused messages would take no other one otherwise, and so never find out that
    /// the server takes others. The piece on its way goes last; what the server has received and not yet
    /// confirmed stays.
    private func evictFromBatch() -> Bool {
        let ids = pendingOfBatch(besides: batch.parked.filter(\.isUnconfirmed).map(\.range))
        let others = ids.filter { batch.state.piece?.contains($0) != true }
        let oldest = others.isEmpty ? ids : others
        return dropOfBatch(oldest.prefix(max(1, oldest.count / 2)))
    }

    /// Drops the newest message that was refused without a success, so that a new one takes its place.
    ///
    /// That costs as many messages as to refuse the new one, and shows whether the server takes any.
    private func replaceRefused() -> Bool {
        guard let newest = batch.parked.last(where: { !$0.isUnconfirmed }) else { return false }
        let ids = pendingOfBatch(besides: []).filter { newest.range.contains($0) }
        return dropOfBatch(ids.suffix(1))
    }

    /// The ids of the open batch that are not done, but for those in some ranges.
    private func pendingOfBatch(besides spared: [ClosedRange<UInt64>]) -> [UInt64] {
        guard let range = batch.state.range else { return [] }
        return (records(in: range) ?? []).map(\.id).filter { id in !spared.contains { $0.contains(id) } }
    }

    private func dropOfBatch(_ ids: some Collection<UInt64>) -> Bool {
        guard !ids.isEmpty else { return false }
        countDropped(batch.mark(ids), \.droppedFull)
        batch.removeParked(without: pendingOfBatch(besides: []))
        saveState()
        return reclaim()
    }

    /// Takes what is done in the open batch out of memory, or of the oldest file that has such; false when
    /// there is nothing.
    private func reclaim() -> Bool {
        guard batch.reclaimable > 0, let range = batch.state.range else { return false }
        if unsaved.removeAll(where: { batch.state.isDone($0.id) }) > 0 { return true }
        let isFound = disk?.reclaim(range, synchronizes: settings.synchronizes, batch.state.isDone) ?? false
        if !isFound { batch.endReclaiming() }
        return isFound
    }

    func evict(below level: UInt8) -> Bool {
        let spared = batch.state.last
        var count =
            disk?.compact(
                below: level, sparing: batch.state.range, synchronizes: settings.synchronizes,
                batch.state.isDone) ?? 0
        if count == 0 { count = unsaved.removeAll { $0.id > spared && $0.level > level } }
        countDropped(count, \.droppedFull)
        return count > 0
    }

    /// Drops what is older than ``SpoolSettings/maximumAge``; whole segments on disk.
    package func expire() {
        guard let limit = settings.maximumAge.limit, let isOld = age.rule(limit, clock) else { return }
        let state = batch.state
        if let disk {
            while let first = disk.segments.first, state.range.map({ first.firstID > $0.upperBound }) ?? true,
                let times = disk.times(of: first), isOld(times.last),
                let count = disk.evictOldest(sparing: state.range, state.isDone)
            {
                countDropped(count, \.droppedOld)
            }
        }
        countDropped(unsaved.removeAll { $0.id > state.last && isOld($0.time) }, \.droppedOld)
    }
}

// MARK: - Groups

extension Spool {
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
        guard let disk else { throw LogError(.file, "the spool is closed, or has no directory") }
        guard save() else {
            throw LogError(
                .file, "the disk does not accept the messages logged before; fix that first",
                place: disk.directory.path, cause: lastCause)
        }
        guard count > 0 else { return }
        guard UInt64(count) < SpoolRecord.largestID - min(nextID, SpoolRecord.largestID) else {
            throw LogError(.file, "the spool has used all its IDs", place: disk.directory.path)
        }
        let before = nextID - 1
        let end = before + UInt64(count)
        let failures = disk.reports.counters.failures
        do {
            var left = count
            while left > 0 {
                var chunk = RecordQueue()
                while left > 0 && chunk.bytes < 1 << 20 {
                    let (payload, time, level) = try next()
                    guard payload.count <= settings.effectivePayloadLimit else {
                        throw LogError(
                            .file,
                            "a record of \(payload.count) bytes is too large: the limit is "
                                + "\(ByteCount(settings.effectivePayloadLimit))")
                    }
                    chunk.append(SpoolRecord(id: takeID(), time: time, level: level, payload: payload))
                    left -= 1
                }
                let written = disk.write(chunk.all, settings, uptime: clock.uptime(), groupEnd: end)
                guard written == chunk.count, disk.reports.counters.failures == failures else {
                    throw LogError(
                        .file, "cannot write the spool", place: disk.directory.path, cause: lastCause)
                }
            }
        } catch {
            disk.cancel(before + 1...end)
            throw error
        }
        countStored(count, from: nil)
    }

    private var lastCause: Int32? { disk?.reports.lastCause }
}

// MARK: - Resending

extension Spool {
    /// Stores the dead letters of the directory again, after everything that is pending, and removes them
    /// from their files.
    ///
    /// All of them are stored or none, each once, also when the process dies in the middle of it.
    ///
    /// - Returns: how many messages are pending again, and how many lines stay since they have no message
    ///   that can be stored.
    /// - Throws: `LogError` when the files cannot be written; then the letters are where they were, unless it
    ///   says else.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let disk else { throw LogError(.file, "the spool is closed, or has no directory") }
        let letters = DeadLetters(in: disk.directory, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0, save() else { return (0, found.others) }
        let before = settings
        settings.synchronizes = true
        settings.payloadLimit = SpoolRecord.largestPayload
        defer { settings = before }
        try letters.resend(to: String(nextID)) { try appendWhole(found.messages, letters) }
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

extension SpoolDisk {
    /// Ends what a process was doing that died while it stored dead letters again.
    func finishResending(among names: [String]) {
        _ = reports.attempt(
            "cannot remove dead letters that were queued again", DeadLetterFile.name
        ) { () throws(SystemFailure) in
            try ResendMark.finish(in: directory, among: names) { UInt64($0).map { nextID > $0 } ?? false }
        }
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
