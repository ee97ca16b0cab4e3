import Testing

@testable import HeartwoodTool

@Suite struct TimeBinsTests {
    @Test("Lines are counted in the piece of their time, and those outside of the range are not")
    func counts() {
        var bins = TimeBins(from: 100, to: 199, pieces: 10)
        for moment in [99, 100, 109, 110, 199, 200] as [Int64] { bins.add(moment, level: 2) }
        #expect(bins.counts.map { $0[2] } == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1])
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
            sum.add(bins)
            let counted = [bins, sum].map { $0.counts.reduce(0) { $0 + Int($1[0]) } }
            #expect(counted[0] == counted[1])
            if from <= 0, to >= 1_800_000_000_000_000_000 { #expect(counted[0] >= 3) }
        }
    }
}
