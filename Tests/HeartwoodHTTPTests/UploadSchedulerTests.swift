import Heartwood
import Testing

@testable import HeartwoodHTTP

@Suite struct UploadSchedulerTests {
    private let settings = UploadScheduler.Settings(jitter: 0)

    private func seconds(_ number: Double) -> Duration { .seconds(number) }

    @Test("nothing waits, nothing happens") func idle() {
        var scheduler = UploadScheduler()
        #expect(scheduler.decide(at: .zero, waiting: 0, settings) == .idle)
    }

    @Test("the interval counts from the first message that waits") func interval() {
        var scheduler = UploadScheduler()
        scheduler.stored(points: 0, at: seconds(10), random: 0.5, settings)
        scheduler.stored(points: 0, at: seconds(50), random: 0.5, settings)
        #expect(scheduler.decide(at: seconds(50), waiting: 2, settings) == .wait(until: seconds(70)))
        #expect(scheduler.decide(at: seconds(69.9), waiting: 2, settings) == .wait(until: seconds(70)))
        #expect(scheduler.decide(at: seconds(70), waiting: 2, settings) == .send)
    }

    @Test("the jitter spreads the interval by its part", arguments: [(0.0, 54.0), (0.5, 60), (1, 66)])
    func jitter(random: Double, due: Double) {
        var settings = settings
        settings.jitter = 0.1
        var scheduler = UploadScheduler()
        scheduler.stored(points: 0, at: .zero, random: random, settings)
        guard case .wait(let until) = scheduler.decide(at: .zero, waiting: 1, settings) else {
            Issue.record("it does not wait")
            return
        }
        #expect(abs(until / .seconds(1) - due) < 1e-6)
    }

    @Test("points, a full batch and a wish send at once", arguments: [0, 1, 2]) func triggers(which: Int) {
        var scheduler = UploadScheduler()
        scheduler.stored(points: which == 0 ? 10 : 9, at: .zero, random: 0.5, settings)
        if which == 2 { scheduler.asked(.flush, waiting: 1, breakerAllows: true) }
        #expect(scheduler.decide(at: .zero, waiting: which == 1 ? 300 : 1, settings) == .send)
    }

    @Test("one request at a time; what waited when the round began goes without a pause") func round() {
        var scheduler = UploadScheduler()
        scheduler.asked(.sendNow, waiting: 700, breakerAllows: true)
        #expect(scheduler.decide(at: .zero, waiting: 700, settings) == .send)
        scheduler.began()
        #expect(scheduler.decide(at: .zero, waiting: 700, settings) == .idle)
        scheduler.ended(settling: 300, waiting: 402, at: seconds(1), random: 0.5, settings)
        #expect(scheduler.decide(at: seconds(1), waiting: 402, settings) == .send)
        scheduler.began()
        scheduler.ended(settling: 300, waiting: 102, at: seconds(2), random: 0.5, settings)
        #expect(scheduler.decide(at: seconds(2), waiting: 102, settings) == .send)
        scheduler.began()
        scheduler.ended(settling: 100, waiting: 2, at: seconds(3), random: 0.5, settings)
        #expect(scheduler.decide(at: seconds(3), waiting: 2, settings) == .wait(until: seconds(63)))
    }

    @Test(
        "who may end a pause: nobody a server's, a flush none, the network only while the breaker is closed",
        arguments: [
            (UploadScheduler.Request.flush, false, true, false), (.flush, true, true, false),
            (.sendNow, false, false, true), (.sendNow, true, true, false), (.connectivity, false, true, true),
            (.connectivity, false, false, false), (.connectivity, true, true, false),
        ])
    func pauses(request: UploadScheduler.Request, isBinding: Bool, breakerAllows: Bool, ends: Bool) {
        var scheduler = UploadScheduler()
        scheduler.pause(until: seconds(30), isBinding: isBinding)
        scheduler.asked(request, waiting: 1, breakerAllows: breakerAllows)
        let expected: UploadScheduler.Decision = ends ? .send : .wait(until: seconds(30))
        #expect(scheduler.decide(at: seconds(1), waiting: 1, settings) == expected)
        #expect(scheduler.decide(at: seconds(30), waiting: 1, settings) == .send)
    }

    @Test("what is left to the interval waits for it") func leave() {
        var scheduler = UploadScheduler()
        scheduler.asked(.sendNow, waiting: 1, breakerAllows: true)
        scheduler.leaveToInterval(at: seconds(5), random: 0.5, settings)
        #expect(scheduler.decide(at: seconds(5), waiting: 1, settings) == .wait(until: seconds(65)))
    }

    @Test("a changed interval counts from the change") func change() {
        var scheduler = UploadScheduler()
        scheduler.stored(points: 0, at: .zero, random: 0.5, settings)
        var shorter = settings
        shorter.interval = seconds(5)
        scheduler.settingsChanged(at: seconds(2), random: 0.5, shorter)
        #expect(scheduler.decide(at: seconds(2), waiting: 1, shorter) == .wait(until: seconds(7)))
    }
}

@Suite struct LevelWeightsTests {
    @Test("levels of one's own weigh what the level weighs that they are as serious as") func custom() {
        let audit = LogLevel(bit: 27, name: "audit-weight", severity: .error)
        #expect(LevelWeights.standard[audit] == 10)
        #expect(LevelWeights([audit: 3])[audit] == 3)
        #expect(LevelWeights.swiftyBeaver[.warning] == 8 && LevelWeights.swiftyBeaver[.verbose] == 0)
    }
}
