import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Promise 9: evaluated at most once, and only if wanted", .inTurn)
struct EvaluationTests {
    private func counted(_ counter: Counter) -> Int { counter.increase() }

    @Test("Promise 9: a message is evaluated once, on the caller's thread, however many loggers want it")
    func once() {
        let dispatcher = LogDispatcher.forTest()
        for index in 0..<4 { dispatcher.add(RecordingLogger(name: "\(index)")) }
        let counter = Counter()
        let threads = Box<Set<UInt64>>([])
        func value() -> Int {
            threads.update { $0.insert(ThreadState.current.id) }
            return counter.increase()
        }
        for level in LogLevel.standardLevels { log("\(value())", level: level, to: dispatcher) }
        logFatal("\(value())", to: dispatcher)
        logError("\(value())", asynchronous: false, to: dispatcher)
        logWarning("a" + "\(value())", to: dispatcher)
        logNotice("\(value())", tag: value(), metadata: ["v": LogValue(value())], to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(counter.value == 13)
        #expect(threads.value == [ThreadState.current.id])
    }

    @Test("Promise 9: nothing is evaluated when nobody wants it: dispatcher, category, loggers, none at all")
    func never() {
        let dispatcher = LogDispatcher.forTest()
        let counter = Counter()
        let category = LogCategory("evaluation-\(UUID())")
        func logAll() {
            logFatal("\(counted(counter))", category: category, to: dispatcher)
            logError("\(counted(counter))", category: category, to: dispatcher)
            logWarning("\(counted(counter))", category: category, to: dispatcher)
            logNotice("\(counted(counter))", category: category, to: dispatcher)
            logInfo("\(counted(counter))", category: category, to: dispatcher)
            logDebug("\(counted(counter))", category: category, to: dispatcher)
            logVerbose("\(counted(counter))", category: category, to: dispatcher)
            log("\(counted(counter))", level: .info, category: category, to: dispatcher)
            log("\(counted(counter))" as String, level: .info, category: category, to: dispatcher)
        }
        logAll()
        #expect(counter.value == 0)
        let logger = RecordingLogger()
        dispatcher.add(logger, levels: .off)
        logAll()
        #expect(counter.value == 0)
        logger.levels = .all
        dispatcher.levels = .off
        logAll()
        #expect(counter.value == 0)
        dispatcher.levels = .all
        category.levels = .off
        logAll()
        #expect(counter.value == 0)
        category.levels = .all
        logAll()
        #expect(counter.value == 9)
        dispatcher.remove(logger)
        logAll()
        #expect(counter.value == 9)
    }

    @Test("Promise 9: tag and metadata are evaluated with the message, or not at all")
    func tagAndMetadata() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger, levels: .warning)
        let counter = Counter()
        logInfo("x", tag: counted(counter), metadata: ["n": LogValue(counted(counter))], to: dispatcher)
        log(
            "x", level: .debug, tag: counted(counter), metadata: ["n": LogValue(counted(counter))],
            to: dispatcher)
        #expect(counter.value == 0)
        logWarning("x", tag: counted(counter), metadata: ["n": LogValue(counted(counter))], to: dispatcher)
        #expect(counter.value == 2)
    }

    @Test(
        "Promise 9: isLogEnabled says whether a message would be evaluated",
        arguments: LogLevel.standardLevels)
    func wants(level: LogLevel) {
        let dispatcher = LogDispatcher.forTest()
        #expect(!isLogEnabled(level, to: dispatcher))
        let logger = RecordingLogger()
        dispatcher.add(logger, levels: [level])
        #expect(isLogEnabled(level, to: dispatcher))
        for other in LogLevel.standardLevels where other != level {
            #expect(!isLogEnabled(other, to: dispatcher))
        }
        dispatcher.removeAll()
        #expect(!isLogEnabled(level, to: dispatcher))
    }

    @Test("Promise 9: logAssert evaluates its condition once, and its text only when that is false")
    func assertion() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(RecordingLogger())
        let counter = Counter()
        let texts = Counter()
        logAssert(counted(counter) > 0, "text \(counted(texts))", to: dispatcher)
        #expect(counter.value == 1)
        #expect(texts.value == 0)
    }

    @Test("Promise 9: a message that is logged while another one is evaluated is whole, and so is that one")
    func nested() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        func inner(_ depth: Int) -> String {
            if depth > 0 { logInfo("inner \(depth) \(inner(depth - 1)) end", to: dispatcher) }
            return "depth \(depth)"
        }
        logInfo("outer \(1) \(inner(3)) \(2.5) end", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            logger.texts == [
                "inner 1 depth 0 end", "inner 2 depth 1 end", "inner 3 depth 2 end",
                "outer 1 depth 3 2.5 end",
            ])
    }

    @Test("Promise 9: a text that was made once may be logged by many threads, each with its own fields")
    func sharedText() {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let logger = RecordingLogger()
        logger.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(logger)
        let text: LogText = "shared \(42, as: "answer")"
        let rounds = Load.scaled(5000)
        onThreads(4) { thread in
            for _ in 0..<rounds {
                logInfo(text, context: thread, metadata: ["thread": LogValue(thread)], to: dispatcher)
            }
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.messages.count == 4 * rounds)
        for message in logger.messages {
            #expect(message.text == "shared 42")
            #expect(message.metadata == ["thread": .integer(Int64(message.context))])
        }
    }
}
