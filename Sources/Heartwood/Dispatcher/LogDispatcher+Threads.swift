import CHeartwood
import Synchronization

/// The threads of a dispatcher: one for the drain and one for each logger, from the moment at which the first
/// logger, or the logger, is added; and that of the timers, which all dispatchers share.
///
/// Where the system has none to give, as at the limit of processes of a container, callers do the work: each
/// call, also one that asked not to wait, returns when its message is handled. So it is at the end of the
/// process and in the child of a fork. Threads are asked for again once a second, by whoever logs.
extension LogDispatcher {
    private static let pause = Duration.seconds(1)

    /// Sees to it that drain, timers and these loggers have threads that stay; false where one is lacking.
    func keepThreads(for loggers: [AbstractLogger]) -> Bool {
        if hw_forked_child_load() { return true }
        // All of them are asked for, so that what one of them lacks does not keep it from the others. A timer
        // asks for other queues' threads where they are refused.
        let hasTimers = SystemClock.keepThread()
        let isServed = consumer.worker.keepThread() && hasTimers
        return loggers.reduce(isServed) { $1.node.inbox.worker.keepThread() && $0 }
    }

    /// There was no thread for this logger, or for the drain: from now on callers do the work.
    func noteLackingThreads(of logger: AbstractLogger) {
        lacksThreads.store(true, ordering: .relaxed)
        settings.withLock { $0.nextLook = SystemClock().uptime() + LogDispatcher.pause }
        applySynchronousLevels()
        diagnostics.report(
            .setting,
            "no thread could be created for \(logger.name): calls handle their messages themselves until one "
                + "can; raise the limit (pids of the container, TasksMax of systemd, ulimit -u)",
            key: "threads")
    }

    /// Does what others would do, where the system had no threads for them.
    func workIfAlone() {
        if lacksThreads.load(ordering: .relaxed), !ThreadState.current.isInHook { workWithoutThreads() }
    }

    /// Does what no other thread does: asks for threads, calls timers, handles what loggers have logged.
    private func workWithoutThreads() {
        SystemClock.callDueWithoutThread()
        deliverHere()
        let now = SystemClock().uptime()
        let isDue = settings.withLock { settings in
            if now < settings.nextLook { return false }
            settings.nextLook = now + LogDispatcher.pause
            return true
        }
        if !isDue || !keepThreads(for: members) { return }
        lacksThreads.store(false, ordering: .relaxed)
        applySynchronousLevels()
    }

    /// Delivers everything that has been logged to the loggers for which no other thread does it.
    func deliverHere() {
        drainNow(byCaller: true)
        for logger in members where logger.node.inbox.lacksThread { logger.node.runHere() }
    }
}
