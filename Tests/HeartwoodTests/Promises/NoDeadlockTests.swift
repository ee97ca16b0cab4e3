import Dispatch
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Does something in each of its hooks.
private final class BusyLogger: RecordingLogger, @unchecked Sendable {
    private let action: @Sendable (BusyLogger, String) -> Void
    let done = Box<Set<String>>([])

    init(
        _ name: String = "busy", queue: DispatchQueue? = nil,
        _ action: @escaping @Sendable (BusyLogger, String) -> Void
    ) {
        self.action = action
        super.init(name: name, formatter: nil, queue: queue)
    }
    private func act(_ hook: String) {
        action(self, hook)
        done.update { $0.insert(hook) }
    }
    override func log(_ message: LogMessage) {
        super.log(message)
        act("log")
    }
    override func batchDidEnd() { act("batchDidEnd") }
    override func flush() { act("flush") }
    override func didAdd() { act("didAdd") }
    override func willRemove() { act("willRemove") }
}

/// Does something while it formats.
private final class BusyFormatter: LogFormatter, @unchecked Sendable {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    override func format(_ message: LogMessage) -> String? {
        action()
        return message.text
    }
}

/// Logs, flushes and more when its last reference goes.
private final class LoudTag: Sendable {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

/// Every public call that might wait, for calling it where nothing may.
private func everything(_ dispatcher: LogDispatcher, _ logger: AbstractLogger, _ extra: AbstractLogger) {
    logInfo("inner", to: dispatcher)
    logInfo("inner synchronous", asynchronous: false, to: dispatcher)
    logError("inner error", metadata: ["a": 1], to: dispatcher)
    logFatal("inner \(String(repeating: "x", count: 20_000))", tag: 7, to: dispatcher)
    dispatcher.flush(timeout: .testLimit)
    logger.levels = .all
    logger.backlogLimit = .mebibytes(1)
    logger.overflowPolicy = .block(upTo: .seconds(60))
    logger.formatter = logger.formatter
    dispatcher.levels = dispatcher.levels
    dispatcher.metadata = dispatcher.metadata
    dispatcher.overflowPolicy = dispatcher.overflowPolicy
    _ = (dispatcher.loggers, dispatcher.statistics, logger.statistics, dispatcher.diagnostics.totals)
    dispatcher.add(extra)
    dispatcher.add(logger)
    dispatcher.remove(extra)
    _ = logger.waitUntilIdle(timeout: .testLimit)
}

@Suite("Promise 5: no deadlock", .inTurn)
struct NoDeadlockTests {
    private func dispatcher() -> LogDispatcher {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousLevels = .error
        dispatcher.synchronousTimeout = .seconds(60)
        return dispatcher
    }

    @Test("Promise 5: every call may be made from inside every hook of a logger", arguments: [false, true])
    func hooks(ringIsFull: Bool) {
        onThread {
            let dispatcher = dispatcher()
            let extra = RecordingLogger(name: "extra")
            let other = RecordingLogger(name: "other", formatter: nil, runsOnCaller: true)
            let logger = BusyLogger { [weak dispatcher] logger, hook in
                guard let dispatcher else { return }
                if ringIsFull, hook == "log", logger.texts.count == 1 {
                    for _ in 0..<2000 { logInfo("fill", to: dispatcher) }
                }
                // Not for each of the messages that fill the ring.
                if hook != "log" || logger.texts.count <= 30 { everything(dispatcher, logger, extra) }
            }
            dispatcher.add(other)
            dispatcher.add(logger)
            logInfo("one", to: dispatcher)
            logError("two", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            dispatcher.remove(logger, timeout: .testLimit)
            #expect(logger.done.value == ["log", "batchDidEnd", "flush", "didAdd", "willRemove"])
            #expect(other.texts.contains("one") && other.texts.contains("two"))
        }
    }

    @Test("Promise 5: every call may be made from inside a formatter")
    func formatters() {
        onThread {
            let dispatcher = dispatcher()
            let extra = RecordingLogger(name: "extra")
            let logger = RecordingLogger()
            logger.formatter = BusyFormatter { [weak dispatcher, weak logger] in
                guard let dispatcher, let logger else { return }
                everything(dispatcher, logger, extra)
            }
            dispatcher.add(logger)
            for index in 0..<50 { logInfo("\(index)", asynchronous: index % 2 == 0, to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.texts.filter { Int($0) != nil }.count == 50)
        }
    }

    @Test("Promise 5: a logger that runs on the caller's thread may call everything, too")
    func onTheCaller() {
        final class Busy: RecordingLogger, @unchecked Sendable {
            let extra = RecordingLogger(name: "extra")
            let target = Box<LogDispatcher?>(nil)
            override func log(_ message: LogMessage) {
                super.log(message)
                if let dispatcher = target.value { everything(dispatcher, self, extra) }
            }
        }
        onThread {
            let dispatcher = dispatcher()
            let logger = Busy(name: "caller", formatter: nil, runsOnCaller: true)
            logger.target.value = dispatcher
            dispatcher.add(logger)
            for index in 0..<50 { logError("\(index)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.texts.filter { Int($0) != nil }.count == 50)
            logger.target.value = nil
        }
    }

    @Test("Promise 5: every call may be made from the logger's own queue, and waits for what it can have")
    func ownQueue() {
        onThread {
            let dispatcher = dispatcher()
            let logger = RecordingLogger()
            dispatcher.add(logger)
            for round in 1...20 {
                logger.queue.sync {
                    logError("\(round)", to: dispatcher)
                    #expect(logger.texts.last == "\(round)")
                    logInfo("more", to: dispatcher)
                    #expect(dispatcher.flush(timeout: .testLimit).isComplete)
                    #expect(logger.texts.last == "more")
                    everything(dispatcher, logger, RecordingLogger(name: "extra"))
                }
            }
            logger.queue.sync { _ = dispatcher.remove(logger, timeout: .testLimit) }
            #expect(logger.events.last == .removed)
        }
    }

    @Test("Promise 5: every call may be made while all loggers share one queue", arguments: [false, true])
    func sharedQueue(isConcurrent: Bool) {
        onThread {
            let dispatcher = dispatcher()
            let queue =
                isConcurrent
                ? DispatchQueue(label: "shared", attributes: .concurrent) : DispatchQueue(label: "shared")
            let loggers = (0..<4).map { RecordingLogger(name: "\($0)", formatter: nil, queue: queue) }
            for logger in loggers { dispatcher.add(logger) }
            onThreads(4) { thread in
                for index in 0..<50 {
                    logError("\(thread) \(index)", to: dispatcher)
                    queue.sync { logError("inside \(thread) \(index)", to: dispatcher) }
                }
            }
            dispatcher.flush(timeout: .testLimit)
            for logger in loggers { #expect(logger.messages.map(\.sequence) == Array(1...400)) }
        }
    }

    @Test("Promise 5: two loggers may flush and remove each other")
    func eachOther() {
        onThread {
            let dispatcher = dispatcher()
            let others = Box<[BusyLogger]>([])
            let act: @Sendable (BusyLogger, String) -> Void = { [weak dispatcher] logger, hook in
                guard let dispatcher else { return }
                dispatcher.flush(timeout: .testLimit)
                for other in others.value where other !== logger {
                    _ = other.waitUntilIdle(timeout: .testLimit)
                    other.queue.async { dispatcher.flush(timeout: .testLimit) }
                    if hook == "flush" { dispatcher.remove(other, timeout: .testLimit) }
                }
            }
            others.value = [BusyLogger("a", act), BusyLogger("b", act)]
            for logger in others.value { dispatcher.add(logger) }
            for index in 0..<20 { logError("\(index)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            dispatcher.removeAll(timeout: .testLimit)
            others.value = []
        }
    }

    @Test("Promise 5: the diagnostics handler may log and flush, and is not called about its own doings")
    func handler() {
        onThread {
            let dispatcher = dispatcher()
            dispatcher.synchronousTimeout = .milliseconds(10)
            dispatcher.diagnostics.interval = .zero
            let stuck = StuckLogger()
            dispatcher.add(stuck)
            let calls = Counter()
            dispatcher.diagnostics.handler = { [weak dispatcher] _ in
                calls.increase()
                guard let dispatcher else { return }
                everything(dispatcher, stuck, RecordingLogger(name: "extra"))
                for _ in 0..<2000 { logError("from the handler", to: dispatcher) }
            }
            for _ in 0..<5 { logError("x", to: dispatcher) }
            #expect(calls.value == 5)
            stuck.release()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.flush(timeout: .testLimit)
        }
    }

    @Test("Promise 5: the end of a tag may log and flush, wherever it comes")
    func endOfATag() {
        onThread {
            let dispatcher = dispatcher()
            let ends = Counter()
            let logger = StuckLogger()
            logger.overflowPolicy = .dropOldest
            logger.backlogLimit = .kibibytes(2)
            dispatcher.add(logger)
            let nobody = RecordingLogger(name: "nobody")
            dispatcher.add(nobody, levels: .fatal)
            let count = 200
            // Where the framework is quicker than this loop, the tag ends after the call, in the program's own code. There
            // a synchronous call waits for the stuck logger, as it should.
            let own = ObjectIdentifier(Thread.current)
            let isInCall = Locked(false)
            for index in 0..<count {
                if index == count / 2 { logger.release() }
                let tag = LoudTag { [weak dispatcher] in
                    ends.increase()
                    guard let dispatcher else { return }
                    let isInside = ObjectIdentifier(Thread.current) != own || isInCall.withLock { $0 }
                    logError("the tag's end", asynchronous: !isInside, to: dispatcher)
                    dispatcher.flush(timeout: .milliseconds(1))
                    _ = dispatcher.statistics
                }
                isInCall.withLock { $0 = true }
                log("\(index)", level: index % 2 == 0 ? .info : .warning, tag: tag, to: dispatcher)
                isInCall.withLock { $0 = false }
            }
            logger.release()
            dispatcher.flush(timeout: .testLimit)
            logInfo("the last tag has been replaced", to: dispatcher)
            dispatcher.removeAll(timeout: .testLimit)
            logger.removeRecords()
            nobody.removeRecords()
            dispatcher.flush(timeout: .testLimit)
            dispatcher.drainNow()
            waitUntil { ends.value == count }
        }
    }

    @Test("Promise 5: a logger that logs from inside itself is heard once, not forever")
    func selfLogging() {
        let dispatcher = dispatcher()
        let logger = SelfLoggingLogger(to: dispatcher)
        let witness = RecordingLogger(name: "witness")
        dispatcher.add(logger)
        dispatcher.add(witness)
        for index in 0..<100 { log("\(index)", level: index % 2 == 0 ? .error : .info, to: dispatcher) }
        for _ in 0..<3 { dispatcher.flush(timeout: .testLimit) }
        let expected = Set((0..<100).flatMap { ["\($0)", "heard: \($0)"] })
        #expect(Set(witness.texts) == expected)
        #expect(witness.texts.count == 200)
        #expect(dispatcher.statistics.dropped == 100)
    }

    @Test("Promise 5: a logger that logs at the end of each batch comes to an end")
    func loggingAtBatchEnd() {
        let dispatcher = dispatcher()
        let logger = BusyLogger { [weak dispatcher] _, hook in
            if hook == "batchDidEnd", let dispatcher { logInfo("batch ended", to: dispatcher) }
        }
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        for _ in 0..<20 { dispatcher.flush(timeout: .testLimit) }
        #expect(logger.texts == ["one", "batch ended"])
    }

    @Test("Promise 5: a logger that flushes whenever it is flushed comes to an end")
    func flushingInFlush() {
        let dispatcher = dispatcher()
        let flushes = Counter()
        let loggers = (0..<2).map { _ in
            BusyLogger { [weak dispatcher] _, hook in
                if hook == "flush" {
                    flushes.increase()
                    dispatcher?.flush(timeout: .testLimit)
                }
            }
        }
        for logger in loggers { dispatcher.add(logger) }
        for _ in 0..<20 { dispatcher.flush(timeout: .testLimit) }
        #expect(flushes.value == 40)
    }

    @Test("Promise 5: loggers may be added, removed, set, flushed and used by many threads at once")
    func everythingAtOnce() {
        onThread {
            let dispatcher = dispatcher()
            dispatcher.overflowPolicy = .dropOldest
            let permanent = RecordingLogger(name: "permanent")
            dispatcher.add(permanent)
            onThreads(8) { thread in
                for round in 0..<Load.scaled(100) {
                    switch (thread + round) % 4 {
                    case 0:
                        let passing = RecordingLogger(
                            name: "passing", formatter: nil, runsOnCaller: round % 2 == 0)
                        dispatcher.add(passing)
                        logInfo("\(round)", to: dispatcher)
                        dispatcher.remove(passing, timeout: .testLimit)
                        #expect(passing.events.first == .added)
                        #expect(passing.events.last == .removed)
                    case 1: dispatcher.flush(timeout: .testLimit)
                    case 2: for logger in dispatcher.loggers { logger.levels = .all }
                    default: logError("\(round)", to: dispatcher)
                    }
                    _ = dispatcher.statistics
                }
            }
            dispatcher.flush(timeout: .testLimit)
            #expect(dispatcher.loggers.map(\.name) == ["permanent"])
            #expect(permanent.statistics.isBalanced)
        }
    }
}
