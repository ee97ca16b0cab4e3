import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct SendingPaceTests {
    private let rules = {
        var rules = DeliveryRules()
        rules.jitter = 0
        return rules
    }()

    private func at(_ seconds: Double, _ waiting: Int, random: Double = 0.5) -> DeliveryMoment {
        DeliveryMoment(now: .seconds(seconds), waiting: waiting, random: random)
    }

    @Test("Nothing is pending, nothing happens") func idle() {
        var pace = SendingPace()
        #expect(pace.nextRequest(0, at(0, 0), rules) == nil)
    }

    @Test("The interval counts from the first message that is pending") func interval() {
        var pace = SendingPace()
        pace.stored(points: 0, at(10, 1), rules)
        pace.stored(points: 0, at(50, 2), rules)
        #expect(pace.nextRequest(2, at(50, 2), rules) == .seconds(70))
        #expect(pace.nextRequest(2, at(69.9, 2), rules) == .seconds(70))
        #expect(pace.nextRequest(2, at(70, 2), rules) == .seconds(70))
    }

    @Test("The jitter spreads the interval by its part", arguments: [(0.0, 54.0), (0.5, 60), (1, 66)])
    func jitter(random: Double, due: Double) throws {
        var rules = rules
        rules.jitter = 0.1
        var pace = SendingPace()
        pace.stored(points: 0, at(0, 1, random: random), rules)
        let time = pace.nextRequest(1, at(0, 1), rules)
        let until = try #require(time)
        #expect(abs(until / .seconds(1) - due) < 1e-6)
    }

    @Test("Points, the number of messages and a call to send now send at once", arguments: [0, 1, 2])
    func triggers(which: Int) {
        var pace = SendingPace()
        let waiting = which == 1 ? 300 : 1
        pace.stored(points: which == 0 ? 10 : 9, at(0, waiting), rules)
        if which == 2 { pace.beginRound(of: 1) }
        #expect(pace.nextRequest(waiting, at(0, waiting), rules) == .seconds(0))
    }

    @Test("The points of messages that come one after the other add up, until a request takes them along")
    func pointsAddUp() {
        var pace = SendingPace()
        pace.stored(points: 5, at(0, 1), rules)
        #expect(pace.nextRequest(1, at(0, 1), rules) == .seconds(60))
        pace.stored(points: 5, at(1, 2), rules)
        #expect(pace.nextRequest(2, at(1, 2), rules) == .seconds(1))
        pace.began()
        pace.ended(settling: 2, at(2, 0), rules)
        pace.stored(points: 9, at(3, 1), rules)
        #expect(pace.nextRequest(1, at(3, 1), rules) == .seconds(63))
    }

    @Test("Without a number that triggers, any number waits for the interval") func noTrigger() {
        var rules = rules
        rules.countThreshold = nil
        rules.maximumMessagesPerRequest = 2
        var pace = SendingPace()
        pace.stored(points: 0, at(0, 10_000), rules)
        #expect(pace.nextRequest(10_000, at(1, 10_000), rules) == .seconds(60))
    }

    @Test("What was pending when the round began goes without a pause") func round() {
        var pace = SendingPace()
        pace.beginRound(of: 700)
        #expect(pace.nextRequest(700, at(0, 700), rules) == .seconds(0))
        pace.began()
        pace.ended(settling: 300, at(1, 402), rules)
        #expect(pace.nextRequest(402, at(1, 402), rules) == .seconds(1))
        pace.began()
        pace.ended(settling: 300, at(2, 102), rules)
        pace.began()
        pace.ended(settling: 100, at(3, 2), rules)
        #expect(pace.nextRequest(2, at(3, 2), rules) == .seconds(63))
    }

    @Test("What is left to the interval waits for it, however much it is and whatever comes")
    func leave() {
        var pace = SendingPace()
        pace.beginRound(of: 10_000)
        pace.leaveToInterval(at(5, 10_000), rules)
        pace.stored(points: 1000, at(6, 20_000), rules)
        #expect(pace.nextRequest(20_000, at(6, 20_000), rules) == .seconds(65))
        #expect(pace.nextRequest(20_000, at(65, 20_000), rules) == .seconds(65))
    }

    @Test("A pause that the server asked for cannot be ended") func binding() {
        var pace = SendingPace()
        pace.beginRound(of: 1)
        pace.pause(until: .seconds(30), bound: .seconds(30))
        pace.endPause()
        #expect(pace.nextRequest(1, at(1, 1), rules) == .seconds(30))
        pace.pause(until: .seconds(30))
        pace.endPause()
        #expect(pace.nextRequest(1, at(1, 1), rules) == .seconds(1))
    }

    @Test("A call to send now ends a pause as far as the server has not asked for it") func partlyBinding() {
        var pace = SendingPace()
        pace.beginRound(of: 1)
        pace.pause(until: .seconds(300), bound: .seconds(10))
        pace.endPause()
        #expect(pace.nextRequest(1, at(1, 1), rules) == .seconds(10))
        #expect(pace.nextRequest(1, at(10, 1), rules) == .seconds(10))
    }

    @Test("A changed interval counts from the change, after a failure as well", arguments: [true, false])
    func change(hasFailed: Bool) {
        var pace = SendingPace()
        pace.stored(points: 0, at(0, 1), rules)
        if hasFailed { pace.leaveToInterval(at(0, 1), rules) }
        var shorter = rules
        shorter.sendInterval = .seconds(5)
        pace.intervalChanged(at(2, 1), shorter)
        #expect(pace.nextRequest(1, at(2, 1), shorter) == .seconds(7))
    }
}

@Suite(.inTurn) struct LevelWeightsTests {
    @Test("Custom levels weigh what the level weighs that they are as serious as") func custom() {
        let audit = LogLevel(bit: 27, name: "audit-weight", severity: .error)
        #expect(LevelWeights.standard[audit] == 10)
        #expect(LevelWeights([audit: 3])[audit] == 3)
        #expect(LevelWeights.swiftyBeaver[.warning] == 8 && LevelWeights.swiftyBeaver[.verbose] == 0)
    }
}
