import Synchronization

/// How often a filter has let a message pass, and how often not.
public final class FilterCounters: Sendable {
    // MARK: Atomics (any thread)
    private let passedCount = Atomic<Int>(0)
    private let filteredCount = Atomic<Int>(0)

    /// Makes counters that show 0.
    public init() {}

    /// Messages that have passed.
    public var passed: Int { passedCount.load(ordering: .relaxed) }

    /// Messages that have not.
    public var filtered: Int { filteredCount.load(ordering: .relaxed) }

    func count(_ passes: Bool) {
        if passes {
            passedCount.add(1, ordering: .relaxed)
        } else {
            filteredCount.add(1, ordering: .relaxed)
        }
    }
}
