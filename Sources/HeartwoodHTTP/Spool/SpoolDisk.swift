import CHeartwood
import Heartwood

/// The spool's files: segments that are appended to and deleted, and the cursor.
///
/// Invariants, each held by a test:
/// 1. A record is in exactly one segment, or it is still in memory, or it is done.
/// 2. Segments are only appended to, and only by the process that made them; what a dead process left is sealed.
/// 3. A frame is written whole or not at all: what a failed write has left of one is cut off, or the file is sealed.
/// 4. A segment is deleted only after the cursor on disk says that all of it is done. A crash between the two
///    leaves a file that the next start deletes.
/// 5. The piece on its way is in the cursor before it is sent (see ``BatchState``).
/// 6. Damage costs the records it hits; the bytes go to `quarantine/`, the others are delivered.
/// 7. Of a group of records all are there or none: one that was not written to its end is cut off (`+Groups`).
/// 8. The files together never have more bytes than the limit that ``Spool`` checks before it writes.
final class SpoolDisk {
    let directory: SpoolDirectory
    var identity: [UInt8]
    var segments: [SpoolSegment] = []
    var counters = SpoolCounters()
    var troubles: [LogError] = []
    /// The state that the cursor had when the spool was opened.
    var openedState = BatchState()

    var cursorFile: Int32 = -1
    var generation: UInt64 = 0
    var active: (descriptor: Int32, salt: UInt32, openedAt: Duration)?
    var reader: (firstID: UInt64, file: SegmentFile)?
    var slot: JournalSlot?
    var quarantined = 0
    /// Waits until the disk has a file; tests count the calls.
    var makeDurable: (Int32) -> Int32 = { fdatasync($0) }
    let quarantineLimit: Int
    /// Whether the spool is being opened: what cannot be read then is tried again at once, since the ids and the number
    /// of pending records depend on it.
    var isOpening = true
    /// Records of a group that was given up and whose files could not be cut yet: they count as not there.
    var cancelled: ClosedRange<UInt64>?
    /// Whether a record needs no sending any more: losing it is no damage.
    var isDone: (UInt64) -> Bool = { _ in false }
    /// Told of each record that counts as damaged from now on, so that it counts as nothing else afterwards.
    var onLoss: (UInt64) -> Void = { _ in }
    /// Whether damage was found whose number of records is a guess, until those that are pending were counted.
    var isCountUncertain = false
    /// A reason other than damage for which a file could not be read while the spool was opened.
    var openingError: LogError?
    /// The first id that no file, however damaged, can have had.
    var leastNextID: UInt64 = 1

    /// Opens a spool, whatever state it was left in.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it.
    init(path: String, quarantineLimit: ByteCount) throws {
        directory = try SpoolDirectory(path: path)
        identity = []
        self.quarantineLimit = quarantineLimit.bytes
        let names = try loadSegments()
        loadCursor()
        setAsideImplausible()
        cutUnfinishedGroup()
        adoptUnsealed()
        finishResending(among: names)
        if let openingError { throw openingError }
        reap(through: openedState.acknowledged)
    }

    /// Ends the opening, once the records that are pending were counted.
    ///
    /// - Throws: `LogError` when a file could not be opened for lack of descriptors or memory.
    func endOpening() throws {
        isOpening = false
        isCountUncertain = false
        if let openingError { throw openingError }
    }

    deinit {
        if let active { close(active.descriptor) }
        if cursorFile >= 0 { close(cursorFile) }
    }

    /// What all segments take.
    var bytes = 0

    /// The first id that was never used.
    var nextID: UInt64 {
        let used = segments.last.map { $0.lastID ?? $0.firstID } ?? 0
        return max(leastNextID, max(used, openedState.acknowledged, openedState.last) + 1)
    }

    // MARK: The cursor

    /// Writes the state into the older slot; false, with a report, when that fails.
    ///
    /// After a failure the next write goes to the same slot, so that the other one stays whole.
    func save(_ state: BatchState, synchronizes: Bool) -> Bool {
        guard cursorFile >= 0 || reopenCursor() else { return false }
        let next = generation + 1
        let cursor = SpoolCursor(generation: next, identity: identity, state: state)
        let slot = Int(next % 2) * SpoolCursor.slotSize
        var error = SpoolFile.write(cursorFile, cursor.encoded(), at: slot)
        if error == 0 && synchronizes && makeDurable(cursorFile) != 0 { error = hw_errno() }
        guard error == 0 else {
            fail("cannot write the spool's cursor", "cursor", error)
            return false
        }
        generation = next
        return true
    }

    // MARK: Troubles

    func fail(_ message: String, _ name: String, _ error: Int32) {
        counters.failures += 1
        if troubles.count < 100 {
            troubles.append(LogError(.file, message, place: directory.path + "/" + name, cause: error))
        }
    }

    func report(_ code: LogError.Code, _ message: String, _ name: String) {
        if troubles.count < 100 {
            troubles.append(LogError(code, message, place: directory.path + "/" + name))
        }
    }
}
