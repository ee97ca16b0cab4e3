public import Heartwood

/// How much the store of unsent messages holds, for how long, and how it is cut into files.
public struct SpoolSettings: Sendable, Equatable {
    /// The most bytes of unsent messages, on disk or, without a directory, in memory.
    ///
    /// Default: 256 MiB
    public var maximumBytes = ByteCount.mebibytes(256)

    /// The most files.
    ///
    /// Default: 10000
    public var maximumFiles: Int? = 10_000

    /// How old an unsent message may become; an older one is dropped.
    ///
    /// Default: nil
    public var maximumAge: Duration?

    /// What is dropped when a limit is reached.
    ///
    /// Default: dropOldest
    public var overflow = SpoolOverflow.dropOldest

    /// The size at which a new segment begins; at most an eighth of ``maximumBytes``, and 128 MiB.
    ///
    /// Default: 4 MiB
    public var segmentBytes = ByteCount.mebibytes(4)

    /// The number of messages at which a new segment begins.
    ///
    /// Default: 100000
    public var segmentCount = 100_000

    /// The age of a segment's first message at which a new segment begins.
    ///
    /// Default: 1h
    public var segmentAge = Duration.seconds(3600)

    /// Whether each save waits until the disk has it, so that a power cut loses nothing.
    ///
    /// Without it, what was saved survives the death of the process, `kill -9` included.
    ///
    /// Default: false
    public var synchronizes = false

    /// The most bytes of damaged files that are kept in `quarantine/`.
    ///
    /// Default: 8 MiB
    public var quarantineBytes = ByteCount.mebibytes(8)

    /// The largest record; 1 MiB by default, 64 MiB at most.
    package var payloadLimit = SpoolRecord.payloadLimit

    /// Makes the default settings.
    public init() {}

    var effectivePayloadLimit: Int { min(payloadLimit, SpoolRecord.largestPayload) }

    var effectiveSegmentBytes: Int {
        min(max(segmentBytes.bytes, 4096), max(4096, maximumBytes.bytes / 8), SpoolSegment.largestSize / 2)
    }
}

/// What goes when the store of unsent messages is full; everything that goes is counted.
///
/// A logger's `OverflowPolicy` is another decision: it limits the queue in front of the logger, where a
/// caller can wait for room. A store cannot make anyone wait, and it also contains messages that the server
/// has refused.
public enum SpoolOverflow: Hashable, Sendable {
    /// The oldest segment goes, to make room for the new message; where all are in the batch on its way, its
    /// oldest half.
    case dropOldest
    /// The new message goes, unless there is one that the server has refused: that goes instead, since the
    /// new one shows whether the server takes any.
    case dropNewest
    /// New messages less serious than this level go, and those in the store; when that is not enough, the
    /// oldest.
    case dropBelow(LogLevel)
}
