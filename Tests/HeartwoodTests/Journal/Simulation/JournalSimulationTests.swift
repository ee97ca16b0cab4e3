import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Promises 2 and 10 in seeded worlds: programs log, change settings, add and remove loggers, meet full disks, lose their
/// journal, and die at any call of the system; backups by hard links are made; the runs after them recover, and may die as
/// well.
///
/// `HEARTWOOD_WORLDS` says how many worlds there are, `HEARTWOOD_SEED` shows one of them again.
@Suite(.inTurn) struct JournalSimulationTests {
    @Test("Promise 10: after all deaths, what is delivered is what would have been delivered without them")
    func worlds() throws {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }
        let count =
            environment["HEARTWOOD_WORLDS"].flatMap { UInt64($0) }
            ?? UInt64(Load.scaled(Tier.amount(300, full: 400)))
        var total = JournalWorld.Figures()
        var complaints: [String] = []
        for seed in only.map({ $0...$0 }) ?? 1...count {
            let world = JournalWorld(seed: seed)
            if let complaint = try world.play() {
                complaints.append("HEARTWOOD_SEED=\(seed): \(complaint)")
                if complaints.count == 20 { break }
            }
            total.add(world.figures)
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        // The worlds do what they are for.
        if only == nil, count >= 50 {
            #expect(total.deaths > count / 4 && total.recovered > count / 4, "\(total)")
            #expect(total.cuts > 0 && total.backups > 0, "\(total)")
        }
    }
}
