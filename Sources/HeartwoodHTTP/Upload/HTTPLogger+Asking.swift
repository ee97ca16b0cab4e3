import Dispatch
import Heartwood

extension HTTPLogger {
    /// Sends what waits now, whatever the interval says.
    ///
    /// A pause that the server asked for is kept to, and while it has failed five times in a row, so are the others.
    public func sendNow() {
        performInOrder { [self] in ask(.sendNow) }
    }

    /// Sends what waits, and returns when the server has all of it.
    ///
    /// - Parameter timeout: How long to wait at the most.
    /// - Returns: whether nothing waits any more.
    public func deliver(timeout: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            performInOrder { [self] in
                spool.save()
                ask(.sendNow)
                if spool.pending == 0 && !scheduler.isInFlight { return continuation.resume(returning: true) }
                let waiter = Waiter(continuation)
                waiter.timer = clock.schedule(after: timeout, on: waiter.queue) { waiter.resume(false) }
                waiters.withLock { $0.append(waiter) }
            }
        }
    }

    /// As ``deliver(timeout:)-async``, for callers that may wait; false at once inside of a logger.
    public func deliver(timeout: Duration) -> Bool {
        if isInHook { return false }
        let done = Semaphore()
        let result = Locked(false)
        Task.detached(executorPreference: executor) { [self] in
            let isDelivered = await deliver(timeout: timeout)
            result.withLock { $0 = isDelivered }
            done.signal()
        }
        return done.wait(upTo: timeout) && result.withLock { $0 }
    }

    /// Throws everything away that waits; it counts as dropped.
    public func discardUnsent() {
        performInOrder { [self] in
            spool.dropOldest(.max)
            settle()
        }
    }

    // MARK: - Waiting

    final class Waiter: Sendable {
        let queue = DispatchQueue(label: "heartwood.http.waiter")
        private let continuation: Locked<CheckedContinuation<Bool, Never>?>
        private let held = Locked<(any LogTimer)?>(nil)

        init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Locked(continuation) }

        var timer: (any LogTimer)? {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }

        func resume(_ isDone: Bool) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(returning: isDone)
        }
    }

    /// Tells those who wait that everything is delivered.
    func releaseWaiters() {
        let all = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in all {
            waiter.timer?.cancel()
            waiter.resume(true)
        }
    }
}
