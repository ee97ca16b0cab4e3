import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood

/// Counts how many of its kind live.
private final class Census: Sendable {
    let living = Box(0)
    let born = Box(0)
    func member() -> Member { Member(self) }

    final class Member: Sendable {
        private let census: Census
        init(_ census: Census) {
            self.census = census
            census.living.update { $0 += 1 }
            census.born.update { $0 += 1 }
        }
        deinit { census.living.update { $0 -= 1 } }
    }
}

@Suite("Tags, large messages, and messages that are kept", .inTurn)
struct ReferenceTests {
    @Test("Each tag is handed to every logger as it was, and ends once, when the last one is through")
    func tags() {
        let census = Census()
        let dispatcher = LogDispatcher.forTest()
        final class Forgetful: AbstractLogger, @unchecked Sendable {
            let seen = Counter()
            override func log(_ message: LogMessage) {
                if message.tag is Census.Member { seen.increase() }
            }
        }
        let loggers = [Forgetful(name: "a"), Forgetful(name: "b"), Forgetful(name: "errors")]
        dispatcher.add(loggers[0])
        dispatcher.add(loggers[1])
        dispatcher.add(loggers[2], levels: .error)
        let count = Load.scaled(10_000)
        for index in 0..<count {
            log("\(index)", level: index % 10 == 0 ? .error : .info, tag: census.member(), to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(census.born.value == count)
        #expect(loggers.map(\.seen.value) == [count, count, count / 10])
        waitUntil { census.living.value == 0 }
    }

    @Test(
        "Tags of messages that are dropped end, too",
        arguments: [
            OverflowPolicy.dropNewest, .dropOldest, .dropBelow(.error), .block(upTo: .milliseconds(1)),
        ])
    func droppedTags(policy: OverflowPolicy) {
        let census = Census()
        let dispatcher = LogDispatcher.forTest()
        dispatcher.overflowPolicy = policy
        let logger = StuckLogger()
        logger.backlogLimit = .kibibytes(4)
        logger.overflowPolicy = policy
        dispatcher.add(logger)
        let text = String(repeating: "large", count: 4000)
        for index in 0..<1000 {
            logInfo("\(index)", tag: census.member(), to: dispatcher)
            if index % 50 == 0 { logError("\(text)", tag: census.member(), to: dispatcher) }
        }
        logger.release()
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.statistics.isBalanced)
        logger.removeRecords()
        waitUntil { census.living.value == 0 }
        #expect(dispatcher.room.bytesBeside == 0)
    }

    @Test("Messages of every size arrive whole, those too large for the ring as well, in their order")
    func sizes() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        var sizes = [
            0, 1, 7, 8, 9, 1000, 16_000, 16_200, 16_300, 16_383, 16_384, 16_385, 20_000, 70_000, 3_000_000,
        ]
        sizes += (16_200..<16_400).map { $0 }
        for (index, size) in sizes.enumerated() {
            let text = String(repeating: Character(UnicodeScalar(UInt8(97 + index % 26))), count: size)
            logInfo("\(text)", metadata: ["index": LogValue(index)], to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.messages.map(\.text.count) == sizes)
        #expect(logger.messages.map { $0.metadata["index"] } == sizes.indices.map { .integer(Int64($0)) })
        for (index, message) in logger.messages.enumerated() {
            #expect(
                Set(message.text)
                    == (sizes[index] == 0 ? [] : [Character(UnicodeScalar(UInt8(97 + index % 26)))]))
        }
        #expect(dispatcher.room.bytesBeside == 0)
    }

    @Test("A message that is kept stays as it was, on any thread, and keeps nothing but itself")
    func keptMessages() {
        let census = Census()
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let count = Load.scaled(5000)
        for index in 0..<count {
            logInfo("kept \(index)", tag: index % 100 == 0 ? census.member() : nil, to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        let kept = logger.messages
        logger.removeRecords()
        for index in 0..<count { logInfo("later \(index)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.removeAll()
        onThreads(4) { thread in
            for index in stride(from: thread, to: count, by: 4) {
                #expect(kept[index].text == "kept \(index)")
                #expect(kept[index].sequence == UInt64(index + 1))
            }
        }
        waitUntil { census.living.value == (count + 99) / 100 }
    }

    @Test("A dispatcher that is released delivers what was logged, removes its loggers, and is gone")
    func releasedDispatcher() {
        let logger = RecordingLogger()
        weak var gone: LogDispatcher?
        do {
            let dispatcher = LogDispatcher.forTest()
            gone = dispatcher
            dispatcher.add(logger)
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        }
        waitUntil { gone == nil }
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.texts == (0..<1000).map { "\($0)" })
        #expect(logger.events.last == .removed)
        let second = LogDispatcher.forTest()
        #expect(second.add(logger))
        second.remove(logger)
    }

    @Test("Dispatchers may be released while their messages are passed on")
    func releasedAtWork() {
        let loggers = (0..<3).map { RecordingLogger(name: "\($0)") }
        for round in 0..<Load.scaled(300) {
            weak var gone: LogDispatcher?
            do {
                let dispatcher = LogDispatcher.forTest()
                gone = dispatcher
                for logger in loggers { dispatcher.add(logger) }
                for index in 0..<(round % 40) { logInfo("\(index)", to: dispatcher) }
            }
            waitUntil { gone == nil }
            #expect(loggers.allSatisfy { $0.waitUntilIdle(timeout: .testLimit) })
        }
    }

    @Test("A logger lives as long as a dispatcher has it, and ends after its last message")
    func lifeOfALogger() {
        let census = Census()
        final class Member: RecordingLogger, @unchecked Sendable {
            let member: Census.Member
            init(_ census: Census) {
                member = census.member()
                super.init(name: nil, formatter: nil, queue: nil)
            }
        }
        let dispatcher = LogDispatcher.forTest()
        for round in 0..<50 {
            dispatcher.add(Member(census))
            logInfo("\(round)", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(census.living.value == 1)
            dispatcher.removeAll()
            // Its queue may still be on its way out of the last block.
            waitUntil { census.living.value == 0 }
        }
    }

    @Test("Loggers that are removed and released while others look at them do no harm")
    func removalRace() {
        let dispatcher = LogDispatcher.forTest()
        onThreads(4) { thread in
            for _ in 0..<Load.scaled(300) {
                if thread == 0 {
                    let logger = RecordingLogger(name: "short-lived", formatter: nil, runsOnCaller: true)
                    dispatcher.add(logger)
                    logInfo("x", to: dispatcher)
                    dispatcher.remove(logger, timeout: .zero)
                } else {
                    logError("y", asynchronous: false, to: dispatcher)
                    dispatcher.flush(timeout: .milliseconds(1))
                    _ = dispatcher.statistics
                    for logger in dispatcher.loggers { logger.levels = .all }
                }
            }
        }
        dispatcher.flush(timeout: .testLimit)
    }
}
