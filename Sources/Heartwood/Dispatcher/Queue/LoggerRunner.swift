import CHeartwood
import Dispatch

/// Works off what waits in a logger's inbox, on the thread that has the right to run the logger.
///
/// Invariants:
/// 1. Every hook of the logger runs under this right, so hooks never overlap.
/// 2. What a hook cannot write without waiting on the thread of a caller, the logger's queue writes before
///    any other entry.
/// 3. The right does not end while messages are missing that the log does not tell of.
final class LoggerRunner: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    private unowned let logger: AbstractLogger
    private let inbox: LoggerInbox
    private let follower: JournalFollower
    private let recovery: LoggerRecovery
    private let delivery: LoggerDelivery
    private let right: RunningRight

    // MARK: Owned by the running thread
    private struct State {
        /// How many messages were dropped at this place, and not announced yet.
        var lost = Backlog.Gap()
        /// Whether the hooks run on the logger's queue, where they may wait as long as they want.
        var isOnQueue = false
        /// Whether the logger holds output that it could not write without waiting.
        var holdsOutput = false
        /// Whether its reader took nothing when it was waited for last.
        var isBlocked = false
        /// Until when the caller waits for the logger; nil where it does not.
        var patienceEnd: DispatchTime?
    }

    // Without checks of exclusive access, which would be made for every entry.
    @exclusivity(unchecked) private var state = State()
    /// For the message of a synchronous call that finds nothing else to do.
    private let alone = RecordBatch(capacity: aloneCapacity)

    /// The size of the largest record that is handled so.
    static let aloneCapacity = 2048

    init(
        _ logger: AbstractLogger, _ inbox: LoggerInbox, _ follower: JournalFollower,
        _ recovery: LoggerRecovery, _ delivery: LoggerDelivery, _ right: RunningRight
    ) {
        self.logger = logger
        self.inbox = inbox
        self.follower = follower
        self.recovery = recovery
        self.delivery = delivery
        self.right = right
    }

    // MARK: - A message without an entry

    /// Copies a message, which ends at `end` of the ring; called by the drain for a thread that has just got
    /// the right to run.
    func copyAlone(_ record: RecordView, size: Int, end: UInt64) -> RecordView {
        alone.removeAll()
        alone.base.copyMemory(from: record.base, byteCount: size)
        (alone.size, alone.end) = (size, end)
        return RecordView(alone.base)
    }

    /// The copy is as it is delivered now.
    func addAlone(size: Int, sequence: UInt64) { alone.add(at: 0, size: size, sequence: sequence) }

    /// Has the logger handle that message, on the thread of its caller, and ends the right to run.
    ///
    /// The logger may be gone when the right has ended.
    ///
    /// - Returns: false if the logger's queue has yet to write what it made of it.
    func runAlone() -> Bool {
        let thread = ThreadState.current
        var isWritten = true
        right.use(thread) {
            state.isOnQueue = false
            recovery.runBeforeMessage()
            announceLoss()
            delivery.deliver(alone, thread)
            inbox.noteProgress()
            isWritten = !state.holdsOutput
            stop()
        }
        return isWritten
    }

    // MARK: - Working entries off

    /// Works off entries until the inbox is empty, `mark` is reached or the time is over; does nothing when
    /// another thread is at it.
    ///
    /// Any thread. Without a mark it is the logger's queue that calls, unless `asCaller` says otherwise. A
    /// caller does not stop at its mark where the logger has no thread: no other one does what is left.
    func run(
        until mark: InboxMark?, _ deadline: DispatchTime = .distantFuture, asCaller: Bool = false
    ) {
        let asCaller = asCaller || mark != nil
        guard inbox.begin(asCaller: asCaller) else { return }
        let thread = ThreadState.current
        use(thread, asCaller: asCaller) {
            state.isOnQueue = !asCaller
            state.patienceEnd = deadline == .distantFuture ? nil : deadline
            if !finishOutput(asCaller: asCaller) { return stop() }
            while let entry = next() {
                ObjectPool.emptied { workOff(entry, thread) }
                if state.holdsOutput, mark != nil || inbox.isLeftToCallers { return stop() }
                guard let mark, !inbox.isLeftToCallers else { continue }
                if mark.isReached || DispatchTime.now() >= deadline { return stop() }
            }
        }
    }

    /// Works off, for a synchronous call, what was handed out of the ring up to `end`.
    ///
    /// - Returns: false where another thread is at it, the logger's queue has to write some of it, or it is
    ///   late.
    func run(upTo end: UInt64, of ring: UInt64, _ deadline: DispatchTime) -> Bool {
        if inbox.hasHandled(end, of: ring) {
            // What came after it may have been left to this caller as well.
            inbox.scheduleIfNeeded()
            return true
        }
        guard inbox.begin(asCaller: true) else { return inbox.hasHandled(end, of: ring) }
        let thread = ThreadState.current
        var isDone = false
        use(thread, asCaller: true) {
            (state.isOnQueue, state.patienceEnd) = (false, nil)
            if !finishOutput(asCaller: true) { return stop() }
            while let entry = next() {
                workOff(entry, thread)
                isDone = inbox.hasHandled(end, of: ring)
                if state.holdsOutput { return stop() }
                if !inbox.isLeftToCallers, isDone || DispatchTime.now() >= deadline { return stop() }
            }
            // Others have worked it off, or it was dropped.
            isDone = true
        }
        return isDone
    }

    /// Calls `body` with the right, which the inbox has given, on the logger's queue where hooks may ask for
    /// it.
    private func use(_ thread: ThreadState, asCaller: Bool, _ body: () -> Void) {
        if asCaller, inbox.isEnteredByCaller { return inbox.worker.queue.sync { right.use(thread, body) } }
        right.use(thread, body)
    }

    /// The next entry; without one, the right to run ends in the same step.
    private func next() -> Backlog.Entry? {
        let owesLoss = state.lost.count > 0
        let entry = inbox.next(stays: owesLoss) { follower.acknowledgeAll() }
        return entry ?? (owesLoss ? .work({}) : nil)
    }

    private func workOff(_ entry: Backlog.Entry, _ thread: ThreadState) {
        defer { inbox.noteProgress() }
        switch entry {
        case .gap(let gap):
            state.lost += gap
        case .work(let work):
            announceLoss()
            work()
        case .records(let slice, let before):
            state.lost += before
            if slice.count > 0 {
                recovery.runBeforeMessage()
                announceLoss()
                delivery.deliver(slice, thread)
            }
            follower.noteWorkedOff(slice.batch.end)
            if !state.holdsOutput { inbox.noteHandled(slice.batch) }
            inbox.finish(weighing: slice.weight)
        }
    }

    /// Says in the log itself how many messages are missing at this place.
    private func announceLoss() {
        let gap = state.lost
        if gap.count == 0 { return }
        state.lost = Backlog.Gap()
        delivery.announce(gap)
    }

    /// Leaves the rest, if any, to the queue.
    private func stop() { inbox.end(leavingOutput: state.holdsOutput && !inbox.lacksThread) }

    // MARK: - Output that would wait

    /// How long a hook may wait for a reader: on the logger's queue forever, on the thread of a caller not.
    ///
    /// Where there is no other thread, a caller that waits for the logger waits for its reader as well, and
    /// others a moment, once.
    var readerPatience: Duration {
        right.check()
        if state.isOnQueue { return .seconds(1_000_000_000) }
        if hw_forked_child_load() { return .milliseconds(250) }
        if !inbox.isLeftToCallers { return .zero }
        if let end = state.patienceEnd {
            let (now, end) = (DispatchTime.now().uptimeNanoseconds, end.uptimeNanoseconds)
            return .nanoseconds(end > now ? Int64(clamping: end - now) : 0)
        }
        return state.isBlocked ? .zero : .milliseconds(250)
    }

    /// The logger could not write all without waiting: its queue does that, before any other entry.
    func leaveOutputToQueue() {
        right.check()
        (state.holdsOutput, state.isBlocked) = (true, true)
    }

    /// Writes what the logger holds, where this thread may; false where it still holds some.
    private func finishOutput(asCaller: Bool) -> Bool {
        if !state.holdsOutput || (asCaller && !inbox.isLeftToCallers) { return true }
        state.holdsOutput = false
        (logger as? any OutputHolder)?.finishOutput()
        state.isBlocked = state.holdsOutput
        inbox.noteOutputWritten()
        return !state.holdsOutput
    }

    // MARK: - Around a fork

    /// In the parent: the logger goes on.
    func resume() {
        right.check()
        stop()
    }

    /// In the child: output that the queue should write is the parent's.
    func forgetInChild() {
        right.check()
        if state.holdsOutput { (logger as? any OutputHolder)?.discardOutput() }
        state.holdsOutput = false
    }
}

/// A logger that writes on the threads of callers, to something that may stop taking what is written.
///
/// It never waits there: it keeps what is not taken at once, says so to its node (`leaveOutputToQueue`), and
/// the node has the logger's queue write it, where waiting delays no caller.
protocol OutputHolder: AbstractLogger {
    /// Writes what the logger holds, waiting for the reader as long as it takes; called on its queue.
    func finishOutput()

    /// Forgets what the logger holds: in the child of a fork it is the parent's.
    func discardOutput()
}
