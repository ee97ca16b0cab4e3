import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Messages kept in memory", .inTurn)
struct MemoryLoggerTests {
    private func start(clock: any LogClock = SystemClock()) -> (LogDispatcher, MemoryLogger) {
        let (dispatcher, logger) = (LogDispatcher.forTest(clock: clock), MemoryLogger())
        dispatcher.add(logger)
        return (dispatcher, logger)
    }

    @Test("Promise 4: the limits of number and size hold at every moment, and the oldest go first")
    func limits() {
        let (dispatcher, logger) = start()
        logger.maximumCount = 10
        for index in 0..<100 {
            logInfo("\(index)", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.count == min(index + 1, 10))
        }
        #expect(logger.messages.map(\.text) == (90..<100).map { "\($0)" })
        #expect(logger.evictedMessages == 90)

        logger.maximumCount = 0
        logger.maximumSize = .kibibytes(32)
        for index in 0..<1000 { logInfo("\(index) \(String(repeating: "x", count: index))", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.size <= .kibibytes(32) && logger.size > .kibibytes(28))
        #expect(logger.messages.last?.text.hasPrefix("999 ") == true)
        let sum = logger.messages.reduce(0) { $0 + $1.storage.footprint }
        #expect(sum == logger.size.bytes)
        #expect(logger.evictedMessages + logger.count == 1100)

        // One that is larger than the limit costs the others nothing.
        let (count, size) = (logger.count, logger.size)
        logInfo("\(String(repeating: "x", count: 40_000))", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.count == count && logger.size == size)
        #expect(logger.evictedMessages + logger.count == 1101)
        logger.maximumSize = .zero
        for _ in 0..<500 { logInfo("more", to: dispatcher) }
        logger.maximumCount = 3
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.count == 3)
        logger.removeAll()
        #expect(logger.count == 0 && logger.evictedMessages == 1101 + 497)
    }

    @Test("What is evicted is freed: tags end, outside of any lock")
    func tags() {
        final class Tag: Sendable {
            let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        let (dispatcher, logger) = start()
        logger.maximumCount = 5
        let ended = Counter()
        let ends = Semaphore()
        for index in 0..<300 {
            logInfo(
                "\(index)",
                tag: Tag { [weak logger] in
                    ended.increase()
                    ends.signal()
                    _ = logger?.count  // would not come back if the lock were held
                }, to: dispatcher)
        }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        // The thread that has passed the messages on may be the last to release their batch.
        for _ in 0..<295 where !ends.wait(upTo: .seconds(60)) { Issue.record("a tag did not end") }
        #expect(ended.value == 295)
        logger.removeAll()
        #expect(ended.value == 300)
    }

    @Test("They are found by time, level, category, text and anything else, the newest of many")
    func queries() {
        let clock = ManualClock()
        let (dispatcher, logger) = start(clock: clock)
        let begin = clock.now()
        for index in 0..<100 {
            log(
                "Message \(index) \("secret", privacy: .private)", level: index % 10 == 0 ? .error : .debug,
                category: LogCategory(["net", "net.http", "disk"][index % 3]), context: index, to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            clock.advance(by: .seconds(1))
        }
        #expect(logger.messages().count == 100)
        #expect(
            logger.messages(since: begin + .seconds(10), until: begin + .seconds(12)).map(\.context)
                == [10, 11])
        #expect(logger.messages(levels: .error).map(\.context) == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
        #expect(
            logger.messages(levels: .error, category: "net").map(\.context) == [0, 10, 30, 40, 60, 70, 90])
        #expect(logger.messages(category: "n*p", limit: 2).map(\.context) == [94, 97])
        #expect(logger.messages(containing: "message 7").map(\.context) == [7] + Array(70..<80))
        #expect(logger.messages(containing: "secret").isEmpty)
        #expect(logger.messages(where: .contexts(3, 5)).map(\.context) == [3, 5])
        #expect(logger.messages(limit: 0).isEmpty)
    }

    @Test("A dispatcher's sequence has what comes from now on, and leaves no logger when it is dropped")
    func dispatcherMessages() async {
        let dispatcher = LogDispatcher.forTest()
        logError("before", to: dispatcher)
        var stream: LogMessageStream? = dispatcher.messages(levels: .warning, bufferingNewest: 3)
        #expect(dispatcher.loggers.map(\.name) == ["messages"])
        logInfo("too low", to: dispatcher)
        for number in 0..<5 { logError("\(number)", to: dispatcher) }
        await dispatcher.flush(timeout: .testLimit)
        var texts: [String] = []
        if let stream {
            #expect(stream.dropped == 2)
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<3 { texts.append(await iterator.next()?.text ?? "?") }
        }
        #expect(texts == ["2", "3", "4"])
        stream = nil
        waitUntil { dispatcher.loggers.isEmpty }
    }

    @Test("Removing the logger of a dispatcher's sequence ends the sequence")
    func dispatcherMessagesEnd() async {
        let dispatcher = LogDispatcher.forTest()
        let stream = dispatcher.messages()
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        dispatcher.removeAll()
        var texts: [String] = []
        for await message in stream { texts.append(message.text) }
        #expect(texts == ["one"])
    }

    @Test("Threads may ask while messages come")
    func threads() {
        let (dispatcher, logger) = start()
        logger.maximumCount = 100
        onThreads(4) { index in
            for number in 0..<Load.scaled(2000) {
                if index < 2 {
                    logInfo("\(number)", category: LogCategory("t\(index)"), to: dispatcher)
                } else if number % 20 == 0 {
                    let texts = logger.messages(category: "t0").compactMap { Int($0.text) }
                    #expect(texts == texts.sorted())
                    #expect(logger.count <= 101)
                }
            }
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.count == 100)
    }

    @Test("A kept message occupies no more than it needs")
    func compact() {
        let message = LogMessage("short", tag: "tag", metadata: ["a": 1], threadName: "t", queueLabel: "q")
        #expect(message.storage.footprint > 512)
        let copy = message.compact
        #expect(copy.storage.footprint < 400)
        #expect(copy.text == "short" && copy.tag as? String == "tag" && copy.metadata == ["a": 1])
        #expect(copy.threadName == "t" && copy.queueLabel == "q" && copy.file == message.file)
        #expect(copy.timestamp == message.timestamp && copy.level == message.level)
    }
}

@Suite("Messages as a sequence", .inTurn)
struct LogMessageStreamTests {
    private func start() -> (LogDispatcher, MemoryLogger) {
        let (dispatcher, logger) = (LogDispatcher.forTest(), MemoryLogger())
        dispatcher.add(logger)
        return (dispatcher, logger)
    }

    @Test("A loop gets every message in order, and ends when the logger is removed")
    func order() async {
        let (dispatcher, logger) = start()
        let stream = logger.stream(bufferingNewest: 10_000)
        let reader = Task {
            var texts: [String] = []
            for await message in stream { texts.append(message.text) }
            return texts
        }
        for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        await dispatcher.remove(logger)
        #expect(await reader.value == (0..<1000).map { "\($0)" })
        #expect(stream.dropped == 0)
    }

    @Test("It ends too when the dispatcher goes, and when the logger does")
    func ends() async {
        var dispatcher: LogDispatcher? = .forTest()
        let logger = MemoryLogger()
        dispatcher?.add(logger)
        var iterator = logger.stream().makeAsyncIterator()
        dispatcher = nil
        #expect(await iterator.next() == nil)

        var lonely: MemoryLogger? = MemoryLogger()
        let stream = lonely?.stream()
        lonely = nil
        var other = stream?.makeAsyncIterator()
        #expect(await other?.next() == nil)
    }

    @Test("Promise 4: a slow reader misses the oldest, which are counted")
    func slow() async {
        let (dispatcher, logger) = start()
        let stream = logger.stream(of: .levels(.info), bufferingNewest: 10)
        for index in 0..<100 {
            logInfo("\(index)", to: dispatcher)
            logDebug("not this", to: dispatcher)
        }
        await dispatcher.remove(logger)
        var texts: [String] = []
        for await message in stream { texts.append(message.text) }
        #expect(texts == (90..<100).map { "\($0)" })
        #expect(stream.dropped == 90)
        #expect(logger.count == 200)
    }

    @Test("What is kept comes first where that is asked for, without a gap and without repeats")
    func replay() async {
        let (dispatcher, logger) = start()
        for index in 0..<50 { logInfo("\(index)", to: dispatcher) }
        dispatcher.drainNow()
        let writer = Task { for index in 50..<500 { logInfo("\(index)", to: dispatcher) } }
        // Somewhere in the middle of them.
        let stream = logger.stream(of: .levels(.info), replaying: true, bufferingNewest: 1000)
        await writer.value
        await dispatcher.remove(logger)
        var texts: [String] = []
        for await message in stream { texts.append(message.text) }
        #expect(texts == (0..<500).map { "\($0)" })
    }

    @Test("A loop that is cancelled ends, at once")
    func cancel() async {
        let (dispatcher, logger) = start()
        let stream = logger.stream()
        let (began, goOn) = AsyncStream<Void>.makeStream()
        let reader = Task {
            var count = 0
            for await _ in stream {
                count += 1
                goOn.yield()
            }
            return count
        }
        logInfo("one", to: dispatcher)
        for await _ in began { break }
        reader.cancel()
        #expect(await reader.value == 1)
        logInfo("two", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == nil)
        #expect(logger.count == 2)
    }

    @Test("Several streams of several readers: each message once per stream")
    func several() async {
        let (dispatcher, logger) = start()
        let streams = (0..<3).map { _ in logger.stream(bufferingNewest: 10_000) }
        let counts = await withTaskGroup(of: (Int, Int).self) { group in
            for (index, stream) in streams.enumerated() {
                for _ in 0..<2 {
                    group.addTask {
                        var count = 0
                        for await _ in stream { count += 1 }
                        return (index, count)
                    }
                }
            }
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
            await dispatcher.remove(logger)
            return await group.reduce(into: [0, 0, 0]) { $0[$1.0] += $1.1 }
        }
        #expect(counts == [1000, 1000, 1000])
    }
}
