import Dispatch
import Heartwood

/// Gives a ``DeliveryShell`` what it needs of the world: the clock, timers, threads for requests, and the
/// network's state.
///
/// Everything but what is marked otherwise runs in the logger's hooks.
final class DeliveryRuntime: DeliveryHost, @unchecked Sendable {  // the rest is used in hooks only
    /// What comes back from another thread.
    private enum Mail: Sendable {
        case report(UploadJob.Report)
        case receipts([String]?)
        case refreshed
    }

    // MARK: Constants (any thread)

    private let clock: any LogClock
    private let monitor: (any ConnectivityMonitor)?
    private let executor = UploadExecutor()
    private let mail = Semaphore()
    /// Whether what an earlier run left waits for the first use, so that settings can follow the creation.
    private let startsAtFirstUse: Bool
    /// The path of the spool that a journal can follow; nil for a store in memory, and for events, which have
    /// partitions and are stored before their call returns.
    let journaledPath: String?

    // MARK: Guarded by themselves

    private let published = Locked<(figures: HTTPStatistics, oldest: LogTimestamp?)>((HTTPStatistics(), nil))
    private let mailbox = Locked<[(Mail, attachment: Int)]>([])
    private let waiters = Locked<[DeliveryWaiter]>([])

    // MARK: Owned by the hooks

    private weak var logger: HTTPLogger?
    private var shellIfMade: DeliveryShell?
    private var settings: DeliverySettings
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
        if !executor.keepThread() {
            report(
                .setting, "no thread could be created for sending: messages wait until one can",
                key: "sending", count: 0)
        }
        shell.reopen()
        shell.apply(settings)
        monitor?.start { [weak self, weak logger] isThere in
            logger?.perform { [weak self] in self?.shell.networkChanged(isThere) }
        }
        shell.added(atFirstUse: startsAtFirstUse)
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
        shell.save()
    }

    /// Saves, has everything sent, and waits for it as long as the settings say; at the exit of the process
    /// nothing is started without a wait.
    func flush(isExit: Bool) {
        save()
        guard isExit else {
            shell.wish(.flush)
            return work(for: settings.flushWait) { $0.isBusy }
        }
        let wait = max(settings.flushWait, settings.exitWait)
        shell.end(until: wait > .zero ? clock.uptime() + wait : nil)
        work(for: wait) { $0.isAwaited }
        shell.tellLost()
    }

    /// Saves what is left, which is sent after the next start, and frees the store's directory.
    ///
    /// Nothing new is started. A request in flight has a second to end by itself; then it is cancelled. A
    /// store in memory is delivered as by a flush, as long as that waits.
    func removed() {
        monitor?.stop()
        if shell.store.isOnDisk {
            save()
            shell.end(until: nil)
            work(for: .seconds(1)) { $0.isBusy }
        } else {
            shell.end(until: settings.flushWait > .zero ? clock.uptime() + settings.flushWait : nil)
            work(for: settings.flushWait) { $0.isBusy }
        }
        if shell.isBusy { inFlight?.cancel() }
        attachment += 1
        wake(at: nil)
        save()
        if shell.store.isOnDisk { shell.close() } else { shell.engineRemoved() }
    }

    /// Draws conclusions from what ends meanwhile, until `goesOn` is false or the time is over.
    private func work(for time: Duration, while goesOn: (DeliveryShell) -> Bool) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: max(.zero, time).nanoseconds))
        collect()
        while goesOn(shell), DispatchTime.now() < deadline {
            _ = mail.wait(until: min(deadline, nextWake ?? deadline))
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

    /// Sends what is pending, and tells the waiter when the server has all of it.
    func deliver(_ waiter: DeliveryWaiter, timeout: Duration) {
        shell.store.save()
        shell.wish(.sendNow)
        if shell.store.pending == 0 && !shell.isBusy { return waiter.resume(true) }
        waiter.setTimer(clock.schedule(after: timeout) { waiter.resume(false) })
        waiters.withLock { $0.append(waiter) }
    }

    /// Runs a task where blocked threads of the program do not hold it up; any thread.
    func detach(_ work: @escaping @Sendable () async -> Void) {
        Task.detached(executorPreference: executor, priority: .utility) { await work() }
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

    func start(_ job: UploadJob) {
        let attachment = attachment
        inFlight = Task.detached(executorPreference: executor, priority: .utility) { [self] in
            post(.report(await job.run()), attachment)
        }
    }

    func start(_ job: ReceiptJob) {
        let attachment = attachment
        detach { [self] in post(.receipts(await job.run()), attachment) }
    }

    func refresh(_ hook: @escaping @Sendable () async -> Void) {
        let attachment = attachment
        detach { [self] in
            // Whatever comes of it, the next answer tells; a second refusal holds.
            await hook()
            post(.refreshed, attachment)
        }
    }

    /// Gives something to the hooks: to the next one, or to a flush that waits for it; any thread.
    private func post(_ item: Mail, _ attachment: Int) {
        mailbox.withLock { $0.append((item, attachment)) }
        mail.signal()
        logger?.perform { self.collect() }
    }

    private func collect() {
        let items = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        // What a request of before the removal has brought came too late: the store may be closed.
        for (item, number) in items where number == attachment {
            switch item {
            case .report(let report): shell.finish(report)
            case .receipts(let receipts): shell.acknowledge(receipts)
            case .refreshed: shell.refreshed()
            }
        }
    }

    func report(_ kind: LogDiagnostics.Kind, _ text: String, key: String, count: Int) {
        logger?.diagnostics.report(kind, text, key: key, count: count)
    }

    func noteWritten(_ bytes: Int) { logger?.noteWritten(bytes) }

    func noteSettled() { logger?.noteSettled() }

    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) {
        published.withLock { $0 = (figures, oldest) }
        guard isIdle else { return }
        let all = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in all { waiter.resume(true) }
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
