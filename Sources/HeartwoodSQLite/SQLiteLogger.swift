import CHeartwood
public import Heartwood

/// Saves messages in an SQLite database, where they can be looked for by time, level, category and text.
///
/// ```swift
/// let database = try SQLiteLogger(path: "/var/lib/shop/log.sqlite")
/// database.maximumAge = .seconds(30 * 86_400)
/// database.maximumSize = .mebibytes(500)
/// LogDispatcher.shared.add(database, levels: .debug)
/// ```
///
/// - **When** messages are saved and deleted is settled by ``AbstractDatabaseLogger``: 500 at a time or after 60 seconds, for
///   seven days, unless changed. Each save is one transaction.
/// - **Reading**: ``SQLiteLogReader`` in this process or another one, while the logger is at work; or any tool for SQLite:
///   `sqlite3 log.sqlite 'SELECT * FROM log'`. What is not saved yet is not seen: flush first.
/// - **The file** has mode 0600, in a directory with mode 0700 that no other user may write to. Beside it are `-wal` and `-shm`, which
///   belong to it, and a hidden lock file. Several processes and loggers may write to the same database.
/// - **Faults**: a disk that is full, or a database that others have locked for longer than ``busyTimeout``, keeps messages
///   waiting, see ``AbstractDatabaseLogger``. A database that is damaged is set aside as `log.sqlite.damaged-…`, of which the
///   newest three are kept, and a new one is started, also when the file was removed. Each is reported.
/// - **Crashes**: what was saved survives the process. With a journal (``LogDispatcher/journal``) every batch is saved, and
///   nothing accepted is lost or saved twice.
///
/// Texts are saved as they are, line breaks and control characters included, but for zero bytes, which become U+2400.
public final class SQLiteLogger: AbstractDatabaseLogger<SQLiteRow>, @unchecked Sendable {  // owned by 'queue'
    // MARK: Settings (any thread, ordered)

    /// What a save waits for; ``SQLiteSynchronous/normal``.
    @Ordered public var synchronous = SQLiteSynchronous.normal

    /// How long a save waits for others who have the database locked, before it has failed; 2 seconds.
    ///
    /// The logger's queue waits, never a caller, unless the call is synchronous.
    @Ordered public var busyTimeout = Duration.seconds(2)

    /// How large the database may become, of which the empty tables take some 40 KiB; zero, the default: no limit.
    ///
    /// When it is larger after a save, the oldest messages are deleted, with about a tenth of room to spare. The
    /// write-ahead log beside it comes on top, usually at most 4 MiB.
    @Ordered public var maximumSize = ByteCount.zero

    /// What happens to private pieces, in the text and in the fields; ``LogPrivacyPolicy/redact``.
    ///
    /// Where a formatter is set, the text is what that writes.
    @Ordered public var privacy = LogPrivacyPolicy.redact

    // MARK: Constants (any thread)

    /// The path of the database.
    public let path: String
    let writer: String

    // MARK: Owned by 'queue'
    private var existingStore: SQLiteStore?
    var store: SQLiteStore { existingStore.unsafelyUnwrapped }
    private var fields = SQLiteLogger.fieldsFormatter(.redact)
    private var text = LogBuffer(capacity: 1024)
    private var early: [(LogDiagnostics.Kind, String)] = []
    private var isAdded = false
    /// Where the crash journal follows the saves.
    var slot: JournalSlot?
    var saves: Int64 = 0

    /// Opens the database, and makes it where it is missing, with the directories above it.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - formatter: Writes the text of a message; nil, the default, saves the text alone, which is best for looking things up.
    ///   - name: The logger's name in statistics.
    ///   - directoryMode: The permissions of directories that are made, whatever the umask.
    ///   - acceptsSharedDirectory: Accepts a directory that other users may write to.
    ///   - clock: The time, for tests.
    /// - Throws: ``LogError`` where the database cannot be made or opened, was written by a newer version, or belongs to another
    ///   program. One that is damaged is no error: it is set aside.
    public convenience init(
        path: String, formatter: LogFormatter? = nil, name: String? = nil, directoryMode: UInt16 = 0o700,
        acceptsSharedDirectory: Bool = false, clock: any LogClock = SystemClock()
    ) throws {
        try self.init(
            path: path, formatter: formatter, name: name, schema: SQLiteSchema(),
            policy: LogDirectory.Policy(
                directoryMode: UInt32(directoryMode), acceptsShared: acceptsSharedDirectory),
            clock: clock)
    }

    init(
        path: String, formatter: LogFormatter? = nil, name: String? = nil, schema: SQLiteSchema,
        policy: LogDirectory.Policy = LogDirectory.Policy(), clock: any LogClock = SystemClock()
    ) throws {
        let (folder, file) = SQLiteLogger.split(path)
        guard LogDirectory.isSafe(file), file.utf8.count <= 200 else {
            throw LogError(
                .setting, "The path of the database must end with a file name of at most 200 bytes",
                place: path)
        }
        let directory = try LogDirectory(folder, policy: policy)
        self.path = directory.path + "/" + file
        writer = String(UInt64.random(in: .min ... .max), radix: 16)
        super.init(name: name, formatter: formatter, clock: clock)
        existingStore = SQLiteStore(
            directory: directory, name: file, schema: schema, clock: clock,
            noteProgress: { [unowned self] in noteProgress() }, report: { [unowned self] in tell($0, $1) })
        do {
            try store.open()
        } catch let failure as SQLiteFailure {
            throw LogError(.file, "Cannot open the database: \(failure)", place: self.path)
        }
    }

    private static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
    }

    /// Reports a trouble; one that is met before there is a dispatcher, when there is.
    private func tell(_ kind: LogDiagnostics.Kind, _ text: String) {
        if isAdded {
            diagnostics.report(kind, "\(name): \(text)", key: name)
        } else {
            early.append((kind, text))
        }
    }

    // MARK: - Hooks of the base class

    /// Turns a message into a row, with what the settings at its time let be read.
    public override func row(for message: LogMessage) -> SQLiteRow? {
        text.removeAll()
        if hasFormatter {
            guard formatted(message, into: &text) else { return nil }
        } else {
            beginRedaction(in: &text)
            text.appendText(of: message, privacy: privacy)
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

    /// Deletes in transactions of 10,000 messages, and gives their room back to the file system.
    public override func deleteMessages(before moment: LogTimestamp) throws {
        try store.delete(before: moment)
    }

    /// Reports what was met when the database was opened.
    public override func begin() {
        isAdded = true
        for (kind, text) in early { tell(kind, text) }
        early = []
    }

    /// Closes the database, which writes the log beside it back.
    public override func end() { store.close() }

    /// Takes the settings over.
    public override func applySettings() {
        guard existingStore != nil else { return }
        store.settings = SQLiteStore.Settings(
            synchronous: synchronous, busyTimeout: busyTimeout, maximumSize: maximumSize)
        if fields.options.privacy != privacy { fields = SQLiteLogger.fieldsFormatter(privacy) }
    }

    /// Writes named pieces and fields as one JSON object.
    private static func fieldsFormatter(_ privacy: LogPrivacyPolicy) -> JSONLinesFormatter {
        var options = JSONLinesFormatter.Options()
        options.members = [.fields]
        options.privacy = privacy
        return JSONLinesFormatter(options)
    }
}
