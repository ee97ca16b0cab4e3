package import Testing

/// What every suite has: its tests begin when it is their turn, and have a time limit.
///
/// Swift Testing begins all tests at once. Those that block a thread then keep the others from running, and those that
/// look at a clock see the time of the others. With this trait,
///
/// - only so many tests run at once as the processors bear (``Turns``), whatever the environment says;
/// - each runs on threads that it shares with no other test (``TestThreads``), and may block them;
/// - one that does not end is named, with the stacks of all threads, and ends the run with a failure (``Watchdog``).
///
/// ```swift
/// @Suite("Typed events", .inTurn) struct TypedEventTests { … }
/// @Suite("heartwood pipe", .heavy) struct PipeTests { … }
/// @Test("Fifty processes are killed", .heavy, .secondTier) func kills() { … }
/// ```
///
/// A test may say more than its suite: heavy is heavier than light, and the longest limit counts.
package struct Turn: SuiteTrait, TestTrait, TestScoping {
    let weight: RunningTurns.Weight
    let limit: Duration

    package var isRecursive: Bool { true }

    /// Whether this task runs in a turn already: of the traits of a test and its suites, the first one does the work.
    @TaskLocal private static var isTaken = false

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, !Turn.isTaken else { return try await function() }
        let turns = test.traits.compactMap { $0 as? Turn }
        let weight: RunningTurns.Weight = turns.contains { $0.weight == .heavy } ? .heavy : .light
        await RunningTurns.shared.take(weight)
        defer { RunningTurns.shared.give(weight) }
        let watch = Watchdog.shared.begin("\(test.id)", limit: turns.map(\.limit).max() ?? limit)
        defer { Watchdog.shared.end(watch) }
        try await Turn.$isTaken.withValue(true) {
            try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
        }
    }
}

extension Trait where Self == Turn {
    /// The tests run when it is their turn.
    package static var inTurn: Turn { Turn(weight: .light, limit: Watchdog.limit) }

    /// As `inTurn`, for tests that start processes or keep a processor busy.
    package static var heavy: Turn { Turn(weight: .heavy, limit: Watchdog.limit) }

    /// As `heavy`, for tests of the second tier that take longer than ``Watchdog/limit``.
    package static func heavy(limit: Duration) -> Turn { Turn(weight: .heavy, limit: limit) }
}

extension Trait where Self == ConditionTrait {
    /// The test runs only with `HEARTWOOD_FULL=1`.
    package static var secondTier: ConditionTrait {
        .enabled(if: Tier.isFull, "second tier: HEARTWOOD_FULL=1 swift test")
    }
}
