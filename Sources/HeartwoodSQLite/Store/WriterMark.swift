import Heartwood

/// How far one writer has come, written in the transaction of each of its saves: whether a save has arrived
/// can be told after a crash.
struct WriterMark: Hashable {
    /// A name that no other writer has.
    let writer: String
    /// The number of the save.
    let save: Int64

    func write(to connection: SQLiteConnection, at time: LogTimestamp) throws(SQLiteFailure) {
        let statement = try connection.prepare(
            "INSERT INTO writers (writer, save, time) VALUES (?, ?, ?) ON CONFLICT (writer) DO "
                + "UPDATE SET save = excluded.save,"
                + " time = excluded.time")
        statement.bind(1, writer)
        statement.bind(2, save)
        statement.bind(3, time.nanoseconds)
        try statement.run()
    }

    /// Forgets writers that are not needed any more.
    static func forgetOld(in connection: SQLiteConnection, before time: LogTimestamp) throws(SQLiteFailure) {
        let statement = try connection.prepare("DELETE FROM writers WHERE time < ?")
        statement.bind(1, time.nanoseconds)
        try statement.run()
    }
}
