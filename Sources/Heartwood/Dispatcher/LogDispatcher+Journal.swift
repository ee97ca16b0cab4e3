extension LogDispatcher {
    /// The journal, which preserves accepted messages when the process dies; nil, the default, keeps messages
    /// in memory only.
    ///
    /// ```swift
    /// LogDispatcher.shared.journal = .file("/var/lib/shop/journal")
    /// LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    /// ```
    ///
    /// With a journal, a message is safe as soon as its call has returned, even after `kill -9` or a trap
    /// (promise 10), but not after a power failure. Loggers that make messages durable, such as file and
    /// SQLite loggers, first get the messages that dead processes have left in the directory, once and in
    /// order. Set the journal before you add loggers, so that these older messages are written first. A
    /// record stays in the ring until those loggers have written it. Therefore ``overflowPolicy`` of the ring
    /// also applies when a disk is full: after its time limit, records are released, which is reported, and
    /// are then only as safe as without a journal.
    ///
    /// If the file cannot be created, the ring stays in memory. ``journalStatus`` and ``diagnostics`` report
    /// this, and nothing is thrown. Changing the journal makes callers wait for a moment. Never change it in
    /// a logger or formatter.
    public var journal: LogJournal? {
        get { journaling.wanted }
        set { journaling.set(newValue) }
    }

    /// The state of ``journal``.
    public var journalStatus: LogJournal.Status { journaling.status }

    /// Whether a fatal signal adds a last message to the journal, with its name and address; false by default.
    ///
    /// The message has the level `fatal`, and is delivered with the recovered messages. Earlier messages need
    /// no handler, because they are in the journal as soon as their calls have returned. The handler only
    /// stores a few words, and then calls the handler that was installed before it. It is installed once and
    /// stays. A stack overflow is detected on the thread that first sets this property. Without a journal,
    /// the property has no effect, which is reported.
    public var recordsFatalSignals: Bool {
        get { journaling.notesSignals }
        set {
            if journaling.setNotesSignals(newValue) || !newValue { return }
            diagnostics.report(.misuse, "recordsFatalSignals requires a journal; set `journal` too")
        }
    }

    /// What waits in the journals of dead processes for loggers that have not been added.
    package var recoverable: [JournalTarget] {
        var targets: [JournalTarget] = []
        for key in journaling.recoverable {
            let target = JournalTarget(key)
            if !targets.contains(target) { targets.append(target) }
        }
        return targets
    }

    /// Whether the ring is in a file.
    var isJournaled: Bool { place.isFile }
}
