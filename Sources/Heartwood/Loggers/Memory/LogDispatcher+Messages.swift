extension LogDispatcher {
    /// Returns the messages that are logged from now on as an asynchronous sequence.
    ///
    /// ```swift
    /// for await message in LogDispatcher.shared.messages(levels: .warning) { show(message) }
    /// ```
    ///
    /// The dispatcher has a logger named `messages` while the sequence exists and the task of its reader is
    /// not canceled. Removing that logger ends the sequence. Private values are unchanged;
    /// ``LogMessage/text`` redacts them.
    ///
    /// - Parameters:
    ///   - levels: The levels; all unless given.
    ///   - filter: Which messages; all unless given. Asked on the logger's queue.
    ///   - limit: How many messages wait for a reader that is slow, 1000 unless given; then the oldest go,
    ///     and are counted.
    /// - Returns: a sequence for one reader, or several that share the messages.
    public func messages(
        levels: LogLevelMask = .all, of filter: LogFilter? = nil, bufferingNewest limit: Int = 1000
    ) -> LogMessageStream {
        let logger = ChannelLogger()
        let channel = MessageChannel(filter: filter, limit: limit) { [weak self, weak logger] in
            // A reader must wait neither for the logger nor for the ring.
            WorkQueue.chores.enqueue { [weak self, weak logger] in
                if let self, let logger { detach([logger]) }
            }
        }
        logger.channel.withLock { $0.object = channel }
        add(logger, levels: levels)
        return LogMessageStream(channel: channel)
    }
}

/// Hands messages to the readers of one stream.
private final class ChannelLogger: AbstractLogger, @unchecked Sendable {  // its state is guarded by a lock
    let channel = Locked(Weak<MessageChannel>())

    init() { super.init(name: "messages", formatter: nil) }

    deinit { channel.withLock { $0.object }?.finish() }

    override func log(_ message: LogMessage) {
        channel.withLock { $0.object }?.offer(message.compact)
    }

    override func willRemove() { channel.withLock { $0.object }?.finish() }
}
