import CoreFixtures
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodReading

@Suite("Lines that are easily read wrongly", .inTurn)
struct LineChangesTests {
    /// 2026-11-21.
    static let now = LogTimestamp(nanoseconds: 1_795_219_200_000_000_000)

    @Test("A form is read, and what looks like one is not", arguments: LineCase.all)
    func cases(_ sample: LineCase) {
        let record = LineRecognizer(now: Self.now).record(of: sample.line)
        #expect(record.moment.map { LineRecord.text(of: $0) } == sample.time)
        #expect(record.level == sample.level)
        if sample.category != "*" { #expect(record.category == sample.category) }
    }

    private static let sets = [
        ProgramLine.all.map(\.line), HeaderTable.rows.map(\.line.description), LineCase.all.map(\.line),
    ]

    @Test("A change of a line changes what it says in one way, or not at all", arguments: sets.indices)
    func changes(_ set: Int) {
        let seeds = UInt64(Load.random(5))
        for seed in 0..<seeds {
            var changes = LineChanges(Self.sets[set], ofOneProgram: set < 2, now: Self.now, seed: seed)
            changes.run()
            #expect(changes.count > 2000)
            for failure in changes.failures.prefix(10) { Issue.record("seed \(seed): \(failure)") }
        }
    }
}
