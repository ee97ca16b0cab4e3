import CHeartwood
import Foundation
import HeartwoodTestSupport
import Testing

@testable import Heartwood

/// Promises 2 and 10 in seeded worlds: programs log, change settings, add and remove loggers, meet full disks, and die at
/// any call of the system; the runs after them recover, and may die as well.
///
/// `HEARTWOOD_WORLDS` says how many worlds there are, `HEARTWOOD_WORLD` names one to repeat.
@Suite struct JournalSimulationTests {
    static let worlds =
        ProcessInfo.processInfo.environment["HEARTWOOD_WORLDS"].flatMap { Int($0) } ?? Load.scaled(300)

    @Test("Promises 2 and 10: what is delivered after all deaths is what would have been delivered without them")
    func worlds() throws {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["HEARTWOOD_WORLD"].flatMap { UInt64($0) }
        var total = JournalWorld.Figures()
        for seed in only.map({ [$0] }) ?? Array(1...UInt64(Self.worlds)) {
            let world = JournalWorld(seed: seed)
            if let complaint = try world.play() {
                Issue.record("world \(seed): \(complaint)")
                return
            }
            total.add(world.figures)
        }
        print(
            "\(Self.worlds) worlds: \(total.deaths) deaths, \(total.calls) calls, \(total.lines) lines,"
                + " \(total.recovered) recovered")
        if only == nil, Self.worlds >= 100 { #expect(total.deaths > 100 && total.recovered > 100) }
    }
}
