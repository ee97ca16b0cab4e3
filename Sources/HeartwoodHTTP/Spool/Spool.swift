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
    package internal(set) var pending = 0 {
        didSet { if pending < oldValue { oldestKnown = nil } }
    }

    let clock: any LogClock
    var disk: SpoolDisk?
    /// Where the crash journal is told of each write before it is made.
    var slot: JournalSlot? { didSet { disk?.slot = slot } }
    /// The directory's path, if there is one.
    let path: String?
    /// Whether it was closed: nothing may be asked of it any more but its figures.
    package private(set) var isClosed = false
    let identity: [UInt8]
    private let identityDigits: String
    var state: BatchState
    var isStateSaved = true
    /// Pieces of the open batch that are to be sent, in their order, and those that are parked.
    var todo: [ClosedRange<UInt64>] = []
    var parked: [ParkedPiece] = []
    /// How many records of the open batch were done since their files were last looked at for room.
    var reclaimable = 0
    var unsaved = RecordQueue()
    var nextID: UInt64
    var ownCounters = SpoolCounters()
    var diskDamage = 0
    let opened: (wall: LogTimestamp, uptime: Duration)
    var hasClockJumped = false
    var oldestKnown: LogTimestamp?

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
            identity = RandomBytes.make(16)
            state = BatchState()
            nextID = 1
        }
        identityDigits = Hexadecimal.encode(identity)
        recover()
        disk?.isDone = { [unowned self] in state.isDone($0) }
        disk?.onLoss = { [unowned self] in state.mark(CollectionOfOne($0)) }
        try disk?.endOpening()
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
            if piece.lowerBound > range.lowerBound {
                todo.insert(range.lowerBound...piece.lowerBound - 1, at: 0)
            }
            if piece.upperBound < range.upperBound { todo.append(piece.upperBound + 1...range.upperBound) }
        }
    }

    // MARK: Figures

    /// The counts so far: stored, dropped by reason, damaged.
    package var counters: SpoolCounters {
        guard let disk else { return ownCounters }
        settleDamage()
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
    package var directory: SpoolDirectory? { disk?.directory }

    /// How many records are in memory only.
    package var unsavedCount: Int { unsaved.count }

    /// When the oldest pending record was logged.
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
    package func drainErrors() -> [LogError] {
        defer { disk?.troubles = [] }
        return disk?.troubles ?? []
    }

    package func name(of record: SpoolRecord, in piece: SpoolPiece) -> String { name(of: record) }

    /// A text that is the same for this record only, over restarts too.
    package func name(of record: SpoolRecord) -> String {
        "\(identityDigits)-\(record.id)-\(String(record.checksum, radix: 16))"
    }

    /// Frees the directory for others; what was not saved is gone, and counted.
    package func close() {
        if isOnDisk {
            let gone = unsaved.removeAll { !state.isDone($0.id) }
            pending -= gone
            ownCounters.droppedUnsaved += gone
        }
        ownCounters = counters
        isClosed = true
        disk = nil
    }

    /// Opens the directory again, after ``close()``, and continues the figures.
    package func reopened() throws -> any UnsentStore {
        let opened = try Spool(directory: path, settings: settings, clock: clock)
        let found = opened.pending + opened.diskDamage
        opened.ownCounters = ownCounters
        opened.ownCounters.recovered += found - pending
        opened.slot = slot
        return opened
    }

    /// The same in memory, where the directory cannot be had again.
    package func reopenedInMemory() -> any UnsentStore {
        guard let opened = try? Spool(directory: nil, settings: settings, clock: clock) else { return self }
        opened.ownCounters = ownCounters
        opened.ownCounters.recovered -= pending
        return opened
    }
}
