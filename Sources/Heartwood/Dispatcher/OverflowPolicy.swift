/// What happens to messages when a queue has reached its limit.
///
/// Every message that is dropped is counted, and the log itself says so, in place: "37 messages dropped here".
public enum OverflowPolicy: Hashable, Sendable {
    /// The caller waits until there is room, for this long at most; then messages are dropped, and nobody waits again,
    /// until the queue has fallen to half of its limit. So a logger that is stuck costs a caller this time once.
    ///
    /// A call from inside a logger or formatter never waits: its message is dropped.
    case block(upTo: Duration)
    /// The message that finds no room is dropped.
    case dropNewest
    /// The oldest messages that wait are dropped, to make room.
    case dropOldest
    /// Messages less serious than this level are dropped, those that wait as well as the new ones; when that is
    /// not enough, the oldest.
    case dropBelow(LogLevel)

    /// What queues do unless told otherwise: wait for a quarter of a second at most.
    public static let standard = OverflowPolicy.block(upTo: .milliseconds(250))
}
