import CHeartwood

/// Keeps dispatchers usable in a child that `fork` makes of a program with threads.
///
/// The child has one thread, a copy of everything in memory, and no dispatch queues that work. So, in the
/// child:
/// - messages that wait, in the ring or for a logger, are forgotten: they are the parent's, which writes
///   them;
/// - each call delivers its own message before it returns, on the caller's thread;
/// - a logger that was in the middle of something for more than a second is never used again.
///
/// Before the fork, loggers are brought to rest between two batches, and the thread that forks waits until no
/// other one is inside of any `Locked`, in whatever module, so that the copies are whole and open. The locks
/// of the Swift runtime are beyond reach: a thread that uses a type for the first time while another one
/// forks may leave the child stuck at its own first use of one. What the child does here has been rehearsed
/// in the parent; for loggers and formatters of other authors the usual caution applies: a child of a program
/// with threads should do little, and soon `exec`.
enum ProcessFork {
    private struct State {
        var dispatchers: [LogDispatcher] = []
        var paused: [LoggerNode] = []
        /// Whether no other thread is inside of a lock.
        var isQuiet = false
    }

    /// Written by the thread that forks, between `prepare` and the end of the fork; one fork at a time.
    nonisolated(unsafe) private static var state = State()
    private static let oneAtATime = Locked(())
    /// Whether a logger is added that needs no thread.
    nonisolated(unsafe) private(set) static var isRehearsing = false

    private static let installed: Void = {
        pthread_atfork({ ProcessFork.prepare() }, { ProcessFork.parent() }, { ProcessFork.child() })
    }()

    static func install() { _ = installed }

    /// How long a fork waits for a logger that is at work.
    private static let patience = Duration.seconds(1)
    /// How long it waits for threads that hold a lock, in milliseconds; none of them waits for anything but
    /// another one.
    private static let quietLimit: Int32 = 1000

    /// Does once, with a dispatcher of its own, what a child does: what is used for the first time takes
    /// locks of the Swift runtime, which another thread may hold when the process forks.
    private static let rehearsed: Void = {
        isRehearsing = true
        defer { isRehearsing = false }
        let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64))
        dispatcher.add(AbstractLogger(name: "rehearsal"))
        for isLast in [false, true] {
            log("a rehearsal", level: .info, to: dispatcher)
            if isLast { dispatcher.handleForkInChild(usable: dispatcher.members.map(\.node)) }
            dispatcher.deliverHere()
        }
    }()

    private static func prepare() {
        _ = rehearsed
        oneAtATime.lockForFork()
        state.dispatchers = ProcessExit.living
        let deadline = SystemClock().uptime() + patience
        for dispatcher in state.dispatchers {
            for logger in dispatcher.members where logger.node.pause(until: deadline) {
                state.paused.append(logger.node)
            }
        }
        // A child cannot look into its parent's journal, so it must not have to.
        for dispatcher in state.dispatchers where dispatcher.isJournaled { dispatcher.drainNow() }
        // No thread is inside of any lock then, so that the child finds all of them open and what they guard
        // whole.
        state.isQuiet = hw_fork_begin(quietLimit)
        takeStep(.before)
    }

    /// Every lock that a call needs, in the order in which they nest.
    private static func takeStep(_ step: ForkStep) {
        for dispatcher in state.dispatchers { dispatcher.handleFork(step) }
        for node in state.paused { node.handleFork(step) }
        LogSourceLevels.handleFork(step)
        LogLevel.handleFork(step)
        CategoryRegistry.shared.handleFork(step)
        CallSiteTable.shared.handleFork(step)
        NameObservers.shared.handleFork(step)
        JournalMapping.handleFork(step)
        RecordBatch.handleFork(step)
    }

    private static func parent() {
        takeStep(.parent)
        if state.isQuiet { hw_fork_end(false) }
        for node in state.paused { node.resume() }
        state = State()
        oneAtATime.unlockInParent()
    }

    private static func child() {
        takeStep(.child)
        hw_fork_end(true)
        hw_forked_child_set()
        for dispatcher in state.dispatchers { dispatcher.handleForkInChild(usable: state.paused) }
        state = State()
        oneAtATime.renewInChild()
    }
}

extension LogDispatcher {
    /// The locks that a call needs, in the order in which they nest.
    func handleFork(_ fork: ForkStep) {
        journaling.handleFork(fork)
        fork.apply(to: settings)
        room.handleFork(fork)
        consumer.drain.handleFork(fork)
        ring.handleFork(fork)
        place.handleFork(fork)
    }

    /// Forgets what is the parent's, and delivers from now on without queues; `usable` loggers were at rest.
    func handleForkInChild(usable: [LoggerNode]) {
        if isJournaled {
            // The ring is the parent's; what was in it has been handed out before the fork.
            place.leaveInChild()
        } else {
            consumer.withDrain { $0.forgetMessages(in: ring) }
        }
        backpressure.releaseAll()
        for logger in members {
            logger.node.handleForkInChild(isUsable: usable.contains { $0 === logger.node })
        }
    }
}
