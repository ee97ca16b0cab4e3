import CHeartwood
import Synchronization

/// Flushes all dispatchers when the process ends by `exit` or by returning from `main`.
///
/// It does not run when the process is killed, traps or calls `_exit`.
package enum ProcessExit {
    private struct Entry {
        weak var dispatcher: LogDispatcher?
    }

    /// Whether the process is ending, and loggers are flushed for the last time.
    static var isUnderWay: Bool { isEnding.load(ordering: .relaxed) }

    private static let isEnding = Atomic<Bool>(false)
    private static let dispatchers = Locked<[Entry]>([])

    /// How long the end of the process may be held up by loggers that do not finish, and how long each dispatcher has even
    /// when others have used that up.
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
    /// A library that loggers use calls this after it has been initialized: its own end comes after the flush then.
    package static func flushBeforeOthers() {
        atexit { ProcessExit.flushAll(within: ProcessExit.limit) }
    }

    static func register(_ dispatcher: LogDispatcher) {
        _ = installed
        ProcessFork.install()
        dispatchers.withLock { list in
            list.removeAll { $0.dispatcher == nil }
            list.append(Entry(dispatcher: dispatcher))
        }
    }

    /// All dispatchers that there are.
    static var living: [LogDispatcher] { dispatchers.withLock { $0.compactMap(\.dispatcher) } }

    /// Flushes all dispatchers that there are, for the last time: the process is ending.
    static func flushAll(within limit: Duration) {
        isEnding.store(true, ordering: .relaxed)
        flush(living, within: limit)
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
