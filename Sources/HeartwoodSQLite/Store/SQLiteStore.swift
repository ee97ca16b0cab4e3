import CHeartwood
import CSQLite
public import Heartwood

/// The database that a logger writes, and what is done when it is damaged, locked, full or gone.
///
/// 1. The file is made with `O_EXCL` and mode 0600 in a directory that no other user may write to, and is
///    never opened through a symbolic link. Nothing but SQLite opens it: closing another descriptor of the
///    file would take SQLite's locks away.
/// 2. It is made, examined and set aside under the lock of the directory, which all writers share.
/// 3. A save is one transaction: all of its rows are there, or none.
/// 4. Before each save it is made sure that the path still leads to the file that is open. Where it does not,
///    what is open is closed without touching the files beside the path, and the path is opened again.
/// 5. In the child of a fork the parent's connection is neither used nor closed.
///
/// Not thread-safe: owned by the logger's hooks.
final class SQLiteStore {
    let directory: Directory
    let name: String
    var settings = SQLiteSettings() {
        didSet { if settings != oldValue { isConfigured = false } }
    }
    private let lock: DirectoryLock
    private let clock: any LogClock
    private let report: (LogDiagnostics.Kind, String) -> Void
    /// Called with each step of long work: each row, and each batch that is deleted.
    private let noteProgress: () -> Void

    private var connection: SQLiteConnection?
    private var insertion: SQLiteStatement?
    private var identity: FileStatus.Identity?
    private var isConfigured = false
    private var hasBeenOpen = false
    private var owner = ProcessOwner()

    /// How many rows are deleted in one transaction: other writers get their turn between two.
    private static let deleteBatch = 10_000
    /// How many databases that were set aside are kept.
    private static let keptAside = 3

    init(
        directory: Directory, name: String, clock: any LogClock,
        noteProgress: @escaping () -> Void, report: @escaping (LogDiagnostics.Kind, String) -> Void
    ) {
        self.directory = directory
        self.name = name
        self.clock = clock
        self.noteProgress = noteProgress
        self.report = report
        lock = DirectoryLock(directory)
    }

    /// The path that was given, for reports.
    var path: String { directory.path + "/" + name }

    // MARK: - Saving

    /// Saves rows in one transaction; `mark` is written in the same, where there is one.
    func save(_ rows: [SQLiteRow], mark: WriterMark? = nil) throws {
        var isRetry = false
        try repairing { connection in
            // A commit whose failure was told by the disk may have arrived after all.
            if isRetry, let mark, try self.mark(of: mark.writer) == mark.save { return }
            isRetry = true
            let process = Int64(ProcessFacts.identifier)
            let insertion = try self.insertion ?? connection.prepare(SQLiteRow.insertion)
            self.insertion = insertion
            try connection.transaction { () throws(SQLiteFailure) in
                for row in rows {
                    row.bind(to: insertion, process: process)
                    try insertion.run()
                    noteProgress()
                }
                try mark?.write(to: connection, at: clock.now())
            }
        }
        // The rows are saved by now, whatever happens here.
        do { try trim() } catch {
            report(
                .writeFailed,
                "\(path) could not be kept below \(ByteCount(settings.maximumSize.limit ?? 0)): \(error)")
        }
    }

    /// Deletes what was logged before a moment, and gives the room back.
    func delete(before moment: LogTimestamp) throws {
        try repairing { connection in
            let deletion = try connection.prepare(
                "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE time < ? LIMIT ?)")
            var total = 0
            while true {
                deletion.bind(1, moment.nanoseconds)
                deletion.bind(2, Int64(SQLiteStore.deleteBatch))
                try deletion.run()
                total += connection.changes
                noteProgress()
                if connection.changes < SQLiteStore.deleteBatch { break }
            }
            try WriterMark.forgetOld(in: connection, before: clock.now() + .seconds(-90 * 86_400))
            if total > 0 { try giveRoomBack(connection) }
        }
    }

    /// Deletes the oldest rows while the database is larger than it may be.
    private func trim() throws {
        guard let limit = settings.maximumSize.limit, let connection else { return }
        let pageSize = Int(try connection.number("PRAGMA page_size"))
        // Each round removes a share that is estimated; rows are of different sizes.
        for _ in 0..<20 {
            let pages = Int(try connection.number("PRAGMA page_count"))
            let used = (pages - Int(try connection.number("PRAGMA freelist_count"))) * pageSize
            if used <= limit { break }
            let first = try connection.number("SELECT min(id) FROM messages")
            let last = try connection.number("SELECT max(id) FROM messages")
            if last == 0 { break }
            // A tenth more than needed, so that the next saves find room.
            let share = min(1, max(0.01, 1 - 0.9 * Double(limit) / Double(used)))
            let end = first + max(1, Int64(Double(last - first + 1) * share))
            var next = first
            while next < end {
                next = min(end, next + Int64(SQLiteStore.deleteBatch))
                try connection.execute("DELETE FROM messages WHERE id < \(next)")
                noteProgress()
            }
        }
        if Int(try connection.number("PRAGMA page_count")) * pageSize > limit { try giveRoomBack(connection) }
    }

    /// Shortens the file by its free pages.
    private func giveRoomBack(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        while true {
            let free = try connection.number("PRAGMA freelist_count")
            if free == 0 { break }
            try connection.execute("PRAGMA incremental_vacuum(2000)")
            noteProgress()
            // A database that was made without incremental vacuum keeps its free pages, and uses them again.
            if try connection.number("PRAGMA freelist_count") >= free { break }
        }
        // The file itself becomes shorter when the log beside it is written back.
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// How far a writer had come, as the database says; nil where it knows nothing of it.
    func mark(of writer: String) throws -> Int64? {
        let connection = try open()
        let statement = try connection.prepare("SELECT save FROM writers WHERE writer = ?")
        statement.bind(1, writer)
        return try statement.step() ? statement.integer(0) : nil
    }

    // MARK: - Opening

    /// Calls `body` with the database, and once more with a new one where it turns out to be damaged or gone.
    private func repairing(_ body: (SQLiteConnection) throws -> Void) throws {
        /// One guard for all calls.
        func attempt() throws {
            let connection = try open()
            try connection.quietly { try body(connection) }
        }
        do {
            try attempt()
        } catch let failure as SQLiteFailure where failure.isDamage {
            try setAside(failure)
            try attempt()
        } catch let failure as SQLiteFailure where failure.isStale {
            release()
            try attempt()
        }
    }

    /// The open database; opens it, and makes it, where that is needed.
    @discardableResult
    func open() throws -> SQLiteConnection {
        // The parent's: it closes neither the connection nor its statements.
        if owner.leaveParent() { (connection, insertion, identity) = (nil, nil, nil) }
        if let connection {
            if directory.isInPlace, try directory.status(name)?.identity == identity {
                if !isConfigured { try configure(connection) }
                return connection
            }
            report(
                .damaged,
                "\(path) was removed or replaced while in use: its messages are gone, and a new database"
                    + " is started")
            release()
        }
        if !directory.isInPlace { try directory.reopen() }
        _ = lock.acquire()
        defer { lock.release() }
        do {
            return try openFile()
        } catch let failure as SQLiteFailure where failure.isDamage {
            try setAside(failure)
            return try openFile()
        } catch let failure as SQLiteFailure
            where failure.primary == SQLITE_CANTOPEN || failure.primary == SQLITE_READONLY
        {
            throw LogError(
                .file,
                "Cannot open the database; check the permissions of the file and its directory: \(failure)",
                place: path)
        }
    }

    private func openFile() throws -> SQLiteConnection {
        try makeFile()
        let connection = try SQLiteConnection(
            resolvedPath, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, busyTimeout: settings.busyTimeout)
        let isEmpty = try connection.number("PRAGMA page_count") == 0
        // Only before the first page is written can it be chosen.
        if isEmpty { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        switch try SQLiteSchema.check(connection) {
        case .version(let version): throw unknown(version)
        case .foreign: throw foreign
        case nil: break
        }
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        if mode != "wal" {
            report(
                .note,
                "\(path): this file system does not support a write-ahead "
                    + "log; readers and the logger block each other"
            )
        }
        try configure(connection)
        switch try SQLiteSchema.prepare(connection) {
        case .version(let version): throw unknown(version)
        case .foreign: throw foreign
        case nil: break
        }
        identity = try directory.status(name)?.identity
        self.connection = connection
        hasBeenOpen = true
        return connection
    }

    private func unknown(_ version: Int64) -> LogError {
        LogError(
            .setting,
            "The database has version \(version), and this program supports version \(SQLiteSchema.version);"
                + " it is not changed; choose another file, or the program that wrote it", place: path)
    }

    private var foreign: LogError {
        LogError(
            .setting, "The database belongs to another program and is not changed; choose another file",
            place: path)
    }

    private func configure(_ connection: SQLiteConnection) throws {
        connection.setBusyTimeout(settings.busyTimeout)
        try connection.execute(
            """
            PRAGMA synchronous = \(settings.synchronous.word);
            PRAGMA journal_size_limit = 4194304;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON
            """)
        isConfigured = true
    }

    /// Makes the file where it is missing; refuses what is no file of ours.
    private func makeFile() throws {
        if let status = try directory.status(name) {
            guard status.kind == .regular else {
                throw LogError(.unsafe, "The database is not a regular file; remove it", place: path)
            }
            guard status.owner == geteuid() else {
                throw LogError(
                    .unsafe, "The database belongs to another user; choose another file", place: path)
            }
            try checkCompanions()
            return
        }
        do throws(SystemFailure) { _ = try directory.create(name) } catch {
            throw LogError(
                .file, "Cannot create the database; check the permissions of its directory", place: path,
                cause: error.number)
        }
        // Left over from a database that was removed: not this one's.
        for suffix in SQLiteStore.suffixes { _ = try? directory.remove(name + suffix) }
    }

    /// Refuses files beside the database that lead elsewhere: SQLite would write into what they lead to.
    private func checkCompanions() throws {
        for suffix in SQLiteStore.suffixes {
            guard let status = try directory.status(name + suffix) else { continue }
            guard status.kind == .regular, status.owner == geteuid(), status.links == 1 else {
                throw LogError(
                    .unsafe,
                    "A file beside the database is a link, has a second name, or belongs to another user; "
                        + "remove it", place: path + suffix)
            }
        }
    }

    private static let suffixes = ["-wal", "-shm", "-journal"]

    /// The path without symbolic links, which SQLite would refuse.
    private var resolvedPath: String {
        guard let resolved = realpath(directory.path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved) + "/" + name
    }

    /// Closes what is open, and leaves all files as they are.
    private func release() {
        connection?.leaveFiles()
        close()
    }

    /// Closes the database.
    func close() {
        if !owner.leaveParent(), let connection, (try? directory.status(name)?.identity) != identity {
            connection.leaveFiles()
        }
        (insertion, connection, identity) = (nil, nil, nil)
        isConfigured = false
    }

    /// Gives a damaged database another name, so that a new one can be started.
    private func setAside(_ failure: SQLiteFailure) throws {
        release()
        _ = lock.acquire()
        defer { lock.release() }
        let time = LogBuffer.withText { $0.append(rfc3339: clock.now()) }
        let aside = name + ".damaged-" + time.prefix(19).filter { $0 != ":" && $0 != "-" }
        var target = aside
        var number = 1
        while try directory.status(target) != nil {
            number += 1
            target = "\(aside)-\(number)"
        }
        guard try directory.status(name) != nil, try directory.rename(name, to: target) else { return }
        // The log beside it holds its last saves, and belongs to it.
        if try directory.status(name + "-wal") != nil {
            _ = try directory.rename(name + "-wal", to: target + "-wal")
        }
        _ = try? directory.remove(name + "-shm")
        report(
            .damaged,
            "\(path) is damaged or not a database (\(failure.text)): it was renamed to \(target), "
                + "and a new one is started"
        )
        let old = try directory.names().filter { $0.hasPrefix(name + ".damaged-") && !$0.hasSuffix("-wal") }
            .sorted()
        for name in old.dropLast(SQLiteStore.keptAside) {
            _ = try? directory.remove(name)
            _ = try? directory.remove(name + "-wal")
        }
    }
}

extension LogBuffer {
    /// The text that `body` adds to an empty buffer.
    static func withText(_ body: (inout LogBuffer) -> Void) -> String {
        var buffer = LogBuffer()
        body(&buffer)
        return buffer.text
    }
}

/// What a save waits for; SQLite's `PRAGMA synchronous`.
///
/// In each case, a completed save survives the end of the process, including `kill -9`.
public enum SQLiteSynchronous: String, Hashable, Sendable, CaseIterable {
    /// The kernel; a power failure can lose recent saves and damage the database.
    case off
    /// The kernel; a power failure can lose recent saves, but does not damage the database.
    ///
    /// This is the default.
    case normal
    /// The disk; a save survives a power failure, but takes as long as the disk needs.
    case full

    var word: String { rawValue.uppercased() }
}

/// The settings of an ``SQLiteLogger`` beside those of every `AbstractDatabaseLogger`; the logger has each
/// as a property of the same name.
public struct SQLiteSettings: Sendable, Equatable {
    /// What a save waits for.
    ///
    /// Default: normal
    public var synchronous = SQLiteSynchronous.normal

    /// How long a save waits while others have the database locked, before it fails.
    ///
    /// The logger's queue waits, not the caller, unless the call is synchronous.
    ///
    /// Default: 2s
    public var busyTimeout = Duration.seconds(2)

    /// The largest size of the database; nil, like zero, is no limit.
    ///
    /// The empty tables take about 40 KiB. When the database is larger after a save, the oldest messages are
    /// deleted, and about a tenth more to leave some room. The write-ahead log is not included; it usually
    /// takes up to 4 MiB.
    ///
    /// Default: nil
    public var maximumSize: ByteCount?

    /// How private values are written, in the text and in the fields.
    ///
    /// If the logger has a formatter, the formatter decides for the text.
    ///
    /// Default: redact
    public var privacy = LogPrivacyPolicy.redact

    package init() {}
}
