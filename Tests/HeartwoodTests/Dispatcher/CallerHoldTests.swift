import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The decision whether callers wait", .inTurn)
struct CallerHoldTests {
    private func full() -> CallerHold {
        var hold = CallerHold()
        hold.fill(to: 1001, of: 1000)
        return hold
    }

    /// Looks until told to stop, as a caller does; returns how long that took.
    private func wait(
        _ hold: inout CallerHold, limit: Duration, progress: (Duration) -> Int
    ) -> (Duration, CallerHold.Answer) {
        var now = Duration.zero
        while now < .seconds(1000) {
            let answer = hold.look(progress: progress(now), at: now, limit: limit)
            guard case .wait(let pause) = answer else { return (now, answer) }
            now += pause
        }
        return (now, .wait(.zero))
    }

    @Test(
        "A logger that makes no progress costs a caller the limit, and not much more",
        arguments: [Duration.milliseconds(1), .milliseconds(250), .seconds(5)])
    func stuck(limit: Duration) {
        var hold = full()
        let (took, answer) = wait(&hold, limit: limit) { _ in 7 }
        #expect(answer == .giveUp)
        #expect(took >= limit)
        #expect(took <= limit + .milliseconds(50))
        #expect(hold.isGivenUp)
        #expect(hold.look(progress: 7, at: took, limit: limit) == .goOn)
    }

    @Test("A logger that makes a little progress now and then is waited for as long as it takes")
    func slow() {
        var hold = full()
        let (took, _) = wait(&hold, limit: .milliseconds(250)) { now in Int(now / .milliseconds(200)) }
        #expect(took >= .seconds(1000))
        #expect(hold.isHolding)
    }

    @Test("The limit starts again with each step of progress")
    func startsAgain() {
        var hold = full()
        let (took, answer) = wait(&hold, limit: .milliseconds(250)) { now in
            now < .seconds(3) ? Int(now / .milliseconds(100)) : 30
        }
        #expect(answer == .giveUp)
        #expect(took >= .seconds(3))
        #expect(took < .seconds(3) + .milliseconds(350))
    }

    @Test("A time in which the whole process did not run is not held against the logger")
    func suspended() {
        var hold = full()
        #expect(hold.look(progress: 1, at: .zero, limit: .milliseconds(250)) != .giveUp)
        #expect(hold.look(progress: 1, at: .seconds(60), limit: .milliseconds(250)) != .giveUp)
        #expect(hold.isHolding)
    }

    @Test("Several callers that look at the same logger do not shorten its time")
    func several() {
        var hold = full()
        var now = Duration.zero
        var answer = CallerHold.Answer.goOn
        repeat {
            for _ in 0..<8 { answer = hold.look(progress: 1, at: now, limit: .milliseconds(250)) }
            now += .milliseconds(1)
        } while answer != .goOn && answer != .giveUp
        #expect(now >= .milliseconds(250))
    }

    @Test("A logger that was given up and works again is waited for again; one that limps is not")
    func revives() {
        for (step, isSteady) in [(Duration.milliseconds(10), true), (.seconds(1), false)] {
            var hold = full()
            _ = wait(&hold, limit: .milliseconds(250)) { _ in 0 }
            for count in 0..<100 {
                hold.revive(progress: count, at: .seconds(10) + step * count, limit: .milliseconds(250))
            }
            #expect(hold.isGivenUp != isSteady)
        }
    }

    @Test("A logger that stays stuck after it was given up is not waited for again")
    func staysStuck() {
        var hold = full()
        _ = wait(&hold, limit: .milliseconds(250)) { _ in 3 }
        for second in 1..<1000 { hold.revive(progress: 3, at: .seconds(second), limit: .milliseconds(250)) }
        #expect(hold.isGivenUp)
    }

    @Test("A caller waits for the ring as long as it empties, and then the limit")
    func ring() {
        var hold = CallerHold.holding
        var now = Duration.zero
        func head() -> UInt64 { now < .seconds(30) ? UInt64(now / .milliseconds(240)) : 125 }
        while let pause = hold.pause(progress: head(), at: now, limit: .milliseconds(250)) { now += pause }
        #expect(now >= .milliseconds(30_250) && now <= .milliseconds(30_300))
        var none = CallerHold.holding
        #expect(none.pause(progress: 0, at: .seconds(5), limit: .zero) == nil)
    }
}
