import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("What a message knows", .inTurn)
struct LogMessageTests {
    private func logged(clock: any LogClock = SystemClock(), _ body: (LogDispatcher) -> Void) -> [LogMessage]
    {
        let dispatcher = LogDispatcher.forTest(clock: clock)
        let logger = RecordingLogger()
        dispatcher.add(logger)
        body(dispatcher)
        dispatcher.flush(timeout: .testLimit)
        return logger.messages
    }

    @Test("Level, category, context, tag, and the call's place")
    func fromTheCall() throws {
        let line = #line + 2
        let messages = logged { dispatcher in
            logNotice("x", category: LogCategory("place"), context: -7, tag: "tag", to: dispatcher)
            logInfo("y", to: dispatcher)
        }
        let first = try #require(messages.first)
        #expect(first.level == .notice)
        #expect(first.category.name == "place")
        #expect(first.context == -7)
        #expect(first.tag as? String == "tag")
        #expect(first.file == "HeartwoodTests/LogMessageTests.swift")
        #expect(first.fileName == "LogMessageTests")
        #expect(first.function == "fromTheCall()")
        #expect(first.line == line)
        let second = try #require(messages.last)
        #expect(second.category == .default)
        #expect(second.context == 0)
        #expect(second.tag == nil)
        #expect(second.line == line + 1)
    }

    @Test("Every call logs at its own level")
    func levels() {
        let messages = logged { dispatcher in
            logFatal("0", to: dispatcher)
            logError("1", to: dispatcher)
            logWarning("2", to: dispatcher)
            logNotice("3", to: dispatcher)
            logInfo("4", to: dispatcher)
            logDebug("5", to: dispatcher)
            logVerbose("6", to: dispatcher)
        }
        #expect(messages.map(\.level) == LogLevel.standardLevels)
        #expect(messages.map(\.text) == (0..<7).map { "\($0)" })
    }

    @Test("Thread id and name, and the label of the dispatch queue")
    func threadAndQueue() {
        let names = Box<[(UInt64, String)]>([])
        let messages = logged { dispatcher in
            let group = DispatchGroup()
            for index in 0..<3 {
                group.enter()
                let thread = Thread {
                    nameThisThread("worker \(index)")
                    logInfo("\(index)", to: dispatcher)
                    names.update { $0.append((ThreadState.current.id, "worker \(index)")) }
                    group.leave()
                }
                thread.start()
            }
            group.wait()
            DispatchQueue(label: "org.example.queue").sync { logInfo("queue", to: dispatcher) }
            DispatchQueue(label: String(repeating: "é", count: 300)).sync { logInfo("long", to: dispatcher) }
        }
        for message in messages.prefix(3) {
            #expect(names.value.contains { $0.0 == message.threadID && $0.1 == message.threadName })
            #expect(message.threadName == "worker \(message.text)")
        }
        #expect(messages[3].queueLabel == "org.example.queue")
        #expect(messages[4].queueLabel?.hasPrefix(String(repeating: "é", count: 100)) == true)
    }

    @Test("The name of the task, where it has one")
    func taskName() async {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        await Task(name: "import of orders") { logInfo("named", to: dispatcher) }.value
        await Task.detached { logInfo("unnamed", to: dispatcher) }.value
        await dispatcher.flush(timeout: .testLimit)
        #expect(logger.messages.map(\.taskName) == ["import of orders", nil])
    }

    @Test("Timestamps never go back within a thread, and lie between the clock before and after the call")
    func timestamps() throws {
        let before = SystemClock().now()
        let messages = logged { dispatcher in
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
        }
        let after = SystemClock().now()
        let times = messages.map(\.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        let first = try #require(times.first)
        let last = try #require(times.last)
        #expect(first > before + .milliseconds(-50))
        #expect(last < after + .milliseconds(50))
    }

    @Test("A dispatcher with a clock of its own stamps by that clock")
    func manualClock() {
        let clock = ManualClock()
        let start = clock.now()
        let messages = logged(clock: clock) { dispatcher in
            for _ in 0..<5 {
                logInfo("x", to: dispatcher)
                clock.advance(by: .seconds(1))
            }
        }
        #expect(messages.map(\.timestamp) == (0..<5).map { start + .seconds($0) })
    }

    @Test("A message made by hand has what it was given")
    func byHand() {
        let message = LogMessage(
            "a \(1, as: "n")", level: .error, category: LogCategory("hand"), context: 3, tag: [1, 2],
            metadata: ["k": "v"], timestamp: LogTimestamp(nanoseconds: 5), sequence: 9, file: "M/F.swift",
            function: "f()", line: 12, threadID: 77, threadName: "t", queueLabel: "q", taskName: "j")
        #expect(message.text == "a 1")
        #expect(message.level == .error)
        #expect(message.category.name == "hand")
        #expect(message.context == 3)
        #expect(message.tag as? [Int] == [1, 2])
        #expect(message.metadata == ["k": "v"])
        #expect(message.timestamp.nanoseconds == 5)
        #expect(message.sequence == 9)
        #expect(message.file == "M/F.swift" && message.fileName == "F" && message.line == 12)
        #expect(message.function == "f()")
        #expect(message.threadID == 77)
        #expect([message.threadName, message.queueLabel, message.taskName] == ["t", "q", "j"])
    }
}

@Suite("Fields beside the text", .inTurn)
struct LogMetadataTests {
    @Test("Call goes before task, task before category, category before dispatcher")
    func precedence() async {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let category = LogCategory("metadata-\(UUID())")
        dispatcher.metadata = ["a": "dispatcher", "b": "dispatcher", "c": "dispatcher", "d": "dispatcher"]
        category.metadata = ["a": "category", "b": "category", "c": "category"]
        await withLogContext(["a": "outer", "b": "outer", "o": "outer"]) {
            await withLogContext(["b": "task"]) {
                logInfo("x", category: category, metadata: ["a": "call"], to: dispatcher)
                await Task { logInfo("child", category: category, to: dispatcher) }.value
            }
        }
        logInfo("plain", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(
            logger.messages.map(\.metadata) == [
                ["a": "call", "b": "task", "o": "outer", "c": "category", "d": "dispatcher"],
                ["b": "task", "a": "outer", "o": "outer", "c": "category", "d": "dispatcher"],
                ["a": "dispatcher", "b": "dispatcher", "c": "dispatcher", "d": "dispatcher"],
            ])
    }

    @Test("Fields of a category and of a dispatcher can be changed and removed at any time")
    func changing() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let category = LogCategory("metadata-\(UUID())")
        for round in 0..<10 {
            category.metadata = round % 2 == 0 ? ["n": LogValue(round)] : [:]
            logInfo("x", category: category, to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        let expected: [LogValue?] = (0..<10).map { $0 % 2 == 0 ? LogValue($0) : Optional.none }
        #expect(logger.messages.map { $0.metadata["n"] } == expected)
    }

    @Test("Values of every type come back as they were")
    func values() {
        let metadata: LogMetadata = [
            "null": nil, "bool": true, "integer": -5, "unsigned": .unsigned(.max), "double": 2.5,
            "string": "é\n",
            "date": .date(.distantPast), "timestamp": .timestamp(LogTimestamp(nanoseconds: -1)),
            "uuid": .uuid(UUID()), "decimal": .decimal("1.10"),
            "json": .json("{\"a\":1}"), "array": .array([1, [2, ["k": nil]]]), "object": ["k": ["l": "m"]],
            "": "no name",
        ]
        #expect(LogMessage("x", metadata: metadata).metadata == metadata)
    }

    @Test("A list of fields keeps its order, replaces in place, and removes")
    func list() {
        var metadata: LogMetadata = ["a": 1, "b": 2, "a": 3]
        #expect(metadata.map(\.key) == ["a", "b"])
        #expect(metadata["a"] == 3)
        metadata["a"] = nil
        metadata.merge(["b": 9, "c": 4]) { current, _ in current }
        #expect(metadata == ["b": 2, "c": 4])
        metadata.merge(["b": 9]) { _, new in new }
        #expect(metadata == ["b": 9, "c": 4])
        #expect(metadata.count == 2 && metadata["zz"] == nil)
    }
}
