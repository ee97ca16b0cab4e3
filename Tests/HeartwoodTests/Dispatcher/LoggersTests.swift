import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Adding and removing loggers", .inTurn)
struct LoggersTests {
    @Test("A logger gets what is logged between its addition and its removal, and its hooks in that order")
    func between() {
        let dispatcher = LogDispatcher.forTest()
        let keeper = RecordingLogger(name: "keeper")
        let logger = RecordingLogger(name: "passing")
        dispatcher.add(keeper)
        logInfo("before", to: dispatcher)
        dispatcher.add(logger)
        logInfo("during", to: dispatcher)
        #expect(dispatcher.remove(logger))
        logInfo("after", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.events == [.added, .message("during"), .batchEnd, .removed])
        #expect(keeper.texts == ["before", "during", "after"])
        #expect(dispatcher.loggers.map(\.name) == ["keeper"])
    }

    @Test("Removing waits for what was logged before, in all its forms")
    func removalWaits() async {
        let dispatcher = LogDispatcher.forTest()
        for round in 0..<3 {
            let logger = RecordingLogger()
            dispatcher.add(logger)
            for index in 0..<500 { logInfo("\(index)", to: dispatcher) }
            switch round {
            case 0: await dispatcher.remove(logger)
            case 1: await Task.detached { _ = dispatcher.remove(logger) as Bool }.value
            default: #expect(dispatcher.removeAll())
            }
            #expect(logger.texts.count == 500)
            #expect(logger.events.last == .removed)
            #expect(dispatcher.loggers.isEmpty)
        }
    }

    @Test("A stuck logger is removed later, and others log on meanwhile")
    func removalOfAStuckOne() {
        let dispatcher = LogDispatcher.forTest()
        let stuck = StuckLogger()
        let fine = RecordingLogger()
        dispatcher.add(stuck)
        dispatcher.add(fine)
        logInfo("x", to: dispatcher)
        stuck.waitUntilStuck()
        #expect(!dispatcher.remove(stuck, timeout: .milliseconds(20)))
        #expect(dispatcher.loggers.count == 1)
        logInfo("y", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fine.texts == ["x", "y"])
        stuck.release()
        #expect(stuck.waitUntilIdle(timeout: .testLimit))
        #expect(stuck.events.last == .removed)
        #expect(stuck.texts == ["x"])
        #expect(dispatcher.add(stuck))
    }

    @Test("A logger that was removed may be added again, here or elsewhere")
    func again() {
        let first = LogDispatcher.forTest()
        let second = LogDispatcher.forTest()
        let logger = RecordingLogger()
        for round in 0..<20 {
            let dispatcher = round % 2 == 0 ? first : second
            #expect(dispatcher.add(logger))
            logInfo("\(round)", to: dispatcher)
            #expect(dispatcher.remove(logger))
        }
        #expect(logger.texts == (0..<20).map { "\($0)" })
    }

    @Test("Each logger has levels of its own, which may change at any time")
    func ownLevels() {
        let dispatcher = LogDispatcher.forTest()
        let errors = RecordingLogger(name: "errors")
        let odd = RecordingLogger(name: "odd")
        dispatcher.add(errors, levels: .error)
        dispatcher.add(odd, levels: [.fatal, .info])
        for level in LogLevel.standardLevels { log("\(level)", level: level, to: dispatcher) }
        errors.levels = [.verbose]
        for level in LogLevel.standardLevels { log("\(level) again", level: level, to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(errors.texts == ["fatal", "error", "verbose again"])
        #expect(odd.texts == ["fatal", "info", "fatal again", "info again"])
        #expect(errors.statistics.received == 3)
    }

    @Test("Two loggers of one name both have their figures")
    func sameName() {
        let dispatcher = LogDispatcher.forTest()
        for _ in 0..<3 { dispatcher.add(RecordingLogger(name: "twin")) }
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let statistics = dispatcher.statistics
        #expect(Set(statistics.loggers.keys) == ["twin", "twin 2", "twin 3"])
        #expect(statistics.loggers.values.allSatisfy { $0.delivered == 1 })
    }
}
