import Heartwood

/// What waits for a logger that sends records of another module, and who waits for room there: pure, without
/// lock, thread or clock.
///
/// Callers wait as long as the logger makes progress, as ``OverflowPolicy/block(upTo:)`` has them wait for
/// messages: progress is each record that was stored, and each time that all which waits was taken out.
package struct RecordInbox<Item> {
    /// What becomes of an item.
    package enum Answer: Equatable {
        /// It is in the inbox; where it is the first, the logger must be asked to take it out.
        case taken(isFirst: Bool)
        /// There is no room: try again after this time, or when something was taken out.
        case wait(Duration)
        /// There is no room, and the logger makes no progress.
        case refused
    }

    private var items: [Item] = []
    private var bytes = 0
    private var hold = CallerHold()
    private var progress = 0

    package init() {}

    /// Takes an item that weighs so many bytes, where there is room for it, or nothing else waits.
    ///
    /// - Parameters:
    ///   - item: What is to be done.
    ///   - size: How many bytes it takes.
    ///   - limit: How many bytes may wait.
    ///   - patience: How long a caller waits without progress; nil: it does not wait at all.
    ///   - now: The steady time.
    /// - Returns: what becomes of it.
    package mutating func offer(
        _ item: Item, weighing size: Int, limit: Int, patience: Duration?, at now: Duration
    ) -> Answer {
        if bytes == 0 || bytes + size <= limit {
            items.append(item)
            bytes += size
            return .taken(isFirst: items.count == 1)
        }
        guard let patience else { return .refused }
        if hold.isGivenUp { hold.revive(progress: progress, at: now, limit: patience) }
        hold.fill(to: bytes + size, of: limit)
        if case .wait(let pause) = hold.look(progress: progress, at: now, limit: patience) {
            return .wait(pause)
        }
        return .refused
    }

    /// Takes everything out, in its order.
    package mutating func takeAll() -> [Item] {
        defer { (items, bytes) = ([], 0) }
        noteProgress()
        hold.empty(to: 0, of: bytes)
        return items
    }

    /// The logger has come a step further with what was taken out.
    package mutating func noteProgress() { progress &+= 1 }
}
