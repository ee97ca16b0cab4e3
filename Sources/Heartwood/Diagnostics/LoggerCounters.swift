package import Synchronization

/// A logger's counters, written by its own thread and read by any.
package final class LoggerCounters: Sendable {
    /// How a logger handled a message.
    package enum Outcome { case delivered, filtered, failed }

    package let received = Atomic<Int>(0)
    package let delivered = Atomic<Int>(0)
    package let filtered = Atomic<Int>(0)
    package let dropped = Atomic<Int>(0)
    package let failed = Atomic<Int>(0)
    package let bytes = Atomic<Int>(0)

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

    package init() {}

    /// Takes back what messages became that will come again; `before` are the figures before them.
    func goBack(to before: LoggerStatistics) {
        delivered.subtract(delivered.load(ordering: .relaxed) - before.delivered, ordering: .relaxed)
        filtered.subtract(filtered.load(ordering: .relaxed) - before.filtered, ordering: .relaxed)
        failed.subtract(failed.load(ordering: .relaxed) - before.failed, ordering: .relaxed)
    }

    var snapshot: LoggerStatistics {
        LoggerStatistics(
            received: received.load(ordering: .relaxed), delivered: delivered.load(ordering: .relaxed),
            filtered: filtered.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }
}

/// The number of messages that a logger has received, delivered and lost so far.
///
/// After a flush, `received` is the sum of `delivered`, `filtered`, `dropped` and `failed`.
public struct LoggerStatistics: Hashable, Sendable {
    /// Messages whose level the logger wanted.
    public var received = 0
    /// Messages that the logger has handled.
    public var delivered = 0
    /// Messages that the formatter or the filter of the logger dropped.
    public var filtered = 0
    /// Messages that were dropped because the backlog was full.
    public var dropped = 0
    /// Messages that the logger could not write.
    public var failed = 0
    /// Bytes that the logger has written.
    public var bytes = 0
}

/// The number of messages that a dispatcher has accepted and dropped so far.
public struct LogStatistics: Sendable {
    /// Messages that calls have logged.
    public var accepted = 0
    /// Messages that were dropped because the ring was full, or because a logger logged them while it handled
    /// a message of a logger.
    public var dropped = 0
    /// The figures of each logger, by its name; repeated names get a number.
    public var loggers: [String: LoggerStatistics] = [:]
}
