import Dispatch
import Synchronization

/// Holds callers back while a logger whose policy says so is behind.
final class Backpressure: @unchecked Sendable {  // the pointer is to an atomic, and constant
    private struct State {
        var holders: [(node: LoggerNode, limit: Duration)] = []
        var waiting: [Semaphore] = []
    }

    // MARK: Atomics (any thread)
    /// How many loggers hold callers; read at every call.
    let count: UnsafeMutablePointer<Atomic<Int>>

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init() {
        count = .allocate(capacity: 1)
        count.initialize(to: Atomic(0))
    }

    deinit { count.deallocate() }

    func hold(_ node: LoggerNode, upTo limit: Duration) {
        state.withLock { state in
            state.holders.append((node, limit))
            count.pointee.store(state.holders.count, ordering: .relaxed)
        }
    }

    func release(_ node: LoggerNode) {
        let waiting = state.withLock { state in
            state.holders.removeAll { $0.node === node }
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

    /// Waits until no logger holds callers, or as long as the most patient of them says; then they hold nobody.
    func wait() {
        let semaphore = Semaphore()
        let limit = state.withLock { state -> Duration? in
            if state.holders.isEmpty { return nil }
            state.waiting.append(semaphore)
            return state.holders.map(\.limit).max()
        }
        guard let limit else { return }
        let isReleased = semaphore.wait(upTo: limit)
        let givenUp = state.withLock { state in
            state.waiting.removeAll { $0 === semaphore }
            return isReleased ? [] : state.holders.map(\.node)
        }
        for node in givenUp { node.giveUp() }
    }
}
