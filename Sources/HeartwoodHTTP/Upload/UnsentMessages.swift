public import Heartwood

/// The store of unsent messages of an ``HTTPLogger`` that does not run: to look into it, to export it, to empty it.
///
/// To send them, make a logger with the directory and call its ``HTTPLogger/deliver(timeout:)``. It is not thread-safe.
public final class UnsentMessages {
    private let spool: Spool

    /// Opens the store, and keeps others out of it as long as it lives.
    ///
    /// - Throws: `LogError` when there is no such directory or it cannot be used, or when a logger has it.
    public init(directory: String) throws {
        guard SpoolDirectory.exists(directory) else {
            throw LogError(.file, "there is no store of unsent messages", place: directory)
        }
        spool = try Spool(directory: directory)
    }

    /// How many messages wait.
    public var count: Int { spool.pending }

    /// How many bytes their files have.
    public var size: ByteCount { ByteCount(spool.bytes) }

    /// When the oldest of them was logged.
    public var oldest: LogTimestamp? { spool.oldestTime }

    /// What is wrong with the files, as far as it was met.
    public func takeTroubles() -> [LogError] { spool.takeTroubles() }

    /// Calls `body` with each message, the oldest first, until it returns false.
    public func forEach(_ body: (RemoteEntry) -> Bool) {
        spool.forEachPending { record in
            EntryCoder.decode(record.payload, id: spool.name(of: record.id)).map(body) ?? true
        }
    }

    /// The messages as lines of JSON, handed over in pieces.
    ///
    /// - Throws: what `write` throws; nothing is written after that.
    public func export(_ write: ([UInt8]) throws -> Void) throws {
        var result = Result<Void, any Error>.success(())
        var buffer = LogBuffer(capacity: 65_536)
        forEach { entry in
            JSONEntry.append(entry, to: &buffer)
            buffer.append(UInt8(ascii: "\n"))
            guard buffer.count > 49_152 else { return true }
            result = Result { try write(buffer.array) }
            buffer.removeAll()
            return (try? result.get()) != nil
        }
        try result.get()
        if buffer.count > 0 { try write(buffer.array) }
    }

    /// Removes all messages; returns how many.
    @discardableResult
    public func removeAll() -> Int { spool.dropOldest(.max) }
}
