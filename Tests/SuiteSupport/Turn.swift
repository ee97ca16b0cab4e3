import Foundation
package import Testing

/// What every suite has: its tests begin when it is their turn, and have a time limit.
///
/// Swift Testing begins all tests at once. Those that block a thread then keep the others from running, and those that
/// look at a clock see the time of the others. With this trait,
///
/// - only so many tests run at once as the processors bear, whatever the environment says: one heavy test for each processor
///   and, beside them, three light ones, which wait most of the time;
/// - each runs on threads that it shares with no other test (``TestThreads``), and may block them;
/// - one that does not end is named, with what all threads do, and ends the run with a failure (``Watchdog``).
///
/// A test may say more than its suite: heavy is heavier than light, and the longest limit counts.
package struct Turn: SuiteTrait, TestTrait, TestScoping {
    let isHeavy: Bool
    let limit: Duration

    package var isRecursive: Bool { true }

    /// Whether this task runs in a turn already: of the traits of a test and its suites, the first one does the work.
    @TaskLocal private static var isTaken = false

    // Two lines: a heavy test at the end of one would begin when all others have ended.
    private static let light = TurnLine(free: ProcessInfo.processInfo.activeProcessorCount * 3)
    private static let heavy = TurnLine(free: ProcessInfo.processInfo.activeProcessorCount)

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, !Turn.isTaken else { return try await function() }
        let turns = test.traits.compactMap { $0 as? Turn }
        let line = turns.contains(where: \.isHeavy) ? Turn.heavy : Turn.light
        await line.wait()
        defer { line.leave() }
        let watch = Watchdog.shared.begin("\(test.id)", limit: turns.map(\.limit).max() ?? limit)
        defer { Watchdog.shared.end(watch) }
        try await Turn.$isTaken.withValue(true) {
            try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
        }
    }
}

extension Trait where Self == Turn {
    /// The tests run when it is their turn.
    package static var inTurn: Turn { Turn(isHeavy: false, limit: Watchdog.limit) }

    /// As `inTurn`, for tests that start processes or keep a processor busy for a second and more.
    package static var heavy: Turn { Turn(isHeavy: true, limit: Watchdog.limit) }

    /// As `heavy`, for tests of the second tier that take longer than ``Watchdog/limit``.
    package static func heavy(limit: Duration) -> Turn { Turn(isHeavy: true, limit: limit) }
}

extension Trait where Self == ConditionTrait {
    /// The test runs only with `HEARTWOOD_FULL=1`.
    package static var secondTier: ConditionTrait {
        .enabled(if: Tier.isFull, "second tier: HEARTWOOD_FULL=1 swift test")
    }
}

/// Tests that wait for their turn, first come, first served; no thread waits with them.
private final class TurnLine: @unchecked Sendable {  // the lock guards the mutable state
    private let lock = NSLock()

    // MARK: Guarded by 'lock'
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(free: Int) { self.free = free }

    func wait() async {
        await withCheckedContinuation { continuation in
            lock.lock()
            defer { lock.unlock() }
            if free == 0 { return waiting.append(continuation) }
            free -= 1
            continuation.resume()
        }
    }

    func leave() {
        lock.withLock { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    }
}
