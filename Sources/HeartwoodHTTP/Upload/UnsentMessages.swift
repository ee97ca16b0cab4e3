public import Heartwood

/// The store of unsent messages of an ``HTTPLogger``, or of an event store, that does not run: to look into
/// it, to export it, to empty it, and to have refused messages sent again.
///
/// To send messages, make a logger with the directory, add it to a dispatcher, and call its
/// `deliver(timeout:)`; events are sent by their event store. It is not thread-safe. ``close()`` gives the
/// directory back; so does the release.
public final class UnsentMessages {
    private enum Store {
        case messages(Spool)
        case events(PartitionedSpool)
    }
    private let store: Store

    /// Opens the store, and keeps others out of it as long as it lives.
    ///
    /// - Parameter directory: An HTTP logger's spool, or `directory/user/prefix` of an event store.
    /// - Throws: `LogError` when there is no such directory or it cannot be used, or when a logger has it.
    public init(directory: String) throws {
        guard (try? SystemCalls().target(directory.absolutePath()).kind) == .directory,
            let isEventStore = try PartitionedSpool.isStore(directory)
        else { throw LogError(.file, "no store of unsent messages found", place: directory) }
        store =
            isEventStore
            ? .events(try PartitionedSpool(existing: directory))
            : .messages(try Spool(directory: directory))
    }

    /// Gives the directory back, so that a logger or another process can have it; also done when the object
    /// is released.
    ///
    /// Afterwards there are no messages: ``count`` and ``size`` are 0, ``export(_:)`` has nothing,
    /// ``removeAll()`` removes nothing, and ``resendRejected()`` throws. Closing twice does no
    /// harm.
    public func close() {
        if !unsent.isClosed { unsent.close() }
    }

    private var unsent: any UnsentStore {
        switch store {
        case .messages(let spool): spool
        case .events(let partitions): partitions
        }
    }

    /// Whether the directory is an event store's, which an ``HTTPLogger`` cannot send.
    package var isEventStore: Bool { if case .events = store { true } else { false } }

    /// How many messages are pending.
    public var count: Int { unsent.isClosed ? 0 : unsent.pending }

    /// How many bytes their files have.
    public var size: ByteCount {
        if unsent.isClosed { return .zero }
        return switch store {
        case .messages(let spool): ByteCount(spool.bytes)
        case .events(let partitions): ByteCount(partitions.bytes)
        }
    }

    /// When the oldest of them was logged.
    public var oldest: LogTimestamp? { unsent.isClosed ? nil : unsent.oldestTime }

    /// What is wrong with the files, as far as it was met.
    package func drainErrors() -> [LogError] { unsent.drainErrors() }

    /// Calls `body` with each message, the oldest first, until it returns false.
    public func forEach(_ body: (RemoteEntry) -> Bool) {
        if unsent.isClosed { return }
        func visit(_ record: SpoolRecord, _ id: String) -> Bool {
            EntryCoder.decode(record.payload, id: id).map(body) ?? true
        }
        switch store {
        case .messages(let spool): spool.forEachPending { visit($0, spool.name(of: $0)) }
        case .events(let partitions): partitions.forEachPending(visit)
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

    /// Has the messages of `rejected.1.ndjson` and `rejected.ndjson` sent again: they are pending, in their
    /// order, after everything that is pending already, and are removed from those files.
    ///
    /// All of them are pending afterwards or none is, each once, also when the process is killed in the
    /// middle of it. They are new messages for the server: their ids and keys are others than before.
    ///
    /// - Returns: how many messages are pending again, and how many lines stay in the files, since they are
    ///   damaged.
    /// - Throws: `LogError` when the files cannot be written.
    public func resendRejected() throws -> (messages: Int, others: Int) {
        guard !unsent.isClosed else {
            throw LogError(.file, "the store of unsent messages was closed: open it again")
        }
        return switch store {
        case .messages(let spool): try spool.resendRejected()
        case .events(let partitions): try partitions.resendRejected()
        }
    }

    /// Removes all messages; returns how many.
    @discardableResult
    public func removeAll() -> Int { unsent.isClosed ? 0 : unsent.dropOldest(.max) }
}
