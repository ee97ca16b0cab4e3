import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct RollingPolicyTests {
    @Test(
        "As many records go into a file as fit, whole; one that is larger than the file goes alone into a fresh one",
        arguments: [
            (100, 0, true, [10, 20, 30], 3), (30, 0, true, [10, 20, 30], 3), (29, 0, true, [10, 20, 30], 2),
            (100, 90, false, [10, 20], 1), (100, 91, false, [10, 20], 0), (100, 100, false, [1], 0),
            (100, 20, true, [200, 210], 1), (100, 20, false, [200], 0), (0, 1000, false, [500, 5000], 2),
            (100, 500, false, [1], 0),
        ])
    func fitting(_ limit: Int, _ size: Int, _ isFresh: Bool, _ ends: [Int], _ expected: Int) {
        let policy = RollingPolicy(maximumSize: limit)
        #expect(policy.fitting(ends[...], from: 0, size: size, isFresh: isFresh) == expected)
    }

    @Test("Bisection finds the same record as counting, for all sizes")
    func bisection() {
        let ends = (1...40).map { $0 * 7 }
        for limit in 1...300 {
            for first in [0, 13] {
                let start = first == 0 ? 0 : ends[first - 1]
                let counted = ends[first...].prefix { $0 - start <= limit }.count
                let policy = RollingPolicy(maximumSize: limit)
                #expect(policy.fitting(ends[first...], from: start, size: 0, isFresh: false) == counted)
            }
        }
    }

    private let createdAt = moment("2026-06-01T12:00:00Z")

    @Test(
        "An age counts from when the file was created, by whichever clock says more",
        arguments: [
            // seen, then wall and steady seconds later; is it over?
            (0, 59, 59, false), (0, 60, 60, true), (0, 60, 10, true), (0, -1000, 60, true),
            (0, -1000, 59, false),
            (30, 29, 29, false), (30, 30, 30, true), (3600, 0, 0, true), (-7200, 0, 0, false),
            (-7200, 60, 60, true),
        ] as [(Double, Double, Double, Bool)])
    func age(_ seen: Double, _ wall: Double, _ steady: Double, _ isOver: Bool) {
        let policy = RollingPolicy(interval: .seconds(60))
        let now = createdAt + .seconds(seen)
        let deadline = policy.deadline(createdAt: createdAt, wall: now, steady: .seconds(500))
        let state = deadline.state(wall: now + .seconds(wall), steady: .seconds(500 + steady))
        #expect(state == (isOver ? .reached : .running))
    }

    @Test("A boundary is reached when the wall shows it, and the nearer of boundary and age counts")
    func boundary() {
        let policy = RollingPolicy(interval: .seconds(7200), boundary: .hour)
        let deadline = policy.deadline(
            createdAt: createdAt + .seconds(60), wall: createdAt + .seconds(60), steady: .zero)
        #expect(deadline.wall == createdAt + .seconds(3600))
        let aged = RollingPolicy(interval: .seconds(600), boundary: .hour)
        #expect(
            aged.deadline(createdAt: createdAt, wall: createdAt, steady: .zero).wall == createdAt
                + .seconds(600))
        #expect(RollingPolicy().deadline(createdAt: createdAt, wall: createdAt, steady: .zero).wall == nil)
    }
}
