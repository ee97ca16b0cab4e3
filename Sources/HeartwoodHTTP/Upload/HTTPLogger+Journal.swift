package import Heartwood

/// What the crash journal asks of a logger whose store survives the process.
extension HTTPLogger: DurableLogger {
    /// The store that a journal can follow.
    private var journaled: Spool? { runtime.shell.store as? Spool }

    package var journalKey: String? { runtime.journaledPath.map { "http:\($0)" } }

    package var isSettled: Bool {
        let store = runtime.shell.store
        return !store.isOnDisk || store.unsavedCount == 0
    }

    package func note(writesIn slot: JournalSlot?) {
        runtime.save()
        journaled?.announceWrites(to: slot)
    }

    package func forgetUnwritten() {
        journaled?.forgetUnsaved()
        runtime.shell.stored()
    }

    /// Compares the segment with what was going to be written to it; the spool itself has cut off what was
    /// torn.
    package func resolve(_ intent: JournalSlot.Intent) throws -> UInt64? {
        guard let files = journaled?.files, let segments = journaled?.plan.segments,
            let file = try files.find(intent.file, in: segments)
        else { return nil }
        let content = try intent.content(of: file.number, files.directory.calls)
        let mark = content.withUnsafeBytes { intent.arrived(in: $0).mark }
        return mark == 0 ? nil : mark
    }
}
