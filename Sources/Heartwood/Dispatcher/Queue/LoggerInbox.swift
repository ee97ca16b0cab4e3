import CHeartwood
import Dispatch
import Synchronization

/// The queue in front of one logger: what waits for it, and whether a thread works on it.
///
/// Entries are worked off in their order by one thread at a time: by a block on the logger's dispatch queue,
/// or by a caller that waits for them, where the logger allows that and no other thread is running it. The
/// inbox gives this right away, and gets it back.
///
/// Invariants:
/// 1. `isRunning` is true while, and only while, one thread works on entries.
/// 2. While there are entries, or output that a caller could not write, a thread is running or a block is
///    scheduled.
/// 3. No hook runs, and nothing waits, while `state` is locked.
final class LoggerInbox: @unchecked Sendable {  // `unowned` and the key of the queue; see the MARKs
    private struct State {
        var backlog = Backlog()
        var isRunning = false
        var isScheduled = false
        /// Whether the logger holds output that its queue must write before anything else.
        var needsQueue = false

        /// Whether a block must be scheduled; if so, the caller does it.
        mutating func claimSchedule() -> Bool {
            if isRunning || isScheduled || (backlog.isEmpty && !needsQueue) { return false }
            isScheduled = true
            return true
        }
    }

    // MARK: Constants (any thread)
    private unowned let logger: AbstractLogger
    /// The logger's queue, and its thread.
    let worker: WorkQueue
    private let isOnGivenQueue: Bool
    private let membership: LoggerMembership
    private let counters: LoggerCounters

    // MARK: Atomics (any thread)
    /// The thread that was at work then does not exist, in the child of a fork, or never returns from
    /// `exit`: the logger is not to be touched.
    private let lost = Atomic<Bool>(false)
    private let callerRuns = Atomic<Bool>(false)
    /// Up to where in the ring of this number everything that was handed out is worked off.
    private let handled = Atomic<UInt64>(0)
    private let handledRing = Atomic<UInt64>(0)
    /// Counts up with each message, each entry and each write of the logger: as long as it changes, the
    /// logger works.
    private let progress = Atomic<Int>(0)
    /// The progress at which a synchronous call has waited without success; -1: none.
    private let stuckAt = Atomic<Int>(-1)

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(
        _ logger: AbstractLogger, _ worker: WorkQueue, isOnGivenQueue: Bool, _ membership: LoggerMembership,
        _ counters: LoggerCounters
    ) {
        self.logger = logger
        self.worker = worker
        self.isOnGivenQueue = isOnGivenQueue
        self.membership = membership
        self.counters = counters
    }

    /// Whether a caller that waits for the logger may have the right to run it.
    var runsOnCaller: Bool {
        get { callerRuns.load(ordering: .relaxed) }
        set { callerRuns.store(newValue, ordering: .relaxed) }
    }

    /// Whether the logger is never run again.
    var isLost: Bool { lost.load(ordering: .relaxed) }

    /// Whether it is of no use to wait for the logger.
    var isUnreachable: Bool { isLost || isOutOfReach }

    // MARK: - Limits

    func setLimits(_ limits: BacklogLimits) {
        change { state, _ in
            if state.backlog.limits.number < limits.number { state.backlog.setLimits(limits) }
        }
    }

    /// Changes the backlog, and has callers wait, or go on, where that is what it says afterward.
    private func change<Result>(_ body: (inout State, LogDispatcher?) -> Result) -> Result {
        let dispatcher = membership.dispatcher
        return state.withLock { state in
            let held = state.backlog.holdsCallers
            let result = body(&state, dispatcher)
            if state.backlog.holdsCallers != held {
                if held {
                    dispatcher?.backpressure.release(self)
                } else {
                    dispatcher?.backpressure.hold(self)
                }
            }
            return result
        }
    }

    func setAllowance(_ bytes: Int) { state.withLock { $0.backlog.allowance = bytes } }

    /// A caller that waits for this logger looks how far it is.
    ///
    /// - Returns: when to look again; nil if no caller has to wait for it any more.
    func look(at now: Duration, for backpressure: Backpressure) -> Duration? {
        state.withLock { state in
            let answer = state.backlog.look(progress: progress.load(ordering: .relaxed), at: now)
            if case .wait(let pause) = answer { return pause }
            backpressure.release(self)
            return nil
        }
    }

    /// Notes that the logger has come a step further.
    ///
    /// Not an atomic addition: only the running thread writes.
    @inline(__always)
    func noteProgress() { progress.store(progress.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    /// Notes that what comes now is from the ring of this number; the running thread does so.
    func begin(ring: UInt64) {
        // First the position: whoever sees the ring sees none of another one.
        handled.store(0, ordering: .releasing)
        handledRing.store(ring, ordering: .releasing)
    }

    /// Notes that a batch is worked off; the running thread does so.
    ///
    /// It may be one of a dispatcher that the logger belonged to before, if that was released.
    func noteHandled(_ batch: RecordBatch) {
        if batch.ring == handledRing.load(ordering: .relaxed) {
            handled.store(batch.end, ordering: .releasing)
        }
    }

    /// Whether it is known that what comes before `end` in the ring of this number is worked off.
    func hasHandled(_ end: UInt64, of ring: UInt64) -> Bool {
        handledRing.load(ordering: .acquiring) == ring && handled.load(ordering: .acquiring) >= end
    }

    /// Whether a synchronous call has waited for the logger without success, and it has not come a step
    /// further since: the next calls do not wait for it.
    var isStuck: Bool {
        isUnreachable || stuckAt.load(ordering: .relaxed) == progress.load(ordering: .relaxed)
    }

    /// A synchronous call has waited without success.
    func noteStuck() {
        state.withLock { state in
            // It may have finished since; where it has not, its next step is still to come.
            if !state.isRunning, !state.needsQueue, state.backlog.isEmpty { return }
            stuckAt.store(progress.load(ordering: .relaxed), ordering: .relaxed)
        }
    }

    // MARK: - Taking entries

    /// Takes what the logger wants of a batch, as its overflow policy says.
    ///
    /// Called by the drain; never waits.
    ///
    /// `byCaller` says that a synchronous call drains, which will call `wait` or `scheduleIfNeeded`.
    ///
    /// - Returns: what was dropped to make room, to be freed where no lock is held: the end of a tag is the
    ///   user's code.
    func push(_ batch: RecordBatch, levels: UInt32, byCaller: Bool, slot: JournalSlot?) -> [RecordBatch] {
        if batch.levels & levels == 0 || isLost { return [] }
        let slice = RecordSlice(batch, levels: levels)
        counters.received.add(slice.count, ordering: .relaxed)
        let (mustSchedule, evicted) = change { state, dispatcher in
            let dropped = state.backlog.dropped
            let evicted = state.backlog.append(
                slice, progress: progress.load(ordering: .relaxed),
                now: dispatcher?.clock.uptime() ?? SystemClock().uptime())
            slot?.pushed = batch.end
            counters.dropped.add(state.backlog.dropped - dropped, ordering: .relaxed)
            return (byCaller && runsOnCaller ? false : state.claimSchedule(), evicted)
        }
        if mustSchedule { schedule() }
        return evicted
    }

    /// Notes that messages are missing here which found no room in the ring.
    ///
    /// Called by the drain; never waits.
    func push(lostAtRing count: Int) {
        let mustSchedule = state.withLock { state in
            state.backlog.append(lostAtRing: count)
            return state.claimSchedule()
        }
        if mustSchedule { schedule() }
    }

    /// Has `work` done in its turn, alone, between two entries.
    ///
    /// Any thread; never waits.
    func push(_ work: @escaping @Sendable () -> Void) {
        if isLost { return }
        let mustSchedule = state.withLock { state in
            state.backlog.append(work)
            return state.claimSchedule()
        }
        if mustSchedule { schedule() }
    }

    /// Puts a mark after the entries so far; returns whether the caller has to run the logger.
    func push(_ mark: InboxMark, leavingItToCaller mayLeave: Bool) -> Bool {
        let (mustRun, mustSchedule) = state.withLock { state in
            state.backlog.append { mark.reach() }
            if mayLeave, !state.isRunning, !state.needsQueue || lacksThread { return (true, false) }
            return (false, state.claimSchedule())
        }
        if mustSchedule { schedule() }
        return mustRun
    }

    /// Puts a mark after the entries so far.
    func push() -> InboxMark {
        let mark = InboxMark()
        _ = push(mark, leavingItToCaller: false)
        return mark
    }

    /// Whether no other thread works on the queue: in the child of a fork, and where none could be created.
    var lacksThread: Bool { worker.lacksThread || hw_forked_child_load() }

    /// Whether callers do all the work since no thread could be created.
    var isLeftToCallers: Bool { worker.lacksThread && !hw_forked_child_load() }

    /// Whether a caller that runs the logger enters its queue for that: hooks may check where they are.
    ///
    /// In the child of a fork it does not: a thread of the parent may occupy the queue for good.
    var isEnteredByCaller: Bool {
        !runsOnCaller && !isOnGivenQueue && !hw_forked_child_load() && !worker.isCurrent
    }

    /// Whether no thread can run the logger at the moment: it has none, and callers do not enter a queue that
    /// is the program's, whose blocks may wait for them.
    private var isOutOfReach: Bool {
        isOnGivenQueue && isLeftToCallers && !worker.isCurrent
    }

    /// Whether the queue cannot work while the caller waits: the caller occupies it, or there is no thread.
    var needsCaller: Bool { lacksThread || worker.isCurrent }

    func scheduleIfNeeded() {
        if state.withLock({ $0.claimSchedule() }) { schedule() }
    }

    private func schedule() { schedule(logger) }

    private func schedule(_ logger: AbstractLogger) {
        if hw_forked_child_load() { return }
        worker.enqueue { logger.node.runner.run(until: nil) }
    }

    // MARK: - The right to run

    /// Gives the right to run to the calling thread; false where another one has it, or the queue must come
    /// first.
    ///
    /// `asCaller` says that a thread that waits asks, not the block that was scheduled.
    func begin(asCaller: Bool) -> Bool {
        let isOutOfReach = asCaller && isOutOfReach
        let isMine = state.withLock { state in
            if !asCaller { state.isScheduled = false }
            if isOutOfReach { return false }
            if state.isRunning || (asCaller && state.needsQueue && !lacksThread) { return false }
            state.isRunning = true
            return true
        }
        if !isMine { scheduleIfNeeded() }
        return isMine
    }

    /// Gives the right to run to a synchronous call, if the logger has nothing to do.
    ///
    /// Called by the drain, which then hands a message over without an entry.
    func beginAlone() -> Bool {
        if isLost || !runsOnCaller { return false }
        let isMine = state.withLock { state in
            if state.isRunning || state.needsQueue || !state.backlog.isEmpty { return false }
            state.isRunning = true
            return true
        }
        if isMine { counters.received.add(1, ordering: .relaxed) }
        return isMine
    }

    /// The next entry; without one, and unless `stays`, the right to run ends in the same step.
    ///
    /// `atEnd` is called if there is no entry, before any other can come; it must neither wait nor run a
    /// hook.
    @inline(__always)
    func next(stays: Bool, atEnd: () -> Void) -> Backlog.Entry? {
        state.withLock { state in
            let entry = state.backlog.next()
            if entry == nil {
                atEnd()
                if !stays { state.isRunning = false }
            }
            return entry
        }
    }

    /// Notes that records handed out before, of this weight, have been worked off.
    func finish(weighing weight: Int) { change { state, _ in state.backlog.finish(weighing: weight) } }

    /// Takes the right to run back, and leaves the rest, if any, to the queue.
    ///
    /// - Parameter leavingOutput: Whether the queue must write the logger's output before anything else.
    func end(leavingOutput: Bool) {
        let scheduled = state.withLock { state in
            state.isRunning = false
            state.needsQueue = leavingOutput
            // Kept before the lock is open: another thread may then have it removed, and end it.
            return state.claimSchedule() ? logger : nil
        }
        if let scheduled { schedule(scheduled) }
    }

    /// The queue has written the output that was left to it.
    func noteOutputWritten() { state.withLock { $0.needsQueue = false } }

    /// Whether everything that was handed out is acknowledged.
    ///
    /// What a logger that is never run again does not take is left to the next start.
    func isAcknowledged(_ slot: JournalSlot) -> Bool {
        state.withLock { _ in !isLost && slot.done >= slot.pushed }
    }

    // MARK: - Around a fork

    /// Takes the right to run when the logger is between two entries; false where that is not so in time.
    func pause(until deadline: Duration, _ right: RunningRight) -> Bool {
        while true {
            let isMine = state.withLock { state in
                if state.isRunning { return false }
                state.isRunning = true
                return true
            }
            if isMine { return true }
            if right.isHere || SystemClock().uptime() >= deadline { return false }
            usleep(100)
        }
    }

    /// What waits at the moment, for tests.
    var backlog: Backlog { state.withLock { $0.backlog } }

    func handleFork(_ fork: ForkStep) { fork.apply(to: state) }

    /// In the child, where no thread runs the logger: no message waits, and only callers do work.
    func restartInChild() {
        state.withLock { state in
            state.backlog.forgetMessages()
            state.isRunning = false
            state.needsQueue = false
        }
        stuckAt.store(-1, ordering: .relaxed)
    }

    /// The logger is at work on a thread that does not go on, and is never run again.
    func giveUp() { lost.store(true, ordering: .relaxed) }
}

/// A place in a logger's inbox that a caller waits for.
final class InboxMark: Sendable {
    // MARK: Atomics (any thread)
    private let reached = Atomic<Bool>(false)

    // MARK: Constants (any thread)
    private let semaphore = Semaphore()

    /// Whether everything before it has been worked off.
    var isReached: Bool { reached.load(ordering: .acquiring) }

    /// Says that everything before it has been worked off; called by the running thread.
    func reach() {
        reached.store(true, ordering: .releasing)
        semaphore.signal()
    }

    /// Waits until it is reached; false where that is not so at `deadline`.
    func wait(until deadline: DispatchTime) -> Bool { isReached || semaphore.wait(until: deadline) }
}
