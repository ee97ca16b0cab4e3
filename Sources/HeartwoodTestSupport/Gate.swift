import Dispatch
import Heartwood

/// A gate that blocks threads until a test opens it.
///
/// A test waits with ``waitForArrival(of:timeout:)`` until a thread has arrived, so that it need not sleep.
/// Every member may be used from any thread.
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrived = 0
        var waiting: [DispatchSemaphore] = []
        var watchers: [(count: Int, semaphore: DispatchSemaphore)] = []
    }

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    /// Makes a gate, which is closed unless given otherwise.
    public init(isOpen: Bool = false) {
        state = Locked(State(isOpen: isOpen))
    }

    /// The number of threads that have arrived so far, whether they wait or have passed.
    package var arrivals: Int { state.withLock { $0.arrived } }

    /// Opens the gate: all threads pass from now on.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Closes the gate for threads that arrive from now on.
    public func close() { state.withLock { $0.isOpen = false } }

    /// Passes the gate, or waits until it is opened.
    public func pass() {
        let (semaphore, watchers) = state.withLock { state -> (DispatchSemaphore?, [DispatchSemaphore]) in
            state.arrived += 1
            let arrived = state.arrived
            let due = state.watchers.filter { $0.count <= arrived }.map(\.semaphore)
            state.watchers.removeAll { $0.count <= arrived }
            if state.isOpen { return (nil, due) }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return (semaphore, due)
        }
        for watcher in watchers { watcher.signal() }
        semaphore?.wait()
    }

    /// Waits until this many threads have arrived in total.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - timeout: How long to wait at most.
    /// - Returns: whether they came in time.
    @discardableResult
    public func waitForArrival(of count: Int = 1, timeout: Duration = .seconds(60)) -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        let isThere = state.withLock { state in
            if state.arrived >= count { return true }
            state.watchers.append((count, semaphore))
            return false
        }
        if isThere { return true }
        return semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: timeout.nanoseconds))) == .success
    }
}
