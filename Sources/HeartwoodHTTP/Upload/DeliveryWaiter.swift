import Dispatch
import Heartwood

/// A task that waits until everything is delivered, or its time is over.
final class DeliveryWaiter: Sendable {
    private let continuation: Locked<CheckedContinuation<Bool, Never>?>
    private let timer = Locked<(any LogTimer)?>(nil)

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Locked(continuation) }

    /// Ends the waiting by itself when this timer fires.
    func setTimer(_ new: any LogTimer) { timer.withLock { $0 = new } }

    /// Ends the waiting; only the first call counts.
    func resume(_ isDone: Bool) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        timer.withLock { $0 }?.cancel()
        continuation?.resumeElsewhere(returning: isDone)
    }
}
