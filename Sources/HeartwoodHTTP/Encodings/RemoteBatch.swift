public import Heartwood

/// What goes into one request.
public struct RemoteBatch: Sendable {
    /// The entries, oldest first; never empty.
    public let entries: [RemoteEntry]
    /// The key by which a repetition is recognized: the same key always comes with the same entries.
    public let key: String
    /// What is known of this machine and program; empty where the logger leaves it out.
    public let device: LogMetadata

    /// Puts a batch together.
    ///
    /// - Parameters:
    ///   - entries: The messages, the oldest first.
    ///   - key: The same for the same messages, over restarts too.
    ///   - device: Facts about this machine and program; none unless given.
    public init(entries: [RemoteEntry], key: String, device: LogMetadata = [:]) {
        self.entries = entries
        self.key = key
        self.device = device
    }
}
