import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Notes when loggers begin and cease to use it.
private final class Attentive: LogFormatter, @unchecked Sendable {
    let events: Box<[String]>
    let mark: String

    init(_ mark: String, _ events: Box<[String]>) { (self.mark, self.events) = (mark, events) }

    override func format(_ message: LogMessage) -> String? {
        events.update { $0.append("\(mark) formats \(message.text)") }
        return message.text
    }
    override func didAdd(toLogger name: String) { events.update { $0.append("\(mark) begins for \(name)") } }
    override func willRemove(fromLogger name: String) {
        events.update { $0.append("\(mark) ends for \(name)") }
    }
}

private final class Line: AbstractLogger, @unchecked Sendable {
    override func log(_ message: LogMessage) { _ = formatted(message) }
}

/// Leaves messages out, repeats others, and notes its hooks.
private final class Picky: FileLogger, @unchecked Sendable {
    let events = Box<[String]>([])
    private var files = 0

    override func log(_ message: LogMessage) {
        if message.text.hasPrefix("no") { return countFiltered() }
        super.log(message)
        if message.text.hasPrefix("twice") { super.log(message) }
    }
    override func didAdd() {
        super.didAdd()
        events.update { $0.append("added") }
    }
    override func willRemove() {
        super.willRemove()
        events.update { $0.append("removed") }
    }
    override func flush() {
        super.flush()
        events.update { $0.append("flushed") }
    }
    override var headerOfNewFile: String? {
        files += 1
        return "file \(files)"
    }
}

@Suite("What subclasses and bridges need", .inTurn)
struct ExtensionPointTests {
    private let scratch = Scratch()

    @Test("A formatter hears when a logger begins to use it and when it ends, between the messages")
    func formatterHooks() {
        let dispatcher = LogDispatcher.forTest()
        let events = Box<[String]>([])
        let logger = Line(name: "line", formatter: Attentive("first", events))
        dispatcher.add(logger)
        logInfo("a", to: dispatcher)
        logger.formatter = Attentive("second", events)
        logInfo("b", to: dispatcher)
        logger.formatter = nil
        logInfo("c", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            events.value == [
                "first begins for line", "first formats a", "first ends for line", "second begins for line",
                "second formats b", "second ends for line",
            ])
        dispatcher.removeAll()
    }

    @Test("A subclass of the file logger leaves messages out, repeats others, and gives each file a header")
    func fileHooks() throws {
        let dispatcher = LogDispatcher()
        let logger = try Picky(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "app")),
            formatter: nil)
        dispatcher.add(logger)
        for text in ["a", "no b", "twice c"] { logInfo("\(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        logger.rollNow()
        logInfo("d", to: dispatcher)
        dispatcher.removeAll()
        let texts = scratch.names().map { scratch.text($0) }
        #expect(texts == ["file 1\na\ntwice c\ntwice c\n", "file 2\nd\n"])
        #expect(logger.statistics.filtered == 1)
        #expect(logger.events.value == ["added", "flushed", "removed"])
    }

    @Test("A file that an earlier run left is told apart from one that this run has written to")
    func leftovers() throws {
        let dispatcher = LogDispatcher()
        func run(_ text: String, _ events: Box<[String]>, reuses: Bool) throws {
            let logger = try FileLogger(
                directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "app")),
                formatter: nil)
            logger.reusesFiles = reuses
            logger.onRoll = { _ in events.update { $0.append("rolled") } }
            logger.onFinishLeftover = { _ in events.update { $0.append("leftover") } }
            dispatcher.add(logger)
            logInfo("\(text)", to: dispatcher)
            if reuses { logger.rollNow() }
            dispatcher.removeAll()
            logger.hookQueue.sync {}
        }
        let (first, second, third) = (Box<[String]>([]), Box<[String]>([]), Box<[String]>([]))
        try run("one", first, reuses: true)
        #expect(first.value == ["rolled"])
        let none = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "app")),
            formatter: nil)
        dispatcher.add(none)
        logInfo("two", to: dispatcher)
        dispatcher.removeAll()
        try run("three", second, reuses: false)
        #expect(second.value == ["leftover"])
        try run("four", third, reuses: true)
        #expect(third.value == ["rolled"])
    }

    @Test("A palette has a style for a level in one context, after tags and before contexts")
    func palettePairs() {
        var palette = ConsolePalette.standard
        palette.setStyle(ConsoleStyle(.cyan), for: .warning, inContext: 7)
        palette.contexts[7] = ConsoleStyle(.magenta)
        func style(_ level: LogLevel, _ context: Int) -> ConsoleStyle {
            palette.style(of: LogMessage("x", level: level, context: context))
        }
        #expect(style(.warning, 7) == ConsoleStyle(.cyan))
        #expect(style(.error, 7) == ConsoleStyle(.magenta))
        #expect(style(.warning, 0) == ConsoleStyle(.yellow))
        palette.setStyle(nil, for: .warning, inContext: 7)
        #expect(style(.warning, 7) == ConsoleStyle(.magenta))
    }

    @Test("Any bit is a level, declared or not, and bits that there are not are none")
    func levelsByIndex() throws {
        #expect(LogLevel(index: 2) == .warning)
        let level = try #require(LogLevel(index: 30))
        #expect(level.name == "level30" && level.severity == .info && level.rawValue == 1 << 30)
        #expect(LogLevel(index: 32) == nil && LogLevel(index: -1) == nil)
    }

    @Test("The current thread is described as messages describe it")
    func currentThread() {
        let dispatcher = LogDispatcher.forTest()
        let seen = Box<[LogMessage]>([])
        let logger = Keeper(seen)
        dispatcher.add(logger)
        let queue = DispatchQueue(label: "heartwood.tests.place")
        let thread = queue.sync {
            logInfo("here", to: dispatcher)
            return LogThread.current
        }
        dispatcher.flush(timeout: .testLimit)
        let message = seen.value[0]
        #expect(thread.queueLabel == "heartwood.tests.place")
        #expect(thread.id == message.threadID && thread.queueLabel == message.queueLabel)
        #expect(thread.name == message.threadName && thread.taskName == message.taskName)
        dispatcher.removeAll()
    }

    @Test("The time at which a file was created stays the same when it is written to")
    func creationTime() throws {
        let path = scratch.path + "/file"
        let before = LogTimestamp(Date())
        try Data("a".utf8).write(to: URL(fileURLWithPath: path))
        guard let created = LogFileInfo.creationTime(ofFileAt: path) else { return }
        #expect(created > before + .seconds(-60) && created < before + .seconds(60))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data("bb".utf8))
        try handle.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(LogFileInfo.creationTime(ofFileAt: path) == created)
        #expect(LogFileInfo.creationTime(ofFileAt: path + "-none") == nil)
    }

    @Test("A logger knows whether the caller is inside of one of its hooks")
    func insideOfHooks() {
        let dispatcher = LogDispatcher.forTest()
        let seen = Box<[Bool]>([])
        let logger = Asking(seen)
        dispatcher.add(logger)
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(seen.value == [true] && !logger.isInHook)
        dispatcher.removeAll()
    }
}

private final class Keeper: AbstractLogger, @unchecked Sendable {
    let seen: Box<[LogMessage]>
    init(_ seen: Box<[LogMessage]>) {
        self.seen = seen
        super.init()
    }
    override func log(_ message: LogMessage) { seen.update { $0.append(message) } }
}

private final class Asking: AbstractLogger, @unchecked Sendable {
    let seen: Box<[Bool]>
    init(_ seen: Box<[Bool]>) {
        self.seen = seen
        super.init()
    }
    override func log(_ message: LogMessage) { seen.update { $0.append(isInHook) } }
}
