import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct DeliveryEngineTests {
    private func engine(_ change: (inout DeliveryRules) -> Void = { _ in }) -> DeliveryEngine {
        var rules = DeliveryRules()
        rules.jitter = 0
        change(&rules)
        return DeliveryEngine(rules)
    }

    private func at(_ seconds: Double, _ waiting: Int, open: Bool = true) -> DeliveryMoment {
        DeliveryMoment(now: .seconds(seconds), waiting: waiting, hasOpenBatch: open, random: 0.5)
    }

    private func isSend(_ actions: [DeliveryAction]) -> Bool {
        actions.contains { if case .send = $0 { true } else { false } }
    }

    private func failed(_ status: Int, _ action: StatusAction, _ count: Int) -> DeliveryEvent {
        .answered(
            DeliveryAnswer(outcome: .failed(.status(status), action, retryAfter: nil), records: count))
    }

    /// An engine with a request in flight.
    private func sending(_ waiting: Int, _ change: (inout DeliveryRules) -> Void = { _ in }) -> DeliveryEngine
    {
        var engine = engine(change)
        let actions = engine.handle(.added(atFirstUse: false), at(0, waiting))
        #expect(isSend(actions))
        return engine
    }

    @Test("Nothing is sent before the logger is added, whatever happens") func beforeAdding() {
        var engine = engine()
        let events: [DeliveryEvent] = [
            .stored(points: 1000), .timer, .rules(DeliveryRules()), .sendNow, .flush,
            .network(false), .network(true), .credentialsChanged, .ending(until: .seconds(100)),
        ]
        for event in events { #expect(!isSend(engine.handle(event, at(1, 10_000)))) }
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(2, 10_000))))
    }

    @Test("With a start at the first use, settings may follow the adding") func firstUse() {
        var engine = engine()
        #expect(engine.handle(.added(atFirstUse: true), at(0, 5)) == [.wait(until: .seconds(1))])
        #expect(engine.handle(.rules(DeliveryRules()), at(0.5, 5)) == [.wait(until: .seconds(1.5))])
        var used = engine
        #expect(isSend(used.handle(.stored(points: 0), at(0.6, 6))))
        #expect(isSend(engine.handle(.timer, at(1.5, 5))))
    }

    @Test(
        "The next interval means one attempt, however much is pending",
        arguments: [80, 1000, 10_000])
    func nextInterval(waiting: Int) {
        struct Policy: RetryPolicy {
            func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
                .retryAtNextInterval
            }
        }
        var engine = sending(waiting) { $0.retryPolicy = Policy() }
        var attempts = 1
        for second in 1...600 {
            let time = Double(second)
            if engine.isBusy {
                _ = engine.handle(failed(503, .retry, 300), at(time, waiting))
                _ = engine.handle(.looked, at(time, waiting))
            }
            if isSend(engine.handle(.stored(points: 100), at(time + 0.5, waiting))) { attempts += 1 }
        }
        #expect(attempts == 10)
    }

    @Test("A condition that says no is asked once per interval") func condition() {
        var engine = engine { $0.sendCondition = { true } }
        var asked = 0
        var actions = engine.handle(.added(atFirstUse: false), at(0, 1000))
        for second in 0..<600 {
            while actions.contains(.askCondition) {
                asked += 1
                actions = engine.handle(.condition(false), at(Double(second), 1000))
            }
            actions = engine.handle(.stored(points: 100), at(Double(second) + 0.5, 1000))
        }
        #expect((10...11).contains(asked))
    }

    @Test("A server that refuses every message is held; nothing is set aside") func refusesEverything() {
        var engine = sending(1000)
        var attempts = 0
        var size = 300
        var time = 0.0
        var isHeld = false
        while !isHeld, attempts < 100 {
            attempts += 1
            time += 0.01
            let actions = engine.handle(failed(400, .isolate, size), at(time, 1000))
            #expect(!actions.contains(.setAside))
            if actions.contains(.split) { size = max(1, size / 2) }
            let next = engine.handle(.looked, at(time, 1000))
            isHeld = next.contains(.report(.refusesEverything))
            if isHeld { #expect(next.last == .wait(until: .seconds(time) + DeliveryEngine.refusalPause)) }
        }
        #expect(isHeld && attempts < 15)
    }

    /// An answer of 413 that says when the same can be sent again.
    private func tooLargeForNow(_ count: Int, _ seconds: Int) -> DeliveryEvent {
        .answered(
            DeliveryAnswer(
                outcome: .failed(.status(413), .split, retryAfter: .seconds(seconds)), records: count))
    }

    @Test("413 with Retry-After: the piece is split, and nothing is sent before that time, whatever is asked")
    func tooLargeForNow() {
        var engine = sending(10)
        #expect(engine.handle(tooLargeForNow(10, 60), at(1, 10)).contains(.split))
        #expect(engine.handle(.looked, at(1, 10)) == [.wait(until: .seconds(64))])
        #expect(engine.handle(.sendNow, at(60, 10)) == [.wait(until: .seconds(61))])
        #expect(isSend(engine.handle(.timer, at(61, 10))))
    }

    @Test(
        "413 with Retry-After for a single message: it is sent again then, and after six such answers passed by"
    )
    func singleTooLargeForNow() {
        var engine = sending(2)
        var now = 0.0
        for attempt in 1...5 {
            let actions = engine.handle(tooLargeForNow(1, 10), at(now, 2))
            #expect(actions.contains(.countRetry) && !actions.contains(.park(receipt: nil)))
            _ = engine.handle(.looked, at(now, 2))
            #expect(!isSend(engine.handle(.timer, at(now + 9.9, 2))))
            now += 30
            #expect(isSend(engine.handle(.timer, at(now, 2))), "attempt \(attempt)")
        }
        #expect(engine.handle(tooLargeForNow(1, 10), at(now, 2)).contains(.park(receipt: nil)))
        _ = engine.handle(.looked, at(now, 2))
        #expect(!isSend(engine.handle(.timer, at(now + 9.9, 2))))
        #expect(isSend(engine.handle(.timer, at(now + 30, 2))))
    }

    @Test("413 with Retry-After for everything: the hold is as long as the server asks for")
    func everythingTooLargeForNow() {
        var engine = sending(1)
        var now = 0.0
        for _ in 0..<6 {
            _ = engine.handle(tooLargeForNow(1, 1000), at(now, 1))
            _ = engine.handle(.looked, at(now, 1))
            #expect(!isSend(engine.handle(.timer, at(now + 999, 1))))
            now += 1101
            _ = engine.handle(.timer, at(now, 1))
        }
        #expect(engine.isBusy)
    }

    @Test("When every message was refused, all stay parked during the pause and come back after it")
    func comesBackAfterThePause() {
        var engine = sending(1)
        _ = engine.handle(failed(400, .isolate, 1), at(1, 1))
        let held = engine.handle(.looked, at(1, 1))
        #expect(held.contains(.report(.refusesEverything)) && !held.contains(.unpark(andKept: true)))
        // A new message, in the place of the refused one or beside it, waits for the pause.
        for waiting in [1, 2] {
            let actions = engine.handle(.stored(points: 1), at(100, waiting))
            #expect(!isSend(actions) && !actions.contains(.unpark(andKept: true)))
        }
        let after = engine.handle(.timer, at(301, 2))
        #expect(after.contains(.unpark(andKept: true)) && isSend(after))
        // The user ends the pause.
        var sentNow = sending(1)
        _ = sentNow.handle(failed(400, .isolate, 1), at(1, 1))
        _ = sentNow.handle(.looked, at(1, 1))
        let actions = sentNow.handle(.sendNow, at(2, 1))
        #expect(actions.contains(.unpark(andKept: true)) && isSend(actions))
    }

    /// The number of messages of the request that is asked for; nil where none is.
    private func requested(_ actions: [DeliveryAction]) -> Int? {
        for case .send(let count, _) in actions { return count }
        return nil
    }

    @Test("A request that broke off on its way is sent in halves, and what passes lets them grow again")
    func brokenOff() {
        var engine = sending(64) { $0.maximumMessagesPerRequest = 64 }
        var time = 1.0
        func end(_ outcome: DeliveryAnswer.Outcome, _ records: Int) -> (isSplit: Bool, next: Int?) {
            let answer = DeliveryAnswer(outcome: outcome, records: records)
            let isSplit = engine.handle(.answered(answer), at(time, 200)).contains(.split)
            var actions = engine.handle(.looked, at(time, 200))
            time += 1000
            if requested(actions) == nil { actions = engine.handle(.timer, at(time, 200)) }
            return (isSplit, requested(actions))
        }
        func failure(isCut: Bool) -> DeliveryAnswer.Outcome {
            .failed(
                .transport(HTTPTransportError(.timedOut, "", isRequestCut: isCut)), .retry, retryAfter: nil)
        }
        // What the server may have whole is sent again as it was.
        #expect(end(failure(isCut: false), 64) == (false, 64))
        for half in [32, 16, 8, 4, 2, 1] { #expect(end(failure(isCut: true), half * 2) == (true, half)) }
        #expect(end(failure(isCut: true), 1) == (false, 1))
        var widths: [Int] = []
        var width = 1
        while width < 64, widths.count < 30 {
            width = end(.accepted, width).next ?? 0
            widths.append(width)
        }
        #expect(widths == [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 64])
        // One that is smaller than allowed shows nothing.
        _ = end(failure(isCut: true), 64)
        #expect(end(.accepted, 3).next == 32)
    }

    @Test("A policy that leaves a request that broke off to the next interval has it sent in halves, too")
    func brokenOffForScrooge() {
        var engine = sending(10) { $0.retryPolicy = ScroogeRetryPolicy() }
        let error = HTTPTransportError(.cannotConnect, "", isRequestCut: true)
        let answer = DeliveryAnswer(outcome: .failed(.transport(error), .retry, retryAfter: nil), records: 10)
        #expect(engine.handle(.answered(answer), at(1, 10)).contains(.split))
        _ = engine.handle(.looked, at(1, 10))
        #expect(requested(engine.handle(.timer, at(70, 10))) == 5)
    }

    @Test("A bad message is set aside once the server has taken another one") func badMessage() {
        var engine = sending(2)
        _ = engine.handle(failed(400, .isolate, 2), at(1, 2))
        #expect(isSend(engine.handle(.looked, at(1, 2))))
        #expect(engine.handle(failed(400, .isolate, 1), at(2, 2)).contains(.park(receipt: nil)))
        #expect(isSend(engine.handle(.looked, at(2, 2))))
        let taken = engine.handle(.answered(DeliveryAnswer(outcome: .accepted, records: 1)), at(3, 2))
        #expect(taken == [.complete, .unpark(andKept: false), .look])
        #expect(isSend(engine.handle(.looked, at(3, 1))))
        #expect(engine.handle(failed(400, .isolate, 1), at(4, 1)).contains(.setAside))
    }

    @Test("An event store drops nothing, whatever the policy says") func neverDrops() {
        var engine = sending(100) {
            $0.neverDrops = true
            $0.retryPolicy = ScroogeRetryPolicy()
        }
        let actions = engine.handle(failed(401, .authorize, 100), at(1, 100))
        #expect(actions == [.report(.keptInsteadOfDropped), .look])
    }

    @Test("New credentials are asked for again after the server has accepted the last ones") func refreshes()
    {
        var engine = sending(30) { $0.refreshAuthorization = {} }
        for round in 0..<3 {
            let time = Double(round)
            _ = engine.handle(failed(401, .authorize, 1), at(time, 30))
            #expect(engine.handle(.looked, at(time, 30)).contains(.refreshAuthorization))
            #expect(isSend(engine.handle(.refreshed, at(time, 30))))
            _ = engine.handle(.answered(DeliveryAnswer(outcome: .accepted, records: 1)), at(time, 30))
            #expect(isSend(engine.handle(.looked, at(time, 30))))
        }
    }

    @Test("Other credentials end the pause of a refusal, but not the one that the server has asked for")
    func credentialsChanged() {
        for asked in [nil, Duration.seconds(60)] {
            var engine = sending(10)
            _ = engine.handle(
                .answered(
                    DeliveryAnswer(
                        outcome: .failed(.status(401), .authorize, retryAfter: asked), records: 10)),
                at(1, 10))
            #expect(engine.handle(.looked, at(1, 10)) == [.wait(until: .seconds(301))])
            let actions = engine.handle(.credentialsChanged, at(6, 10))
            #expect(isSend(actions) == (asked == nil), "\(actions)")
            if asked != nil { #expect(actions == [.wait(until: .seconds(61))]) }
        }
    }

    @Test("A network notice that changes nothing counts for nothing") func network() {
        var engine = sending(10)
        _ = engine.handle(.network(true), at(0.1, 10))
        _ = engine.handle(failed(503, .retry, 10), at(1, 10))
        _ = engine.handle(.looked, at(1, 10))
        for _ in 0..<100 { #expect(!isSend(engine.handle(.network(true), at(1.1, 10)))) }
        _ = engine.handle(.network(false), at(1.2, 10))
        #expect(isSend(engine.handle(.network(true), at(1.3, 10))))
    }

    @Test("The first notice that the network is there sends nothing before its time") func firstNotice() {
        var engine = engine()
        _ = engine.handle(.added(atFirstUse: false), at(0, 0))
        #expect(engine.handle(.stored(points: 1), at(1, 5)) == [.wait(until: .seconds(61))])
        #expect(engine.handle(.network(true), at(2, 5)) == [.wait(until: .seconds(61))])
    }

    @Test("Closing starts nothing, and at the end nothing is started that nobody waits for") func endings() {
        var closing = engine()
        _ = closing.handle(.added(atFirstUse: false), at(0, 0))
        #expect(closing.handle(.closing, at(1, 10)) == [.rest])
        #expect(closing.handle(.sendNow, at(2, 10)) == [.rest])
        var ending = engine()
        _ = ending.handle(.added(atFirstUse: false), at(0, 0))
        #expect(isSend(ending.handle(.ending(until: .seconds(11)), at(10, 10))))
        _ = ending.handle(.answered(DeliveryAnswer(outcome: .accepted, records: 5)), at(10.7, 10))
        #expect(ending.handle(.looked, at(10.7, 5)) == [.rest])
    }

    @Test("Received pieces are kept until they are confirmed, and sent again when that takes too long")
    func receipts() {
        var engine = sending(4)
        let received = DeliveryAnswer(outcome: .received(receipt: "7"), records: 4)
        #expect(engine.handle(.answered(received), at(0, 4)) == [.park(receipt: "7"), .look])
        #expect(engine.handle(.looked, at(0, 4)) == [.wait(until: .seconds(1))])
        #expect(engine.handle(.timer, at(1, 4)).contains(.poll(["7"])))
        #expect(engine.handle(.acknowledged([]), at(1, 4)) == [.wait(until: .seconds(3))])
        var confirmed = engine
        _ = confirmed.handle(.timer, at(3, 4))
        #expect(confirmed.handle(.acknowledged(["7"]), at(3, 4)) == [.confirm(["7"]), .look])
        let late = engine.handle(.timer, at(301, 4))
        #expect(late.contains(.resend(["7"])) && isSend(late))
    }

    @Test("A process that ends asks for its receipts at once, and waits for them") func receiptsAtTheEnd() {
        var engine = sending(4)
        let received = DeliveryAnswer(outcome: .received(receipt: "7"), records: 4)
        _ = engine.handle(.answered(received), at(0, 4))
        _ = engine.handle(.looked, at(0, 4))
        #expect(!engine.isAwaited)
        #expect(engine.handle(.ending(until: .seconds(2)), at(0.2, 4)).contains(.poll(["7"])))
        #expect(engine.isAwaited)
        #expect(engine.handle(.acknowledged([]), at(0.3, 4)) == [.wait(until: .seconds(0.5))])
        _ = engine.handle(.timer, at(0.5, 4))
        #expect(engine.handle(.acknowledged(["7"]), at(0.6, 4)) == [.confirm(["7"]), .look])
        #expect(engine.handle(.looked, at(0.6, 0)) == [.rest])
        #expect(!engine.isAwaited)
    }

    @Test("What cannot be sent before something is confirmed is sent right after that") func blocked() {
        var engine = sending(4) { $0.maximumMessagesPerRequest = 2 }
        let received = DeliveryAnswer(outcome: .received(receipt: "7"), records: 2)
        _ = engine.handle(.answered(received), at(0, 4))
        #expect(isSend(engine.handle(.looked, at(0, 4))))
        // The store gives nothing: its first part must be empty before the next is created.
        #expect(engine.handle(.empty, at(0, 4)) == [.wait(until: .seconds(1))])
        #expect(!isSend(engine.handle(.stored(points: 100), at(0.5, 5))))
        #expect(engine.handle(.timer, at(1, 5)).contains(.poll(["7"])))
        _ = engine.handle(.acknowledged(["7"]), at(1, 5))
        #expect(isSend(engine.handle(.looked, at(1, 3))))
    }
}
