/// Keeps the newest messages in memory, for queries and for live views.
///
/// ```swift
/// let memory = MemoryLogger()
/// LogDispatcher.shared.add(memory, levels: .debug)
/// let failures = memory.messages(levels: .error, category: "net.*")
/// for await message in memory.stream() { show(message) }
/// ```
///
/// The number and the size of the messages are limited; the oldest messages are removed first, and counted.
/// Private values are kept unchanged; ``LogMessage/text`` redacts them. The ``AbstractLogger/filter`` and the
/// levels of the logger apply; a formatter has no effect. You can use every member on any thread, and none
/// waits for messages: recent messages are available after a flush.
public final class MemoryLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {  // guarded
    private struct State {
        var memory = MessageMemory()
        var evicted = 0
        var streams: [Weak<MessageChannel>] = []
    }

    /// The settings; their members are properties of the logger.
    public let orderedSettings = Ordered(wrappedValue: MemorySettings())

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    // MARK: Owned by the hooks
    private var limits = MemorySettings()

    /// Makes an empty logger.
    public init(name: String = "memory") {
        super.init(name: name, formatter: nil, runsOnCaller: true)
    }

    deinit { endStreams() }

    // MARK: - What is kept

    /// The messages, the oldest first.
    public var messages: [LogMessage] { state.withLock { $0.memory.all } }

    /// The number of messages.
    public var count: Int { state.withLock { $0.memory.count } }

    /// The memory that the messages use.
    public var size: ByteCount { state.withLock { ByteCount($0.memory.size) } }

    /// The number of messages that were removed because of the limits.
    package var evictedMessages: Int { state.withLock { $0.evicted } }

    /// Removes all messages; they do not count as evicted.
    public func removeAll() {
        let removed = state.withLock { $0.memory.removeAll() }
        withExtendedLifetime(removed) {}
    }

    /// Returns the messages of a time range, with given levels, category or text; the oldest first.
    ///
    /// The query reads all messages in a copy of the list. 10,000 messages take about a millisecond, or about
    /// ten if you search for a text.
    ///
    /// - Parameters:
    ///   - start: The first moment that counts.
    ///   - end: The first moment that does not count any more.
    ///   - levels: The levels.
    ///   - category: The name of a category, in which `*` stands for any characters; `net` describes
    ///     `net.http` too.
    ///   - text: What the text contains, in any case; private pieces are redacted in it.
    ///   - filter: What else is asked of a message.
    ///   - limit: How many messages at most: the newest ones.
    /// - Returns: those that meet all conditions.
    public func messages(
        since start: LogTimestamp? = nil, until end: LogTimestamp? = nil, levels: LogLevelMask = .all,
        category: String? = nil, containing text: String? = nil, where filter: LogFilter? = nil,
        limit: Int = .max
    ) -> [LogMessage] {
        let category = category.map { LogFilter.category($0) }
        let text = text.map { LogFilter.message(.contains($0, ignoringCase: true)) }
        var found: [LogMessage] = []
        // No lock here: a filter is the user's code.
        for message in messages.reversed() where found.count < limit {
            if let start, message.timestamp < start { continue }
            if let end, message.timestamp >= end { continue }
            if !levels.contains(message.level) { continue }
            if category?.passes(message) == false || text?.passes(message) == false { continue }
            if filter?.passes(message) == false { continue }
            found.append(message)
        }
        return found.reversed()
    }

    // MARK: - What comes

    /// Returns the messages that are logged from now on as an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - filter: Which messages; all unless given. Asked on the logger's queue.
    ///   - replaying: Whether those that are kept already come first, without a gap; no unless asked for.
    ///   - limit: How many messages wait for a reader that is slow, 1000 unless given; then the oldest go,
    ///     and are counted.
    /// - Returns: a sequence that ends when the logger is removed from its dispatcher or freed. It does not
    ///   keep the logger.
    public func stream(
        of filter: LogFilter? = nil, replaying: Bool = false, bufferingNewest limit: Int = 1000
    ) -> LogMessageStream {
        let channel = MessageChannel(filter: filter, limit: limit)
        state.withLock { state in
            if replaying { channel.start(with: state.memory.all) }
            state.streams.removeAll { $0.object == nil }
            state.streams.append(Weak(channel))
        }
        return LogMessageStream(channel: channel)
    }

    private func endStreams() {
        let streams = state.withLock { state in
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.object?.finish() }
    }

    // MARK: - Hooks

    /// Applies changed settings.
    public override func settingsDidChange() {
        limits = orderedSettings.inEffect
        trim()
    }

    /// Keeps the message, and passes it to the open sequences.
    public override func log(_ message: LogMessage) {
        let message = message.compact
        let isTooLarge = limits.maximumSize.limit.map { message.storage.footprint > $0 } ?? false
        let streams = state.withLock { state in
            if isTooLarge { state.evicted += 1 } else { state.memory.append(message) }
            return state.streams
        }
        trim()
        noteWritten(message.storage.footprint)
        for stream in streams { stream.object?.offer(message) }
    }

    /// Ends the open sequences; the messages are kept.
    public override func willRemove() { endStreams() }

    private func trim() {
        let limits = limits
        let removed = state.withLock { state in
            let removed = state.memory.trim(to: limits)
            state.evicted += removed.count
            return removed
        }
        withExtendedLifetime(removed) {}  // ends outside of the lock
    }
}

/// Messages that are kept, the oldest first, with what they occupy.
///
/// Invariants:
/// 1. `size` is the sum of what the messages occupy.
/// 2. What is removed is handed out, to be released where no lock is held: the end of a tag is the user's
///    code.
struct MessageMemory {
    private var messages = Deque<LogMessage>()
    private(set) var size = 0

    var count: Int { messages.count }
    var all: [LogMessage] { Array(messages) }

    mutating func append(_ message: LogMessage) {
        messages.append(message)
        size += message.storage.footprint
    }

    /// Removes the oldest until the limits hold, and returns them.
    mutating func trim(to limits: MemorySettings) -> [LogMessage] {
        let (most, largest) = (limits.maximumCount.limit ?? .max, limits.maximumSize.limit ?? .max)
        var removed: [LogMessage] = []
        while count > most || size > largest, let oldest = messages.popFirst() {
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
    /// The one that a logger is handed may lie in more, and is filled again at no cost when no logger keeps
    /// it.
    var compact: LogMessage { LogMessage(storage: MessageStorage(copying: storage)) }
}

/// The settings of a ``MemoryLogger``, which has each as a property of the same name.
///
/// Where a limit is optional, nil and zero both mean no limit.
public struct MemorySettings: Sendable {
    /// The largest number of messages.
    ///
    /// Default: 10000
    public var maximumCount: Int? = 10_000

    /// The memory limit of all messages together.
    ///
    /// A message occupies what its text and values take, and about 250 bytes more; what its tag occupies does
    /// not count. One that is larger than the limit is not kept, and counts as evicted.
    ///
    /// Default: 16 MiB
    public var maximumSize: ByteCount? = .mebibytes(16)

    package init() {}
}
