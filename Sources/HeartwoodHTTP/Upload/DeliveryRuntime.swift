import Dispatch
import Heartwood

/// Gives a ``DeliveryShell`` what it needs of the world: the clock, timers, threads for requests, and the
/// network's state.
///
/// Everything but what is marked otherwise runs in the logger's hooks.
final class DeliveryRuntime: DeliveryHost, @unchecked Sendable {  // the rest is used in hooks only
    // MARK: Constants (any thread)

    private let clock: any LogClock
    private let monitor: (any ConnectivityMonitor)?
    private let executor = UploadExecutor()
    private let completed = Semaphore()
    /// Whether what an earlier run left waits for the first use, so that settings can follow the creation.
    private let startsAtFirstUse: Bool
    /// The path of the spool that a journal can follow; nil for a store in memory, and for events, which have
    /// partitions and are stored before their call returns.
    let journaledPath: String?

    // MARK: Guarded by themselves

    private let published = Locked<(figures: HTTPStatistics, oldest: LogTimestamp?)>((HTTPStatistics(), nil))
    /// What the shell does with the outcomes of other threads.
    private let completions = Locked<[(@Sendable (DeliveryShell) -> Void, attachment: Int)]>([])
    private let waiters = Locked<[DeliveryWaiter]>([])

    // MARK: Owned by the hooks

    private weak var logger: HTTPLogger?
    private var shellIfMade: DeliveryShell?
    /// The settings in force.
    private(set) var settings: DeliverySettings
    private var timer = DueTimer()
    private var saveTimer = DueTimer()
    private var random = SystemRandomNumberGenerator()
    /// How often the logger was removed; what belongs to an earlier number comes too late.
    private var attachment = 0
    private var inFlight: Task<Void, Never>?

    init(
        _ store: any UnsentStore, _ settings: DeliverySettings, clock: any LogClock,
        monitor: (any ConnectivityMonitor)?, startsAtFirstUse: Bool
    ) {
        self.clock = clock
        self.monitor = monitor
        self.settings = settings
        self.startsAtFirstUse = startsAtFirstUse
        journaledPath = (store as? Spool)?.path
        shellIfMade = DeliveryShell(store, settings, self)
    }

    deinit { monitor?.stop() }

    /// The shell; it is there from the end of the initializer on.
    var shell: DeliveryShell {
        assert(logger?.isOwnedHere ?? true, "The delivery was used outside of the logger's hooks")
        return shellIfMade.unsafelyUnwrapped
    }

    /// Says which logger's hooks it runs in, before another thread can see the logger.
    func belongs(to logger: HTTPLogger) { self.logger = logger }

    /// The figures so far; any thread, never waits.
    var statistics: HTTPStatistics {
        var (figures, oldest) = published.withLock { $0 }
        figures.oldestUnsentAge = oldest.map { max(.zero, clock.now() - $0) }
        return figures
    }

    // MARK: - Hooks

    /// New settings are in force.
    func apply(_ new: DeliverySettings) {
        settings = new
        shell.apply(new)
    }

    /// Begins to watch the network, and to send what an earlier run has left.
    func added() {
        if !executor.keepThread() { report(.noThread, lastError: nil) }
        shell.reopen()
        shell.apply(settings)
        monitor?.start { [weak self, weak logger] isThere in
            logger?.perform { [weak self] in self?.shell.networkChanged(isThere) }
        }
        shell.handle(.added(atFirstUse: startsAtFirstUse))
    }

    /// Saves what was stored now or a little later, and sends it if it is time.
    func stored() {
        if shell.hasNew, !shell.store.isClosed {
            if settings.saveDelay <= .zero {
                save()
            } else if saveTimer.due == nil {
                arm(\.saveTimer, for: clock.uptime() + settings.saveDelay) { $0.save() }
            }
        }
        shell.stored()
    }

    func save() {
        saveTimer.cancel()
        if shell.save() { logger?.noteSettled() }
    }

    /// Saves, has everything sent, and waits for it as long as the settings say; at the exit of the process
    /// nothing is started without a wait.
    func flush(isExit: Bool) {
        save()
        guard isExit else {
            shell.handle(.flush)
            return work(for: settings.flushWait) { $0.isBusy }
        }
        let wait = max(settings.flushWait, settings.exitWait)
        end(within: wait)
        work(for: wait) { $0.isAwaited }
        shell.reportLost()
    }

    /// Saves what is left, which is sent after the next start, and frees the store's directory.
    ///
    /// Nothing new is started. A request in flight has a second to end by itself; then it is cancelled. A
    /// store in memory is delivered as by a flush, as long as that waits.
    func removed() {
        monitor?.stop()
        let isOnDisk = shell.store.isOnDisk
        save()
        end(within: isOnDisk ? .zero : settings.flushWait)
        work(for: isOnDisk ? .seconds(1) : settings.flushWait) { $0.isBusy }
        if shell.isBusy { inFlight?.cancel() }
        attachment += 1
        wake(at: nil)
        save()
        if isOnDisk { shell.close() } else { shell.detach() }
    }

    /// Starts only what ends within that time, when the process ends or the logger is removed.
    private func end(within wait: Duration) {
        shell.handle(wait > .zero ? .ending(until: clock.uptime() + wait) : .closing)
    }

    /// Draws conclusions from what ends meanwhile, until `goesOn` is false or the time is over.
    private func work(for time: Duration, while goesOn: (DeliveryShell) -> Bool) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: max(.zero, time).nanoseconds))
        collect()
        while goesOn(shell), DispatchTime.now() < deadline {
            _ = completed.wait(until: min(deadline, nextWake ?? deadline))
            collect()
            wakeIfDue()
        }
    }

    /// When the timer is due: it cannot fire while a hook waits.
    private var nextWake: DispatchTime? {
        timer.due.map { .now() + .nanoseconds(Int(clamping: max(.zero, $0 - clock.uptime()).nanoseconds)) }
    }

    private func wakeIfDue() {
        guard let due = timer.due, clock.uptime() >= due else { return }
        wake(at: nil)
        shell.wake()
    }

    // MARK: - Waiting for the delivery

    /// Sends what is pending, and resumes with true when the server has all of it.
    func deliver(timeout: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        let waiter = DeliveryWaiter(continuation)
        shell.store.save()
        shell.handle(.sendNow)
        if shell.store.pending == 0 && !shell.isBusy { return waiter.resume(true) }
        waiter.setTimer(clock.schedule(after: timeout) { waiter.resume(false) })
        waiters.withLock { $0.append(waiter) }
    }

    /// Runs a task where blocked threads of the program do not hold it up; any thread.
    @discardableResult
    func detach(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: .utility, operation: work)
    }

    // MARK: - The shell's host

    var uptime: Duration { clock.uptime() }

    var wallTime: LogTimestamp { clock.now() }

    func draw() -> Double { Double.random(in: 0..<1, using: &random) }

    /// A timer for the same time stays.
    func wake(at time: Duration?) {
        guard let time else { return timer.cancel() }
        if timer.due == time { return }
        arm(\.timer, for: time) { runtime in
            runtime.timer.didFire()
            runtime.shell.wake()
        }
    }

    private func arm(
        _ timer: ReferenceWritableKeyPath<DeliveryRuntime, DueTimer>, for time: Duration,
        _ work: @escaping @Sendable (DeliveryRuntime) -> Void
    ) {
        self[keyPath: timer].arm(for: time, of: clock) { [weak self, weak logger] in
            logger?.perform { [weak self] in if let self { work(self) } }
        }
    }

    func start(_ job: UploadJob) { inFlight = run(job.run) { $0.finish($1) } }

    func start(_ job: ReceiptJob) { run(job.run) { $0.handle(.acknowledged($1)) } }

    func refresh(_ hook: @escaping @Sendable () async -> Void) {
        // The next answer shows whether it has helped; a second refusal holds.
        run(hook) { shell, _ in shell.handle(.refreshed) }
    }

    /// Runs `work` on another thread; the next hook, or a flush that waits for it, hands the outcome over.
    @discardableResult
    private func run<Outcome: Sendable>(
        _ work: @escaping @Sendable () async -> Outcome,
        then completion: @escaping @Sendable (DeliveryShell, Outcome) -> Void
    ) -> Task<Void, Never> {
        let attachment = attachment
        return detach { [self] in
            let outcome = await work()
            completions.withLock { $0.append(({ completion($0, outcome) }, attachment)) }
            completed.signal()
            logger?.perform { self.collect() }
        }
    }

    private func collect() {
        let all = completions.withLock { completions in
            defer { completions = [] }
            return completions
        }
        // Requests of before the removal are too late: the store may be closed.
        for (complete, number) in all where number == attachment { complete(shell) }
    }

    func report(_ report: DeliveryReport, lastError: String?) {
        let name = settings.name
        logger?.diagnostics.report(
            report.kind, report.text(logger: name, lastError: lastError),
            key: report.key(logger: name, lastError: lastError), count: report.count)
    }

    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) {
        let bytes = published.withLock { published in
            defer { published = (figures, oldest) }
            return figures.bytesOnWire - published.figures.bytesOnWire
        }
        logger?.noteWritten(bytes)
        guard isIdle else { return }
        let all = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in all { waiter.resume(true) }
    }
}

/// A task that waits until everything is delivered, or its time is over.
private final class DeliveryWaiter: Sendable {
    private let continuation: Locked<CheckedContinuation<Bool, Never>?>
    private let timer = Locked<(any LogTimer)?>(nil)

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Locked(continuation) }

    /// Ends the waiting by itself when this timer fires.
    func setTimer(_ new: any LogTimer) { timer.withLock { $0 = new } }

    /// Ends the waiting; only the first call counts.
    func resume(_ isDone: Bool) {
        let continuation = continuation.withLock { $0.take() }
        timer.withLock { $0 }?.cancel()
        continuation?.resumeElsewhere(returning: isDone)
    }
}

/// Runs the tasks of a logger's uploads on a queue of their own.
///
/// The shared pool of Swift's tasks has as many threads as the machine has cores. A program that blocks them,
/// by waiting for a flush for instance, would keep the very requests from being sent that it waits for.
private final class UploadExecutor: TaskExecutor {
    private let queue = WorkQueue("heartwood.http.upload")

    /// Has a thread that stays; false where the system has none.
    func keepThread() -> Bool { queue.keepThread() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
