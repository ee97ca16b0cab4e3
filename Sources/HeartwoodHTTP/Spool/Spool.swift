package import Heartwood

/// The store of unsent messages: what is appended stays until it is acknowledged, set aside, or dropped and counted.
///
/// With a directory it outlives the process; without one it is memory only, with the same limits. It belongs to one
/// logger and is used in its hooks only.
///
/// `appended + recovered = acknowledged + set aside + lost + pending` holds at any time.
package final class Spool: UnsentStore {
    /// Limits and the cutting into files; may be changed at any time.
    package var settings: SpoolSettings
    /// How many records are pending.
    package private(set) var pending = 0

    let clock: any LogClock
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
        directory: String?, settings: SpoolSettings = SpoolSettings(), clock: any LogClock = SystemClock()
    ) throws {
        self.settings = settings
        self.clock = clock
        path = directory
        age = SpoolAge(clock)
        if let directory {
            let disk = try SpoolDisk(path: directory, quarantineLimit: settings.quarantineBytes)
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
    func takeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Counts records that have come, the first of them logged at a time.
    func countStored(_ count: Int, from time: LogTimestamp?) {
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
    func countDropped(_ count: Int, _ reason: WritableKeyPath<SpoolCounters, Int>) {
        countDone(count)
        stored[keyPath: reason] += count
    }

    /// Counts records that the program dropped, which are counted as done already.
    func countAsked(_ count: Int) { stored.droppedAsked += count }

    /// Counts a record that was not taken.
    func countRefused() {
        stored.appended += 1
        stored.droppedFull += 1
    }

    /// Takes a count of records back that will come again.
    func countForgotten(_ count: Int) {
        countDone(count)
        stored.appended -= count
    }

    /// Writes the state of the open batch to the cursor.
    func saveState() {
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
    package var directory: SpoolDirectory? { disk?.directory }

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
        let opened = try Spool(directory: path, settings: settings, clock: clock)
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
