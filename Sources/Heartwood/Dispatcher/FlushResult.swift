/// The result of a flush.
public struct FlushResult: Hashable, Sendable {
    /// The names of the loggers that did not finish in time, or that hold messages that they cannot write at
    /// the moment.
    public let unfinished: [String]

    /// The names of those unfinished loggers that hold messages because they cannot write them.
    ///
    /// Waiting helps only after the cause is removed, for example a full disk.
    public let holding: [String]

    /// The paths of journals of dead processes that could not be delivered.
    ///
    /// This process could not open them, or could not create its own journal; see ``LogDispatcher/journal``.
    ///
    /// Their messages are missing in the logs so far. Journals of other users are not included.
    public let journals: [String]

    /// Whether all loggers have handled and written everything, and all journals of dead processes were
    /// delivered.
    public var isComplete: Bool { unfinished.isEmpty && journals.isEmpty }
}
