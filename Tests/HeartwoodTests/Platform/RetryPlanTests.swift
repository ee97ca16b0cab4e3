import Heartwood
import SuiteSupport
import Testing

@Suite("When something that failed is tried again", .inTurn)
struct RetryPlanTests {
    @Test("Each pause is twice as long, up to a limit, and up to a half shorter by chance")
    func pauses() {
        var plan = RetryPlan(GrowingPause(first: .milliseconds(100), longest: .seconds(1), jitter: 0.5))
        var now = Duration.seconds(5)
        #expect(plan.mayTry(at: now))
        for expected in [100, 200, 400, 800, 1000, 1000] {
            let pause = plan.fail(at: now, random: 0)
            #expect(pause == .milliseconds(expected))
            #expect(plan.isFailing)
            #expect(plan.due == now + pause)
            #expect(!plan.mayTry(at: now + pause - .nanoseconds(1)))
            #expect(plan.mayTry(at: now + pause))
            now += pause
        }
        plan.succeed()
        #expect(!plan.isFailing)
        #expect(plan.mayTry(at: now))
        #expect(plan.fail(at: now, random: 1) == .milliseconds(50))
        #expect(plan.fail(at: now, random: 0.5) == .milliseconds(150))
        for _ in 0..<200 { #expect(plan.fail(at: now, random: 0) <= .seconds(1)) }
    }

    @Test(
        "A pause without jitter is the same whatever chance says, and grows by its factor",
        arguments: [(0, 1.0), (1, 1), (2, 3), (3, 9), (4, 20), (1000, 20), (.max, 20)])
    func factor(failures: Int, seconds: Double) {
        let pause = GrowingPause(first: .seconds(1), longest: .seconds(20), factor: 3)
        for random in [-1, 0, 0.5, 1, 2] {
            #expect(pause.length(failures: failures, random: random) == .seconds(seconds))
        }
    }

    @Test(
        "Invalid settings still give pauses between zero and the limit",
        arguments: [
            (GrowingPause(first: .seconds(-5), longest: .seconds(10)), 0.0),
            (GrowingPause(first: .seconds(5), longest: .seconds(-10)), 0),
            (GrowingPause(first: .seconds(50), longest: .seconds(10)), 10),
            (GrowingPause(first: .seconds(5), longest: .seconds(10), factor: 0.5), 5),
            (GrowingPause(first: .seconds(5), longest: .seconds(10), factor: 1e300), 10),
            (GrowingPause(first: .seconds(5), longest: .seconds(10), jitter: 7), 10),
        ] as [(GrowingPause, Double)])
    func nonsense(pause: GrowingPause, seconds: Double) {
        #expect(pause.length(failures: 9) == .seconds(seconds))
        #expect(pause.length(failures: 9, random: 1) <= .seconds(seconds))
        #expect(pause.length(failures: 9, random: 1) >= .zero)
    }
}
