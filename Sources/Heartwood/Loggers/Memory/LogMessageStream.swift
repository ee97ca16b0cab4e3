/// An asynchronous sequence of messages, from ``LogDispatcher/messages(levels:of:bufferingNewest:)`` or
/// ``MemoryLogger/stream(of:replaying:bufferingNewest:)``.
///
/// One loop can read the sequence, or several, which then share the messages. A loop ends when the logger is
/// removed from its dispatcher or freed, and when its task is canceled; then the whole sequence has ended.
public struct LogMessageStream: AsyncSequence, Sendable {
    let channel: MessageChannel

    /// The number of messages that were dropped because the reader was too slow.
    public var dropped: Int { channel.dropped }

    /// Starts to read the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Reads the messages of a sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let channel: MessageChannel

        /// Suspends until there is a next message, and returns it; nil at the end.
        public mutating func next() async -> LogMessage? { await channel.next() }
    }
}
