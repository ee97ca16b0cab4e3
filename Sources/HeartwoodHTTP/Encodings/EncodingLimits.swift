public import Heartwood

/// The most that one request of an encoding may hold.
public struct EncodingLimits: Sendable, Equatable {
    /// The most entries.
    public var entries: Int
    /// The most bytes of a body, before it is compressed.
    public var bytes: ByteCount

    /// Sets the limits; any number of entries, and 4 MiB.
    public init(entries: Int = .max, bytes: ByteCount = .mebibytes(4)) {
        self.entries = entries
        self.bytes = bytes
    }
}
