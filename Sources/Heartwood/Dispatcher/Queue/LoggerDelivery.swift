import Synchronization

/// Has a logger handle messages, and counts what it did with each.
///
/// Invariant: `outcome` is that of the message at hand; between two messages it says nothing.
final class LoggerDelivery: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    /// Kept by whoever has the right to run it.
    private let logger: Unmanaged<AbstractLogger>
    private let inbox: LoggerInbox
    private let follower: JournalFollower
    private let counters: LoggerCounters
    private let right: RunningRight

    // MARK: Owned by the running thread
    private struct State {
        /// Filled again for each message; with `deliver` while that is at work.
        var storage: MessageStorage?
        var names = NameCache()
        var outcome = LoggerCounters.Outcome.delivered
    }

    // Without checks of exclusive access, which would be made for every message.
    @exclusivity(unchecked) private var state = State()

    init(
        _ logger: AbstractLogger, _ inbox: LoggerInbox, _ follower: JournalFollower,
        _ counters: LoggerCounters, _ right: RunningRight
    ) {
        self.logger = .passUnretained(logger)
        self.inbox = inbox
        self.follower = follower
        self.counters = counters
        self.right = right
    }

    // MARK: - What a logger says of the message at hand

    /// The message was not delivered, but this.
    @inline(__always)
    func note(_ outcome: LoggerCounters.Outcome) {
        right.check()
        state.outcome = outcome
    }

    /// The logger's filter or formatter leaves the message out: it is not for it after a crash, either.
    func leaveOut() {
        note(.filtered)
        follower.leaveOut()
    }

    // MARK: - Delivering

    /// Has the logger handle the wanted messages of a batch.
    func deliver(_ slice: RecordSlice, _ thread: ThreadState) {
        deliver(from: slice.batch, thread) { handle in slice.forEach { handle($0) } }
    }

    /// Has the logger handle the one message of a batch.
    func deliver(_ batch: RecordBatch, _ thread: ThreadState) {
        deliver(from: batch, thread) { handle in handle(RecordView(batch.base)) }
    }

    @inline(__always)
    private func deliver(
        from batch: RecordBatch, _ thread: ThreadState, _ forEach: ((RecordView) -> Void) -> Void
    ) {
        right.check()
        var hasOriginal = false
        let isKept = follower.beginBatch()
        var outcomes = LoggerCounters.Outcomes()
        var storage = state.storage.take() ?? MessageStorage()
        forEach { record in
            if isKept { follower.at(record, in: batch) }
            if !isKnownUniquelyReferenced(&storage) { storage = MessageStorage() }
            storage.fill(from: record, names: &state.names)
            let isReentrant = record.flags.contains(.reentrant)
            thread.handlesReentrantMessage = isReentrant
            if !isReentrant { hasOriginal = true }
            state.outcome = .delivered
            logger._withUnsafeGuaranteedRef { $0.handle(LogMessage(storage: storage)) }
            inbox.noteProgress()
            outcomes.count(state.outcome)
        }
        follower.endBatch()
        // The last message's tag and memory are not kept until the next message comes.
        if !storage.isWorthFreeing { state.storage = storage }
        // A logger that logs at the end of each batch must not do so because of its own messages alone.
        thread.handlesReentrantMessage = !hasOriginal
        logger._withUnsafeGuaranteedRef { $0.batchDidEnd() }
        thread.handlesReentrantMessage = false
        // Many loggers write at the end of the batch: what they have not written does not count as delivered.
        counters.add(&outcomes)
    }

    /// Delivers a message that was held back, and counted as filtered then, before the one at hand.
    func deliverLate(_ message: LogMessage) {
        right.check()
        let thread = ThreadState.current
        let outer = (state.outcome, thread.handlesReentrantMessage)
        var outcomes = LoggerCounters.Outcomes()
        // What is logged about it shall not be held back in its turn.
        thread.handlesReentrantMessage = true
        state.outcome = .delivered
        follower.aside { logger._withUnsafeGuaranteedRef { $0.log(message) } }
        outcomes.count(state.outcome)
        counters.filtered.subtract(1, ordering: .relaxed)
        counters.add(&outcomes)
        (state.outcome, thread.handlesReentrantMessage) = outer
    }

    /// Has the logger say in the log itself that messages are missing at this place.
    func announce(_ loss: Backlog.Gap) {
        right.check()
        // What the logger logs about this would be dropped, and announced, and so on forever.
        let thread = ThreadState.current
        thread.handlesReentrantMessage = true
        follower.clearMark()
        let logger = logger.takeUnretainedValue()
        logger.log(LogMessage.ofLoss(loss.count, at: logger.currentTime))
        logger.batchDidEnd()
        thread.handlesReentrantMessage = false
        // The others have been reported where they were dropped.
        if loss.here > 0 {
            logger.node.diagnostics.report(
                .messagesDropped, "\(loss.here) messages for \(logger.name) were dropped", count: loss.here)
        }
    }

    /// Delivers messages of a dead process, which `slot` of its journal keeps count of, as if they had just
    /// been logged: filter, flight recorder and duplicate suppression act.
    ///
    /// - Returns: whether they are where they survive; if not, they were forgotten again.
    func deliver(_ messages: [RecoveredMessage], of slot: JournalSlot) -> Bool {
        right.check()
        let logger = logger.takeUnretainedValue()
        guard let durable = logger as? any DurableLogger, durable.isSettled else { return false }
        return follower.follow(slot, durable) {
            let (before, selection) = (counters.snapshot, logger.selection?.checkpoint)
            handle(messages, of: slot)
            // Some keep messages in memory for a while; not these.
            if !durable.isSettled { durable.note(writesIn: slot) }
            if durable.isSettled {
                counters.received.add(messages.count, ordering: .relaxed)
                slot.acknowledge(messages.last?.mark ?? 0)
                return true
            }
            // They will come again, and count then.
            durable.forgetUnwritten()
            counters.goBack(to: before)
            if let selection { logger.selection?.checkpoint = selection }
            return false
        }
    }

    private func handle(_ messages: [RecoveredMessage], of slot: JournalSlot) {
        var outcomes = LoggerCounters.Outcomes()
        let logger = logger.takeUnretainedValue()
        for message in messages {
            let storage = MessageStorage()
            storage.fill(message.parts)
            follower.at(message, of: slot)
            state.outcome = .delivered
            if message.isNote {
                logger.log(LogMessage(storage: storage))
            } else {
                logger.handle(LogMessage(storage: storage))
            }
            outcomes.count(state.outcome)
        }
        follower.endBatch()
        counters.add(&outcomes)
        logger.batchDidEnd()
        follower.clearMark()
    }
}

/// A message of a dead process.
struct RecoveredMessage {
    let parts: MessageParts
    /// The end of its record; 0 without a record.
    let mark: UInt64
    /// The bytes of its record.
    var size = 0
    /// Whether the framework says it, so that no filter is asked.
    var isNote = false
}
