/// Tells the journal how far one logger is, and which message the logger is at.
///
/// Invariants:
/// 1. What was worked off is acknowledged only while the logger has settled all that it was given.
/// 2. A slot ends when everything in it is where it survives, or, for a logger that leaves, stays for
///    recovery.
final class JournalFollower: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    private unowned let logger: AbstractLogger
    private let inbox: LoggerInbox
    private let membership: LoggerMembership
    private let right: RunningRight

    // MARK: Owned by the running thread
    private struct State {
        /// Where the journal keeps how far the logger is.
        var slot: JournalSlot?
        /// The end in the ring of what has been worked off.
        var workedOff: UInt64 = 0
        /// The mark of the message at hand; 0 where no journal keeps it.
        var markAtHand: UInt64 = 0
        /// Where a journal keeps the message at hand, and how many bytes it has there.
        var keeper: JournalSlot?
        var keptSize = 0
        /// What ends the slots of journals before the one in use, when everything has been written.
        var ending: [@Sendable () -> Void] = []
    }

    // Without checks of exclusive access, which would be made for every message.
    @exclusivity(unchecked) private var state = State()

    init(
        _ logger: AbstractLogger, _ inbox: LoggerInbox, _ membership: LoggerMembership, _ right: RunningRight
    ) {
        self.logger = logger
        self.inbox = inbox
        self.membership = membership
        self.right = right
    }

    private var durable: (any DurableLogger)? { logger as? any DurableLogger }

    // MARK: - Slots

    /// Has the logger note its writes in `slot` from here on.
    ///
    /// Called by the drain.
    func setSlot(_ slot: JournalSlot?) {
        inbox.push { [self] in
            right.check()
            state.slot = slot
            state.workedOff = slot?.done ?? 0
            state.markAtHand = 0
            durable?.note(writesIn: slot)
        }
    }

    /// Has the logger leave its slot, when all that was logged before is where it survives.
    ///
    /// What it cannot write yet stays in the file: for recovery where the logger leaves the dispatcher
    /// (`isLeaving`), until it has written it where only the journal has changed.
    ///
    /// Called by the drain. `finished` is called when the slot has ended.
    func endSlot(_ slot: JournalSlot, isLeaving: Bool, _ finished: @escaping @Sendable () -> Void) {
        inbox.push { [self] in leave(slot, isLeaving: isLeaving, finished) }
    }

    private func leave(_ old: JournalSlot, isLeaving: Bool, _ finished: @escaping @Sendable () -> Void) {
        right.check()
        guard let durable else { return state.slot = nil }
        var isLeft = false
        if isLeaving, !durable.isSettled {
            // The last attempt, as long as the slot notes it.
            logger.flush()
            isLeft = !durable.isSettled
            // Another one would bring it twice. But what the journal has released is nowhere else.
            if isLeft, old.lost == 0 { durable.forgetUnwritten() }
        }
        state.slot = nil
        durable.note(writesIn: nil)
        if !isLeft {
            state.ending.append {
                old.end()
                finished()
            }
            endSlots()
        }
        wakeDrain()
    }

    /// Ends the slots of earlier journals, when what they have is where it survives.
    private func endSlots() {
        if state.ending.isEmpty { return }
        guard durable?.isSettled ?? true else { return }
        let ending = state.ending
        state.ending = []
        for end in ending { end() }
    }

    /// The drain frees what was acknowledged; it must not sleep while callers wait for that.
    private func wakeDrain() {
        guard let dispatcher = membership.dispatcher, dispatcher.ring.hasWaiters else { return }
        dispatcher.ring.askForRoom()
        dispatcher.consumer.wake()
    }

    // MARK: - How far

    /// Everything before `position` has been worked off.
    @inline(__always)
    func noteWorkedOff(_ position: UInt64) {
        right.check()
        if state.slot != nil { acknowledge(upTo: position) }
    }

    /// Tells the journal that everything before `position` has been worked off, if it is where it survives.
    func acknowledge(upTo position: UInt64 = 0) {
        right.check()
        endSlots()
        guard let slot = state.slot else { return }
        acknowledge(slot, upTo: position)
        wakeDrain()
    }

    /// Nothing waits, whatever happened to it.
    ///
    /// Called while the inbox is locked, so that nothing comes meanwhile.
    @inline(__always)
    func acknowledgeAll() {
        right.check()
        if let slot = state.slot { acknowledge(slot, upTo: slot.pushed) }
    }

    private func acknowledge(_ slot: JournalSlot, upTo position: UInt64) {
        state.workedOff = max(state.workedOff, position)
        if durable?.isSettled ?? false { slot.acknowledge(state.workedOff) }
    }

    // MARK: - The message at hand

    /// The mark of the message that the logger handles.
    var mark: UInt64 {
        right.check()
        return state.markAtHand
    }

    /// Whether the journal keeps the messages of the batch that begins; if so, `at` says which one is at
    /// hand.
    @inline(__always)
    func beginBatch() -> Bool {
        right.check()
        state.keeper = state.slot
        return state.slot != nil
    }

    @inline(__always)
    func at(_ record: RecordView, in batch: RecordBatch) {
        state.markAtHand = batch.end(of: record)
        state.keptSize = record.size
    }

    /// A recovered message is at hand, which `slot` keeps.
    func at(_ message: RecoveredMessage, of slot: JournalSlot) {
        right.check()
        (state.markAtHand, state.keeper, state.keptSize) = (message.mark, slot, message.size)
    }

    @inline(__always)
    func endBatch() { state.keeper = nil }

    /// What comes now is in no journal.
    func clearMark() {
        right.check()
        state.markAtHand = 0
    }

    /// Has `body` handle a message that the journal is done with, before the one at hand.
    func aside(_ body: () -> Void) {
        right.check()
        let outer = (state.markAtHand, state.keeper)
        (state.markAtHand, state.keeper) = (0, nil)
        body()
        (state.markAtHand, state.keeper) = outer
    }

    /// The message at hand is left out: it is not for the logger after a crash, either.
    func leaveOut() {
        right.check()
        state.keeper?.leaveOut(endingAt: state.markAtHand, size: state.keptSize)
    }

    // MARK: - Recovery

    /// Has the logger note its writes in the slot of a dead process while `body` delivers what that has left.
    func follow(_ other: JournalSlot, _ durable: any DurableLogger, _ body: () -> Bool) -> Bool {
        right.check()
        durable.note(writesIn: other)
        defer { durable.note(writesIn: state.slot) }
        return body()
    }

    // MARK: - Around a fork

    /// In the child: the journal is the parent's.
    func forgetInChild() {
        right.check()
        (state.slot, state.keeper, state.ending) = (nil, nil, [])
    }
}

/// A logger that puts messages where they survive the process, and tells the journal how far it is.
///
/// All members but ``journalKey`` are called like hooks: one at a time, in order with the messages.
package protocol DurableLogger: AbstractLogger {
    /// What the logger is known by, over restarts of the program: its kind, and where it writes to.
    ///
    /// Nil for one that keeps messages in memory only. Asked on any thread.
    var journalKey: String? { get }

    /// Whether everything that it was given is where it survives, or was dropped and counted.
    var isSettled: Bool { get }

    /// Has it note its writes in this slot from now on; nil, nowhere.
    ///
    /// What it was given before, and could have written already, is written first.
    func note(writesIn slot: JournalSlot?)

    /// Finds out how much of a write arrived that a dead process had started; cuts off a part of a record.
    ///
    /// - Returns: the mark up to which its messages arrived; nil where none did, or where that cannot be
    ///   known.
    /// - Throws: where it cannot be seen now, and perhaps later.
    func resolve(_ intent: JournalSlot.Intent) throws -> UInt64?

    /// Forgets what it could not write: it will come again.
    func forgetUnwritten()
}

extension JournalKey {
    /// What a logger that makes messages durable is known by; nil for others.
    static func of(_ logger: AbstractLogger) -> JournalKey? {
        guard let place = (logger as? any DurableLogger)?.journalKey else { return nil }
        let formatter = logger.formatter.map { String(describing: type(of: $0)) } ?? ""
        return JournalKey(place: place, variant: "\(logger.name)/\(formatter)")
    }
}
