import Synchronization

/// Counts the messages that a filter passed and dropped.
public final class FilterCounters: Sendable {
    // MARK: Atomics (any thread)
    private let passedCount = Atomic<Int>(0)
    private let filteredCount = Atomic<Int>(0)

    /// Makes counters that start at 0.
    public init() {}

    /// The number of messages that passed.
    public var passed: Int { passedCount.load(ordering: .relaxed) }

    /// The number of messages that were dropped.
    public var filtered: Int { filteredCount.load(ordering: .relaxed) }

    func count(_ passes: Bool) {
        if passes {
            passedCount.add(1, ordering: .relaxed)
        } else {
            filteredCount.add(1, ordering: .relaxed)
        }
    }
}
