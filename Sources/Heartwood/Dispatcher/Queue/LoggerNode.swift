import Dispatch

/// What a dispatcher has for one logger: ties together its inbox, the types that work the inbox off, and
/// where the logger belongs.
///
/// Locks nest in this order: the drain's, the inbox's, the backpressure's.
///
/// A logger knows its dispatcher, the dispatcher its drain, and the drain the nodes of the loggers: these
/// three folders name each other, as what they stand for does. The ring is below all of them, and names none.
final class LoggerNode: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    unowned let logger: AbstractLogger
    private let right: RunningRight
    private let membership = LoggerMembership()
    let counters = LoggerCounters()
    /// What waits for the logger.
    let inbox: LoggerInbox
    /// What works it off.
    let runner: LoggerRunner
    /// What has the logger handle messages.
    let delivery: LoggerDelivery
    /// What tells the journal how far the logger is.
    let follower: JournalFollower
    /// What dead processes have left for the logger.
    let recovery: LoggerRecovery

    // MARK: Owned by the running thread
    /// Whether the logger said, in the flush at hand, that it holds something back.
    private var holdsBack = false
    /// Whether the logger is removed since its dispatcher, or its owner, is gone.
    private(set) var isReleased = false

    init(logger: AbstractLogger, worker: WorkQueue, isOnGivenQueue: Bool) {
        self.logger = logger
        inbox = LoggerInbox(logger, worker, isOnGivenQueue: isOnGivenQueue, membership, counters)
        right = RunningRight(inbox, membership)
        follower = JournalFollower(logger, inbox, membership, right)
        recovery = LoggerRecovery(logger, inbox, right)
        delivery = LoggerDelivery(logger, inbox, follower, counters, right)
        runner = LoggerRunner(logger, inbox, follower, recovery, delivery, right)
    }

    /// Whether the calling thread runs the logger's hooks.
    @inline(__always)
    var isRunningHere: Bool { right.isHere }

    // MARK: - Belonging

    var dispatcher: LogDispatcher? { membership.dispatcher }

    var diagnostics: LogDiagnostics { membership.diagnostics }

    /// Makes the logger belong to `dispatcher`, unless it belongs to one already: then returns that one.
    func attach(to dispatcher: LogDispatcher) -> LogDispatcher? { membership.join(dispatcher) }

    /// The first thing that the drain has a logger do in a dispatcher.
    func start(_ ring: RecordRing) {
        membership.retain(logger)
        inbox.push { [logger, number = ring.number] in
            logger.node.inbox.begin(ring: number)
            logger.tellFormatter()
            logger.didAdd()
        }
    }

    /// The last thing that happens to a logger in a dispatcher, in its turn.
    func leave() { inbox.push { self.detach() } }

    /// Says that the removal is due to a release, which nothing may follow but the end of the process: the
    /// logger then flushes before it is removed, as it does at that end.
    func noteRelease() {
        right.check()
        isReleased = true
    }

    private func detach() {
        defer { isReleased = false }
        recovery.run()
        // What cannot be delivered is left to others.
        recovery.forget()
        logger.reportRepeats()
        logger.discardHeldMessages()
        if isReleased { logger.flush() }
        logger.willRemove()
        membership.leave()
    }

    // MARK: - For hooks

    /// The logger has come a step further.
    @inline(__always)
    func noteProgress() {
        right.check()
        inbox.noteProgress()
    }

    // MARK: - Flushing

    /// The logger holds messages that it cannot write at the moment.
    func reportPending() {
        right.check()
        holdsBack = true
    }

    /// Has the logger write what it holds; false where it, or a dead process, still has something for it
    /// afterwards.
    ///
    /// Called by the running thread.
    func flush() -> Bool {
        right.check()
        // It may have been removed since, and hears nothing after its `willRemove`.
        if dispatcher == nil { return true }
        let thread = ThreadState.current
        thread.isFlushing = true
        defer { thread.isFlushing = false }
        holdsBack = false
        recovery.run()
        logger.reportRepeats()
        logger.flush()
        // What the logger held until now may have been all that was in the way.
        if recovery.isUnfinished, !holdsBack { recovery.run() }
        return !holdsBack && !recovery.isUnfinished
    }

    // MARK: - Waiting

    /// Waits until what these loggers were handed out of a dispatcher's ring up to `end` has been worked off.
    ///
    /// The calling thread, which is in no hook, runs those that allow it or whose queue it occupies, one
    /// after another; the queues of the others work meanwhile.
    ///
    /// - Returns: those that have not finished at `deadline`.
    static func wait(
        for loggers: [AbstractLogger], upTo end: UInt64, of ring: UInt64, until deadline: DispatchTime
    ) -> [AbstractLogger] {
        var marks: [(logger: AbstractLogger, mark: InboxMark)] = []
        for logger in loggers where !logger.runsOnCaller && !logger.node.inbox.needsCaller {
            marks.append((logger, logger.node.inbox.push()))
        }
        let queued = marks.count
        for logger in loggers where !marks.prefix(queued).contains(where: { $0.logger === logger }) {
            if !logger.node.runner.run(upTo: end, of: ring, deadline) {
                marks.append((logger, logger.node.inbox.push()))
            }
        }
        if marks.isEmpty { return [] }
        for (logger, mark) in marks where logger.node.inbox.lacksThread {
            logger.node.runner.run(until: mark, deadline)
        }
        // While the caller was held up, more may have come before a mark than what it waits for.
        return marks.filter { logger, mark in
            let inbox = logger.node.inbox
            return !inbox.hasHandled(end, of: ring) && !mark.wait(until: deadline)
                && !inbox.hasHandled(end, of: ring)
        }.map(\.logger)
    }

    /// Waits until everything that these loggers have taken so far has been worked off.
    ///
    /// All of them work at the same time: one that is stuck does not keep the others from finishing. The
    /// caller does the work of one of them itself where the logger allows it, and of those whose queue it
    /// occupies. Inside of a hook nothing is waited for.
    ///
    /// - Returns: those that have not finished at `deadline`.
    static func wait(for loggers: [AbstractLogger], until deadline: DispatchTime) -> [AbstractLogger] {
        if ThreadState.current.isInHook { return loggers }
        if loggers.count == 1, let logger = loggers.first {
            return wait(for: logger, until: deadline) ? [] : loggers
        }
        let lost = loggers.filter { $0.node.inbox.isUnreachable }
        if !lost.isEmpty {
            return lost
                + wait(for: loggers.filter { logger in !lost.contains { $0 === logger } }, until: deadline)
        }
        var ownWork: [(runner: LoggerRunner, mark: InboxMark)] = []
        var mayTakeOne = true
        let marks = loggers.map { logger in
            let node = logger.node
            let mark = InboxMark()
            let mustTake = node.inbox.needsCaller
            if node.inbox.push(mark, leavingItToCaller: mustTake || (mayTakeOne && logger.runsOnCaller)) {
                if !mustTake { mayTakeOne = false }
                ownWork.append((node.runner, mark))
            }
            return mark
        }
        for (runner, mark) in ownWork { runner.run(until: mark, deadline) }
        return zip(loggers, marks).filter { !$1.wait(until: deadline) }.map(\.0)
    }

    /// The same for one logger, without the arrays.
    private static func wait(for logger: AbstractLogger, until deadline: DispatchTime) -> Bool {
        let (inbox, runner) = (logger.node.inbox, logger.node.runner)
        if inbox.isUnreachable { return false }
        let mark = InboxMark()
        if inbox.push(mark, leavingItToCaller: inbox.needsCaller || logger.runsOnCaller) {
            runner.run(until: mark, deadline)
        }
        return mark.wait(until: deadline)
    }

    // MARK: - Around a fork

    /// Brings the logger to rest between two entries; false where it did not come to rest in time.
    func pause(until deadline: Duration) -> Bool { inbox.pause(until: deadline, right) }

    func handleFork(_ fork: ForkStep) { inbox.handleFork(fork) }

    /// In the parent: the logger goes on.
    func resume() { right.use { runner.resume() } }

    /// In the child: no message waits, and only callers do work; a logger that was not at rest is never run
    /// again.
    func handleForkInChild(isUsable: Bool) {
        if !isUsable { return inbox.giveUp() }
        right.use {
            runner.forgetInChild()
            recovery.forget()
            follower.forgetInChild()
        }
        inbox.restartInChild()
    }

    /// The caller does the work, where no other thread does it.
    func runHere(until deadline: DispatchTime = .distantFuture) {
        if !inbox.isLost { runner.run(until: nil, deadline, asCaller: true) }
    }
}

/// Which dispatcher a logger belongs to, and what keeps the logger alive meanwhile.
final class LoggerMembership: Sendable {
    private struct State {
        weak var dispatcher: LogDispatcher?
        /// The logger itself, from when the drain knows it until its removal has been worked off.
        var logger: AbstractLogger?
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// The dispatcher, from `add` until the removal has been worked off.
    var dispatcher: LogDispatcher? { state.withLock { $0.dispatcher } }

    /// Where problems of the logger are reported to.
    var diagnostics: LogDiagnostics { dispatcher?.diagnostics ?? .shared }

    /// Makes the logger belong to `dispatcher`, unless it belongs to one already: then returns that one.
    func join(_ dispatcher: LogDispatcher) -> LogDispatcher? {
        state.withLock { state in
            if let owner = state.dispatcher { return owner }
            state.dispatcher = dispatcher
            return nil
        }
    }

    /// Keeps the logger until `leave`.
    func retain(_ logger: AbstractLogger) { state.withLock { $0.logger = logger } }

    /// The logger belongs to no dispatcher any more.
    func leave() {
        let last = state.withLock { state in
            defer { state = State() }
            return state.logger
        }
        withExtendedLifetime(last) {}  // ends outside of the lock: its end may be the user's code
    }
}

/// The right to run a logger's hooks, and to use what is "Owned by the running thread" of that logger.
///
/// One thread at a time has it: `LoggerInbox` gives it away, and `use` notes it on the thread. Each type that
/// the running thread owns checks at its entrances that the calling thread has the right. A logger that
/// belongs to no dispatcher may be used by whoever has it, as in a test of its hooks. The check costs nothing
/// in release builds.
struct RunningRight: @unchecked Sendable {  // an address that is only compared
    private let identity: UnsafeRawPointer
    private let membership: LoggerMembership

    /// Makes the right to run the logger whose entries wait in `inbox`.
    init(_ inbox: LoggerInbox, _ membership: LoggerMembership) {
        identity = UnsafeRawPointer(Unmanaged.passUnretained(inbox).toOpaque())
        self.membership = membership
    }

    /// Whether the calling thread has it.
    @inline(__always)
    var isHere: Bool { ThreadState.current.runningNode == identity }

    /// Ends the program, in debug builds, if the calling thread may not use what the right is about.
    @inline(__always)
    func check(_ entrance: StaticString = #function) {
        assert(
            isHere || membership.dispatcher == nil,
            "\(entrance) was called outside of the logger's hooks; call it in a hook")
    }

    /// Notes on the calling thread, which the inbox has given the right, that it has it while `body` runs.
    @inline(__always)
    func use(_ thread: ThreadState = .current, _ body: () -> Void) {
        let outer = thread.runningNode
        thread.runningNode = identity
        defer { thread.runningNode = outer }
        body()
    }
}
