/// Messages that are kept, the oldest first, with what they occupy.
///
/// Invariants:
/// 1. `size` is the sum of what the messages occupy.
/// 2. What is removed is handed out, to be released where no lock is held: the end of a tag is the user's code.
struct MessageMemory {
    private var messages = Deque<LogMessage>()
    private(set) var size = 0

    var count: Int { messages.count }
    var all: [LogMessage] { Array(messages) }

    mutating func append(_ message: LogMessage) {
        messages.append(message)
        size += message.storage.footprint
    }

    /// Removes the oldest until the limits hold, where 0 means no limit, and returns them.
    mutating func trim(count limit: Int, size most: Int) -> [LogMessage] {
        var removed: [LogMessage] = []
        while (limit > 0 && count > limit) || (most > 0 && size > most), let oldest = messages.popFirst() {
            size -= oldest.storage.footprint
            removed.append(oldest)
        }
        return removed
    }

    /// Removes all, and hands them out.
    mutating func removeAll() -> [LogMessage] {
        defer { self = MessageMemory() }
        return all
    }
}

extension LogMessage {
    /// The message in memory that is as large as it must be.
    ///
    /// The one that a logger is handed may lie in more, and is filled again at no cost when no logger keeps it.
    var compact: LogMessage { LogMessage(storage: MessageStorage(copying: storage)) }
}
