import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// When a server that refuses counts as the wrong server.
@Suite(.inTurn) struct BrokenAddressTests {
    @Test("The third batch in a row that a server refuses as a whole shows that the address is wrong")
    func wholeBatches() {
        var rules = DeliveryRules()
        rules.jitter = 0
        var engine = DeliveryEngine(rules)
        func at(_ seconds: Int, _ waiting: Int) -> DeliveryMoment {
            DeliveryMoment(now: .seconds(seconds), waiting: waiting, random: 0.5)
        }
        func isSend(_ actions: [DeliveryAction]) -> Bool {
            actions.contains { if case .send = $0 { true } else { false } }
        }
        let refusal = DeliveryEvent.answered(
            DeliveryAnswer(outcome: .failed(.status(500), .reject, retryAfter: nil), records: 10))
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(0, 100))))
        for batch in 1...3 {
            let answer = engine.handle(refusal, at(batch, 100 - 10 * (batch - 1)))
            #expect(answer.contains(.setAside))
            let next = engine.handle(.looked, at(batch, 100 - 10 * batch))
            #expect(isSend(next) == (batch < 3))
            #expect(next.contains(.report(.refusesEverything)) == (batch == 3))
        }
        // After the pause it is tried again, and a success ends the suspicion.
        #expect(isSend(engine.handle(.timer, at(3 + 300, 70))))
        _ = engine.handle(.answered(DeliveryAnswer(outcome: .accepted, records: 10)), at(304, 70))
        #expect(isSend(engine.handle(.looked, at(304, 60))))
        _ = engine.handle(refusal, at(305, 60))
        #expect(isSend(engine.handle(.looked, at(305, 50))))
    }

    @Test(
        "After a pause for a broken address the oldest message is tried, and then one that is as new as possible"
    )
    func recheck() {
        var watch = RefusalWatch()
        #expect(watch.refused(8) == .split)
        #expect(watch.refused(1) == .park(receipt: nil) && !watch.isEnough && !watch.wantsProbe)
        #expect(watch.refused(1) == .park(receipt: nil) && !watch.isEnough && watch.wantsProbe)
        #expect(watch.refused(1) == .park(receipt: nil) && watch.isEnough)
        watch.held(startsOver: false)
        for round in 1...3 {
            #expect(!watch.wantsProbe && !watch.isEnough && watch.parked == 3 + 4 * (round - 1))
            for _ in 1...3 {
                #expect(watch.refused(1) == .park(receipt: nil) && watch.wantsProbe && !watch.isEnough)
            }
            #expect(watch.refused(1) == .park(receipt: nil) && watch.isEnough)
            watch.held(startsOver: false)
        }
        watch.held(startsOver: true)
        #expect(watch.parked == 0)
        #expect(watch.refused(1) == .park(receipt: nil))
        #expect(watch.wantsProbe)
        let comesBack = watch.accepted()
        #expect(comesBack)
        #expect(!watch.wantsProbe)
        #expect(watch.refused(1) == .setAside)
    }

    @Test("One success allows 20 messages to be set aside; the next that are refused are kept again")
    func credit() {
        var watch = RefusalWatch()
        #expect(watch.refused(1) == .park(receipt: nil))
        let comesBack = watch.accepted()
        #expect(comesBack)
        for number in 1...20 { #expect(watch.refused(1) == .setAside, "\(number)") }
        for _ in 1...3 { #expect(watch.refused(1) == .park(receipt: nil)) }
        #expect(watch.isEnough && watch.parked == 3)
    }

    @Test("One success brings back refused messages, but not those that could not be set aside")
    func successBringsBack() {
        var watch = RefusalWatch()
        let first = watch.refused(1)
        watch.kept(2)
        #expect(first == .park(receipt: nil))
        #expect(watch.parked == 3)
        let bringsBack = watch.accepted()
        #expect(bringsBack)
        #expect(watch.parked == 2)
        let second = watch.refused(1)
        watch.kept(1)
        #expect(second == .setAside)
        #expect(watch.parked == 3)
        let bringsBackAgain = watch.accepted()
        #expect(!bringsBackAgain)
        #expect(watch.parked == 3)
        // They come back when nothing else is left, after the pause.
        watch.held(startsOver: true)
        #expect(watch.parked == 0)
    }
}
