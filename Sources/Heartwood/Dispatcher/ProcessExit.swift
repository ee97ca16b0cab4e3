import CHeartwood
import Dispatch
import Synchronization

/// Flushes all dispatchers when the process ends by `exit` or by returning from `main`.
///
/// It does not run when the process is killed, traps or calls `_exit`.
package enum ProcessExit {
    /// Whether the process is ending, and loggers are flushed for the last time.
    static var isUnderWay: Bool { isEnding.load(ordering: .relaxed) }

    private static let isEnding = Atomic<Bool>(false)
    private static let dispatchers = Locked<[Weak<LogDispatcher>]>([])
    /// Loggers of dispatchers that were released, until they are removed.
    private static let released = Locked<[AbstractLogger]>([])

    /// How long the end of the process may be held up by loggers that do not finish, and how long each
    /// dispatcher has even when others have used that up.
    static let limit = Duration.seconds(5)
    private static let least = Duration.milliseconds(100)

    private static let installed: Void = {
        flushBeforeOthers()
        NameObservers.shared.onLevelsChanged {
            for dispatcher in ProcessExit.living { dispatcher.resolveLevels() }
        }
    }()

    /// Flushes before whatever has registered with `atexit` so far: what registers last runs first.
    ///
    /// A library that loggers use calls this after it has been initialized: its own end comes after the flush
    /// then.
    package static func flushBeforeOthers() {
        atexit { ProcessExit.flushAll(within: ProcessExit.limit) }
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
                    .timedOut, "the process ended before \(names) wrote all messages")
            }
        }
    }
}
