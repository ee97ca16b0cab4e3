import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite(.inTurn) struct TimeBinsTests {
    @Test("Records are counted in the piece of their time, and those outside of the range are not")
    func counts() {
        var bins = TimeBins(from: 96, to: 191, pieces: 6)
        for moment in [95, 96, 111, 112, 191, 192] as [Int64] { bins.add(moment, level: 2) }
        #expect(bins.width == 16 && bins.start == 96)
        #expect(bins.counts.map { $0[2] } == [2, 1, 0, 0, 0, 1])
    }

    @Test("Pieces of any length add up to longer ones exactly", arguments: 0..<20)
    func addsExactly(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let moments = (0..<2000).map { _ in Int64.random(in: -5000...70_000, using: &random) }
        var wanted = TimeBins(from: 0, to: 65_000, pieces: 40)
        var sum = wanted
        for start in stride(from: 0, to: moments.count, by: 100) {
            let some = moments[start..<start + 100]
            let low = Int64.random(in: 0...30_000, using: &random)
            var part = TimeBins(from: low, to: low + 20_000, pieces: 64)
            for moment in some {
                part.add(moment, level: 1)
                if moment >= part.start, moment < part.start + part.width * Int64(part.counts.count) {
                    wanted.add(moment, level: 1)
                }
            }
            let isAdded = sum.add(part)
            #expect(isAdded)
        }
        #expect(sum.counts == wanted.counts)
    }

    @Test("Longer pieces are not added as if it were known where in them the records are; they can be spread")
    func spreads() {
        var long = TimeBins(from: 0, to: 1023, pieces: 2)
        for moment in [0, 1, 2, 3, 600] as [Int64] { long.add(moment, level: 0) }
        var short = TimeBins(from: 0, to: 1023, pieces: 8)
        var isAdded = short.add(long)
        #expect(!isAdded)
        #expect(short.counts.allSatisfy { $0 == .zero })
        short.spread(long)
        #expect(short.counts.map { $0[0] } == [1, 1, 1, 1, 0, 0, 0, 1])
        // What is elsewhere needs no looking at.
        var other = TimeBins(from: 5000, to: 5100, pieces: 50)
        isAdded = other.add(long)
        #expect(isAdded)
    }

    @Test(
        "No range and no moment is too far away, in whatever order they are",
        arguments: [Int64.min, -1, 0, 1_800_000_000_000_000_000, .max],
        [Int64.min, -1, 0, 1_800_000_000_000_000_000, .max])
    func extremes(_ from: Int64, _ to: Int64) {
        for pieces in [1, 2, 1000] {
            var bins = TimeBins(from: from, to: to, pieces: pieces)
            for moment in [.min, -1, 0, 1, 1_800_000_000_000_000_000, .max] as [Int64] {
                bins.add(moment, level: 0)
            }
            var sum = TimeBins(from: .min, to: .max, pieces: pieces)
            if !sum.add(bins) { sum.spread(bins) }
            let counted = [bins, sum].map { $0.counts.reduce(0) { $0 + Int($1[0]) } }
            #expect(counted[0] == counted[1])
            #expect(bins.counts.count <= max(2, pieces))
            if from <= 0, to >= 1_800_000_000_000_000_000 { #expect(counted[0] >= 3) }
        }
    }
}
