import Foundation
import HeartwoodTestSupport
import Testing

@testable import HeartwoodHTTP

/// Promise 11 in simulated worlds: the real engine, shell and store, with a disk, a server, a network and processes that
/// a seed decides.
///
/// `HEARTWOOD_WORLDS` says how many worlds there are, `HEARTWOOD_SEED` shows one of them again, step by step.
@Suite struct SimulationTests {
    @Test("Promise 11: whatever happens, delivery makes progress, never floods, and loses nothing saved")
    func worlds() throws {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }
        let count =
            environment["HEARTWOOD_WORLDS"].flatMap { UInt64($0) } ?? (Sanitizer.isActive ? 100 : 2000)
        let directory = try TemporaryDirectory(isFast: true)
        var requests = 0
        var wrong: [String] = []
        for seed in only.map({ $0...$0 }) ?? 1...count where wrong.count < 5 {
            let path = directory.path + "/\(seed)"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: path) }
            do {
                let world = try SimulatedWorld(seed: seed, directory: path)
                world.isTraced = only != nil
                try world.run(steps: 60)
                requests += world.requestCount
            } catch {
                wrong.append("\(error)\n  again: HEARTWOOD_SEED=\(seed) swift test --filter SimulationTests")
            }
            if seed % 100_000 == 0 { print("\(seed) worlds, \(requests) requests, \(wrong.count) wrong") }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        if only == nil, count >= 100 { #expect(requests > count) }
    }
}
