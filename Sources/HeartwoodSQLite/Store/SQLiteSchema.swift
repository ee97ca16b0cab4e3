/// The tables of a log database; `Docs/Databases.md` describes them.
///
/// The version is in the database's `user_version`; a database of another one is left alone.
enum SQLiteSchema {
    /// "HWLG", in a database's header: says that it is a log of Heartwood.
    static let applicationID: Int64 = 0x4857_4C47

    static let version: Int64 = 1

    /// Makes the tables where they are missing.
    ///
    /// - Returns: why the database cannot be used, if so.
    static func prepare(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Refusal? {
        if let refusal = try check(connection) { return refusal }
        if try connection.number("PRAGMA user_version") == version { return nil }
        return try connection.transaction { () throws(SQLiteFailure) in
            // Another process may have done it, or something else, meanwhile.
            if let refusal = try check(connection) { return refusal }
            if try connection.number("PRAGMA user_version") == version { return nil }
            try connection.execute(tables)
            try connection.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            return nil
        }
    }

    /// Why a database is left alone.
    enum Refusal: Hashable {
        case version(Int64)
        case foreign
    }

    /// Whether the database is a log that this program knows, or empty.
    static func check(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Refusal? {
        let found = try connection.number("PRAGMA user_version")
        let isOurs = try connection.number("PRAGMA application_id") == applicationID
        let isEmpty = try connection.number("SELECT count(*) FROM sqlite_master") == 0
        if !isOurs, found != 0 || !isEmpty {
            return .foreign
        }
        return found == 0 || found == version ? nil : .version(found)
    }

    private static let tables = """
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            time INTEGER NOT NULL,
            level INTEGER NOT NULL,
            category TEXT NOT NULL,
            message TEXT NOT NULL,
            metadata TEXT,
            context INTEGER NOT NULL,
            file TEXT NOT NULL,
            function TEXT NOT NULL,
            line INTEGER NOT NULL,
            thread INTEGER NOT NULL,
            thread_name TEXT,
            queue TEXT,
            task TEXT,
            sequence INTEGER NOT NULL,
            process INTEGER NOT NULL
        );
        CREATE INDEX messages_by_time ON messages (time);
        CREATE INDEX messages_by_level ON messages (level, time);
        CREATE INDEX messages_by_category ON messages (category, time);
        CREATE VIEW log AS SELECT
            strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch')
                || printf('.%09dZ', time % 1000000000) AS time,
            CASE level WHEN 0 THEN 'fatal' WHEN 1 THEN 'error' WHEN 2 THEN 'warning' WHEN 3 THEN 'notice'
                WHEN 4 THEN 'info' WHEN 5 THEN 'debug' WHEN 6 THEN 'verbose' ELSE 'level' || level END
                AS level,
            category, message, metadata, file || ':' || line AS place
            FROM messages ORDER BY messages.time, id;
        CREATE TABLE writers (writer TEXT PRIMARY KEY, save INTEGER NOT NULL, time INTEGER NOT NULL)
        WITHOUT ROWID;
        """
}
