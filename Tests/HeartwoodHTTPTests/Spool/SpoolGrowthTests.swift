import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What delivery costs must not grow with the number of files: counted in looks and calls, not in time.
@Suite(.inTurn) struct SpoolGrowthTests {
    /// Counts the calls of a spool.
    private final class Calls: DiskFaults {
        private let state = Locked(0)
        var count: Int { state.withLock { $0 } }

        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
            state.withLock { $0 += 1 }
            return nil
        }
        func change() -> Int32 {
            state.withLock { $0 += 1 }
            return 0
        }
        func read() -> Int32 { change() }
    }

    private func list(_ count: Int) -> SegmentList {
        SegmentList(
            (0..<count).map { number in
                var segment = SpoolSegment(firstID: UInt64(10 * number + 1))
                segment.lastID = segment.firstID + 8
                segment.count = 9
                segment.size = 100
                return segment
            })
    }

    @Test(
        "A segment among 100,000 is found with 17 looks, and one that has an id, and the oldest beside a batch"
    )
    func looks() {
        let segments = list(100_000)
        var looks = 0
        for id in [1, 5, 500_001, 500_009, 500_010, 999_999, 2_000_000] as [UInt64] {
            looks = 0
            let place = segments.place { segment in
                looks += 1
                return segment.firstID > id
            }
            #expect(looks <= 17 && place == segments.count { $0.firstID <= id })
        }
        #expect(segments.index(of: 500_001) == 50_000 && segments.index(of: 500_002) == nil)
        #expect(segments.place(after: 0) == 0 && segments.place(after: 500_005) == 50_000)
        #expect(segments.place(after: 500_009) == 50_001 && segments.place(after: 500_010) == 50_001)
        #expect(segments.oldest(besides: 5...500_003) == 50_001)
        #expect(segments.oldest(besides: 20...500_003) == 0 && segments.oldest(besides: 1...999_999) == nil)
    }

    @Test("Segments that overlap, as planted or damaged names say, are all looked at") func overlap() {
        var wide = SpoolSegment(firstID: 1)
        (wide.lastID, wide.count) = (1000, 1000)
        var second = SpoolSegment(firstID: 500)
        (second.lastID, second.count) = (600, 101)
        var third = SpoolSegment(firstID: 700)
        (third.lastID, third.count) = (800, 101)
        let segments = SegmentList([wide, second, third])
        #expect(segments.place(after: 750) == 0)
        #expect(segments.oldest(besides: 1...450) == 1)
    }

    @Test("Segments come and go at both ends, and in the middle") func changes() {
        var segments = list(1000)
        var left = Array(segments)
        for round in 0..<900 {
            let index = round % 7 == 6 ? segments.count / 2 : round % 5 == 4 ? segments.count - 1 : 0
            segments.remove(at: index)
            left.remove(at: index)
            if round % 50 == 0 { #expect(Array(segments) == left && segments.bytes == 100 * left.count) }
        }
        #expect(Array(segments) == left && segments.bytes == 100 * left.count)
        while !segments.isEmpty { segments.remove(at: 0) }
        #expect(segments.bytes == 0)
        segments.append(SpoolSegment(firstID: 5))
        #expect(segments.index(of: 5) == 0)
    }

    @Test(
        "Each file costs the same number of calls, however many there are: stored, opened, delivered, deleted"
    )
    func calls() throws {
        var perFile: [Double] = []
        for count in [100, 400, 1600] {
            let directory = try TemporaryDirectory(isFast: true)
            let calls = Calls()
            try FaultyKernel.$faults.withValue(calls) {
                let clock = ManualClock()
                let change: (inout SpoolSettings) -> Void = { ($0.segmentCount, $0.maximumFiles) = (1, 0) }
                do {
                    let spool = try directory.openSpool(clock, change)
                    for number in 0..<count {
                        spool.append(Array("\(number)".utf8), time: clock.now(), level: 4)
                        spool.save()
                    }
                }
                let spool = try directory.openSpool(clock, change)
                #expect(spool.pending == count)
                while let piece = spool.nextPiece(maximumCount: 50, maximumBytes: .max) {
                    spool.complete(piece, done: piece.records.map(\.id))
                }
                #expect(spool.pending == 0 && spool.plan.segments.isEmpty)
            }
            perFile.append(Double(calls.count) / Double(count))
        }
        #expect(perFile[1] <= perFile[0] && perFile[2] <= perFile[1], "\(perFile)")
    }
}
