import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Records with their length in front, instead of lines.
private final class LengthPrefixed: FileLogger, @unchecked Sendable {
    override var repairsTornLines: Bool { false }

    override func finishRecord(in output: inout LogBuffer, from start: Int) {
        let text = output.withUnsafeBytes { Array($0[start...]) }
        output.truncate(to: start)
        output.append("\(text.count):")
        output.append(text)
    }
}

/// Asks for the disk while its header is made.
private final class Impatient: FileLogger, @unchecked Sendable {
    override var headerOfNewFile: String? {
        #expect(!synchronize())
        return "head"
    }
}

@Suite(.inTurn) struct FileLoggerHookTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let naming = LogFileNaming(application: "app")

    @Test("A subclass writes records of its own form, for headers and messages alike")
    func ownRecords() throws {
        let logger = try LengthPrefixed(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        logger.fileHeader = "head"
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("one\ntwo", to: dispatcher)
        logInfo("", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(naming) == ["4:head7:one\ntwo0:"])
    }

    @Test("Hooks run off the logging queues, so that they may log and wait for the logger")
    func hooks() throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        let told = Locked<[String]>([])
        logger.onRoll = { [unowned logger] info in
            logInfo("rolled", to: dispatcher)
            _ = logger.synchronize()
            told.withLock { $0.append("roll \(info.name) \(info.size.bytes) \(info.isArchived)") }
        }
        logger.onDelete = { name in told.withLock { $0.append("delete \(name)") } }
        logger.maximumFileCount = 1
        logInfo("one", to: dispatcher)
        logger.rollNow()
        dispatcher.flush(timeout: .testLimit)
        logger.hookQueue.sync {}
        logger.hookQueue.sync {}  // the second hook was handed over while the first one ran
        #expect(
            told.withLock { $0 } == [
                "roll app 2026-01-01--00-00-00-000.log 4 true", "delete app 2026-01-01--00-00-00-000.log",
            ])
        #expect(scratch.texts(naming) == ["rolled\n"])
    }

    @Test("The link leads to the file that is written, after each roll, and again after it was changed")
    func currentLink() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        logger.currentLink = "current.log"
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        for line in ["one", "two"] {
            logInfo("\(line)", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            #expect(scratch.text("current.log") == line + "\n")
            await logger.rollNow()
        }
        #expect(scratch.names().count == 3)
    }

    @Test("One logger per level and per category, by masks alone, without a subclass")
    func routing() throws {
        let dispatcher = LogDispatcher()
        for (name, levels) in [("all", LogLevelMask.all), ("errors", .error), ("some", [.info, .debug])] {
            let logger = try FileLogger(
                directory: scratch.path + "/" + name, settings: FileSettings(naming: naming), formatter: nil,
                clock: clock)
            dispatcher.add(logger, levels: levels)
        }
        logError("e", to: dispatcher)
        logWarning("w", to: dispatcher)
        logInfo("i", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        for (name, text) in [("all", "e\nw\ni\n"), ("errors", "e\n"), ("some", "i\n")] {
            let path = scratch.path + "/" + name + "/app 2026-01-01--00-00-00-000.log"
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test("A directory that cannot be used is refused when the logger is made, with the path and the remedy")
    func setUpErrors() throws {
        scratch.write("", to: "file")
        let error = #expect(throws: LogError.self) { try FileLogger(directory: scratch.logs + "/file") }
        #expect(error?.place == scratch.logs + "/file")
        #expect(error?.code == .file)
        #expect(error?.cause != nil)
        #expect(throws: LogError.self) {
            try FileLogger(directory: URL(string: "https://example.org/logs") ?? URL(fileURLWithPath: "/"))
        }
    }

    @Test(
        "A file logger that is released gives back the memory of its batch", .secondTier,
        .disabled(if: Load.isSanitized, "a sanitizer keeps what is freed"))
    func released() async {
        // In a process of its own: what other tests hold does not count.
        await #expect(processExitsWith: .success) { [path = scratch.logs as String] in
            func makeLoggers(_ count: Int) throws {
                for _ in 0..<count {
                    let logger = try FileLogger(directory: path, formatter: nil)
                    // The pages count only when they are used.
                    let dispatcher = LogDispatcher()
                    dispatcher.add(logger)
                    logInfo("\(String(repeating: "x", count: 60_000))", to: dispatcher)
                    dispatcher.flush(timeout: .testLimit)
                    dispatcher.remove(logger)
                }
            }
            try makeLoggers(100)
            let before = residentBytes()
            try makeLoggers(1000)
            // 80 KiB each would be 80 MiB.
            exit(residentBytes() - before < 40 << 20 ? 0 : 1)
        }
    }

    @Test("Who asks for the disk inside of a header gets no, and no line is written twice")
    func synchronizesInHeader() throws {
        let logger = try Impatient(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(naming) == ["head\none\n"])
        #expect(logger.synchronize())
    }
}
