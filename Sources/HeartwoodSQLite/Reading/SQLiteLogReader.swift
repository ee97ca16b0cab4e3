import CSQLite
import Heartwood

/// Reads messages from a database that an ``SQLiteLogger`` writes, in this process or another one.
///
/// ```swift
/// let reader = try SQLiteLogReader(path: "/var/lib/shop/log.sqlite")
/// for record in try reader.records(LogQuery(levels: .error, limit: 20)) {
///     print(record.timestamp.date, record.category, record.text)
/// }
/// ```
///
/// A reader never waits for a logger and never makes one wait: each query sees the saves that were complete
/// when it started. Several threads can use a reader; their queries run one after the other. If the database
/// is removed or replaced, the next query opens the new one.
public final class SQLiteLogReader: Sendable {
    private struct State {
        var connection: SQLiteConnection?
        var identity: FileStatus.Identity?
    }

    // MARK: Constants (any thread)

    /// The path of the database.
    package let path: String

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// Opens a database for reading.
    ///
    /// - Parameter path: The path of the database.
    /// - Throws: `LogError` if the database does not exist, is empty, cannot be read, is not a log database,
    ///   or has an unsupported schema version.
    public init(path: String) throws {
        self.path = path.absolutePath()
        try query { _ in }
    }

    /// Reads the messages that a query selects, in the query's order.
    ///
    /// The result is in memory as a whole. To read more than some thousand messages, read page by page with
    /// ``LogQuery/after``.
    ///
    /// - Parameter query: The query; without one, the newest thousand messages.
    /// - Returns: The messages.
    /// - Throws: `LogError` if the database cannot be read.
    public func records(_ query: LogQuery = LogQuery()) throws -> [LogRecord] {
        let text = LogQueryText(query)
        return try self.query { connection in
            let statement = try self.statement(text.selection, text.values, connection)
            var records: [LogRecord] = []
            while try statement.step() { records.append(LogRecord(statement)) }
            return records
        }
    }

    /// Counts the messages that a query selects, up to its limit.
    ///
    /// - Parameter query: The query; without one, all messages.
    /// - Returns: The number of messages.
    /// - Throws: `LogError` if the database cannot be read.
    public func count(_ query: LogQuery = LogQuery(limit: nil)) throws -> Int {
        let text = LogQueryText(query)
        return try self.query { connection in
            let statement = try self.statement(text.count, text.values, connection)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    private func statement(
        _ text: String, _ values: [LogQueryText.Value], _ connection: SQLiteConnection
    ) throws(SQLiteFailure) -> SQLiteStatement {
        let statement = try connection.prepare(text)
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .integer(let value): statement.bind(index, value)
            case .text(let value): statement.bind(index, value)
            }
        }
        return statement
    }

    private func query<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        do {
            return try state.withLock { state in
                let connection = try open(&state)
                // One guard for all calls.
                return try connection.quietly { try body(connection) }
            }
        } catch let failure as SQLiteFailure {
            throw LogError(.file, "Cannot read the log database: \(failure)", place: path)
        }
    }

    /// The open database; opened again where it is another one than before, or this is the child of a fork.
    private func open(_ state: inout State) throws -> SQLiteConnection {
        let status: FileStatus
        do throws(SystemFailure) {
            status = try SystemCalls().status(path: path)
        } catch {
            throw LogError(
                .file, "No log database found; check the path, and whether messages were saved",
                place: path,
                cause: error.number)
        }
        if let connection = state.connection, connection.isOurs, state.identity == status.identity {
            return connection
        }
        // A reader that is the last to close must not tidy up beside a database that is another one by now.
        if let connection = state.connection, connection.isOurs { connection.leaveFiles() }
        let connection = try SQLiteConnection(path, SQLITE_OPEN_READONLY, busyTimeout: .seconds(5))
        switch try SQLiteSchema.check(connection) {
        case .version(let version):
            throw LogError(
                .setting,
                "The database has version \(version), and this program supports version "
                    + "\(SQLiteSchema.version); use the program that wrote it",
                place: path)
        case .foreign:
            throw LogError(.setting, "Not a Heartwood log database", place: path)
        case nil: break
        }
        // A program that has just created it, or died while doing so.
        if try connection.number("PRAGMA user_version") == 0 {
            throw LogError(.file, "The log database is empty; no messages were saved yet", place: path)
        }
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
        (state.connection, state.identity) = (connection, status.identity)
        return connection
    }
}
