import CSQLite

/// A prepared statement.
final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let statement: OpaquePointer
    /// Tells SQLite to copy what it is handed.
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ connection: SQLiteConnection, _ text: String) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = connection.quietly { sqlite3_prepare_v2(connection.handle, text, -1, &prepared, nil) }
        guard code == SQLITE_OK, let prepared else { throw SQLiteFailure(code, on: connection.handle) }
        self.connection = connection
        statement = prepared
    }

    deinit {
        if connection.isOurs { connection.quietly { _ = sqlite3_finalize(statement) } }
    }

    // MARK: Values, counted from 1

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }

    /// Binds text; nil is NULL.
    func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(statement, index)
            return
        }
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty text has no address, which SQLite would take for NULL.
                guard let base = bytes.baseAddress else {
                    sqlite3_bind_text(statement, index, "", 0, SQLiteStatement.copies)
                    return
                }
                sqlite3_bind_text64(
                    statement, index, base, UInt64(bytes.count), SQLiteStatement.copies, UInt8(SQLITE_UTF8))
            }
        }
    }

    // MARK: Running

    /// Goes on to the next row; false at the end.
    func step() throws(SQLiteFailure) -> Bool {
        switch connection.quietly({ sqlite3_step(statement) }) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            // Before the reset, which forgets the text.
            let failure = SQLiteFailure(code, on: connection.handle)
            reset()
            throw failure
        }
    }

    /// Runs a statement that has no rows, and makes it ready for other values.
    func run() throws(SQLiteFailure) {
        while try step() {}
        reset()
    }

    private func reset() { _ = connection.quietly { sqlite3_reset(statement) } }

    // MARK: Columns, counted from 0

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The text of a column; nil where it is NULL.
    func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
