/// Decides what happens to messages when a queue has reached its limit.
///
/// Every dropped message is counted, and the log says where messages are missing: "37 messages dropped here".
public enum OverflowPolicy: Hashable, Sendable {
    /// The caller waits for room while the logger makes progress, and stops waiting after this time **without
    /// progress**.
    ///
    /// A logger that works, however slowly, loses no message of a caller that may wait; callers then log as
    /// fast as the logger writes. Progress is each message that it has handled, and each
    /// ``AbstractLogger/noteProgress()``. A logger that is stuck costs each caller that waits this time once:
    /// then messages that find no room are dropped and callers do not wait, until the logger works steadily
    /// again, or its queue has fallen to half of its limit.
    ///
    /// A call from inside a logger or formatter never waits: its message is dropped where there is no room.
    case block(upTo: Duration)
    /// The new message is dropped.
    case dropNewest
    /// The oldest waiting messages are dropped.
    case dropOldest
    /// Waiting and new messages below this level are dropped; if that is not enough, the oldest.
    case dropBelow(LogLevel)

    /// The default: wait for a logger that makes progress, and up to a quarter of a second for one that does
    /// not.
    public static let standard = OverflowPolicy.block(upTo: .milliseconds(250))
}

/// How much may wait for a logger, and what happens when it is more.
struct BacklogLimits: Sendable {
    var limit: ByteCount? = .mebibytes(16)
    var policy = OverflowPolicy.standard
    /// The number of the setting: of two that were made at the same time the one with the higher number
    /// holds.
    var number = 0

    /// The limit in bytes, which leaves room for sums.
    var bytes: Int { min(limit.limit ?? .max, .max / 4) }
}
