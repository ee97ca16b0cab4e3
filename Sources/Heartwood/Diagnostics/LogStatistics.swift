/// The number of messages that a dispatcher has accepted and dropped so far.
public struct LogStatistics: Sendable {
    /// Messages that calls have logged.
    public var accepted = 0
    /// Messages that were dropped because the ring was full, or because a logger logged them while it handled
    /// a message of a logger.
    public var dropped = 0
    /// The figures of each logger, by its name; repeated names get a number.
    public var loggers: [String: LoggerStatistics] = [:]
}
