package import Heartwood

/// What the crash journal asks of a logger whose saves survive the process.
///
/// Each save carries the writer's name and its number into the database, in the same transaction, and into
/// the journal, before: after a crash the two say exactly whether the save has arrived.
extension SQLiteLogger: DurableLogger {
    package var journalKey: String? { "sqlite:\(path)" }

    package var isSettled: Bool { isSaved }

    package func note(writesIn slot: JournalSlot?) {
        beginJournal(slot != nil)
        self.slot = slot
    }

    package func forgetUnwritten() { forgetUnsaved() }

    /// Asks the database whether the save is in it.
    package func resolve(_ intent: JournalSlot.Intent) throws -> UInt64? {
        guard let last = try store.mark(of: intent.name), last >= Int64(intent.size) else { return nil }
        return intent.marks.max()
    }
}

extension JournalSlot {
    /// Says which save is going to be made, and the mark of its last message.
    func intend(for mark: WriterMark, upTo last: UInt64) {
        // The database itself is asked later: no bytes are compared.
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        intend(
            FileStatus.Identity(device: 0, inode: 0), mark.writer, size: Int(mark.save), nothing, from: 0,
            ends: [1], marks: [last])
    }
}
