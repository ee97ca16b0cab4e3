import CSQLite

/// What SQLite says when it cannot do something.
struct SQLiteFailure: Error, Hashable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let text: String

    init(_ code: Int32, on connection: OpaquePointer?) {
        self.code = code
        text = String(cString: connection == nil ? sqlite3_errstr(code) : sqlite3_errmsg(connection))
    }

    /// The result code without its details.
    var primary: Int32 { code & 0xFF }

    /// Whether the file is not a database any more, or never was.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// Whether a new connection may do better than this one.
    var isStale: Bool { code == SQLiteFailure.moved || primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN }

    /// The file has another name now, or none: `SQLITE_READONLY_DBMOVED`, which is no constant that Swift
    /// imports.
    private static let moved = SQLITE_READONLY | (4 << 8)

    var description: String {
        switch primary {
        case SQLITE_FULL: "the disk is full, or the database has reached its largest size (\(text))"
        case SQLITE_BUSY, SQLITE_LOCKED: "another program has the database locked (\(text))"
        case SQLITE_READONLY, SQLITE_PERM: "the database is not writable; check its permissions (\(text))"
        default: "SQLite: \(text) (code \(code))"
        }
    }
}
