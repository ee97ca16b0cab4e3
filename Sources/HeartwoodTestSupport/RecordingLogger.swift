public import Dispatch
public import Heartwood

/// A logger that records every message, so that tests can check them.
///
/// ```swift
/// let dispatcher = LogDispatcher()
/// let logger = RecordingLogger()
/// dispatcher.add(logger)
/// logInfo("charged \(amount)", to: dispatcher)
/// dispatcher.flush()
/// #expect(logger.texts == ["charged 12.5"])
/// ```
///
/// What the dispatcher says of itself ("37 messages dropped here") is kept apart from what the program
/// logged: ``messages`` has the latter, ``entries`` both in their order.
open class RecordingLogger: AbstractLogger, @unchecked Sendable {  // a lock guards what it keeps
    /// A call of one of the logger's hooks.
    public enum Event: Hashable, Sendable {
        /// The logger was added.
        case added
        /// The logger got a message with this text.
        case message(String)
        /// A batch ended.
        case batchEnd
        /// The logger was flushed.
        case flush
        /// The logger is about to be removed.
        case removed
    }

    private struct State {
        var entries: [LogMessage] = []
        var lines: [String] = []
        var events: [Event] = []
        /// How many messages were recorded, those included that were removed since.
        var recordings = 0
        /// Those who wait for the next message.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiting = 0
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// Makes a logger that records the messages that it gets.
    ///
    /// - Parameters:
    ///   - name: The logger's name in statistics; the name of the type unless given.
    ///   - formatter: Writes the lines that the logger records with the messages; nil, the default, records
    ///     the plain text.
    ///   - queue: The queue that the logger uses; nil, the default, makes one.
    public override init(name: String? = nil, formatter: LogFormatter? = nil, queue: DispatchQueue? = nil) {
        super.init(name: name, formatter: formatter, queue: queue)
    }

    /// Makes a logger whose hooks may run on the thread of a caller that waits for it, as the console's do.
    package override init(name: String?, formatter: LogFormatter?, runsOnCaller: Bool) {
        super.init(name: name, formatter: formatter, runsOnCaller: runsOnCaller)
    }

    // MARK: - What was recorded (any thread)

    /// All messages in order, including those of the dispatcher itself.
    public final var entries: [LogMessage] { state.withLock { $0.entries } }

    /// The messages of the program, in order.
    public final var messages: [LogMessage] { entries.filter { $0.category != .heartwood } }

    /// The texts of the program's messages, with private values redacted.
    public final var texts: [String] { messages.map(\.text) }

    /// The texts of all messages, including those of the dispatcher itself.
    package final var allTexts: [String] { entries.map(\.text) }

    /// The lines of the formatter, for messages that it did not drop.
    public final var lines: [String] { state.withLock { $0.lines } }

    /// All calls of the hooks, in order.
    public final var events: [Event] { state.withLock { $0.events } }

    /// The number of each "N messages dropped here", in order.
    package final var droppedNotes: [Int] {
        entries.compactMap { entry in
            guard entry.category == .heartwood, case .integer(let count)? = entry.metadata["dropped"] else {
                return nil
            }
            return Int(count)
        }
    }

    /// The number of messages that were reported as dropped, in total.
    package final var announcedDrops: Int { droppedNotes.reduce(0, +) }

    /// Removes all records.
    public final func removeRecords() {
        let removed = state.withLock { state in
            let removed = (state.entries, state.lines)
            (state.entries, state.lines, state.events) = ([], [], [])
            return removed
        }
        withExtendedLifetime(removed) {}  // ends outside of the lock: the end of a tag is the user's code
    }

    // MARK: - Waiting (any thread)

    /// How many messages were recorded so far.
    final var recordings: Int { state.withLock { $0.recordings } }

    /// Returns when more than `count` messages were recorded, when the time is over, or the task canceled.
    final func waitForRecording(after count: Int, upTo limit: Duration) async {
        let number = state.withLock { state in
            state.lastWaiting += 1
            return state.lastWaiting
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.recordings > count || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isDue { return continuation.resume() }
                let delay = DispatchTimeInterval.nanoseconds(Int(clamping: limit.nanoseconds))
                DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
                    self?.wake(number)
                }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }

    // MARK: - Hooks

    /// Records the message, and the line that the formatter makes of it.
    open override func log(_ message: LogMessage) { record(message) }

    /// Records a message; for subclasses that override `log` and record only some messages.
    public final func record(_ message: LogMessage) {
        let line = formatted(message)
        let waiting = state.withLock { state in
            state.entries.append(message)
            if let line { state.lines.append(line) }
            state.events.append(.message(line ?? message.text))
            state.recordings += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    private func record(_ event: Event) { state.withLock { $0.events.append(event) } }

    /// Records the call.
    open override func batchDidEnd() { record(.batchEnd) }
    /// Records the call.
    open override func flush() { record(.flush) }
    /// Records the call.
    open override func didAdd() { record(.added) }
    /// Records the call.
    open override func willRemove() { record(.removed) }
}
