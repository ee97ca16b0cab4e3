import CHeartwood
import CSQLite
import Heartwood

/// An open database; one thread at a time.
///
/// A connection must not be used, and not even closed, in the child of a fork: there it is abandoned.
final class SQLiteConnection {
    let handle: OpaquePointer
    private let owner = ProcessOwner()

    init(_ path: String, _ flags: Int32, busyTimeout: Duration) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let code = Self.guarding {
            sqlite3_open_v2(
                path, &opened,
                flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SystemCalls.databaseProtection, nil)
        }
        guard code == SQLITE_OK, let opened else {
            let failure = SQLiteFailure(code, on: opened)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        TextFunctions.add(to: handle)
        setBusyTimeout(busyTimeout)
    }

    deinit { if isOurs { Self.guarding { _ = sqlite3_close_v2(handle) } } }

    /// Whether a call of ``quietly(_:)`` is under way.
    private var isQuiet = false

    /// Calls `body`, in which SQLite may write: at the process's file size limit it fails, as on a full disk,
    /// and the process does not end.
    ///
    /// Every call that can reach a file is made in it: to read writes to the `-shm` file, too.
    func quietly<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if isQuiet { return try body() }
        isQuiet = true
        defer { isQuiet = false }
        return try Self.guarding(body)
    }

    private static func guarding<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        var quiet = hw_quiet()
        hw_quiet_begin(&quiet, -1)
        defer { hw_quiet_end(&quiet, true) }
        return try body()
    }

    /// Whether this process opened it.
    var isOurs: Bool { owner.isHere }

    /// How long a statement waits for other connections.
    func setBusyTimeout(_ timeout: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: timeout.nanoseconds / 1_000_000))
    }

    /// Leaves the files beside the database alone when it is closed: they may belong to another database by
    /// now.
    func leaveFiles() {
        var persists: Int32 = 1
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
    }

    /// Runs statements without values.
    func execute(_ statements: String) throws(SQLiteFailure) {
        let code = quietly { sqlite3_exec(handle, statements, nil, nil, nil) }
        if code != SQLITE_OK { throw SQLiteFailure(code, on: handle) }
    }

    func prepare(_ statement: String) throws(SQLiteFailure) -> SQLiteStatement {
        try SQLiteStatement(self, statement)
    }

    /// The first column of the first row, as a number; 0 without a row.
    func number(_ query: String) throws(SQLiteFailure) -> Int64 {
        let statement = try prepare(query)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The first column of the first row, as text.
    func text(_ query: String) throws(SQLiteFailure) -> String? {
        let statement = try prepare(query)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Does something as a whole or not at all; nothing else writes meanwhile.
    func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already, and then this one fails, too.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }
}
