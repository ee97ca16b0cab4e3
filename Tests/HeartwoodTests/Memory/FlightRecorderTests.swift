import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Messages held back until something goes wrong", .inTurn)
struct FlightRecorderTests {
    private func start(_ recorder: FlightRecorder) -> (LogDispatcher, RecordingLogger) {
        let (dispatcher, logger) = (LogDispatcher.forTest(), RecordingLogger())
        logger.flightRecorder = recorder
        dispatcher.add(logger)
        return (dispatcher, logger)
    }

    @Test("A recording whose name has a slash is no part of another one")
    func slashInName() {
        let (dispatcher, logger) = start(FlightRecorder())
        FlightRecorder.withRecording("a/b") { logDebug("unrelated", to: dispatcher) }
        FlightRecorder.withRecording("a") {
            FlightRecorder.withRecording("b") { logDebug("inner", to: dispatcher) }
            logError("failed", to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["inner", "failed"])
    }

    @Test(
        "Nothing is written of them until an error comes: then all, in order, once, with their own time and thread"
    )
    func error() throws {
        let recorder = FlightRecorder()
        let (dispatcher, logger) = start(recorder)
        let all = RecordingLogger()
        dispatcher.add(all)
        logDebug("1", to: dispatcher)
        logInfo("2", to: dispatcher)
        onThreads(1) { _ in logVerbose("3", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["2"])
        #expect(logger.statistics.filtered == 2)
        #expect(recorder.statistics.waiting == 2)
        logError("4", to: dispatcher)
        logError("5", to: dispatcher)
        logDebug("6", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.allTexts == ["2", "2 earlier messages follow", "1", "3", "4", "5"])
        #expect(logger.entries[1].metadata["recorded"] == 2 && logger.entries[1].level == .notice)
        for message in logger.messages {
            let original = try #require(all.messages.first { $0.text == message.text })
            #expect(message.timestamp == original.timestamp && message.threadID == original.threadID)
            #expect(message.sequence == original.sequence && message.line == original.line)
        }
        #expect(logger.messages[2].threadID != logger.messages[3].threadID)
        #expect(logger.statistics.delivered == 5 && logger.statistics.filtered == 1)
        #expect(logger.statistics.isBalanced)
        let statistics = recorder.statistics
        #expect(statistics.recorded == 3 && statistics.released == 2 && statistics.discarded == 0)
        #expect(statistics.triggers == 2 && statistics.waiting == 1)
    }

    @Test(
        "An error writes what its own recording holds, what is around it and inside of it, and nothing of others"
    )
    func scopes() {
        let (dispatcher, logger) = start(FlightRecorder(announces: false))
        logDebug("outside", to: dispatcher)
        FlightRecorder.withRecording("a") {
            logDebug("a1", to: dispatcher)
            FlightRecorder.withRecording("inner") { logDebug("a inner", to: dispatcher) }
            FlightRecorder.withRecording("other/one") { logDebug("a other", to: dispatcher) }
        }
        FlightRecorder.withRecording("ab") { logDebug("ab1", to: dispatcher) }
        FlightRecorder.withRecording("b") {
            logDebug("b1", to: dispatcher)
            logError("b failed", to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["b1", "b failed"])
        #expect(logger.messages.first?.metadata["recording"] == "b")
        FlightRecorder.withRecording("a") {
            FlightRecorder.withRecording("inner") { logError("a inner failed", to: dispatcher) }
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts.suffix(3) == ["a1", "a inner", "a inner failed"])
        FlightRecorder.withRecording("a") { logError("a failed", to: dispatcher) }
        logError("outside failed", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts.suffix(4) == ["a other", "a failed", "outside", "outside failed"])
        #expect(!logger.texts.contains("ab1"))
        #expect(logger.messages.contains { $0.metadata["recording"] == "a/inner" })
    }

    @Test("Recordings follow their tasks: of a hundred that run at once, those that fail write their own")
    func tasks() async {
        let (dispatcher, logger) = start(FlightRecorder(announces: false))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await FlightRecorder.withRecording {
                        for step in 0..<5 {
                            logDebug("task \(number) step \(step)", context: number, to: dispatcher)
                            await Task.yield()
                        }
                        async let child: Void = logDebug(
                            "task \(number) child", context: number, to: dispatcher)
                        await child
                        if number % 10 == 0 {
                            logError("task \(number) failed", context: number, to: dispatcher)
                        }
                    }
                }
            }
        }
        await dispatcher.flush(timeout: .testLimit)
        let groups = Dictionary(grouping: logger.messages, by: \.context)
        #expect(groups.keys.sorted() == Array(stride(from: 0, to: 100, by: 10)))
        for (number, messages) in groups {
            #expect(
                messages.map(\.text) == (0..<5).map { "task \(number) step \($0)" } + [
                    "task \(number) child", "task \(number) failed",
                ])
        }
    }

    @Test("A field can say what belongs together, or nothing")
    func fields() {
        let (dispatcher, logger) = start(FlightRecorder(scope: .field("request"), announces: false))
        for request in ["r1", "r2", "r1/x"] { logDebug("\(request, as: "request") begins", to: dispatcher) }
        withLogContext(["request": "r1"]) { logError("failed", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["r1 begins", "failed"])

        let (other, everything) = start(FlightRecorder(scope: .everything, announces: false))
        FlightRecorder.withRecording { logDebug("1", to: other) }
        logDebug("2", to: other)
        FlightRecorder.withRecording { logError("3", to: other) }
        other.flush()
        #expect(everything.texts == ["1", "2", "3"])
    }

    @Test("Promise 4: number and memory are bounded, and a note says how many are gone")
    func bounds() {
        let recorder = FlightRecorder(holding: .all, until: [.fatal], capacity: 10)
        let (dispatcher, logger) = start(recorder)
        for index in 0..<100 { logError("\(index)", to: dispatcher) }
        logFatal("end", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            logger.allTexts == ["10 earlier messages follow; 90 older ones were discarded"]
                + (90..<100).map { "\($0)" } + ["end"])
        #expect(recorder.statistics.discarded == 90)

        let small = FlightRecorder(capacity: .max, memoryLimit: .kibibytes(16))
        let (second, bounded) = start(small)
        for index in 0..<1000 {
            FlightRecorder.withRecording("r\(index % 7)") {
                logDebug("\(index) \(String(repeating: "x", count: 100))", to: second)
            }
        }
        logFatal("no recording", to: second)
        second.flush()
        #expect(bounded.texts == ["no recording"])
        bounded.releaseHeldMessages()
        second.flush()
        let numbers = bounded.texts.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(numbers.count > 20 && numbers.count < 60)
        #expect(numbers == Array(1000 - numbers.count..<1000))
        #expect(small.statistics.waiting == 0 && small.statistics.discarded == 1000 - numbers.count)
        #expect(bounded.statistics.isBalanced)
    }

    @Test("In any order of steps it holds what a list would hold", arguments: 0..<10)
    func model(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let recorder = FlightRecorder(capacity: 20, memoryLimit: .kibibytes(20))
        var memory = FlightMemory(recorder)
        var model: [(key: String, message: LogMessage)] = []
        for step in 0..<1500 {
            let key = String(Int.random(in: 0..<8, using: &generator))
            let isTrigger = Int.random(in: 0..<40, using: &generator) == 0
            let message = LogMessage(
                "\(step) \(String(repeating: "x", count: Int.random(in: 0..<600, using: &generator)))",
                level: isTrigger ? .error : .debug, metadata: ["recording": .string(key)]
            ).compact
            if isTrigger {
                let record = memory.take(for: message)
                #expect(record?.messages.map(\.text) == model.filter { $0.key == key }.map(\.message.text))
                model.removeAll { $0.key == key }
            } else {
                let gone = memory.hold(message)
                let before = model.count + 1
                model.append((key, message))
                if model.filter({ $0.key == key }).count > 20,
                    let first = model.firstIndex(where: { $0.key == key })
                {
                    model.remove(at: first)
                }
                while model.reduce(0, { $0 + $1.message.storage.footprint }) > 20 * 1024 {
                    model.removeFirst()
                }
                #expect(gone == before - model.count)
            }
            #expect(memory.size == model.reduce(0) { $0 + $1.message.storage.footprint })
            #expect(memory.count == model.count)
        }
        #expect(memory.takeAll().messages.map(\.text) == model.map(\.message.text))
        #expect(memory.size == 0)
    }

    @Test("Very many recordings: the ones that have been silent for longest go")
    func manyScopes() {
        var memory = FlightMemory(FlightRecorder(capacity: 5))
        for number in 0..<1000 {
            _ = memory.hold(
                LogMessage("\(number)", level: .debug, metadata: ["recording": .string("\(number)")]))
        }
        #expect(memory.count == FlightMemory.mostTracks)
        // A track that had to go leaves nothing of its size behind.
        var copy = memory
        let held = copy.takeAll().messages.reduce(0) { $0 + $1.storage.footprint }
        #expect(memory.size == held && held > 0)
        #expect(copy.size == 0)
        #expect(
            memory.takeAll().messages.map(\.text) == (1000 - FlightMemory.mostTracks..<1000).map { "\($0)" })
    }

    @Test("Filters come before it, collapsed repeats after it, and settings in order")
    func stages() {
        let (dispatcher, logger) = start(FlightRecorder(announces: false))
        logger.filter = !.message(.contains("noise"))
        logger.duplicateSuppression = DuplicateSuppression()
        logDebug("noise", to: dispatcher)
        logDebug("kept", to: dispatcher)
        for _ in 0..<5 { logInfo("same", to: dispatcher) }
        logError("failed", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["same", "last message repeated 4 times", "kept", "failed"])
        logDebug("lost", to: dispatcher)
        logger.flightRecorder = nil
        logDebug("direct", to: dispatcher)
        logger.flightRecorder = FlightRecorder()
        logDebug("never", to: dispatcher)
        dispatcher.remove(logger)
        #expect(logger.texts.suffix(1) == ["direct"])
        #expect(logger.statistics.isBalanced)
        #expect(logger.flightRecorder?.statistics.discarded == 1)
    }

    @Test("A file has them in front of the error, also in front of one that is logged synchronously")
    func file() throws {
        let scratch = Scratch()
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousLevels = .error
        let file = try FileLogger(directory: scratch.logs)
        file.flightRecorder = FlightRecorder(announces: false)
        dispatcher.add(file)
        logDebug("one", to: dispatcher)
        logDebug("two", to: dispatcher)
        logInfo("three", to: dispatcher)
        logError("four", to: dispatcher)
        // No flush: the call itself has written them.
        let words = scratch.lines(file.naming).compactMap { line in
            ["one", "two", "three", "four"].first { line.contains(" \($0)") }
        }
        #expect(words == ["three", "one", "two", "four"])
        dispatcher.removeAll()
    }

    @Test("One recorder serves two loggers, each with its own messages")
    func shared() {
        let recorder = FlightRecorder(announces: false)
        let (dispatcher, logger) = start(recorder)
        let other = RecordingLogger()
        other.flightRecorder = recorder
        dispatcher.add(other, levels: [.error, .debug])
        logVerbose("1", to: dispatcher)
        logDebug("2", to: dispatcher)
        logError("3", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["1", "2", "3"] && other.texts == ["2", "3"])
        #expect(recorder.statistics.recorded == 3 && recorder.statistics.released == 3)
    }

    @Test("A logger that fails at messages that were held back counts them as failed")
    func failures() {
        let (dispatcher, logger) = (LogDispatcher.forTest(), FailingLogger(every: 2))
        logger.flightRecorder = FlightRecorder(announces: false)
        dispatcher.add(logger)
        for index in 0..<10 { logDebug("\(index)", to: dispatcher) }
        logError("end", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.statistics.failed == 5 && logger.statistics.delivered == 6)
        #expect(logger.statistics.isBalanced)
    }
}
