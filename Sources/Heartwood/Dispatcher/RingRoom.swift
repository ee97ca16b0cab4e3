import CHeartwood
import Synchronization

/// Finds room for messages that do not simply fit into the ring: waits for it, makes it, or gives up, as the
/// ring's policy says.
///
/// Invariant: large messages and heavy tags on their way take as much memory as the ring has, or are one
/// message alone.
final class RingRoom: Sendable {
    // MARK: Constants (any thread)
    private let ring: RecordRing
    private let place: RingPlace
    private let consumer: RingConsumer
    private let journal: DispatcherJournal

    // MARK: Atomics (any thread)
    private let largeBytes = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)

    // MARK: Guarded by themselves
    private let settings = Locked(OverflowPolicy.standard)

    init(_ ring: RecordRing, _ place: RingPlace, _ consumer: RingConsumer, _ journal: DispatcherJournal) {
        self.ring = ring
        self.place = place
        self.consumer = consumer
        self.journal = journal
    }

    /// What happens when the ring is full.
    var policy: OverflowPolicy {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// How many messages found no room, or were dropped before they needed any.
    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// How many bytes beside the ring are counted as the ring's.
    var bytesBeside: Int { largeBytes.load(ordering: .relaxed) }

    func noteDropped() { dropped.add(1, ordering: .relaxed) }

    func handleFork(_ fork: ForkStep) { fork.apply(to: settings) }

    /// Reserves room for a message that found none, or is too large for the ring; nil where it is to be
    /// dropped.
    func reserve(for call: inout Call) -> (position: UInt64, used: Int)? {
        if call.size > ring.maximumRecord, !makeLarge(&call) { return nil }
        return makeRoom(call.size, call.level)
    }

    // MARK: - Beside the ring

    /// Counts a heavy tag as the ring's until it leaves it; false where there is no room for it in time.
    func claim(for tag: TagBox) -> Bool {
        if tag.weight <= TagBox.lightWeight { return true }
        if !claimInTime(tag.weight) { return false }
        tag.count { [weak self] left in _ = self?.largeBytes.subtract(left, ordering: .relaxed) }
        return true
    }

    /// Puts text and fields into memory of their own, of which there may be as much as the ring is large, or
    /// one message; false where there is no room in time.
    private func makeLarge(_ call: inout Call) -> Bool {
        let count = call.text.count + call.fields.count + call.outerFields.count
        // A message may be larger than the ring where it is the only one; its own tag does not count against
        // it.
        let own = call.tag?._withUnsafeGuaranteedRef { $0.isCounted ? $0.weight : 0 } ?? 0
        if !claimInTime(count, beside: own) { return false }
        let large = LargeBody(count: count) { [weak self] left in
            self?.largeBytes.subtract(left, ordering: .relaxed)
        }
        if var cursor = large.bytes.baseAddress { call.appendBody(to: &cursor) }
        call.large = Unmanaged.passRetained(large)
        call.flags.insert(.large)
        return true
    }

    /// Claims so many bytes beside the ring, waiting for them as the ring's policy says.
    private func claimInTime(_ count: Int, beside own: Int = 0) -> Bool {
        if claim(count, own) { return true }
        consumer.consumeAll()
        var hold = CallerHold.holding
        while !claim(count, own) {
            let now = SystemClock().uptime()
            guard let pause = hold.pause(progress: ring.head, at: now, limit: waitLimit) else { return false }
            usleep(useconds_t(clamping: min(pause, .microseconds(500)).nanoseconds / 1000))
            // Once, as a look that comes late counts for less than its time: no waiting for other callers.
            consumer.consume(upTo: ring.tail, byCaller: false)
        }
        return true
    }

    private func claim(_ count: Int, _ own: Int) -> Bool {
        var held = largeBytes.load(ordering: .relaxed)
        while held <= own || held + count <= ring.capacity {
            let (taken, now) = largeBytes.compareExchange(
                expected: held, desired: held + count, ordering: .relaxed)
            if taken { return true }
            held = now
        }
        return false
    }

    private var waitLimit: Duration {
        if ThreadState.current.isInHook { return .zero }
        if case .block(let limit) = policy { return limit }
        return .zero
    }

    // MARK: - In the ring

    /// The ring is full: does what the policy says; nil where the message is to be dropped.
    @inline(never)
    private func makeRoom(_ size: Int, _ level: UInt32) -> (position: UInt64, used: Int)? {
        // While the memory of the ring is replaced there is no room; that is not what policies are for.
        while place.isExchanging { sched_yield() }
        // A look often helps: the drain is at it right now.
        for _ in 0..<100 { if let room = ring.reserve(size) { return room } }
        let inHook = ThreadState.current.isInHook
        switch policy {
        case .block(let limit):
            if inHook { return reserveByReleasing(size) }
            return waitForRoom(size, limit)
        case .dropNewest:
            return reserveByReleasing(size)
        case .dropBelow(let lowest):
            if LogLevelMask(atLeast: lowest).rawValue & level == 0 { return nil }
            return reserveByDraining(size)
        case .dropOldest:
            return reserveByDraining(size)
        }
    }

    /// Waits until the ring has room, as long as it empties: `limit` is the time in which nothing leaves it.
    private func waitForRoom(_ size: Int, _ limit: Duration) -> (position: UInt64, used: Int)? {
        var hold = CallerHold.holding
        while true {
            // Where it has no thread, it does not come.
            if consumer.worker.lacksThread { consumer.consume(upTo: ring.tail, byCaller: false) }
            guard let pause = hold.pause(progress: ring.head, at: SystemClock().uptime(), limit: limit) else {
                // The global queue may not have had a processor: this thread has one.
                consumer.consume(upTo: ring.tail, byCaller: false)
                return ring.reserve(size) ?? reserveByReleasing(size)
            }
            // Only for a moment: the drain looks after the journal's file, and sleeps when everything is
            // handed out. If the file loses the counters of the ring then, there is no room and nothing to
            // do, and only who waits can have it look.
            ring.waitForRoom(of: size, limit: pause) {
                consumer.wakeUnlessRunning()
            }
            if let room = ring.reserve(size) { return room }
        }
    }

    /// Makes room by moving the oldest records on to the loggers' queues, whose own policies decide about
    /// them.
    private func reserveByDraining(_ size: Int) -> (position: UInt64, used: Int)? {
        for _ in 0..<1000 {
            consumer.consumeAll()
            if let room = ring.reserve(size) { return room }
            if let room = reserveByReleasing(size) { return room }
        }
        return nil
    }

    /// Reserves room by releasing records that loggers have not written yet; nil where that is not what is in
    /// the way.
    private func reserveByReleasing(_ size: Int) -> (position: UInt64, used: Int)? {
        journal.release() ? ring.reserve(size) : nil
    }
}
