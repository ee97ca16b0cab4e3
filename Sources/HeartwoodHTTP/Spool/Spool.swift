package import Heartwood

/// The store of unsent messages: what is appended stays until it is acknowledged, set aside, or dropped and counted.
///
/// With a directory it outlives the process; without one it is memory only, with the same limits. It belongs to one
/// logger and is used in its hooks only.
///
/// `appended + recovered = acknowledged + set aside + lost + pending` holds at any time.
package final class Spool {
    /// Limits and the cutting into files; may be changed at any time.
    package var settings: SpoolSettings
    /// How many records wait.
    package private(set) var pending = 0 {
        didSet { if pending < oldValue { oldestKnown = nil } }
    }

    private let clock: any LogClock
    private var disk: SpoolDisk?
    /// The directory's path, if there is one.
    let path: String?
    /// Whether it was closed: nothing may be asked of it any more but its figures.
    private(set) var isClosed = false
    private let identity: [UInt8]
    private var state: BatchState
    private var isStateSaved = true
    private var todo: [ClosedRange<UInt64>] = []
    private var unsaved = RecordQueue()
    private var nextID: UInt64
    private var ownCounters = SpoolCounters()
    private var diskDamage = 0
    private let opened: (wall: LogTimestamp, uptime: Duration)
    private var hasClockJumped = false
    private var oldestKnown: LogTimestamp?

    /// Opens a spool in `directory`, or makes one in memory.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it.
    package init(
        directory: String?, settings: SpoolSettings = SpoolSettings(), clock: any LogClock = SystemClock()
    ) throws {
        self.settings = settings
        self.clock = clock
        path = directory
        opened = (clock.now(), clock.uptime())
        if let directory {
            let disk = try SpoolDisk(path: directory, quarantineLimit: settings.quarantineBytes)
            self.disk = disk
            identity = disk.identity
            state = disk.openedState
            nextID = disk.nextID
        } else {
            disk = nil
            identity = Digest.random(16)
            state = BatchState()
            nextID = 1
        }
        recover()
    }

    /// Counts what an earlier run left, and takes up its open batch where it was.
    private func recover() {
        guard let disk else { return }
        let touched = state.isOpen ? state.last : state.acknowledged
        for segment in disk.segments {
            pending +=
                segment.firstID > touched ? segment.count : disk.unfinished(in: segment, state.isDone)
        }
        diskDamage = disk.counters.damagedRecords
        ownCounters.recovered = pending + diskDamage
        guard let range = state.range else { return }
        todo = [range]
        if let piece = state.piece {
            todo = [piece]
            if piece.lowerBound > range.lowerBound { todo.append(range.lowerBound...piece.lowerBound - 1) }
            if piece.upperBound < range.upperBound { todo.append(piece.upperBound + 1...range.upperBound) }
        }
    }

    // MARK: Figures

    /// What became of everything so far.
    package var counters: SpoolCounters {
        guard let disk else { return ownCounters }
        var sum = ownCounters
        sum.damagedRecords += disk.counters.damagedRecords
        sum.damagedBytes += disk.counters.damagedBytes
        sum.tornBytes += disk.counters.tornBytes
        sum.failures += disk.counters.failures
        return sum
    }

    /// What the unsent messages take.
    package var bytes: Int { unsaved.bytes + (disk?.bytes ?? 0) }

    /// Whether it outlives the process.
    package var isOnDisk: Bool { disk != nil }

    /// Where it is, if it is on disk.
    var directory: SpoolDirectory? { disk?.directory }

    /// How many records are in memory only.
    package var unsavedCount: Int { unsaved.count }

    /// When the oldest record that waits was logged.
    package var oldestTime: LogTimestamp? {
        if pending == 0 { return nil }
        if let oldestKnown { return oldestKnown }
        forEach(after: state.acknowledged) { record in
            if !state.isDone(record.id) { oldestKnown = record.time }
            return oldestKnown == nil
        }
        return oldestKnown
    }

    /// What went wrong since this was last asked.
    package func takeTroubles() -> [LogError] {
        defer { disk?.troubles = [] }
        return disk?.troubles ?? []
    }

    /// A text that is the same for this record only, over restarts too.
    package func name(of id: UInt64) -> String { Hexadecimal.encode(identity) + "-" + String(id) }

    /// Frees the directory for others; what was not saved is gone from here.
    func close() {
        ownCounters = counters
        isClosed = true
        disk = nil
    }

    /// Takes over the figures of the one that was closed before.
    func goOn(from other: Spool) {
        let found = pending + diskDamage
        ownCounters = other.ownCounters
        ownCounters.recovered += found - other.pending
    }

    // MARK: Storing

    /// Takes a record over, in memory until ``save()``; false when it was dropped, which is counted.
    @discardableResult
    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8) -> Bool {
        let record = SpoolRecord(id: nextID, time: time, level: level, payload: payload)
        guard payload.count <= SpoolRecord.payloadLimit, makeRoom(for: record) else {
            ownCounters.appended += 1
            ownCounters.droppedFull += 1
            return false
        }
        nextID += 1
        if pending == 0 { oldestKnown = time }
        pending += 1
        ownCounters.appended += 1
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
        let limit = settings.maximumFiles
        while limit > 0 && disk.segments.count > limit, evictOldest() {}
        return unsaved.isEmpty
    }

    private func makeRoom(for record: SpoolRecord) -> Bool {
        var size = SpoolFrame.size(of: record)
        if disk != nil {
            let files = 2 * (unsaved.bytes + size) / settings.effectiveSegmentBytes + 2
            size += SpoolSegment.headerSize * min(files, unsaved.count + 1)
        }
        let limit = settings.maximumBytes.bytes
        guard size <= limit else { return false }
        while bytes + size > limit || (disk != nil && unsaved.bytes > 16 << 20) {
            switch settings.overflow {
            case .dropNewest: return false
            case .dropOldest: if !evictOldest() { return false }
            case .dropBelow(let level):
                let threshold = UInt8(clamping: level.severity.index)
                if record.level > threshold { return false }
                if !evict(below: threshold) && !evictOldest() { return false }
            }
        }
        return true
    }

    /// Drops the oldest records that are not on their way: a segment, or a part of what is in memory.
    private func evictOldest() -> Bool {
        if let disk, let count = disk.evictOldest(sparing: state.range, state.isDone) {
            pending -= count
            ownCounters.droppedFull += count
            return true
        }
        let spared = state.last
        guard let oldest = unsaved.from(spared + 1).first else { return false }
        let share = max(1, unsaved.count / 64)
        let end = oldest.id + UInt64(share)
        let count = unsaved.removeAll { $0.id > spared && $0.id < end }
        pending -= count
        ownCounters.droppedFull += count
        return count > 0
    }

    private func evict(below level: UInt8) -> Bool {
        let spared = state.last
        var count = disk?.compact(below: level, sparing: state.range, state.isDone) ?? 0
        if count == 0 { count = unsaved.removeAll { $0.id > spared && $0.level > level } }
        pending -= count
        ownCounters.droppedFull += count
        return count > 0
    }

    /// Drops what is older than ``SpoolSettings/maximumAge``; whole segments on disk.
    ///
    /// Once the wall clock was seen to jump by more than an hour, nothing counts as old until the next start: a wrong
    /// clock must not empty the store. Times before 2001 are a clock that was never set, and no age.
    package func expire() {
        guard let age = settings.maximumAge else { return }
        let now = clock.now()
        let drift = (now - opened.wall) - (clock.uptime() - opened.uptime)
        if drift > .seconds(3600) || drift < .seconds(-3600) { hasClockJumped = true }
        guard !hasClockJumped else { return }
        let isOld: (LogTimestamp) -> Bool = { $0.nanoseconds > 978_307_200_000_000_000 && now - $0 > age }
        if let disk {
            while let first = disk.segments.first, state.range.map({ first.firstID > $0.upperBound }) ?? true,
                let times = disk.times(of: first), isOld(times.last),
                let count = disk.evictOldest(sparing: state.range, state.isDone)
            {
                pending -= count
                ownCounters.droppedOld += count
            }
        }
        let spared = state.last
        let count = unsaved.removeAll { $0.id > spared && isOld($0.time) }
        pending -= count
        ownCounters.droppedOld += count
    }

    // MARK: Sending

    /// What is to be sent next, noted on disk as being on its way; nil when nothing waits.
    ///
    /// Until ``complete(_:done:)`` or ``split(_:)`` is called, it is the same again, over restarts too.
    package func nextPiece(maximumCount: Int, maximumBytes: Int) -> SpoolPiece? {
        save()
        while true {
            if !state.isOpen, !begin(maximumCount, maximumBytes) {
                settleDamage()
                return nil
            }
            while let range = todo.first {
                let records = records(in: range)
                if records.isEmpty {
                    todo.removeFirst()
                    continue
                }
                if state.piece != range || !isStateSaved {
                    state.send(range)
                    saveState()
                }
                settleDamage()
                return SpoolPiece(range: range, records: records, identity: identity)
            }
            finish()
        }
    }

    /// Notes that records of a piece need no sending any more: delivered, or set aside.
    package func complete(_ piece: SpoolPiece, done: [UInt64]) {
        let new = done.filter { !state.isDone($0) }
        state.mark(new)
        pending -= new.count
        let isWhole = piece.records.allSatisfy { state.isDone($0.id) }
        if isWhole {
            todo.removeAll { $0 == piece.range }
            state.send(nil)
        }
        if todo.isEmpty { finish() } else { saveState() }
    }

    /// Makes two pieces of one; false when it is a single record.
    package func split(_ piece: SpoolPiece) -> Bool {
        guard piece.records.count > 1, let index = todo.firstIndex(of: piece.range) else { return false }
        let middle = piece.records[piece.records.count / 2].id
        todo[index] = piece.range.lowerBound...middle - 1
        todo.insert(middle...piece.range.upperBound, at: index + 1)
        return true
    }

    /// Drops the oldest records, those on their way included; returns how many.
    @discardableResult
    package func dropOldest(_ count: Int) -> Int {
        var left = count
        while left > 0, let piece = nextPiece(maximumCount: left, maximumBytes: .max) {
            let ids = piece.records.prefix(left).map(\.id)
            complete(piece, done: ids)
            ownCounters.droppedAsked += ids.count
            left -= ids.count
        }
        return count - left
    }

    /// Calls `body` with every record that waits, in their order, until it returns false.
    package func forEachPending(_ body: (SpoolRecord) -> Bool) {
        save()
        forEach(after: state.acknowledged) { state.isDone($0.id) || body($0) }
    }

    private func begin(_ maximumCount: Int, _ maximumBytes: Int) -> Bool {
        var first: UInt64?
        var last: UInt64 = 0
        var count = 0
        var bytes = 0
        forEach(after: state.acknowledged) { record in
            if let first, record.id - first >= UInt64(BatchState.widestBatch) { return false }
            bytes += record.payload.count
            if count > 0 && bytes > maximumBytes { return false }
            first = first ?? record.id
            last = record.id
            count += 1
            return count < max(1, maximumCount)
        }
        guard let first else { return false }
        state.skip(to: first - 1)
        state.begin(last: last)
        todo = [first...last]
        return true
    }

    private func finish() {
        let last = state.last
        state.finish()
        todo = []
        if let first = unsaved.first, first.id <= last {
            unsaved.removeFirst(unsaved.count - unsaved.from(last + 1).count)
        }
        saveState()
        if isStateSaved { disk?.reap(through: state.acknowledged) }
    }

    private func saveState() {
        isStateSaved = disk?.save(state, synchronizes: settings.synchronizes) ?? true
    }

    private func records(in range: ClosedRange<UInt64>) -> [SpoolRecord] {
        var records: [SpoolRecord] = []
        forEach(after: range.lowerBound - 1) { record in
            guard record.id <= range.upperBound else { return false }
            if !state.isDone(record.id) { records.append(record) }
            return true
        }
        return records
    }

    /// Files first: what they have is older than what is in memory.
    private func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) {
        var goesOn = true
        disk?.forEach(after: id) { record in
            goesOn = body(record)
            return goesOn
        }
        guard goesOn else { return }
        for record in unsaved.from(id + 1) where !body(record) { return }
    }

    /// Damage that reading has found takes records away from those that wait.
    private func settleDamage() {
        guard let disk else { return }
        pending = max(0, pending - (disk.counters.damagedRecords - diskDamage))
        if disk.segments.isEmpty && unsaved.isEmpty && pending > 0 {
            disk.counters.damagedRecords += pending
            pending = 0
        }
        diskDamage = disk.counters.damagedRecords
    }
}
