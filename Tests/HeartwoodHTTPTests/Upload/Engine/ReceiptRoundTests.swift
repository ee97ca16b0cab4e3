import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What a server has received and not confirmed, when the logger is removed, or messages are dropped.
@Suite(.inTurn) struct ReceiptRoundTests {
    private struct DropsFive: RetryPolicy {
        func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision { .dropOldest(5) }
    }

    private func at(_ seconds: Double, _ waiting: Int) -> DeliveryMoment {
        DeliveryMoment(now: .seconds(seconds), waiting: waiting, hasOpenBatch: true, random: 0.5)
    }

    private func isSend(_ actions: [DeliveryAction]) -> Bool {
        actions.contains { if case .send = $0 { true } else { false } }
    }

    /// An engine whose server has received five of so many messages, and has not confirmed them.
    private func received(of waiting: Int) -> DeliveryEngine {
        var rules = DeliveryRules()
        rules.jitter = 0
        rules.retryPolicy = DropsFive()
        var engine = DeliveryEngine(rules)
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(0, waiting))))
        let answer = DeliveryAnswer(outcome: .received(receipt: "1"), records: 5)
        let actions = engine.handle(.answered(answer), at(1, waiting))
        #expect(actions.contains(.park(receipt: "1")))
        return engine
    }

    @Test("What was not confirmed before the logger was removed is sent again once it is added again")
    func removed() {
        var engine = received(of: 5)
        #expect(!isSend(engine.handle(.looked, at(1, 5))))
        _ = engine.handle(.removed, at(2, 5))
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(3, 5))))
    }

    @Test("After the oldest messages were dropped, what was not confirmed is sent again")
    func dropped() {
        var engine = received(of: 10)
        #expect(isSend(engine.handle(.looked, at(1, 10))))
        let failure = DeliveryAnswer(
            outcome: .failed(.status(401), .authorize, retryAfter: nil), records: 5)
        let answered = engine.handle(.answered(failure), at(2, 10))
        #expect(answered.contains(.dropOldest(5)))
        #expect(!isSend(engine.handle(.looked, at(2, 5))))
        #expect(isSend(engine.handle(.timer, at(63, 5))))
    }
}
