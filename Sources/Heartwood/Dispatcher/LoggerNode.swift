import CHeartwood
import Dispatch
import Synchronization

/// The queue in front of one logger: what waits for it, and who works on it.
///
/// Entries are worked off in their order by one thread at a time: by a block on the logger's dispatch queue, or by a
/// caller that waits for them, where the logger allows that and no other thread is running it. Every hook of the logger runs
/// under this right, so hooks never overlap.
///
/// Invariants:
/// 1. `isRunning` is true while, and only while, one thread works on entries.
/// 2. While there are entries, or output that a caller could not write, a thread is running or a block is scheduled.
/// 3. No hook runs, and nothing waits, while `inbox` is locked.
final class LoggerNode: @unchecked Sendable {  // see the MARKs; the rest belongs to the running thread
    private struct Inbox {
        var backlog: Backlog
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
    unowned let logger: AbstractLogger
    let queue: DispatchQueue
    let counters = LoggerCounters()
    /// What tells the logger's queue from others.
    private let ownQueue = DispatchSpecificKey<Bool>()

    // MARK: Atomics (any thread)
    /// In the child of a fork: the logger was at work then, and is not to be touched.
    private let isLost = Atomic<Bool>(false)
    /// Counts up with each message, each entry and each write of the logger: as long as it changes, the logger works.
    private let progress = Atomic<Int>(0)

    // MARK: Guarded by themselves
    private let inbox: Locked<Inbox>
    /// The dispatcher, from `add` until the removal has been worked off.
    private let attachment = Locked(WeakDispatcher())
    /// The logger itself, for as long as it is attached.
    let retainedLogger = Locked<AbstractLogger?>(nil)

    // MARK: Owned by the running thread
    /// Through a pointer, so that the checks of exclusive access are not made for every message.
    private let runner: UnsafeMutablePointer<Runner>

    /// Whether the logger said, in the flush at hand, that it holds something back.
    var holdsBack = false

    private struct Runner {
        /// Filled again for each message; with `deliver` while that is at work.
        var storage: MessageStorage?
        var names = NameCache()
        /// How many messages were dropped at this place, and not announced yet.
        var lost = Backlog.Gap()
        var outcome = LoggerCounters.Outcome.delivered
        /// Those of the batch at hand, which are not in the counters yet.
        var outcomes = LoggerCounters.Outcomes()
        /// Whether the hooks run on the logger's queue, where they may wait as long as they want.
        var isOnQueue = false
        /// Whether the logger holds output that it could not write without waiting.
        var holdsOutput = false
        /// Where the journal keeps how far the logger is.
        var slot: JournalSlot?
        /// The end in the ring of what has been worked off.
        var workedOff: UInt64 = 0
        /// The mark of the message at hand; 0 where no journal keeps it.
        var mark: UInt64 = 0
        /// Where the journal keeps the message at hand, and how many bytes it has there.
        var kept: (slot: JournalSlot, size: Int)?
        /// What is still to be recovered for the logger, and to be tried now or again.
        var recoveries: [@Sendable () -> Void] = []
        /// How many journals have something that was not delivered to the logger yet.
        var unrecovered = 0
        /// What ends the slots of journals before the one in use, when everything has been written.
        var ending: [@Sendable () -> Void] = []
        /// What looks again for journals that could not be opened.
        var looks: [@Sendable () -> Void] = []

        mutating func forgetRecovery() { (recoveries, unrecovered, looks) = ([], 0, []) }
    }

    init(logger: AbstractLogger, queue: DispatchQueue) {
        self.logger = logger
        self.queue = queue
        inbox = Locked(Inbox(backlog: Backlog()))
        runner = .allocate(capacity: 1)
        runner.initialize(to: Runner())
        queue.setSpecific(key: ownQueue, value: true)
    }

    deinit {
        queue.setSpecific(key: ownQueue, value: nil)
        runner.deinitialize(count: 1)
        runner.deallocate()
    }

    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    func setLimits(_ limits: BacklogLimits) {
        let dispatcher = self.dispatcher
        inbox.withLock { inbox in
            if inbox.backlog.limits.number >= limits.number { return }
            let held = inbox.backlog.holdsCallers
            inbox.backlog.setLimits(limits)
            if held, !inbox.backlog.holdsCallers { dispatcher?.backpressure.release(self) }
        }
    }

    func setAllowance(_ bytes: Int) { inbox.withLock { $0.backlog.allowance = bytes } }

    // MARK: - Belonging

    private struct WeakDispatcher {
        weak var value: LogDispatcher?
    }

    var dispatcher: LogDispatcher? { attachment.withLock { $0.value } }

    /// Makes the logger belong to `dispatcher`, unless it belongs to one already: then returns that one.
    func attach(to dispatcher: LogDispatcher) -> LogDispatcher? {
        attachment.withLock { attachment in
            if let owner = attachment.value { return owner }
            attachment.value = dispatcher
            return nil
        }
    }

    /// The last thing that happens to a logger in a dispatcher.
    func detach() {
        recover()
        // What cannot be delivered is left to others.
        runner.pointee.forgetRecovery()
        logger.reportRepeats()
        logger.discardHeldMessages()
        logger.willRemove()
        attachment.withLock { $0.value = nil }
        let last = retainedLogger.withLock { logger in
            defer { logger = nil }
            return logger
        }
        withExtendedLifetime(last) {}  // ends outside of the lock: its end may be the user's code
    }

    // MARK: - Taking entries

    /// Takes what the logger wants of a batch, as its overflow policy says.
    ///
    /// Called by the drain; never waits.
    ///
    /// `byCaller` says that a synchronous call drains, which will call `wait` or `scheduleIfNeeded`.
    ///
    /// - Returns: what was dropped to make room, to be freed where no lock is held: the end of a tag is the user's code.
    func push(_ batch: RecordBatch, levels: UInt32, byCaller: Bool, slot: JournalSlot?) -> [RecordBatch] {
        if batch.levels & levels == 0 || isLost.load(ordering: .relaxed) { return [] }
        let slice = RecordSlice(batch, levels: levels)
        counters.received.add(slice.count, ordering: .relaxed)
        let dispatcher = self.dispatcher
        let (mustSchedule, evicted) = inbox.withLock { inbox in
            let before = (inbox.backlog.dropped, inbox.backlog.holdsCallers)
            let evicted = inbox.backlog.append(
                slice, progress: progress.load(ordering: .relaxed), now: SystemClock().uptime())
            slot?.pushed = batch.end
            counters.dropped.add(inbox.backlog.dropped - before.0, ordering: .relaxed)
            if !before.1, inbox.backlog.holdsCallers { dispatcher?.backpressure.hold(self) }
            return (byCaller && logger.runsOnCaller ? false : inbox.claimSchedule(), evicted)
        }
        if mustSchedule { schedule() }
        return evicted
    }

    /// Takes note that messages are missing here which found no room in the ring.
    ///
    /// Called by the drain; never waits.
    func push(lostAtRing count: Int) {
        let mustSchedule = inbox.withLock { inbox in
            inbox.backlog.append(lostAtRing: count)
            return inbox.claimSchedule()
        }
        if mustSchedule { schedule() }
    }

    /// Has `work` done in its turn, alone, between two entries.
    ///
    /// Any thread; never waits.
    func push(_ work: @escaping @Sendable () -> Void) {
        if isLost.load(ordering: .relaxed) { return }
        let mustSchedule = inbox.withLock { inbox in
            inbox.backlog.append(work)
            return inbox.claimSchedule()
        }
        if mustSchedule { schedule() }
    }

    func scheduleIfNeeded() {
        if inbox.withLock({ $0.claimSchedule() }) { schedule() }
    }

    private func schedule() {
        if hw_forked_child_load() { return }
        queue.async { [logger] in
            logger.node.run(until: nil)
        }
    }

    /// A caller that waits for this logger looks how far it is.
    ///
    /// - Returns: when to look again; nil if no caller has to wait for it any more.
    func look(at now: Duration, for backpressure: Backpressure) -> Duration? {
        inbox.withLock { inbox in
            let answer = inbox.backlog.look(progress: progress.load(ordering: .relaxed), at: now)
            if case .wait(let pause) = answer { return pause }
            backpressure.release(self)
            return nil
        }
    }

    /// Takes note that the logger has come a step further; called by the running thread alone.
    @inline(__always)
    func noteProgress() {
        // Not an atomic addition: no other thread writes.
        progress.store(progress.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    // MARK: - Working entries off

    /// Waits until everything that these loggers have taken so far has been worked off.
    ///
    /// All of them work at the same time: one that is stuck does not keep the others from finishing. The caller does
    /// the work of one of them itself where the logger allows it, and of those whose queue it occupies. Inside of a
    /// hook nothing is waited for.
    ///
    /// - Returns: those that have not finished at `deadline`.
    static func wait(for loggers: [AbstractLogger], until deadline: DispatchTime) -> [AbstractLogger] {
        if ThreadState.current.isInHook { return loggers }
        if loggers.count == 1, let logger = loggers.first {
            return wait(for: logger, until: deadline) ? [] : loggers
        }
        let lost = loggers.filter { $0.node.isLost.load(ordering: .relaxed) }
        if !lost.isEmpty {
            return lost
                + wait(for: loggers.filter { logger in !lost.contains { $0 === logger } }, until: deadline)
        }
        var ownWork: [(node: LoggerNode, mark: Mark)] = []
        var mayTakeOne = true
        let marks = loggers.map { logger in
            let node = logger.node
            let mark = Mark()
            let isOnQueue = DispatchQueue.getSpecific(key: node.ownQueue) != nil
            let mustTake = isOnQueue || hw_forked_child_load()
            if node.append(mark, leavingItToCaller: mustTake || (mayTakeOne && logger.runsOnCaller)) {
                if !mustTake { mayTakeOne = false }
                ownWork.append((node, mark))
            }
            return mark
        }
        for (node, mark) in ownWork { node.run(until: mark, deadline) }
        return zip(loggers, marks).filter { !$1.wait(until: deadline) }.map(\.0)
    }

    /// The same for one logger, without the arrays.
    private static func wait(for logger: AbstractLogger, until deadline: DispatchTime) -> Bool {
        let node = logger.node
        if node.isLost.load(ordering: .relaxed) { return false }
        let mark = Mark()
        let isOnQueue = DispatchQueue.getSpecific(key: node.ownQueue) != nil
        let mayTake = isOnQueue || hw_forked_child_load() || logger.runsOnCaller
        if node.append(mark, leavingItToCaller: mayTake) { node.run(until: mark, deadline) }
        return mark.wait(until: deadline)
    }

    /// Puts a mark after the entries so far; returns whether the caller has to call `run`.
    private func append(_ mark: Mark, leavingItToCaller mayLeave: Bool) -> Bool {
        let (mustRun, mustSchedule) = inbox.withLock { inbox in
            inbox.backlog.append { mark.reach() }
            if mayLeave, !inbox.isRunning, !inbox.needsQueue { return (true, false) }
            return (false, inbox.claimSchedule())
        }
        if mustSchedule { schedule() }
        return mustRun
    }

    /// Works off entries until the inbox is empty, `mark` is reached or the time is over; does nothing when another thread
    /// is at it.
    private func run(until mark: Mark?, _ deadline: DispatchTime = .distantFuture) {
        let hasStarted = inbox.withLock { inbox in
            if mark == nil { inbox.isScheduled = false }
            if inbox.isRunning || (mark != nil && inbox.needsQueue) { return false }
            inbox.isRunning = true
            return true
        }
        if !hasStarted { return scheduleIfNeeded() }
        let thread = ThreadState.current
        let outer = thread.runningNode
        thread.runningNode = identity
        defer { thread.runningNode = outer }
        runner.pointee.isOnQueue = mark == nil && !hw_forked_child_load()
        if runner.pointee.isOnQueue, runner.pointee.holdsOutput { finishOutput() }
        while let entry = next() {
            workOff(entry, thread)
            if let mark, mark.isReached || runner.pointee.holdsOutput || DispatchTime.now() >= deadline {
                return stopRunning()
            }
        }
    }

    // MARK: - Output that would wait

    /// How long a hook may wait for a reader: on the logger's queue forever, on the thread of a caller not at all, and in
    /// the child of a fork, where there is no queue, a moment.
    var readerPatience: Duration {
        if runner.pointee.isOnQueue { return .seconds(1_000_000_000) }
        return hw_forked_child_load() ? .milliseconds(250) : .zero
    }

    /// The logger could not write all without waiting: its queue does that, before any other entry.
    ///
    /// Called by the running thread.
    func leaveOutputToQueue() { runner.pointee.holdsOutput = true }

    private func finishOutput() {
        runner.pointee.holdsOutput = false
        (logger as? any OutputHolder)?.finishOutput()
        inbox.withLock { $0.needsQueue = false }
    }

    /// Leaves the rest, if any, to the queue.
    private func stopRunning() {
        let mustSchedule = inbox.withLock { inbox in
            inbox.isRunning = false
            inbox.needsQueue = runner.pointee.holdsOutput && !hw_forked_child_load()
            return inbox.claimSchedule()
        }
        if mustSchedule { schedule() }
    }

    // MARK: - Around a fork

    /// Brings the logger to rest between two entries; false where it did not come to rest in time.
    func pause(until deadline: Duration) -> Bool {
        while true {
            let isMine = inbox.withLock { inbox in
                if inbox.isRunning { return false }
                inbox.isRunning = true
                return true
            }
            if isMine { return true }
            if ThreadState.current.runningNode == identity || SystemClock().uptime() >= deadline {
                return false
            }
            usleep(100)
        }
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: inbox) }

    /// In the parent: the logger goes on.
    func resume() { stopRunning() }

    /// In the child: no message waits, and only callers do work.
    func handleForkInChild(isUsable: Bool) {
        if !isUsable { return isLost.store(true, ordering: .relaxed) }
        if runner.pointee.holdsOutput { (logger as? any OutputHolder)?.discardOutput() }
        runner.pointee.holdsOutput = false
        inbox.withLock { inbox in
            inbox.backlog.forgetMessages()
            inbox.isRunning = false
            inbox.isScheduled = false
            inbox.needsQueue = false
        }
        // What dead processes have left is the parent's.
        runner.pointee.forgetRecovery()
        (runner.pointee.slot, runner.pointee.kept, runner.pointee.ending) = (nil, nil, [])
    }

    /// In the child: the caller does the work.
    func runInChild() {
        if !isLost.load(ordering: .relaxed) { run(until: nil) }
    }

    /// The next entry; without one, the right to run ends in the same step.
    private func next() -> Backlog.Entry? {
        inbox.withLock { inbox in
            let entry = inbox.backlog.next()
            // Nothing waits, whatever happened to it.
            if entry == nil, let slot = runner.pointee.slot { acknowledge(slot, upTo: slot.pushed) }
            if entry == nil, runner.pointee.lost.count == 0 { inbox.isRunning = false }
            return entry ?? (runner.pointee.lost.count > 0 ? .work({}) : nil)
        }
    }

    private func workOff(_ entry: Backlog.Entry, _ thread: ThreadState) {
        defer { noteProgress() }
        switch entry {
        case .gap(let gap):
            runner.pointee.lost += gap
        case .work(let work):
            announceLoss()
            work()
        case .records(let slice, let before):
            runner.pointee.lost += before
            if slice.count > 0 {
                // Before the first message; later attempts have times of their own.
                if !runner.pointee.recoveries.isEmpty, runner.pointee.unrecovered == 0 { recover() }
                announceLoss()
                deliver(slice, thread)
            }
            if runner.pointee.slot != nil {
                acknowledge(upTo: slice.batch.end)
            }
            let dispatcher = self.dispatcher
            inbox.withLock { inbox in
                let held = inbox.backlog.holdsCallers
                inbox.backlog.finish(weighing: slice.weight)
                if held, !inbox.backlog.holdsCallers { dispatcher?.backpressure.release(self) }
            }
        }
    }

    private func deliver(_ slice: RecordSlice, _ thread: ThreadState) {
        let logger = logger
        let runner = runner
        var hasOriginal = false
        let slot = runner.pointee.slot
        var storage = runner.pointee.storage.take() ?? MessageStorage()
        slice.forEach { record in
            if let slot {
                runner.pointee.mark = RecordLayout.end(of: record, in: slice.batch)
                runner.pointee.kept = (
                    slot, Int(record.load(fromByteOffset: RecordLayout.commit, as: UInt64.self))
                )
            }
            if !isKnownUniquelyReferenced(&storage) { storage = MessageStorage() }
            storage.fill(from: record, names: &runner.pointee.names)
            let flags = record.load(fromByteOffset: RecordLayout.flags, as: UInt8.self)
            let isReentrant = flags & RecordLayout.Flags.reentrant.rawValue != 0
            thread.handlesReentrantMessage = isReentrant
            if !isReentrant { hasOriginal = true }
            runner.pointee.outcome = .delivered
            logger.handle(LogMessage(storage: storage))
            noteProgress()
            runner.pointee.outcomes.count(runner.pointee.outcome)
        }
        runner.pointee.kept = nil
        counters.add(&runner.pointee.outcomes)
        // The last message's tag and memory are not kept until the next message comes.
        if !storage.isWorthFreeing { runner.pointee.storage = storage }
        // A logger that logs at the end of each batch must not do so because of its own messages alone.
        thread.handlesReentrantMessage = !hasOriginal
        logger.batchDidEnd()
        thread.handlesReentrantMessage = false
    }

    /// Delivers a message that was held back, and counted as filtered then, before the one at hand.
    ///
    /// Called by the running thread.
    func deliverLate(_ message: LogMessage) {
        let thread = ThreadState.current
        let outer = (runner.pointee.outcome, runner.pointee.mark, thread.handlesReentrantMessage)
        let kept = runner.pointee.kept
        // The journal is done with it; and what is logged about it shall not be held back in its turn.
        (runner.pointee.outcome, runner.pointee.mark, runner.pointee.kept) = (.delivered, 0, nil)
        thread.handlesReentrantMessage = true
        logger.log(message)
        runner.pointee.kept = kept
        var outcomes = LoggerCounters.Outcomes()
        outcomes.count(runner.pointee.outcome)
        counters.filtered.subtract(1, ordering: .relaxed)
        counters.add(&outcomes)
        (runner.pointee.outcome, runner.pointee.mark, thread.handlesReentrantMessage) = outer
    }

    // MARK: - The journal

    /// The mark of the message that the logger handles.
    var mark: UInt64 { runner.pointee.mark }

    /// Has the logger note its writes in `slot` from here on.
    ///
    /// Called by the drain.
    func setSlot(_ slot: JournalSlot?) {
        push { [self] in
            runner.pointee.slot = slot
            runner.pointee.workedOff = slot?.done ?? 0
            runner.pointee.mark = 0
            (logger as? any DurableLogger)?.note(writesIn: slot)
        }
    }

    /// Has the logger take leave of its slot, when all that was logged before is where it survives.
    ///
    /// What it cannot write yet stays in the file: for recovery where the logger leaves the dispatcher (`isLeaving`), until
    /// it has written it where only the journal has changed.
    ///
    /// Called by the drain. `finished` is called when the slot has ended.
    func endSlot(_ slot: JournalSlot, isLeaving: Bool, _ finished: @escaping @Sendable () -> Void) {
        push { [self] in
            guard let durable = logger as? any DurableLogger else { return runner.pointee.slot = nil }
            var isLeft = false
            if isLeaving, !durable.isSettled {
                // The last attempt, as long as the slot takes note of it.
                logger.flush()
                isLeft = !durable.isSettled
                // Another one would bring it twice. But what the journal has released is nowhere else.
                if isLeft, slot.lost == 0 { durable.forgetUnwritten() }
            }
            runner.pointee.slot = nil
            durable.note(writesIn: nil)
            if !isLeft {
                runner.pointee.ending.append {
                    slot.end()
                    finished()
                }
                endSlots()
            }
            if let dispatcher, dispatcher.ring.hasWaiters { dispatcher.wakeDrain() }
        }
    }

    /// Ends the slots of earlier journals, when what they have is where it survives.
    private func endSlots() {
        if runner.pointee.ending.isEmpty { return }
        guard (logger as? any DurableLogger)?.isSettled ?? true else { return }
        let ending = runner.pointee.ending
        runner.pointee.ending = []
        for end in ending { end() }
    }

    /// Says that the logger's filter or formatter leaves the message at hand out: it is not for it after a crash, either.
    func leaveOut() {
        note(.filtered)
        if let kept = runner.pointee.kept { kept.slot.leaveOut(endingAt: mark, size: kept.size) }
    }

    // MARK: - Recovery

    /// Has `work` done before the logger's next message, at the next flush, or after a second, whichever is first: what
    /// is set right after the logger was added holds for it as well.
    ///
    /// Called by the drain, or by the running thread.
    func recoverSoon(_ work: @escaping @Sendable () -> Void) {
        push { [self] in runner.pointee.recoveries.append(work) }
        recoverLater()
    }

    /// The running thread cannot deliver yet what was left by `journals` dead processes: `work` will try again.
    func recoverAgain(_ journals: Int, _ work: @escaping @Sendable () -> Void) {
        runner.pointee.recoveries.append(work)
        runner.pointee.unrecovered += journals
        recoverLater()
    }

    /// Some journals could not be opened, so their owners are unknown: `work` will try again.
    ///
    /// Called by the running thread.
    func lookAgain(_ work: @escaping @Sendable () -> Void) {
        runner.pointee.looks.append(work)
        recoverLater()
    }

    private func recoverLater() {
        if hw_forked_child_load() { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + LoggerNode.recoveryInterval) {
            [weak logger] in
            guard let logger else { return }
            logger.node.push { if logger.node.dispatcher != nil { logger.node.recover() } }
        }
    }

    private static let recoveryInterval = DispatchTimeInterval.seconds(1)

    /// Whether something that a dead process has left could not be delivered so far.
    var isRecovering: Bool { runner.pointee.unrecovered > 0 || !runner.pointee.recoveries.isEmpty }

    /// Delivers what dead processes have left, as far as is possible now.
    ///
    /// Called by the running thread.
    func recover() {
        let work = runner.pointee.recoveries + runner.pointee.looks
        runner.pointee.forgetRecovery()
        for work in work { work() }
    }

    /// Tells the journal that everything before `position` has been worked off, if it is where it survives.
    ///
    /// Called by the running thread.
    func acknowledge(upTo position: UInt64 = 0) {
        endSlots()
        guard let slot = runner.pointee.slot else { return }
        acknowledge(slot, upTo: position)
        if let dispatcher, dispatcher.ring.hasWaiters { dispatcher.wakeDrain() }
    }

    private func acknowledge(_ slot: JournalSlot, upTo position: UInt64) {
        runner.pointee.workedOff = max(runner.pointee.workedOff, position)
        if (logger as? any DurableLogger)?.isSettled ?? false { slot.acknowledge(runner.pointee.workedOff) }
    }

    /// Whether everything that was handed out is acknowledged.
    func isAcknowledged(_ slot: JournalSlot) -> Bool { inbox.withLock { _ in slot.done >= slot.pushed } }

    /// A message of a dead process.
    struct Recovered {
        let parts: MessageParts
        /// The end of its record; 0 without a record.
        let mark: UInt64
        /// The bytes of its record.
        var size = 0
        /// Whether the framework says it, so that no filter is asked.
        var isNote = false
    }

    /// Delivers messages of a dead process, which `slot` of its journal keeps count of, as if they had just been logged:
    /// filter, flight recorder and repeat collapse act.
    ///
    /// Called by the running thread.
    ///
    /// - Returns: whether they are where they survive; if not, they were forgotten again.
    func deliver(_ messages: [Recovered], of slot: JournalSlot) -> Bool {
        guard let durable = logger as? any DurableLogger, durable.isSettled else { return false }
        durable.note(writesIn: slot)
        let (before, selection) = (counters.snapshot, logger.selection?.checkpoint)
        for message in messages {
            let storage = MessageStorage()
            storage.fill(message.parts)
            runner.pointee.mark = message.mark
            runner.pointee.kept = (slot, message.size)
            runner.pointee.outcome = .delivered
            if message.isNote {
                logger.log(LogMessage(storage: storage))
            } else {
                logger.handle(LogMessage(storage: storage))
            }
            runner.pointee.outcomes.count(runner.pointee.outcome)
        }
        runner.pointee.kept = nil
        counters.add(&runner.pointee.outcomes)
        logger.batchDidEnd()
        runner.pointee.mark = 0
        // Some keep messages in memory for a while; not these.
        if !durable.isSettled { durable.note(writesIn: slot) }
        let isDone = durable.isSettled
        if isDone {
            counters.received.add(messages.count, ordering: .relaxed)
            slot.acknowledge(messages.last?.mark ?? 0)
        } else {
            // They will come again, and count then.
            durable.forgetUnwritten()
            counters.goBack(to: before)
            if let selection { logger.selection?.checkpoint = selection }
        }
        durable.note(writesIn: runner.pointee.slot)
        return isDone
    }

    /// Called by the logger while it handles a message: it was not delivered, but this.
    func note(_ outcome: LoggerCounters.Outcome) { runner.pointee.outcome = outcome }

    /// Says in the log itself how many messages are missing at this place.
    private func announceLoss() {
        let gap = runner.pointee.lost
        if gap.count == 0 { return }
        runner.pointee.lost = Backlog.Gap()
        let message = LogMessage.ofLoss(gap.count, at: logger.currentTime)
        // What the logger logs about this would be dropped, and announced, and so on forever.
        let thread = ThreadState.current
        thread.handlesReentrantMessage = true
        runner.pointee.mark = 0
        logger.log(message)
        logger.batchDidEnd()
        thread.handlesReentrantMessage = false
        // The others have been reported where they were dropped.
        if gap.here > 0 {
            diagnostics.report(
                .messagesDropped, "\(gap.here) messages for \(logger.name) were dropped", count: gap.here)
        }
    }

    var diagnostics: LogDiagnostics { dispatcher?.diagnostics ?? .unattached }
}

/// A place in a node's queue that a caller waits for.
private final class Mark: Sendable {
    private let reached = Atomic<Bool>(false)
    private let semaphore = Semaphore()

    var isReached: Bool { reached.load(ordering: .acquiring) }

    func reach() {
        reached.store(true, ordering: .releasing)
        semaphore.signal()
    }

    func wait(until deadline: DispatchTime) -> Bool { semaphore.wait(until: deadline) }
}
