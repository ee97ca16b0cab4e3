import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Levels that reset themselves.
@Suite(.inTurn) struct TemporaryLevelTests {
    private let clock = ManualClock()
    private let recorder = RecordingLogger()
    private let dispatcher: LogDispatcher

    init() {
        dispatcher = LogDispatcher(clock: clock)
        dispatcher.add(recorder, levels: .warning)
    }

    private func log(_ text: String) { logDebug("\(text)", to: dispatcher) }

    private var texts: [String] {
        dispatcher.flush(timeout: .testLimit)
        return recorder.messages.map(\.text)
    }

    @Test(
        "Levels for a while hold between the messages before and after them, and those of before hold again then"
    )
    func logger() {
        log("before")
        recorder.setLevels(.debug, for: .seconds(600))
        #expect(recorder.levels == .debug)
        log("during")
        clock.advance(by: .seconds(599))
        log("at the end")
        clock.advance(by: .seconds(1))
        #expect(recorder.levels == .warning && clock.pendingTimers == 0)
        log("after")
        #expect(texts == ["during", "at the end"])
    }

    @Test("Set again, they last longer and reset to the same levels; set by hand, they do not reset")
    func again() {
        recorder.setLevels(.info, for: .seconds(10))
        clock.advance(by: .seconds(5))
        recorder.setLevels(.debug, for: .seconds(10))
        clock.advance(by: .seconds(9))
        #expect(recorder.levels == .debug)
        clock.advance(by: .seconds(1))
        #expect(recorder.levels == .warning)
        recorder.setLevels(.debug, for: .seconds(10))
        recorder.levels = .error
        clock.advance(by: .seconds(20))
        #expect(recorder.levels == .error)
        // What was set by hand is what the next time resets to, and no time at all resets at once.
        recorder.setLevels(.debug, for: .zero)
        clock.advance(by: .zero)
        #expect(recorder.levels == .error)
    }

    @Test("A logger that is released meanwhile, or is in no dispatcher, does no harm")
    func released() {
        do {
            let other = RecordingLogger()
            dispatcher.add(other)
            other.setLevels(.debug, for: .seconds(1))
            dispatcher.remove(other)
        }
        clock.advance(by: .seconds(2))
        let alone = RecordingLogger()
        alone.setLevels(.error, for: .seconds(3600))
        #expect(alone.levels == .error)
    }

    @Test(
        "Levels of categories for a while give back the rule of before, or none, unless it was set meanwhile")
    func categories() {
        let category = LogCategory("temporary.levels.one")
        LogCategory.setLevels(.debug, matching: "temporary.levels.*", for: .seconds(10), clock: clock)
        #expect(category.levels == .debug)
        clock.advance(by: .seconds(10))
        #expect(category.levels == .all)
        // Temporary levels that are extended leave no rule if there was none before.
        LogCategory.setLevels(.debug, matching: "temporary.levels.*", for: .seconds(10), clock: clock)
        LogCategory.setLevels(.debug, matching: "temporary.levels.*", for: .seconds(20), clock: clock)
        clock.advance(by: .seconds(20))
        #expect(category.levels == .all)
        #expect(!LogCategory.levelRules.contains { $0.pattern == "temporary.levels.*" })
        LogCategory.setLevels(.error, matching: "temporary.levels.*")
        for seconds in [5, 10] {
            LogCategory.setLevels(
                .verbose, matching: "temporary.levels.*", for: .seconds(seconds), clock: clock)
        }
        clock.advance(by: .seconds(9))
        #expect(category.levels == .verbose)
        clock.advance(by: .seconds(1))
        #expect(category.levels == .error)
        LogCategory.setLevels(.debug, matching: "temporary.levels.*", for: .seconds(10), clock: clock)
        LogCategory.setLevels(.info, matching: "temporary.levels.*")
        clock.advance(by: .seconds(20))
        #expect(category.levels == .info)
        LogCategory.setLevels(nil, matching: "temporary.levels.*")
        LogCategory.setLevels(.debug, matching: "temporary.levels.one", for: .seconds(10), clock: clock)
        category.levels = .fatal
        clock.advance(by: .seconds(20))
        #expect(category.levels == .fatal)
        category.inheritLevels()
    }
}
