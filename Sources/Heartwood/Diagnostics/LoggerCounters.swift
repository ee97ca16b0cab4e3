import Synchronization

/// A logger's counters, written by its own thread and read by any.
package final class LoggerCounters: Sendable {
    /// How a logger handled a message.
    package enum Outcome { case delivered, filtered, failed }

    let received = Atomic<Int>(0)
    let delivered = Atomic<Int>(0)
    let filtered = Atomic<Int>(0)
    let dropped = Atomic<Int>(0)
    let failed = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)
    /// Those among `delivered` that failed later.
    private let failedLater = Atomic<Int>(0)
    /// Those among `delivered` that the logger keeps until it can write them.
    private let waiting = Atomic<Int>(0)

    /// How the messages of a batch were handled.
    struct Outcomes {
        private(set) var delivered = 0
        private(set) var filtered = 0
        private(set) var failed = 0

        @inline(__always)
        mutating func count(_ outcome: Outcome) {
            switch outcome {
            case .delivered: delivered += 1
            case .filtered: filtered += 1
            case .failed: failed += 1
            }
        }
    }

    /// Adds the counts of a batch.
    func add(_ outcomes: inout Outcomes) {
        delivered.add(outcomes.delivered, ordering: .relaxed)
        filtered.add(outcomes.filtered, ordering: .relaxed)
        failed.add(outcomes.failed, ordering: .relaxed)
        outcomes = Outcomes()
    }

    init() {}

    /// Counts what did not come as messages of a batch.
    package func count(
        received: Int = 0, delivered: Int = 0, dropped: Int = 0, failed: Int = 0, bytes: Int = 0
    ) {
        self.received.add(received, ordering: .relaxed)
        self.delivered.add(delivered, ordering: .relaxed)
        self.dropped.add(dropped, ordering: .relaxed)
        self.failed.add(failed, ordering: .relaxed)
        self.bytes.add(bytes, ordering: .relaxed)
    }

    /// Counts messages as failed that are counted as delivered, now or at the end of their batch.
    ///
    /// No more of them show as failed than are counted as delivered, so that no figure is ever negative: a
    /// logger may also fail to write what is no message, such as a line that says how many are missing.
    package func fail(later count: Int) { failedLater.add(count, ordering: .relaxed) }

    /// Says how many of the messages that were handled are not written yet.
    func wait(for count: Int) { waiting.store(count, ordering: .relaxed) }

    /// Takes back what messages became that will come again; `before` are the figures before them.
    func goBack(to before: LoggerStatistics) {
        let now = snapshot
        delivered.subtract(now.delivered - before.delivered, ordering: .relaxed)
        filtered.subtract(now.filtered - before.filtered, ordering: .relaxed)
        failed.subtract(now.failed - before.failed, ordering: .relaxed)
    }

    var snapshot: LoggerStatistics {
        let handled = delivered.load(ordering: .relaxed)
        let late = min(failedLater.load(ordering: .relaxed), handled)
        // Of what is being handled, what waits is known before the rest.
        let waiting = min(waiting.load(ordering: .relaxed), handled - late)
        return LoggerStatistics(
            received: received.load(ordering: .relaxed), delivered: handled - late - waiting,
            waiting: waiting, filtered: filtered.load(ordering: .relaxed),
            dropped: dropped.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed) + late, bytes: bytes.load(ordering: .relaxed))
    }
}
