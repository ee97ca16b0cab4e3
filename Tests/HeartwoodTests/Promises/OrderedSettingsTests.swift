import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Records which value of an ordered property was in effect at each message.
private final class Painter: AbstractLogger, @unchecked Sendable {
    @Ordered var colour = "red"
    @Ordered var width = 1
    let seen = Box<[String]>([])
    let changes = Counter()

    override func log(_ message: LogMessage) {
        let line = "\(message.text) \(colour) \(width)"
        seen.update { $0.append(line) }
    }
    override func settingsDidChange() { changes.increase() }
}

/// The same, with its properties in one struct.
private final class StructPainter: AbstractLogger, ConfigurableLogger, @unchecked Sendable {
    struct Settings {
        var colour = "red"
        var width = 1
    }
    let orderedSettings = Ordered(wrappedValue: Settings())
    let seen = Box<[String]>([])

    override func log(_ message: LogMessage) {
        let line = "\(message.text) \(self.colour) \(self.width)"
        seen.update { $0.append(line) }
    }
}

private final class Prefix: LogFormatter, @unchecked Sendable {
    let prefix: String
    init(_ prefix: String) { self.prefix = prefix }
    override func format(_ message: LogMessage) -> String? { prefix + message.text }
}

@Suite("Promise 2: settings are ordered too", .inTurn)
struct OrderedSettingsTests {
    @Test("Promise 2: a property takes effect exactly between the messages before and after it")
    func betweenMessages() {
        let dispatcher = LogDispatcher.forTest()
        let logger = Painter()
        dispatcher.add(logger)
        var expected: [String] = []
        for round in 0..<Load.scaled(2000) {
            logger.width = round
            logInfo("a", to: dispatcher)
            logger.colour = "c\(round)"
            logInfo("b", to: dispatcher)
            expected.append("a \(round == 0 ? "red" : "c\(round - 1)") \(round)")
            expected.append("b c\(round) \(round)")
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.seen.value == expected)
    }

    @Test(
        "Promise 2: members of a settings struct are ordered, one by one and together, in a subclass of a user"
    )
    func membersOfStruct() {
        let dispatcher = LogDispatcher.forTest()
        let logger = StructPainter()
        dispatcher.add(logger)
        var expected: [String] = []
        for round in 0..<Load.scaled(1000) {
            logger.width = round
            logInfo("a", to: dispatcher)
            logger.updateSettings { $0.colour += "\($0.width % 2)" }
            logInfo("b", to: dispatcher)
            let key: ReferenceWritableKeyPath<StructPainter, String> = \.colour
            expected.append("a \(round == 0 ? "red" : "c\(round - 1)") \(round)")
            expected.append("b \(logger.colour) \(round)")
            #expect(logger.settings.width == round && logger[keyPath: key] == logger.colour)
            logger.colour = "c\(round)"
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.seen.value == expected)
    }

    @Test("Promise 2: the formatter and the levels are ordered like every other property")
    func formatterAndLevels() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        for round in 0..<200 {
            logger.formatter = Prefix("\(round):")
            logInfo("x", to: dispatcher)
            logger.levels = .warning
            logInfo("never", to: dispatcher)
            logWarning("w", to: dispatcher)
            logger.levels = .all
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.lines == (0..<200).flatMap { ["\($0):x", "\($0):w"] })
    }

    @Test(
        "Promise 2: backlog limit and overflow policy hold for the very next message, even of a stuck logger")
    func limitsOfAStuckLogger() {
        let dispatcher = LogDispatcher.forTest()
        let logger = StuckLogger()
        dispatcher.add(logger)
        logInfo("stuck", to: dispatcher)
        logger.waitUntilStuck()
        for index in 0..<10 { logInfo("kept \(index)", to: dispatcher) }
        logger.overflowPolicy = .dropNewest
        logger.backlogLimit = .bytes(1)
        for index in 0..<10 { logInfo("lost \(index)", to: dispatcher) }
        logger.backlogLimit = .mebibytes(1)
        logInfo("last", to: dispatcher)
        dispatcher.drainNow()
        logger.release()
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["stuck"] + (0..<10).map { "kept \($0)" } + ["last"])
        #expect(logger.announcedDrops == 10)
    }

    @Test(
        "Promise 2: threads that set a property at the same time leave what reads as the last value in effect"
    )
    func concurrentSets() {
        for _ in 0..<Load.scaled(200) {
            let dispatcher = LogDispatcher.forTest()
            let logger = Painter()
            dispatcher.add(logger)
            onThreads(4) { thread in
                for round in 0..<10 {
                    logger.width = thread * 100 + round
                    logger.levels = (thread + round) % 2 == 0 ? [.info, .error] : [.info]
                }
            }
            let width = logger.width
            logInfo("x", to: dispatcher)
            logError("y", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            let expected = ["x red \(width)"] + (logger.levels.contains(.error) ? ["y red \(width)"] : [])
            #expect(logger.seen.value == expected)
        }
    }

    @Test(
        "Promise 2: reading a property never waits, and gives the last value set, while the logger is stuck")
    func readingNeverWaits() {
        final class StuckPainter: StuckLogger, @unchecked Sendable {
            @Ordered var colour = "red"
        }
        let dispatcher = LogDispatcher.forTest()
        let logger = StuckPainter()
        dispatcher.add(logger)
        logInfo("x", to: dispatcher)
        logger.waitUntilStuck()
        onThread {
            for round in 0..<1000 {
                logger.colour = "\(round)"
                #expect(logger.colour == "\(round)")
                logger.backlogLimit = .kibibytes(64 + round)
                #expect(logger.backlogLimit == .kibibytes(64 + round))
                logger.overflowPolicy = .dropOldest
                #expect(logger.overflowPolicy == .dropOldest)
                logger.levels = .debug
                #expect(logger.levels == .debug)
                logger.formatter = Prefix("x")
                #expect((logger.formatter as? Prefix)?.prefix == "x")
                #expect(dispatcher.loggers.count == 1)
                _ = (logger.statistics, logger.name, dispatcher.statistics, dispatcher.levels)
            }
        }
        logger.release()
        dispatcher.flush(timeout: .testLimit)
    }

    @Test("Promise 2: a property set before the logger is added holds for its first message")
    func beforeAdding() {
        for _ in 0..<100 {
            let dispatcher = LogDispatcher.forTest()
            let logger = Painter()
            logger.colour = "blue"
            logger.width = 7
            dispatcher.add(logger)
            logInfo("x", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.seen.value == ["x blue 7"])
        }
    }

    @Test("Promise 2: a limit set before the logger is added holds for its first message")
    func limitBeforeAdding() {
        for _ in 0..<100 {
            let dispatcher = LogDispatcher.forTest()
            let logger = StuckLogger()
            logger.overflowPolicy = .dropNewest
            logger.backlogLimit = .bytes(1)
            dispatcher.add(logger)
            // One is taken although it is larger than the limit: nothing else waits.
            logInfo("x", to: dispatcher)
            logInfo("y", to: dispatcher)
            dispatcher.drainNow()
            logger.release()
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.texts == ["x"])
            #expect(logger.announcedDrops == 1)
        }
    }

    @Test("Promise 2: a value that is replaced ends where it may read and set the property again")
    func endOfAValue() {
        final class Nosy: LogFormatter, @unchecked Sendable {
            weak var logger: AbstractLogger?
            init(_ logger: AbstractLogger) { self.logger = logger }
            deinit { _ = logger?.formatter }
            override func format(_ message: LogMessage) -> String? { message.text }
        }
        onThread {
            let dispatcher = LogDispatcher.forTest()
            let logger = RecordingLogger()
            dispatcher.add(logger)
            for _ in 0..<100 {
                logger.formatter = Nosy(logger)
                logger.formatter = nil
                logInfo("x", to: dispatcher)
            }
            dispatcher.flush(timeout: .testLimit)
        }
    }
}
