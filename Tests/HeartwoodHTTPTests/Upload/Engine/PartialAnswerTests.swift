import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Servers that take a part of what they are sent.
@Suite(.inTurn) struct PartialAnswerTests {
    @Test(
        "A server that takes a part each time is no failing one: pauses stay short, and a call to send now ends them"
    )
    func partlyTaken() {
        var rules = DeliveryRules()
        rules.jitter = 0
        var engine = DeliveryEngine(rules)
        func at(_ seconds: Double) -> DeliveryMoment {
            DeliveryMoment(now: .seconds(seconds), waiting: 1000, hasOpenBatch: true, random: 0.5)
        }
        func isSend(_ actions: [DeliveryAction]) -> Bool {
            actions.contains { if case .send = $0 { true } else { false } }
        }
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(0))))
        for round in 1...8 {
            let time = Double(round) * 10
            var answer = DeliveryAnswer(outcome: .failed(.status(200), .retry, retryAfter: nil), records: 10)
            answer.delivered = 5
            _ = engine.handle(.answered(answer), at(time))
            // Half of the first pause, which is a second at most, as after a single failure.
            #expect(engine.handle(.looked, at(time)).last == .wait(until: .seconds(time + 0.5)))
            #expect(isSend(engine.handle(.sendNow, at(time + 0.1))))
        }
    }
}
