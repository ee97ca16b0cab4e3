import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// The real file engine in simulated worlds; a failure says the seed, and `HEARTWOOD_SEED` replays it.
///
/// `HEARTWOOD_WORLDS` says how many, `HEARTWOOD_FIRST_WORLD` from which one on.
@Suite(.inTurn) struct FileSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["HEARTWOOD_WORLDS"].flatMap { Int($0) } ?? Load.scaled(1000)
    private static let first = environment["HEARTWOOD_FIRST_WORLD"].flatMap { UInt64($0) } ?? 1
    private static let seed = environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }

    @Test(
        "Whatever happens to a directory, each accepted record is in the files once or counted, limits hold, nothing of others is touched, and logging goes on (promises 4, 7, 8, 12)"
    )
    func worlds() throws {
        if let seed = Self.seed { return try replay(seed) }
        let start = ContinuousClock.now
        var failures = 0
        for seed in Self.first..<Self.first + UInt64(Self.count) {
            let problems = try FileWorld(seed).run()
            guard !problems.isEmpty else { continue }
            Issue.record("HEARTWOOD_SEED=\(seed): \(problems.joined(separator: "\n"))")
            failures += 1
            if failures == 5 { break }
        }
        print("\(Self.count) worlds of files in \(ContinuousClock.now - start)")
    }

    private func replay(_ seed: UInt64) throws {
        let world = try FileWorld(seed, tellsStory: true)
        let problems = world.run()
        print(world.story.joined(separator: "\n"))
        #expect(problems == [])
    }
}
