/// Messages that are kept, the oldest first, with what they occupy.
///
/// Invariants:
/// 1. `size` is the sum of what the messages from `head` on occupy.
/// 2. What is removed is handed out, to be let go where no lock is held: the end of a tag is the user's code.
struct MessageMemory {
    private var messages: [LogMessage] = []
    private var head = 0
    private(set) var size = 0

    var count: Int { messages.count - head }
    var isEmpty: Bool { count == 0 }
    var all: ArraySlice<LogMessage> { messages[head...] }

    /// Keeps a copy of the message, which occupies no more than it needs.
    mutating func append(_ message: LogMessage) {
        messages.append(message)
        size += message.storage.footprint
    }

    /// Removes the oldest until the limits hold, of which 0 is none, and hands them out.
    mutating func trim(count limit: Int, size most: Int) -> [LogMessage] {
        var end = head
        var size = size
        while end < messages.count,
            (limit > 0 && messages.count - end > limit) || (most > 0 && size > most)
        {
            size -= messages[end].storage.footprint
            end += 1
        }
        if end == head { return [] }
        let removed = Array(messages[head..<end])
        // What was removed must not live on in the array: it is replaced by the newest, which lives anyway.
        if let newest = messages.last { for index in head..<end { messages[index] = newest } }
        (head, self.size) = (end, size)
        if head == messages.count {
            messages.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head > messages.count / 2 {
            messages.removeSubrange(..<head)
            head = 0
        }
        return removed
    }

    /// Removes all, and hands them out.
    mutating func removeAll() -> [LogMessage] {
        defer { self = MessageMemory() }
        return Array(all)
    }
}

extension LogMessage {
    /// The message in memory that is as large as it must be.
    ///
    /// The one that a logger is handed may lie in more, and is filled again at no cost when nobody keeps it.
    var compact: LogMessage { LogMessage(storage: MessageStorage(copying: storage)) }
}
