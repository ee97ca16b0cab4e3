import CHeartwood
public import Heartwood

/// Saves messages in an SQLite database, where you can search them by time, level, category and text.
///
/// ```swift
/// let database = try SQLiteLogger(path: "/var/lib/shop/log.sqlite")
/// database.maximumAge = .seconds(30 * 86_400)
/// database.maximumSize = .mebibytes(500)
/// LogDispatcher.shared.add(database, levels: .debug)
/// ```
///
/// - **Schedule**: `AbstractDatabaseLogger` decides when to save and delete. By default it saves 500 messages
///   at a time or after 60 seconds, and keeps messages for seven days. Each save is one transaction.
/// - **Settings** are the members of ``SQLiteSettings`` and of `DatabaseSettings`. They may be changed at any
///   time, on any thread.
/// - **Reading**: use ``SQLiteLogReader``, in this or another process, while the logger is running, or any
///   SQLite tool: `sqlite3 log.sqlite 'SELECT * FROM log'`. Messages that are not saved yet are not visible:
///   flush first.
/// - **Files**: the database has mode 0600, in a directory with mode 0700 that no other user can write to.
///   Its `-wal` and `-shm` files and a hidden lock file are next to it. Several processes and loggers can
///   write to the same database.
/// - **Errors**: if the disk is full, or others have the database locked for longer than
///   ``SQLiteSettings/busyTimeout``, messages wait in memory, up to `unsavedLimit`. A damaged database is
///   set aside as `log.sqlite.damaged-…`, and a new one is started; the newest three damaged ones are kept.
///   A new one is also started if the file was removed. Each of these is reported.
/// - **Crashes**: saved messages survive the process. With a journal (`LogDispatcher.journal`), every batch
///   is saved, and no accepted message is lost or saved twice.
///
/// Texts are saved unchanged, including line breaks, control characters and zero bytes. For most functions of
/// SQL and for the `sqlite3` tool, a text ends at a zero byte; ``SQLiteLogReader`` reads and finds all of it.
public final class SQLiteLogger: AbstractDatabaseLogger<SQLiteRow>, @unchecked Sendable {  // owned by 'queue'
    @Ordered private var own = SQLiteSettings()

    /// Reads or sets one of ``SQLiteSettings``; any thread, in order with the messages.
    public subscript<Value>(dynamicMember member: WritableKeyPath<SQLiteSettings, Value>) -> Value {
        get { own[keyPath: member] }
        set { _own.update(of: self) { $0[keyPath: member] = newValue } }
    }

    // MARK: Constants (any thread)

    /// The path of the database.
    package let path: String
    let writer: String

    // MARK: Owned by the hooks
    private var existingStore: SQLiteStore?
    var store: SQLiteStore {
        assert(isOwnedHere, "The store was used outside of the logger's hooks; use it in a hook")
        return existingStore.unsafelyUnwrapped
    }
    private var fields = SQLiteLogger.fieldsFormatter(.redact)
    private var text = LogBuffer(capacity: 1024)
    private var early: [(LogDiagnostics.Kind, String)] = []
    private var isAdded = false
    /// Where the crash journal follows the saves.
    var slot: JournalSlot?
    var saves: Int64 = 0

    /// Opens the database, and creates it, and the directories above it, if they are missing.
    ///
    /// A damaged database is not an error: it is set aside, and a new one is started.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - formatter: Writes the text of each message. nil, the default, saves the plain text, which is best
    ///     for searching.
    ///   - name: The logger's name in statistics and diagnostics.
    ///   - policy: How the directory is made where it is missing, and which one is accepted.
    ///   - clock: The clock; tests pass another one.
    /// - Throws: `LogError` if the database cannot be created or opened, if it has another version, or
    ///   belongs to another program.
    public init(
        path: String, formatter: LogFormatter? = nil, name: String? = nil,
        policy: LogDirectoryPolicy = LogDirectoryPolicy(), clock: any LogClock = SystemClock()
    ) throws {
        let (folder, file) = path.folderAndName
        guard Directory.isSafe(file), file.utf8.count <= 200 else {
            throw LogError(
                .setting, "The path of the database must end with a file name of at most 200 bytes",
                place: path)
        }
        let directory = try Directory(folder, policy: policy)
        self.path = directory.path + "/" + file
        writer = String(UInt64.random(in: .min ... .max), radix: 16)
        super.init(name: name, formatter: formatter, clock: clock)
        existingStore = SQLiteStore(
            directory: directory, name: file, clock: clock,
            noteProgress: { [unowned self] in noteProgress() }, report: { [unowned self] in tell($0, $1) })
        do {
            try store.open()
        } catch let failure as SQLiteFailure {
            throw LogError(.file, "Cannot open the database: \(failure)", place: self.path)
        }
    }

    /// Reports a problem; one that is found before there is a dispatcher is reported when there is one.
    private func tell(_ kind: LogDiagnostics.Kind, _ text: String) {
        if isAdded {
            diagnostics.report(kind, "\(name): \(text)", key: name)
        } else {
            early.append((kind, text))
        }
    }

    // MARK: - Hooks of the base class

    /// Converts a message to a row, with the settings that were in effect when it was logged.
    public override func row(for message: LogMessage) -> SQLiteRow? {
        text.removeAll()
        if hasFormatter {
            guard formatted(message, into: &text) else { return nil }
        } else {
            beginRedaction(in: &text)
            text.appendText(of: message, privacy: store.settings.privacy)
        }
        let line = text.text
        text.removeAll()
        beginRedaction(in: &text)
        let hasFields = fields.format(message, into: &text) && text.count > 2
        let row = SQLiteRow(message, text: line, metadata: hasFields ? text.text : nil)
        text.shrink(to: 64 * 1024)
        return row
    }

    /// Saves rows in one transaction.
    ///
    /// - Throws: An error if the disk is full, the database cannot be opened or written, or others have it
    ///   locked for longer than ``SQLiteSettings/busyTimeout``. Then no row is saved, and the base class
    ///   tries again.
    public override func save(_ rows: [SQLiteRow]) throws {
        guard let slot, lastMark != 0, !hw_forked_child_load() else {
            try store.save(rows)
            return noteSaved(rows)
        }
        // The intent says which save it is, and the database, in the same transaction, which was the last.
        saves += 1
        let mark = WriterMark(writer: writer, save: saves)
        slot.intend(for: mark, upTo: lastMark)
        do {
            try store.save(rows, mark: mark)
        } catch {
            slot.settle(upTo: 0)
            throw error
        }
        slot.settle(upTo: lastMark)
        noteSaved(rows)
    }

    private func noteSaved(_ rows: [SQLiteRow]) {
        noteWritten(rows.reduce(0) { $0 + $1.message.utf8.count + ($1.metadata?.utf8.count ?? 0) })
    }

    /// Deletes messages that were logged before a moment, in transactions of up to 10,000 messages, and
    /// returns their space to the file system.
    ///
    /// - Throws: An error if the database cannot be opened or written, or others have it locked for longer
    ///   than ``SQLiteSettings/busyTimeout``. The base class tries again later.
    public override func deleteMessages(before moment: LogTimestamp) throws {
        try store.delete(before: moment)
    }

    /// Reports the problems that were found when the database was opened.
    public override func begin() {
        isAdded = true
        for (kind, text) in early { tell(kind, text) }
        early = []
    }

    /// Closes the database, and writes its write-ahead log back.
    public override func end() { store.close() }

    /// Applies changed settings.
    public override func applySettings() {
        guard existingStore != nil else { return }
        store.settings = own
        if fields.options.privacy != own.privacy { fields = SQLiteLogger.fieldsFormatter(own.privacy) }
    }

    /// Writes named pieces and fields as one JSON object.
    private static func fieldsFormatter(_ privacy: LogPrivacyPolicy) -> JSONLinesFormatter {
        var options = JSONLinesFormatter.Options()
        options.members = [.fields]
        options.privacy = privacy
        return JSONLinesFormatter(options)
    }
}
