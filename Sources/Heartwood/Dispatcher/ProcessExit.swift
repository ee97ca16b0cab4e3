import CHeartwood
import Dispatch
import Synchronization

/// Flushes all dispatchers when the process ends by `exit` or by returning from `main`, on any thread, also
/// inside of a hook.
///
/// From then on all calls are synchronous: handlers and destructors that run after the flush may log as well.
///
/// It does not run when the process is killed, traps or calls `_exit`.
package enum ProcessExit {
    /// Whether the process is ending, and loggers are flushed for the last time.
    static var isUnderWay: Bool { isEnding.load(ordering: .relaxed) }

    /// Whether `exit` was called: no flush comes after this one, so every call is synchronous.
    static var isFinal: Bool { final.load(ordering: .relaxed) }

    private static let isEnding = Atomic<Bool>(false)
    private static let final = Atomic<Bool>(false)
    /// How many flushes of `exit` have not returned.
    private static let unfinished = Atomic<Int>(0)
    /// When the flushes of `exit` are over, in uptime.
    private static let end = Locked<Duration?>(nil)
    private static let dispatchers = Locked<[Weak<LogDispatcher>]>([])
    /// Loggers of dispatchers that were released, until they are removed.
    private static let released = Locked<[AbstractLogger]>([])

    /// How long the end of the process may be held up by loggers that do not finish, and how long each
    /// dispatcher has even when others have used that up.
    static let limit = Duration.seconds(5)
    private static let least = Duration.milliseconds(100)

    private static let installed: Void = {
        // A second `exit`, on another thread or in a hook that the flush calls, goes on with the handler
        // after the one that runs: without this one it would end the process in the middle of the flush.
        atexit { if ProcessExit.unfinished.load(ordering: .relaxed) > 0 { ProcessExit.flushAtExit() } }
        flushBeforeOthers()
        WorkQueue.onRefusal { label in
            LogDiagnostics.shared.report(
                .setting, "no thread could be created for the queue \(label): its work waits until one can",
                key: "threads of " + label)
        }
        NameObservers.shared.onLevelsChanged {
            for dispatcher in ProcessExit.living { dispatcher.resolveLevels() }
        }
    }()

    /// Flushes before whatever has registered with `atexit` so far: what registers last runs first.
    ///
    /// A library that loggers use calls this after it has been initialized: its own end comes after the flush
    /// then.
    package static func flushBeforeOthers() { atexit { ProcessExit.flushAtExit() } }

    private static func flushAtExit() {
        unfinished.add(1, ordering: .relaxed)
        final.store(true, ordering: .relaxed)
        let now = SystemClock().uptime()
        let end = end.withLock { end in
            end = end ?? now + limit
            return end ?? now
        }
        // A dispatcher that is made meanwhile is in the list, or finds by itself that this is the end.
        for dispatcher in living { dispatcher.applySynchronousLevels() }
        abandonHook()
        flushAll(within: max(end - now, least))
        unfinished.subtract(1, ordering: .relaxed)
    }

    /// Leaves the hook, or the handler of diagnostics, that has called `exit` and is never returned to, so
    /// that the thread may wait for the loggers.
    ///
    /// Hooks never overlap: the logger whose hook it is handles nothing more, and the report of the flush
    /// names it. The code that called `exit` may hold a lock that formatters wait for as well, so the queues
    /// run the other loggers, for which the flush waits a limited time, and not this thread.
    private static func abandonHook() {
        let thread = ThreadState.current
        if !thread.isInHook { return }
        let dispatchers = living
        for logger in dispatchers.flatMap(\.members) + released.withLock({ $0 }) {
            if logger.isInHook { logger.node.inbox.giveUp() }
            logger.setRunsOnCaller(false)
        }
        // The handler is in the middle of a report: what is still to be said goes to standard error.
        if thread.isReporting { for dispatcher in dispatchers { dispatcher.diagnostics.handler = nil } }
        thread.leaveHook()
    }

    static func register(_ dispatcher: LogDispatcher) {
        _ = installed
        ProcessFork.install()
        dispatchers.withLock { list in
            list.removeAll { $0.object == nil }
            list.append(Weak(dispatcher))
        }
    }

    /// All dispatchers that there are.
    static var living: [LogDispatcher] { dispatchers.withLock { $0.compactMap(\.object) } }

    /// Flushes all dispatchers that there are, for the last time: the process is ending.
    static func flushAll(within limit: Duration) {
        isEnding.store(true, ordering: .relaxed)
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: limit.nanoseconds))
        flush(living, within: limit)
        // They are the parent's business, and no thread of the child removes them.
        if hw_forked_child_load() { return }
        _ = LoggerNode.wait(
            for: released.withLock { $0 }, until: max(deadline, .now() + .milliseconds(100)))
    }

    /// Removes the loggers of a dispatcher that was released; the end of the process waits for that.
    static func release(_ loggers: [AbstractLogger]) {
        if loggers.isEmpty { return }
        expect(loggers)
        for logger in loggers {
            logger.node.inbox.push { logger.node.noteRelease() }
            logger.node.leave()
            logger.node.inbox.push { forget(logger) }
            if logger.node.inbox.lacksThread, !hw_forked_child_load() { logger.node.runHere() }
        }
    }

    /// Has the end of the process wait for loggers that are being removed since they were released, until
    /// ``forget(_:)``.
    static func expect(_ loggers: [AbstractLogger]) { released.withLock { $0 += loggers } }

    /// A logger that was released is removed.
    static func forget(_ logger: AbstractLogger) {
        released.withLock { all in all.removeAll { $0 === logger } }
    }

    /// Flushes dispatchers, `limit` at most for all together but for a moment that each has.
    static func flush(_ dispatchers: [LogDispatcher], within limit: Duration) {
        let clock = SystemClock()
        let deadline = clock.uptime() + limit
        for dispatcher in dispatchers where dispatcher.hasLoggers {
            let result = dispatcher.flush(timeout: max(deadline - clock.uptime(), least))
            if !result.isComplete {
                let names = result.unfinished.joined(separator: ", ")
                dispatcher.diagnostics.report(
                    .timedOut, "the process ended before \(names) wrote all messages", key: "exit")
            }
        }
    }
}
