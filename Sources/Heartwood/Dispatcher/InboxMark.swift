import Dispatch
import Synchronization

/// A place in a logger's inbox that a caller waits for.
final class InboxMark: Sendable {
    // MARK: Atomics (any thread)
    private let reached = Atomic<Bool>(false)

    // MARK: Constants (any thread)
    private let semaphore = Semaphore()

    /// Whether everything before it has been worked off.
    var isReached: Bool { reached.load(ordering: .acquiring) }

    /// Says that everything before it has been worked off; called by the running thread.
    func reach() {
        reached.store(true, ordering: .releasing)
        semaphore.signal()
    }

    /// Waits until it is reached; false where that is not so at `deadline`.
    func wait(until deadline: DispatchTime) -> Bool { isReached || semaphore.wait(until: deadline) }
}
