import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood

/// The ring is full while its head is a record that is reserved but not published: nobody can drain it.
private final class TornHead: Sendable {
    private let dispatcher: LogDispatcher
    private let position: UInt64

    init?(_ dispatcher: LogDispatcher) {
        guard let (position, _) = dispatcher.ring.reserve(16) else { return nil }
        self.dispatcher = dispatcher
        self.position = position
    }

    /// Publishes the record: a control that does nothing.
    func publish() {
        dispatcher.ring.publish(position, size: 16, kind: .control)
    }
}

@Suite("Promise 4: bounded, the ring", .inTurn)
struct RingOverflowTests {
    @Test(
        "Promise 4: a full ring drops by its policy; each drop is counted, and announced in place",
        arguments: [OverflowPolicy.dropNewest, .block(upTo: .milliseconds(20))])
    func fullRing(policy: OverflowPolicy) throws {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = policy
        let loggers = [RecordingLogger(name: "a"), RecordingLogger(name: "b")]
        for logger in loggers { dispatcher.add(logger) }
        logInfo("before", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let torn = try #require(TornHead(dispatcher))
        var index = 0
        while dispatcher.statisticsOfRing == 0 {
            logInfo("\(index)", to: dispatcher)
            index += 1
        }
        let kept = index - 1
        if case .dropNewest = policy { for _ in 0..<9 { logInfo("lost", to: dispatcher) } }
        let lost = dispatcher.statisticsOfRing
        torn.publish()
        dispatcher.flush(timeout: .testLimit)
        logInfo("after", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)

        #expect(dispatcher.statistics.dropped == lost)
        #expect(dispatcher.statistics.accepted == kept + 2)
        for logger in loggers {
            #expect(logger.texts == ["before"] + (0..<kept).map { "\($0)" } + ["after"])
            #expect(logger.droppedNotes == [lost])
            #expect(logger.entries.dropLast().last?.metadata["dropped"] == .integer(Int64(lost)))
            #expect(logger.statistics.isBalanced)
        }
    }

    @Test(
        "Promise 4: drops at the ring are announced before the next message, even when nobody flushes between"
    )
    func announcedBeforeTheNext() throws {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = .dropNewest
        let logger = RecordingLogger()
        dispatcher.add(logger)
        for round in 1...20 {
            dispatcher.flush(timeout: .testLimit)
            logger.removeRecords()
            let torn = try #require(TornHead(dispatcher))
            let before = dispatcher.statisticsOfRing
            while dispatcher.statisticsOfRing < before + round { logInfo("x", to: dispatcher) }
            torn.publish()
            while dispatcher.statistics.accepted == 0 || dispatcher.ring.head != dispatcher.ring.tail {
                sched_yield()
            }
            logInfo("after", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.droppedNotes == [round])
            #expect(logger.allTexts.suffix(2).last == "after")
            #expect(logger.entries.dropLast().last?.metadata["dropped"] == .integer(Int64(round)))
        }
    }

    @Test(
        "Promise 4: large messages are bounded while they are in the ring, and not by what a stuck logger holds"
    )
    func largeMessages() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = .dropNewest
        let stuck = StuckLogger(name: "stuck")
        let fine = RecordingLogger(name: "fine")
        dispatcher.add(stuck)
        dispatcher.add(fine)
        let text = String(repeating: "x", count: 40_000)
        for _ in 0..<20 {
            logInfo("\(text)", to: dispatcher)
            dispatcher.drainNow()
        }
        stuck.waitUntilStuck()
        stuck.release()
        dispatcher.flush(timeout: .testLimit)
        #expect(dispatcher.statistics.dropped == 0)
        #expect(fine.messages.count == 20)
        #expect(stuck.messages.count == 20)
    }

    @Test("Promise 4: policies that drain make room in a full ring themselves", arguments: [0, 1])
    func drainingPolicies(which: Int) {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = which == 0 ? .dropOldest : .dropBelow(.info)
        let logger = RecordingLogger()
        dispatcher.add(logger)
        for index in 0..<20_000 { logInfo("\(index)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(dispatcher.statistics.dropped == 0)
        #expect(logger.texts == (0..<20_000).map { "\($0)" })
    }
}

extension LogDispatcher {
    /// The drops at the ring alone, without the drain's lock.
    fileprivate var statisticsOfRing: Int { room.droppedCount }
}
