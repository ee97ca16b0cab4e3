import Dispatch
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Promise 11 in simulated worlds: the real engine, shell and store, with a disk, a server, a network and processes that
/// a seed decides.
///
/// `HEARTWOOD_WORLDS` says how many worlds there are, `HEARTWOOD_SEED` shows one of them again, step by step.
@Suite(.inTurn) struct SimulationTests {
    @Test("Promise 11: whatever happens, delivery makes progress, never floods, and loses nothing saved")
    func worlds() throws {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }
        let count =
            environment["HEARTWOOD_WORLDS"].flatMap { UInt64($0) }
            ?? (Sanitizer.isActive ? 20 : Tier.amount(30, full: 2000))
        let directory = try TemporaryDirectory(isFast: true)
        let path = directory.path
        let seeds = only.map { $0...$0 } ?? 1...count
        let outcome = Locked((requests: 0, wrong: [UInt64: String]()))
        // Worlds have nothing in common: each processor has its own.
        let lanes = min(4, ProcessInfo.processInfo.activeProcessorCount)
        DispatchQueue.concurrentPerform(iterations: lanes) { lane in
            for seed in stride(from: seeds.lowerBound + UInt64(lane), through: seeds.upperBound, by: lanes)
            where outcome.withLock({ $0.wrong.count < 5 }) {
                let result = Self.run(seed, in: path, isTraced: only != nil)
                outcome.withLock { outcome in
                    switch result {
                    case .success(let requests): outcome.requests += requests
                    case .failure(let error): outcome.wrong[seed] = "\(error)"
                    }
                }
                guard seed % 100_000 == 0 else { continue }
                let (requests, wrong) = outcome.withLock { $0 }
                print("\(seed) worlds, \(requests) requests, \(wrong.count) wrong")
            }
        }
        let (requests, wrong) = outcome.withLock { $0 }
        let text = wrong.sorted { $0.key < $1.key }.map { seed, text in
            "\(text)\n  again: HEARTWOOD_SEED=\(seed) swift test --filter SimulationTests"
        }
        #expect(text.isEmpty, "\(text.joined(separator: "\n"))")
        if only == nil, count >= 20 { #expect(requests > count) }
    }

    @Test(
        "Worlds beyond the ordinary ones that failed once",
        arguments: [
            66_534, 80_503, 80_982, 242_400, 399_587, 487_961, 506_422, 544_497, 579_096, 582_502,
        ] as [UInt64])
    func failedOnce(seed: UInt64) throws {
        let directory = try TemporaryDirectory(isFast: true)
        if case .failure(let error) = Self.run(seed, in: directory.path, isTraced: false) {
            Issue.record("\(error)")
        }
    }

    /// Lets a world go by; returns how many requests it had.
    private static func run(_ seed: UInt64, in directory: String, isTraced: Bool) -> Result<Int, any Error> {
        let path = directory + "/\(seed)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        return Result {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let world = try SimulatedWorld(seed: seed, directory: path)
            world.isTraced = isTraced
            try world.run(steps: 60)
            return world.network.requests.count
        }
    }
}
