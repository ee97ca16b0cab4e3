import CHeartwood
import Dispatch
import Synchronization

/// Empties the ring: on the global queue, which is woken for that, and on the threads of callers that do not
/// wait for it.
///
/// Invariants:
/// 1. One block at most runs or is scheduled on the queue: whoever moves `schedule` from asleep to running
///    submits it.
/// 2. The block sleeps only after it has said so and then found the ring empty, and no request for room that
///    came after its last look began. A record that was reserved before that look is found by it, and the
///    producer of one reserved later sees that the block sleeps. The same holds for room in a journal, which
///    loggers make and the drain frees: who begins to wait for it, and a logger that has made some while
///    others wait, asks first, then looks whether the drain sleeps. A signal would not do: the drain may have
///    seen none, and not sleep yet.
/// 3. What was taken from the ring is passed on under the same lock, so that the order stays.
/// 4. No logger waits for a caller that another logger holds up: what a caller has left when the block looks,
///    and does not run when it looks again, is scheduled. The block does not sleep before.
/// 5. Whoever passes messages on keeps the dispatcher meanwhile: it does not end under the lock, which its
///    end takes.
final class RingConsumer: @unchecked Sendable {  // the pointer is to an atomic, and constant
    // MARK: Constants (any thread)
    private let ring: RecordRing
    /// The global queue, and its thread.
    let worker: WorkQueue
    /// What it works with.
    let drain: DrainLock
    private let wakeUp = Semaphore()
    /// The dispatcher, which is kept while it is worked for.
    ///
    /// Set once, while it is made; nil when it ends.
    private(set) weak var dispatcher: (any AnyObject & Sendable)?

    // MARK: Atomics (any thread)
    /// What the drain does: `asleep`, `lingering` or `running`; read at every call.
    let schedule: UnsafeMutablePointer<Atomic<UInt8>>
    /// Where messages found no room in the ring, until the drain has passed on that they are missing there.
    private let gaps = RingGaps()
    /// How often a synchronous call has left loggers with entries that nothing is scheduled for, for later.
    private let left = Atomic<Int>(0)

    static let asleep: UInt8 = 0
    /// It looks again after `interval`, or when woken.
    static let lingering: UInt8 = 1
    static let running: UInt8 = 2

    static let interval = Duration.milliseconds(1)
    /// How many times it looks without success before it sleeps.
    static let patience = 8

    init(_ ring: RecordRing, _ drain: DrainLock, _ queue: DispatchQueue) {
        self.ring = ring
        self.drain = drain
        worker = WorkQueue(queue)
        schedule = .allocate(capacity: 1)
        schedule.initialize(to: Atomic(RingConsumer.asleep))
    }

    deinit { schedule.deallocate() }

    /// The global queue.
    var queue: DispatchQueue { worker.queue }

    /// Says whose messages these are.
    func belong(to dispatcher: any AnyObject & Sendable) { self.dispatcher = dispatcher }

    /// Notes that a message found no room in the ring, and is missing at this place of the order.
    func noteMissing() { gaps.note { ring.tail } }

    // MARK: - Waking

    /// Has the queue look soon whether there is something to do.
    func wake() {
        wake(isAsleep: schedule.pointee.load(ordering: .sequentiallyConsistent) == RingConsumer.asleep)
    }

    /// The same, unless it is at work.
    func wakeUnlessRunning() {
        let state = schedule.pointee.load(ordering: .sequentiallyConsistent)
        if state != RingConsumer.running { wake(isAsleep: state == RingConsumer.asleep) }
    }

    /// Wakes the queue out of its sleep, or out of its pause.
    @inline(never)
    func wake(isAsleep: Bool) {
        if isAsleep { start() } else { wakeUp.signal() }
    }

    private func start() {
        let (claimed, _) = schedule.pointee.compareExchange(
            expected: RingConsumer.asleep, desired: RingConsumer.running, ordering: .sequentiallyConsistent)
        // The dispatcher is kept until the end of the block.
        if claimed { worker.enqueue { [dispatcher] in withExtendedLifetime(dispatcher) { self.run() } } }
    }

    /// Notes that a synchronous call, which has drained the ring, will run several loggers one after another.
    func leaveLoggers() {
        left.add(1, ordering: .sequentiallyConsistent)
        // Where it does not sleep, it comes by itself.
        if schedule.pointee.load(ordering: .sequentiallyConsistent) == RingConsumer.asleep { start() }
    }

    private func scheduleLoggers() {
        drain.withLock { for recipient in $0.recipients { recipient.node.inbox.scheduleIfNeeded() } }
    }

    /// Empties the ring until nothing has come for some milliseconds.
    ///
    /// Runs on the global queue, once at a time.
    private func run() {
        var idle = 0
        // Of `left`: what the look before has seen, and what loggers have been scheduled for.
        var scheduled = left.load(ordering: .sequentiallyConsistent) &- 1
        var seen = scheduled
        while true {
            schedule.pointee.store(RingConsumer.running, ordering: .sequentiallyConsistent)
            if seen != scheduled { scheduleLoggers() }
            scheduled = seen
            seen = left.load(ordering: .sequentiallyConsistent)
            let (end, requests) = (ring.tail, ring.roomRequests)
            let found = ObjectPool.emptied { consume(upTo: end, byCaller: false) }
            // Before the look ends: who begins to wait after this has asked for another one.
            if !found || ring.tail == ring.consumed { ring.wakeWaiters() }
            if found {
                idle = 0
            } else if idle == RingConsumer.patience {
                schedule.pointee.store(RingConsumer.asleep, ordering: .sequentiallyConsistent)
                if ring.tail == ring.consumed, ring.roomRequests == requests,
                    left.load(ordering: .sequentiallyConsistent) == scheduled
                {
                    return
                }
                let (again, _) = schedule.pointee.compareExchange(
                    expected: RingConsumer.asleep, desired: RingConsumer.running,
                    ordering: .sequentiallyConsistent)
                if !again { return }
                idle = 0
            } else {
                idle += 1
            }
            if ring.tail != ring.consumed, found { continue }
            schedule.pointee.store(RingConsumer.lingering, ordering: .sequentiallyConsistent)
            _ = wakeUp.wait(upTo: RingConsumer.interval)
        }
    }

    // MARK: - Consuming

    /// Is the ring's consumer for a while; says whether there was anything to consume.
    @discardableResult
    func consume(upTo end: UInt64, byCaller: Bool) -> Bool {
        take(upTo: end, byCaller: byCaller).found
    }

    /// The same; says as well up to where records have been handed out.
    private func take(upTo end: UInt64, byCaller: Bool) -> (found: Bool, position: UInt64) {
        var (found, position, isGone, garbage) = drain.withLock { drain in
            let found = drain.drain(ring, gaps, upTo: end, byCaller: byCaller)
            defer { drain.garbage = [] }
            // Under the lock: what another thread has taken off the ring, it has not handed out before it
            // opens the lock.
            let isGone = drain.journalLook.loss != nil || drain.lacksJournal
            return (found, ring.consumed, isGone, drain.garbage)
        }
        if isGone { drain.withLock { $0.lookAfterJournal }?() }
        // Freed outside of the lock: the end of a tag is the user's code, which may log.
        if !garbage.isEmpty { ThreadState.current.runCallback { garbage = [] } }
        return (found, position)
    }

    /// Has a synchronous call handle its message itself where it is all that there is to do.
    ///
    /// - Returns: whether everything that was logged so far has been handled; false where the general way is
    ///   to be gone.
    func handleAlone() -> Bool {
        let end = ring.tail
        guard let runner = drain.withLock({ $0.takeAlone(ring, gaps, before: end) }) else { return false }
        return runner.runAlone()
    }

    /// Hands everything that was logged so far to the loggers' queues, on the caller's thread.
    ///
    /// Waits for nothing but other callers of the same, and for records that other threads are writing right
    /// now.
    func consumeAll(byCaller: Bool = false) {
        let end = ring.tail
        // At least once, also when the ring is empty: another thread may have taken records off it, and not
        // handed them out yet.
        while true {
            let (found, position) = take(upTo: end, byCaller: byCaller)
            if position >= end { return }
            if !found { sched_yield() }
        }
    }

    /// The same up to `end`, for a thread that holds the drain's lock.
    func consumeAll(upTo end: UInt64, _ drain: inout Drain) {
        while ring.consumed < end {
            // Another thread may be about to publish what it has reserved. Nobody waits for what was cut off
            // with its file.
            if drain.drain(ring, gaps, upTo: end, byCaller: false) { continue }
            if let journal = drain.journal, !ring.isCut, journal.mapping.isCut { drain.loseFile(ring, .cut) }
            sched_yield()
        }
    }

    /// Calls `body` under the drain's lock, and frees outside of it what is due then.
    func withDrain<Result>(_ body: (inout Drain) -> Result) -> Result {
        var (result, garbage) = drain.withLock { drain in
            let result = body(&drain)
            defer { drain.garbage = [] }
            return (result, drain.garbage)
        }
        if !garbage.isEmpty { ThreadState.current.runCallback { garbage = [] } }
        return result
    }
}
