import CHeartwood
package import Dispatch
import Synchronization

/// A serial queue whose blocks run on a thread of Heartwood's own, so that no caller waits for a thread.
///
/// Where the process has reached its limit of threads, `DispatchQueue.async` waits inside libdispatch, on the
/// caller's thread, until one can be created. Here the block waits, and not its caller. The thread enters the
/// dispatch queue with `sync`, which runs the block on the calling thread: the queue's label and
/// `dispatchPrecondition(.onQueue:)` hold, and no other block of that queue runs at the same time.
///
/// Invariants:
/// 1. Blocks are called one after another, in the order in which they came, by whichever thread: each takes
///    the next one on the queue.
/// 2. While a block waits, a thread works on them, or is asked for once a second.
/// 3. No caller waits for another thread, but those of `sync`.
///
/// On Apple's systems blocks are passed to libdispatch, which asks the kernel for threads without waiting and
/// propagates priorities.
package final class WorkQueue: Sendable {
    // MARK: Constants (any thread)
    /// The dispatch queue on which the blocks are called.
    package let queue: DispatchQueue
    private let core: Core

    /// Makes a queue of its own; that of a logger or the drain reports nothing, as blocks come under locks.
    package init(_ label: String, qos: DispatchQoS = .utility, reports: Bool = true) {
        queue = .serial(label, qos: qos)
        core = Core(queue, reports: reports)
        // No other block is there yet.
        queue.sync { core.mark() }
    }

    /// Makes one that calls its blocks on a given queue.
    package init(_ queue: DispatchQueue) {
        self.queue = queue
        core = Core(queue, reports: false)
    }

    deinit { core.end() }

    /// Whether the calling thread occupies the queue; on a given queue known once a block was called.
    package var isCurrent: Bool { core.isCurrent }

    /// Whether the system had no thread to give when one was wanted last.
    package var lacksThread: Bool { core.lacksThread }

    /// Gives the queue a thread that stays as long as the queue; false where the system has none.
    ///
    /// Without one, threads come with the blocks, and go when nothing has come for some seconds.
    package func keepThread() -> Bool { core.keepThread() }

    /// Has a block called soon; never waits.
    ///
    /// In the child of a fork nothing is called.
    package func enqueue(_ work: @escaping @Sendable () -> Void) { core.append(work) }

    /// Calls the blocks that wait, and then this one, on the calling thread, which must not occupy the queue.
    package func sync(_ work: () -> Void) {
        queue.sync {
            core.workOff()
            work()
        }
    }
}

#if canImport(Darwin)
/// What libdispatch does by itself.
private final class Core: Sendable {
    private let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()
    let lacksThread = false

    init(_ queue: DispatchQueue, reports: Bool) {
        self.queue = queue
        queue.setSpecific(key: key, value: true)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    func keepThread() -> Bool { true }
    func append(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
    func mark() {}
    func workOff() {}
    func end() { queue.setSpecific(key: key, value: nil) }
}
#else
/// The blocks that wait, and the thread that calls them, which keeps this and not the queue's owner.
private final class Core: Sendable {
    private enum Thread {
        case none, there
        /// The system had none to give, and is asked again in a while.
        case wanted
    }

    private struct State {
        var blocks = Deque<@Sendable () -> Void>()
        var thread = Thread.none
        /// Whether a timer is set that asks for a thread: one at most, however often it is refused.
        var hasTimer = false
        /// Whether the thread stays while nothing comes.
        var stays = false
        var isEnding = false
    }

    // MARK: Constants (any thread)
    private let queue: DispatchQueue
    private let reports: Bool
    /// Counts up with each block, and at the end.
    private let wakeUp = Semaphore()

    // MARK: Atomics (any thread)
    private let lacks = Atomic<Bool>(false)
    /// The queue, as libdispatch knows it, from when it is marked as this one's; 0 before.
    private let marked = Atomic<UInt>(0)

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// How long a thread that does not stay waits for the next block.
    private static let patience = Duration.seconds(5)
    private static let retryPause = Duration.seconds(1)

    init(_ queue: DispatchQueue, reports: Bool) { (self.queue, self.reports) = (queue, reports) }

    deinit {
        let queue = UnsafeMutableRawPointer(bitPattern: marked.load(ordering: .relaxed))
        if let queue { hw_queue_unmark(queue, key) }
    }

    private var key: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Has the queue know that it is this one's; called on it.
    func mark() {
        if marked.load(ordering: .relaxed) != 0 { return }
        marked.store(UInt(bitPattern: hw_queue_mark(key)), ordering: .relaxed)
    }

    var isCurrent: Bool { hw_queue_is_marked(key) }
    var lacksThread: Bool { lacks.load(ordering: .relaxed) }

    func append(_ work: @escaping @Sendable () -> Void) {
        if hw_forked_child_load() { return }
        let mustAsk = state.withLock { state in
            state.blocks.append(work)
            return state.thread == .none && makeThread(&state)
        }
        wakeUp.signal()
        if !mustAsk { return }
        askLater()
        if reports { WorkQueue.tellRefusal(queue.label) }
    }

    func keepThread() -> Bool {
        if hw_forked_child_load() { return false }
        let (isThere, mustAsk) = state.withLock { state in
            state.stays = true
            let mustAsk = state.thread != .there && makeThread(&state)
            return (state.thread == .there, mustAsk)
        }
        if mustAsk { askLater() }
        return isThere
    }

    /// Ends the thread when all blocks have been called.
    func end() {
        if hw_forked_child_load() { return }
        state.withLock { $0.isEnding = true }
        wakeUp.signal()
    }

    // MARK: - The thread

    /// Asks the system for the thread, under the lock: who looks meanwhile learns the answer.
    ///
    /// - Returns: true if the thread could not be created and no timer is set yet: the caller sets one.
    private func makeThread(_ state: inout State) -> Bool {
        // Blocks are the program's own code as well: they have as much stack as elsewhere.
        let isMade = DetachedThread.start(stackSize: nil) { self.run() }
        lacks.store(!isMade, ordering: .relaxed)
        state.thread = isMade ? .there : .wanted
        if isMade || state.hasTimer { return false }
        state.hasTimer = true
        return true
    }

    private func askLater() {
        _ = TimerThread.shared.schedule(after: Core.retryPause) { self.retry() }
    }

    private func retry() {
        let mustAsk = state.withLock { state in
            state.hasTimer = false
            if state.thread != .wanted { return false }
            if !state.blocks.isEmpty || (state.stays && !state.isEnding) { return makeThread(&state) }
            state.thread = .none
            return false
        }
        if mustAsk { askLater() }
    }

    private func run() {
        let forever = Duration.seconds(1_000_000_000)
        while true {
            let stays = state.withLock { $0.stays && !$0.isEnding }
            let isSignalled = wakeUp.wait(upTo: stays ? forever : Core.patience)
            if isSignalled, queue.sync(execute: { callNext() }) { continue }
            if mayEnd(afterPause: !isSignalled) { break }
        }
    }

    /// Calls the next block, on the queue; false where none waits.
    private func callNext() -> Bool {
        guard let block = state.withLock({ $0.blocks.popFirst() }) else { return false }
        mark()
        block()
        return true
    }

    /// Calls all blocks that wait, on the queue.
    func workOff() { while callNext() {} }

    private func mayEnd(afterPause isPause: Bool) -> Bool {
        state.withLock { state in
            let isIdle = state.blocks.isEmpty && (state.isEnding || (isPause && !state.stays))
            if isIdle { state.thread = .none }
            return isIdle
        }
    }
}
#endif

extension WorkQueue {
    private static let refusalHandler = Locked<(@Sendable (String) -> Void)?>(nil)

    /// Has `handler` called with the label of each queue on which a block waits since no thread could be
    /// created.
    static func onRefusal(_ handler: @escaping @Sendable (String) -> Void) {
        refusalHandler.withLock { $0 = handler }
    }

    fileprivate static func tellRefusal(_ label: String) { refusalHandler.withLock { $0 }?(label) }

    /// For what is short and must not hold its caller up.
    package static let chores = WorkQueue("heartwood.chores")
}

extension CheckedContinuation where T: Sendable, E == Never {
    /// Lets the task go on, without waiting until the pool that tasks run on has a thread for it.
    package func resumeElsewhere(returning value: T) { WorkQueue.chores.enqueue { resume(returning: value) } }
}
