import Dispatch
import Synchronization

/// Makes callers wait while a logger whose policy asks for it is late.
final class Backpressure: Sendable {
    private struct State {
        var holders: [LoggerInbox] = []
        var waiting: [Semaphore] = []
    }

    // MARK: Atomics (any thread)
    /// How many loggers hold callers; read at every call.
    nonisolated(unsafe) let count: UnsafeMutablePointer<Atomic<Int>>

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init() {
        count = .allocate(capacity: 1)
        count.initialize(to: Atomic(0))
    }

    deinit { count.deallocate() }

    /// From now on callers wait for the logger.
    func hold(_ logger: LoggerInbox) {
        state.withLock { state in
            state.holders.append(logger)
            count.pointee.store(state.holders.count, ordering: .relaxed)
        }
    }

    /// Callers do not wait for the logger any more.
    func release(_ logger: LoggerInbox) {
        let waiting = state.withLock { state in
            state.holders.removeAll { $0 === logger }
            count.pointee.store(state.holders.count, ordering: .relaxed)
            return state.holders.isEmpty ? state.waiting : []
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Lets everybody go.
    func releaseAll() {
        state.withLock { state in
            state.holders = []
            count.pointee.store(0, ordering: .relaxed)
        }
    }

    /// Waits until no logger holds callers: each has room again, or has made no progress for the time of its
    /// own policy.
    ///
    /// - Parameter work: What the caller does meanwhile where no other thread works for the loggers, for the
    ///   given time at most.
    func wait(doing work: ((Duration) -> Void)? = nil) {
        let semaphore = Semaphore()
        var isListed = false
        while true {
            let holders = state.withLock { state in
                if !state.holders.isEmpty, !isListed {
                    state.waiting.append(semaphore)
                    isListed = true
                }
                return state.holders
            }
            if holders.isEmpty { break }
            // Not under the lock: a logger's inbox comes before it.
            let now = SystemClock().uptime()
            let pause = holders.compactMap { $0.look(at: now, for: self) }.min()
            if let pause {
                work?(pause)
                _ = semaphore.wait(upTo: work == nil ? pause : .milliseconds(1))
            }
        }
        if isListed { state.withLock { state in state.waiting.removeAll { $0 === semaphore } } }
    }
}
