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

/// The number of messages that a logger has received, delivered and lost so far.
///
/// After a flush, `received` is the sum of `delivered`, `waiting`, `filtered`, `dropped` and `failed`.
public struct LoggerStatistics: Hashable, Sendable {
    /// Messages whose level the logger wanted.
    public var received = 0
    /// Messages that the logger has written: a file logger into a file, a database logger into its table, an
    /// HTTP logger into its store of unsent messages.
    public var delivered = 0
    /// Messages that the logger holds in memory, because it cannot write them at the moment, or writes
    /// several at a time.
    public var waiting = 0
    /// Messages that the formatter or the filter of the logger dropped.
    public var filtered = 0
    /// Messages that were dropped because the backlog was full.
    public var dropped = 0
    /// Messages that the logger could not write.
    public var failed = 0
    /// Bytes that the logger has written.
    public var bytes = 0

    /// Messages that the logger accounts for: all that it has received, after a flush.
    package var handled: Int { delivered + waiting + filtered + dropped + failed }
}
