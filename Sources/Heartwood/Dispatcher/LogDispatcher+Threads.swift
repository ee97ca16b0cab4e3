import CHeartwood
package import Dispatch
import Synchronization

/// The threads of a dispatcher: one for the drain and one for each logger, from the moment at which the first
/// logger, or the logger, is added; and that of the timers, which all dispatchers share.
///
/// Where the system has none to give, as at the limit of processes of a container, callers do the work: each
/// call, also one that asked not to wait, returns when its message is handled. So it is at the end of the
/// process and in the child of a fork. A log call or flush tries to create the threads again, at most once a
/// second.
extension LogDispatcher {
    private static let pause = Duration.seconds(1)

    /// Gives loggers that were added, and the drain, threads that stay.
    ///
    /// Where one is lacking, that is reported, and from now on callers do the work.
    func provideThreads(for loggers: [AbstractLogger]) {
        if ProcessFork.isRehearsing || keepThreads(for: loggers) { return }
        lacksThreads.store(true, ordering: .relaxed)
        settings.withLock { $0.nextLook = SystemClock().uptime() + LogDispatcher.pause }
        applySynchronousLevels()
        let names = loggers.map(\.name).joined(separator: ", ")
        diagnostics.report(
            .setting,
            "no thread could be created for \(names): calls handle their messages themselves until one can; "
                + "raise the limit (pids of the container, TasksMax of systemd, ulimit -u)",
            key: "threads")
    }

    /// Whether the drain, the timers and these loggers have threads that stay; asks the system for those that
    /// are lacking.
    private func keepThreads(for loggers: [AbstractLogger]) -> Bool {
        if hw_forked_child_load() { return true }
        // All of them are asked for, so that what one of them lacks does not keep it from the others.
        let hasTimers = SystemClock.keepThread()
        let isServed = consumer.worker.keepThread() && hasTimers
        return loggers.reduce(isServed) { $1.node.inbox.worker.keepThread() && $0 }
    }

    /// Does what other threads would do, if they could not be created.
    ///
    /// - Parameter deadline: The moment until which the caller waits for loggers and their readers. By
    ///   default it does not wait for them.
    package func workIfAlone(until deadline: DispatchTime = .distantFuture) {
        if !lacksThreads.load(ordering: .relaxed) || ThreadState.current.isInHook { return }
        workWithoutThreads(until: deadline)
    }

    /// Whether a call waits for loggers that have threads, too; false where it waits only since others have
    /// none.
    func waitsForAll(_ level: UInt32, _ asynchronous: Bool?) -> Bool {
        if !lacksThreads.load(ordering: .relaxed) || ProcessExit.isFinal { return true }
        if let asynchronous { return !asynchronous }
        return settings.withLock { $0.synchronousLevels.rawValue & level != 0 }
    }

    /// Does what no other thread does: asks for threads, calls timers, handles what loggers have logged.
    private func workWithoutThreads(until deadline: DispatchTime) {
        SystemClock.callDueWithoutThread()
        deliverHere(until: deadline)
        let now = SystemClock().uptime()
        let isDue = settings.withLock { settings in
            if now < settings.nextLook { return false }
            settings.nextLook = now + LogDispatcher.pause
            return true
        }
        if !isDue || !keepThreads(for: members) { return }
        lacksThreads.store(false, ordering: .relaxed)
        // A logger that was added meanwhile may lack one.
        if !keepThreads(for: members) { lacksThreads.store(true, ordering: .relaxed) }
        applySynchronousLevels()
        for logger in members { logger.node.inbox.scheduleIfNeeded() }
    }

    /// Waits until no logger holds callers, and does meanwhile what no other thread does.
    func waitForRoom() {
        backpressure.wait { pause in
            let slice = min(pause, .milliseconds(100))
            self.workIfAlone(until: .now() + .nanoseconds(Int(clamping: slice.nanoseconds)))
        }
    }

    /// Delivers everything that has been logged to the loggers for which no other thread does it.
    func deliverHere(until deadline: DispatchTime = .distantFuture) {
        drainNow(byCaller: true)
        for logger in members {
            let node = logger.node
            if node.inbox.lacksThread { node.runHere(until: deadline) } else { node.inbox.scheduleIfNeeded() }
        }
    }
}
