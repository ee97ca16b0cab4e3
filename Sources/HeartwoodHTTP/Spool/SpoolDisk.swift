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
    let reports: SpoolReports
    let quarantine: Quarantine
    let writer: SegmentWriter
    private let cursor: CursorFile
    /// What the names of records and keys of pieces contain.
    private(set) var identity: [UInt8] = []
    /// The state that the cursor had when the spool was opened.
    private(set) var openedState = BatchState()

    var segments = SegmentList()
    var reader: (firstID: UInt64, file: SegmentFile)?
    var losses = SpoolLosses()
    var opening = SpoolOpening()
    /// What was compacted: the segments before an id have nothing less serious than a level.
    var compacted: (level: UInt8, end: UInt64) = (.max, 0)

    /// Opens a spool, whatever state it was left in.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it.
    init(path: String, quarantineLimit: ByteCount) throws {
        directory = try SpoolDirectory(path: path)
        reports = SpoolReports(path: path)
        quarantine = Quarantine(in: directory, limit: quarantineLimit, reports)
        writer = SegmentWriter(in: directory)
        cursor = CursorFile(in: directory, reports)
        let names = try loadSegments()
        loadCursor()
        setAsideImplausible()
        cutUnfinishedGroup()
        adoptUnsealed()
        finishResending(among: names)
        if let error = opening.error { throw error }
        reap(through: openedState.acknowledged)
    }

    private func loadCursor() {
        if let saved = cursor.load() {
            (identity, openedState) = (saved.identity, saved.state)
            return
        }
        // A new spool, or one whose cursor is gone: what is there counts as unsent.
        identity = segments.lazy.compactMap(identityInHeader).first ?? RandomBytes.make(16)
        openedState = BatchState(acknowledged: segments.first.map { $0.firstID - 1 } ?? 0)
        cursor.start(openedState, identity: identity)
    }

    /// Ends the opening, once the records that are pending were counted.
    ///
    /// - Throws: `LogError` when a file could not be opened for lack of descriptors or memory.
    func endOpening() throws {
        opening.end()
        losses.beginCounting()
        if let error = opening.error { throw error }
    }

    /// The first id that was never used.
    var nextID: UInt64 {
        let used = segments.last.map { $0.lastID ?? $0.firstID } ?? 0
        return max(opening.leastNextID, max(used, openedState.acknowledged, openedState.last) + 1)
    }

    /// Writes the state into the cursor; false, with a report, when that fails.
    func save(_ state: BatchState, synchronizes: Bool) -> Bool {
        cursor.save(state, identity: identity, synchronizes: synchronizes)
    }
}
