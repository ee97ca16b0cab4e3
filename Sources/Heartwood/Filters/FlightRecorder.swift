import Synchronization

/// Holds detailed messages in memory, and releases them only when a problem occurs.
///
/// ```swift
/// let recorder = FlightRecorder()
/// file.flightRecorder = recorder
/// LogDispatcher.shared.add(file, levels: .verbose)
///
/// func handle(_ request: Request) async throws {
///     try await FlightRecorder.withRecording {
///         logDebug("asked for \(request.path)")  // written only if this request fails
///         try await answer(request)
///     }
/// }
/// ```
///
/// Set a recorder on a logger (``AbstractLogger/flightRecorder``), and add the logger with levels that
/// include the held ones. Messages of the held levels wait in memory; all others are written as usual. A
/// message of a level that triggers it releases the waiting messages of its recording: they are written
/// before it, in their order, once, with their original times, threads and source locations. A line before
/// them says how many follow, and how many more there were. Then recording continues.
///
/// The calling thread only logs; the recording of a message is one of its fields. Everything else runs on the
/// logger's queue, in order with other messages and with settings. Held messages count as `filtered` in the
/// logger's statistics, and as delivered after their release. A crash loses held messages; messages that were
/// on their way to the logger are recovered from the journal like all others.
///
/// Several loggers can use one recorder: each holds its own messages, and the figures are those of all
/// together.
public final class FlightRecorder: Sendable {
    /// Which messages belong together: a trigger releases all of them.
    public enum Scope: Hashable, Sendable {
        /// Messages of the same recording, see `FlightRecorder.withRecording`.
        ///
        /// A trigger inside a recording releases the messages of that recording, of the recordings around it,
        /// and of those inside it. Messages outside all recordings belong together.
        case recording
        /// Messages with the same value of a field.
        ///
        /// A trigger releases the messages with its own value. Messages without the field belong together.
        case field(String)
        /// All messages.
        case everything
    }

    /// The number of messages that a recorder has held and released, for all its loggers together.
    public struct Statistics: Hashable, Sendable {
        /// The number of messages that were held.
        public var recorded = 0
        /// The number of held messages that were released.
        public var released = 0
        /// The number of held messages that were discarded, because of the limits or because the recorder was
        /// removed from its logger.
        public var discarded = 0
        /// The number of triggers.
        public var triggers = 0

        /// The number of messages that are held now.
        public var waiting: Int { recorded - released - discarded }
    }

    // MARK: Constants (any thread)

    /// The levels that are held.
    package let heldLevels: LogLevelMask
    /// The levels that release held messages.
    package let triggers: LogLevelMask
    /// The largest number of messages in one recording; the oldest are discarded first.
    package let capacity: Int
    /// The memory limit of all held messages of a logger; the oldest are discarded first.
    package let memoryLimit: ByteCount
    /// Which messages belong together: a trigger releases all of them.
    package let scope: Scope
    /// Whether released messages are announced by a line with their number.
    package let announces: Bool

    // MARK: Atomics (any thread)
    private let recorded = Atomic<Int>(0)
    private let released = Atomic<Int>(0)
    private let discarded = Atomic<Int>(0)
    private let triggered = Atomic<Int>(0)

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - heldLevels: Which levels are held back; `debug` and `verbose` unless given. A level that is a
    ///     trigger is not.
    ///   - triggers: Which levels have messages written that wait; `error` and worse unless given.
    ///   - capacity: The most messages that wait in one recording, the newest; 500 unless given, one at
    ///     least.
    ///   - memoryLimit: The most memory that all messages of a logger occupy which wait; 2 MiB unless given.
    ///     A message occupies what its text and values take, and about 250 bytes more.
    ///   - scope: Which messages belong together; those of one recording unless given.
    ///   - announces: Whether a line says how many messages follow; it does unless told otherwise.
    public init(
        holding heldLevels: LogLevelMask = [.debug, .verbose], until triggers: LogLevelMask = .error,
        capacity: Int = 500, memoryLimit: ByteCount = .mebibytes(2), scope: Scope = .recording,
        announces: Bool = true
    ) {
        self.heldLevels = heldLevels.subtracting(triggers)
        self.triggers = triggers
        self.capacity = max(1, capacity)
        self.memoryLimit = memoryLimit
        self.scope = scope
        self.announces = announces
    }

    /// The number of messages so far.
    public var statistics: Statistics {
        Statistics(
            recorded: recorded.load(ordering: .relaxed), released: released.load(ordering: .relaxed),
            discarded: discarded.load(ordering: .relaxed), triggers: triggered.load(ordering: .relaxed))
    }

    func note(recorded: Int = 0, released: Int = 0, discarded: Int = 0, triggers: Int = 0) {
        if recorded > 0 { self.recorded.add(recorded, ordering: .relaxed) }
        if released > 0 { self.released.add(released, ordering: .relaxed) }
        if discarded > 0 { self.discarded.add(discarded, ordering: .relaxed) }
        if triggers > 0 { triggered.add(triggers, ordering: .relaxed) }
    }

    // MARK: - Recordings

    /// The name of the field that holds the recording of a message: `17`, or `17/18` inside another
    /// recording.
    ///
    /// All formatters write it like other fields, so you can find the messages of one recording in any log.
    package static let field = "recording"

    private static let lastNumber = Atomic<Int>(0)

    /// Makes the messages that are logged in `body`, and in the tasks that it starts, one recording.
    ///
    /// - Parameters:
    ///   - name: A name that identifies the recording among others that run at the same time; a unique number
    ///     unless given.
    ///   - body: The code to record. Work that it passes to dispatch queues or threads is not part of the
    ///     recording.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public static func withRecording<Result>(_ name: String? = nil, _ body: () throws -> Result) rethrows
        -> Result
    {
        try withLogContext([field: .string(path(name))], body)
    }

    /// Makes the messages that are logged in an asynchronous `body`, and in the tasks that it starts, one
    /// recording.
    ///
    /// The recording follows the task across suspensions and threads.
    ///
    /// - Parameters:
    ///   - name: A name that identifies the recording among others that run at the same time; a unique number
    ///     unless given.
    ///   - body: The code to record. Work that it passes to dispatch queues or threads is not part of the
    ///     recording.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    nonisolated(nonsending) public static func withRecording<Result>(
        _ name: String? = nil, _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await withLogContext([field: .string(path(name))], body)
    }

    private static func path(_ name: String?) -> String {
        let own =
            name.map { String($0.map { $0 == "/" ? "_" : $0 }) }
            ?? String(lastNumber.add(1, ordering: .relaxed).newValue)
        guard case .string(let outer)? = LogContext.current?.value[field] else { return own }
        return outer + "/" + own
    }
}
