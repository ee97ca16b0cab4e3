import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("Promise 1: order", .inTurn)
struct OrderTests {
    @Test(
        "Promise 1: all loggers see one order, and each thread's messages are in its program order",
        arguments: [1, 2, 4, 16])
    func order(threads: Int) {
        let dispatcher = LogDispatcher.forTest(ring: .kibibytes(256))
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let loggers = [RecordingLogger(name: "a"), RecordingLogger(name: "b"), RecordingLogger(name: "c")]
        for logger in loggers {
            logger.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(logger)
        }
        let perThread = Load.scaled(20_000) / threads
        onThreads(threads) { thread in
            for index in 0..<perThread {
                logInfo("\(thread) \(index)", context: thread &* 31 ^ index, to: dispatcher)
            }
        }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)

        let first = loggers[0].messages
        #expect(first.count == perThread * threads)
        #expect(first.map(\.sequence) == (1...UInt64(perThread * threads)).map { $0 })
        for logger in loggers.dropFirst() {
            #expect(logger.messages.map(\.sequence) == first.map(\.sequence))
            #expect(logger.texts == loggers[0].texts)
        }
        var next = [Int](repeating: 0, count: threads)
        for message in first {
            let parts = message.text.split(separator: " ").compactMap { Int($0) }
            guard parts.count == 2 else { Issue.record("torn: \(message.text)"); return }
            #expect(message.context == parts[0] &* 31 ^ parts[1])
            #expect(parts[1] == next[parts[0]])
            next[parts[0]] = parts[1] + 1
        }
    }

    @Test(
        "Promise 1: callers that run loggers themselves, beside others, keep one order and miss nothing",
        arguments: [1, 3])
    func onCallers(loggerCount: Int) {
        let dispatcher = LogDispatcher.forTest()
        let loggers = (0..<loggerCount).map {
            RecordingLogger(name: "caller \($0)", formatter: nil, runsOnCaller: true)
        }
        for logger in loggers { dispatcher.add(logger) }
        let missing = Locked(0)
        onThreads(3) { thread in
            for index in 0..<Load.scaled(1000) {
                let text = "\(thread) \(index)"
                // The last thread's are asynchronous, now and then, so that the others are often alone.
                logInfo("\(text)", asynchronous: thread == 2, to: dispatcher)
                if thread == 2 {
                    for _ in 0..<200 { sched_yield() }
                } else if index % 16 == 0 {
                    for logger in loggers where !logger.texts.contains(text) { missing.withLock { $0 += 1 } }
                }
            }
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(missing.withLock { $0 } == 0, "a synchronous call returns when its message has been handled")
        for logger in loggers {
            let messages = logger.messages
            #expect(messages.map(\.sequence) == (1...UInt64(messages.count)).map { $0 })
            for thread in 0..<3 {
                let own = logger.texts.filter { $0.hasPrefix("\(thread) ") }
                #expect(own == (0..<Load.scaled(1000)).map { "\(thread) \($0)" })
            }
            #expect(
                logger.statistics.received == messages.count && logger.statistics.delivered == messages.count)
            #expect(dispatcher.statistics.accepted == messages.count)
        }
    }

    @Test(
        "Promise 1: a synchronous call handles what waits before its message, and its message",
        arguments: 1...3)
    func waiting(batches: Int) {
        let dispatcher = LogDispatcher.forTest()
        let loggers = (0..<2).map {
            RecordingLogger(name: "\($0)", formatter: nil, runsOnCaller: true)
        }
        for logger in loggers { dispatcher.add(logger) }
        dispatcher.flush(timeout: .testLimit)
        // Their own queues do not come to it.
        for logger in loggers { logger.queue.suspend() }
        for index in 0..<batches {
            logInfo("\(index)", to: dispatcher)
            waitUntil { loggers.allSatisfy { $0.statistics.received == index + 1 } }
        }
        logInfo("last", asynchronous: false, to: dispatcher)
        for logger in loggers { #expect(logger.texts == (0..<batches).map { "\($0)" } + ["last"]) }
        for logger in loggers { logger.queue.resume() }
    }

    @Test(
        "Promise 1: calls on the shortest way keep their order and miss nothing, also where the ring is full"
    )
    func plain() async {
        // In a process of its own: once there were fields from outside, calls take another way.
        await #expect(processExitsWith: .exitCode(7)) {
            let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64))
            let loggers = (0..<2).map {
                RecordingLogger(name: "\($0)", formatter: nil, runsOnCaller: $0 == 0)
            }
            for logger in loggers { dispatcher.add(logger) }
            let count = 5000
            onThreads(4) { thread in
                for index in 0..<count {
                    logInfo("\(thread) \(index)", asynchronous: index % 100 != 0, to: dispatcher)
                }
            }
            if !dispatcher.flush(timeout: .testLimit).isComplete { _exit(1) }
            for logger in loggers {
                let messages = logger.messages
                if messages.map(\.sequence) != (1...UInt64(4 * count)).map({ $0 }) { _exit(2) }
                for thread in 0..<4 {
                    let own = messages.map(\.text).filter { $0.hasPrefix("\(thread) ") }
                    if own != (0..<count).map({ "\(thread) \($0)" }) { _exit(3) }
                }
            }
            _exit(7)
        }
    }

    @Test("Promise 1: synchronous and asynchronous messages of a thread keep their order")
    func mixedModes() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        onThreads(4) { thread in
            for index in 0..<Load.scaled(500) {
                logInfo("\(thread) \(index)", asynchronous: index % 7 != 0, to: dispatcher)
            }
        }
        dispatcher.flush(timeout: .testLimit)
        for thread in 0..<4 {
            let own = logger.texts.filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<Load.scaled(500)).map { "\(thread) \($0)" })
        }
    }

    @Test("Promise 1: a synchronous call returns when every logger has handled its message")
    func synchronous() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousLevels = .error
        let loggers =
            (0..<3).map { RecordingLogger(name: "\($0)") } + [
                RecordingLogger(name: "caller", formatter: nil, runsOnCaller: true)
            ]
        for logger in loggers { dispatcher.add(logger) }
        for round in 1...Load.scaled(200) {
            logInfo("before \(round)", to: dispatcher)
            logError("error \(round)", to: dispatcher)
            for logger in loggers {
                #expect(logger.texts.count == round * 2)
                #expect(logger.texts.last == "error \(round)")
            }
        }
    }

    @Test("Promise 1: a message is numbered without gaps, whatever the loggers want")
    func sequence() {
        let dispatcher = LogDispatcher.forTest()
        let all = RecordingLogger(name: "all")
        let errors = RecordingLogger(name: "errors")
        dispatcher.add(all)
        dispatcher.add(errors, levels: .error)
        for index in 0..<300 { log("\(index)", level: index % 3 == 0 ? .error : .info, to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(all.messages.map(\.sequence) == Array(1...300))
        #expect(errors.messages.map(\.sequence) == stride(from: 1, through: 300, by: 3).map { UInt64($0) })
    }
}
