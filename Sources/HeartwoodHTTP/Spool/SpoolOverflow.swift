public import Heartwood

/// What goes when the store of unsent messages is full; everything that goes is counted.
///
/// A logger's `OverflowPolicy` is another decision: it limits the queue in front of the logger, where a caller can wait for
/// room. A store cannot make anyone wait, and it also contains messages that the server has refused.
public enum SpoolOverflow: Hashable, Sendable {
    /// The oldest segment goes, to make room for the new message; where all are in the batch on its way, its oldest half.
    case dropOldest
    /// The new message goes, unless there is one that the server has refused: that goes instead, since the new one shows
    /// whether the server takes any.
    case dropNewest
    /// New messages less serious than this level go, and those in the store; when that is not enough, the oldest.
    case dropBelow(LogLevel)
}
