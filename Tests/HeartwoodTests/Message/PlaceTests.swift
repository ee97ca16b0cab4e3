import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What a facade looks like that takes its place as values.
private struct Facade {
    let dispatcher: LogDispatcher

    func write(
        _ text: @autoclosure () -> String, _ level: LogLevel, asynchronous: Bool? = nil,
        file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) {
        log(
            text(), level: level, category: LogCategory("facade"), context: 7, tag: ["a", "b"],
            metadata: ["order": 17], asynchronous: asynchronous, to: dispatcher, file: file,
            function: function,
            line: line)
    }
}

@Suite("Messages with a place known at run time", .inTurn)
struct PlaceTests {
    @Test("A facade that is given its place as values keeps it, with everything else")
    func facade() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger, levels: .info)
        let facade = Facade(dispatcher: dispatcher)
        var evaluated = 0
        func text(_ text: String) -> String {
            evaluated += 1
            return text
        }
        facade.write(text("one"), .info, file: "Shop/Cart.swift", function: "pay()", line: 42)
        facade.write(text("never"), .debug)
        log(
            "typed \(5, as: "n")", level: .error, to: dispatcher, file: "/tmp/\(1 + 1).c", function: "main",
            line: -1)
        dispatcher.flush(timeout: .testLimit)
        #expect(evaluated == 1)
        #expect(logger.texts == ["one", "typed 5"])
        let (one, two) = (logger.messages[0], logger.messages[1])
        #expect(one.file == "Shop/Cart.swift" && one.fileName == "Cart" && one.function == "pay()")
        #expect(one.line == 42 && one.category.name == "facade" && one.context == 7)
        #expect(one.tag as? [String] == ["a", "b"] && one.metadata == ["order": 17])
        #expect(one.threadID == ThreadState.current.id)
        #expect(two.file == "/tmp/2.c" && two.line == -1 && two.fields == ["n": 5])
    }

    @Test("A synchronous call with a place returns when the loggers have its message")
    func synchronous() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        Facade(dispatcher: dispatcher).write("now", .info, asynchronous: false)
        #expect(logger.texts == ["now"])
        dispatcher.log(LogMessage("and now"), asynchronous: false)
        #expect(logger.texts == ["now", "and now"])
    }

    @Test("Levels by source file look at a place that is known at run time, too")
    func sourceLevels() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let module = "Module\(UInt32.random(in: 0 ... .max))"
        LogSourceLevels.set(.error, matching: module)
        defer { LogSourceLevels.set(nil, matching: module) }
        log("no", level: .info, to: dispatcher, file: module + "/A.swift", function: "f", line: 1)
        log("yes", level: .error, to: dispatcher, file: module + "/A.swift", function: "f", line: 1)
        dispatcher.log(LogMessage("no", file: module + "/A.swift"))
        dispatcher.log(LogMessage("yes too", level: .fatal, file: module + "/A.swift"))
        #expect(!isLogEnabled(.info, to: dispatcher, file: module + "/B.swift"))
        #expect(isLogEnabled(.info, to: dispatcher, file: "Other" + module + "/B.swift"))
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["yes", "yes too"])
    }

    private static let full = LogMessage(
        "paid \(12.5, as: "amount", format: .fixed(2)) by \("ann", as: "who", privacy: .private)",
        level: .warning,
        category: LogCategory("handed-on"), context: -5, tag: UUID(), metadata: ["a": .array([1, "b", nil])],
        timestamp: LogTimestamp(nanoseconds: 1_234_567_890_123_456_789), file: "Bridge/Lib.c",
        function: "pump",
        line: 7, threadID: 99, threadName: "worker", queueLabel: "com.example.q", taskName: "task")

    @Test("A finished message is delivered as it is, with all that it holds")
    func finished() {
        let clock = ManualClock()
        for dispatcher in [LogDispatcher.forTest(), .forTest(clock: clock)] {
            let logger = RecordingLogger()
            dispatcher.add(logger)
            dispatcher.log(Self.full)
            logWarning("other", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            let message = logger.messages[0]
            #expect(message.text(privacy: .reveal) == "paid 12.50 by ann")
            #expect(message.text == "paid 12.50 by <private>" && message.pieces == Self.full.pieces)
            #expect(
                message.level == .warning && message.category.name == "handed-on" && message.context == -5)
            #expect(
                message.tag as? UUID == Self.full.tag as? UUID
                    && message.metadata == ["a": .array([1, "b", nil])])
            #expect(message.timestamp == Self.full.timestamp && message.threadID == 99)
            #expect(message.threadName == "worker" && message.queueLabel == "com.example.q")
            #expect(message.taskName == "task" && message.file == "Bridge/Lib.c" && message.line == 7)
            #expect(message.function == "pump" && logger.texts.count == 2)
        }
    }

    @Test("A logger may hand its messages to another dispatcher, whose levels and fields hold there")
    func forwarding() {
        let first = LogDispatcher.forTest()
        // Inside of a logger a call never waits: the ring must hold them all.
        let second = LogDispatcher.forTest(ring: .mebibytes(4))
        let logger = RecordingLogger()
        second.add(logger, levels: .notice)
        second.metadata = ["where": "second", "who": "nobody"]
        final class Forwarder: AbstractLogger, @unchecked Sendable {
            let target: LogDispatcher
            init(to target: LogDispatcher) {
                self.target = target
                super.init(name: "forwarder")
            }
            override func log(_ message: LogMessage) { target.log(message) }
        }
        first.add(Forwarder(to: second))
        for number in 0..<1000 {
            logInfo("filtered there", to: first)
            logWarning("\(number, as: "n")", metadata: ["who": "caller"], to: first)
        }
        logError(String(repeating: "large ", count: 100_000), to: first)
        first.flush()
        second.flush()
        #expect(logger.texts.count == 1001)
        #expect(logger.texts.dropLast().map { Int($0) } == (0..<1000).map { $0 })
        #expect(logger.texts.last?.utf8.count == 600_000)
        #expect(logger.messages.allSatisfy { $0.fileName == "PlaceTests" })
        #expect(logger.messages[5].metadata == ["who": "caller", "where": "second"])
        let sequence = logger.messages.map(\.sequence)
        #expect(sequence == sequence.sorted())
        first.removeAll()
    }

    @Test("File names made from data fill no table: the places beyond it are in the fields, and none is lost")
    func bounded() async {
        await #expect(processExitsWith: .success) {
            let dispatcher = LogDispatcher.forTest(ring: .mebibytes(4))
            let logger = RecordingLogger()
            dispatcher.add(logger)
            let count = 3 * CallSiteTable.dynamicSiteLimit
            for number in 0..<count {
                log(
                    "x", level: .info, to: dispatcher, file: "data-\(number).txt", function: "read",
                    line: number)
            }
            dispatcher.log(LogMessage("y", metadata: ["k": 1], file: "one more", function: "g", line: 3))
            log("known", level: .info, to: dispatcher, file: "data-5.txt", function: "read", line: 5)
            dispatcher.flush(timeout: .testLimit)
            #expect(CallSiteTable.shared.sites.count < CallSiteTable.dynamicSiteLimit + 1000)
            for (number, message) in logger.messages.prefix(count).enumerated() {
                let file: LogValue = message.metadata["source.file"] ?? .string(message.file)
                let line: LogValue = message.metadata["source.line"] ?? .integer(Int64(message.line))
                #expect(file == .string("data-\(number).txt") && line == .integer(Int64(number)))
            }
            #expect(logger.messages[count - 1].file == "")
            #expect(
                logger.messages[count].metadata
                    == ["k": 1, "source.file": "one more", "source.function": "g", "source.line": 3])
            #expect(logger.messages[count + 1].file == "data-5.txt" && logger.messages.count == count + 2)
            // Long names count by their bytes.
            let before = CallSiteTable.shared.sites.count
            #expect(
                CallSiteTable.shared.id(file: String(repeating: "n", count: 600_000), function: "", line: 1)
                    == nil)
            #expect(CallSiteTable.shared.sites.count == before)
            let place: StaticString = "literals are not limited"
            #expect(CallSiteTable.id(file: place, function: "f", line: 1) != .max)
        }
    }

    @Test("Places known only at run time fill the table to its limit of bytes together, and no further")
    func boundedBytes() async {
        await #expect(processExitsWith: .success) {
            let table = CallSiteTable.shared
            let size = 10_000
            let known = (0..<100).count { number in
                table.id(file: String(repeating: "n", count: size), function: "", line: number) != nil
            }
            #expect(known == CallSiteTable.dynamicByteLimit / size)
            #expect(table.id(file: "short", function: "f", line: 1) != nil, "there is room for a short one")
        }
    }

    @Test("Two messages are equal if all that they hold is, tags included as far as they can be compared")
    func equality() {
        func message(_ change: (inout Parts) -> Void = { _ in }) -> LogMessage {
            var parts = Parts()
            change(&parts)
            return LogMessage(
                parts.text, level: parts.level, category: parts.category, context: parts.context,
                tag: parts.tag,
                metadata: parts.metadata, timestamp: parts.time, sequence: parts.sequence, file: parts.file,
                function: parts.function, line: parts.line, threadID: parts.thread, threadName: parts.name,
                queueLabel: parts.queue, taskName: parts.task)
        }
        #expect(message() == message())
        let changes: [(inout Parts) -> Void] = [
            { $0.text = "x \(2, as: "n")" }, { $0.text = "x \(1, as: "m")" },
            { $0.text = "x \(1, as: "n", privacy: .private)" }, { $0.text = "x 1" }, { $0.level = .error },
            { $0.category = LogCategory("equality") }, { $0.context = 1 }, { $0.tag = 18 }, { $0.tag = nil },
            { $0.tag = "17" }, { $0.metadata = [:] }, { $0.time = LogTimestamp(nanoseconds: 6) },
            { $0.sequence = 2 }, { $0.file = "g" }, { $0.function = "f" }, { $0.line = 2 }, { $0.thread = 4 },
            { $0.name = "n" }, { $0.queue = "n" }, { $0.task = "n" },
        ]
        for (index, change) in changes.enumerated() {
            #expect(message() != message(change), "change \(index)")
        }
        #expect(message { $0.name = "ab" } != message { ($0.name, $0.queue) = ("a", "b") })
        final class Thing: Sendable {}
        struct Opaque: Sendable {}
        let thing = Thing()
        #expect(message { $0.tag = thing } == message { $0.tag = thing })
        #expect(message { $0.tag = thing } != message { $0.tag = Thing() })
        #expect(message { $0.tag = Opaque() } != message { $0.tag = Opaque() })
        let same = message { $0.tag = Opaque() }
        #expect(same == same)
    }

    private struct Parts {
        var text: LogText = "x \(1, as: "n")"
        var level = LogLevel.info
        var category = LogCategory.default
        var context = 0
        var tag: (any Sendable)? = 17
        var metadata: LogMetadata = ["k": 1]
        var time = LogTimestamp(nanoseconds: 5)
        var sequence: UInt64 = 1
        var file = "f"
        var function = "g"
        var line = 1
        var thread: UInt64 = 3
        var name: String?
        var queue: String?
        var task: String?
    }
}
