import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Promises 2 and 10 together: what is delivered after a crash is what would have been delivered without it, with the
/// settings that held for each message.
@Suite(.inTurn) struct JournalSettingsTests {
    @Test(
        "Messages that were accepted before the levels were raised are recovered, and none that came after it",
        arguments: [true, false])
    func raisedLevels(_ isHandled: Bool) throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        try fixture.live([logger], isHandled: isHandled) { dispatcher in
            for number in 0..<3 { logInfo("info \(number)", to: dispatcher) }
            logDebug("debug", to: dispatcher)
            logger.levels = .error
            logInfo("not wanted", to: dispatcher)
            logError("error", to: dispatcher)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["info 0", "info 1", "info 2", "debug", "error"])
    }

    @Test(
        "Messages that the levels left out are not recovered, whatever the levels became later",
        arguments: [true, false])
    func loweredLevels(_ isHandled: Bool) throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        logger.levels = .warning
        try fixture.live([logger], isHandled: isHandled) { dispatcher in
            for number in 0..<3 { logInfo("not wanted \(number)", to: dispatcher) }
            logWarning("warning", to: dispatcher)
            logger.levels = .all
            logInfo("info", to: dispatcher)
            logger.levels = .off
            logError("not wanted", to: dispatcher)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["warning", "info"])
    }

    @Test(
        "Messages that no logger had been given yet are recovered by the levels that were set last",
        arguments: [true, false])
    func undecided(_ isRaised: Bool) throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(RecordingLogger())
        dispatcher.add(logger, levels: isRaised ? .off : .all)
        // Nothing is taken from the ring by itself until the process has died.
        dispatcher.consumer.queue.suspend()
        logger.levels = isRaised ? .all : .warning
        try dispatcher.consumer.drain.withLock { _ in
            logInfo("info", to: dispatcher)
            logWarning("warning", to: dispatcher)
            try fixture.die()
        }
        dispatcher.consumer.queue.resume()
        dispatcher.flush(timeout: .testLimit)
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == (isRaised ? ["info", "warning"] : ["warning"]))
    }

    @Test(
        "A message that brought its time along, or has that of the dispatcher's clock, is recovered with that time",
        arguments: [true, false])
    func ownTime(_ isMadeElsewhere: Bool) throws {
        let fixture = JournalFixture()
        let time = LogTimestamp(nanoseconds: 981_173_106_000_000_000)
        let clock: any LogClock = isMadeElsewhere ? SystemClock() : ManualClock(time)
        try fixture.live([fixture.makeLogger()], clock: clock) { dispatcher in
            if isMadeElsewhere {
                dispatcher.log(LogMessage("message", timestamp: time))
            } else {
                logInfo("message", to: dispatcher)
            }
        }
        let formatter = try PatternFormatter("{utc:yyyy-MM-dd HH:mm:ss} {message}, thread {thread}")
        #expect(try fixture.recover([fixture.makeLogger(formatter: formatter)]))
        #expect(fixture.lines().map { $0.prefix(27) } == ["2001-02-03 04:05:06 message"])
        #expect(fixture.lines(withNotes: true).allSatisfy { !$0.hasSuffix("thread 0") })
    }

    @Test("Each of several loggers gets back what its own levels let pass at each message")
    func severalLevels() throws {
        let fixture = JournalFixture()
        let loggers = try (0..<3).map { try fixture.makeLogger("logs\($0)") }
        try fixture.live(loggers) { dispatcher in
            for round in 0..<6 {
                for (index, logger) in loggers.enumerated() {
                    logger.levels = (round + index) % 3 == 0 ? .all : .error
                }
                logInfo("info \(round)", to: dispatcher)
                logError("error \(round)", to: dispatcher)
            }
        }
        try fixture.recover((0..<3).map { try fixture.makeLogger("logs\($0)") })
        for index in 0..<3 {
            let expected = (0..<6).flatMap { round -> [String] in
                (round + index) % 3 == 0 ? ["info \(round)", "error \(round)"] : ["error \(round)"]
            }
            #expect(fixture.lines("logs\(index)") == expected)
        }
    }

    @Test("What was logged after a logger was removed is not recovered for it, though it had not finished")
    func removed() throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        try fixture.live([logger], isHandled: false) { dispatcher in
            logInfo("before", to: dispatcher)
            dispatcher.remove(logger, timeout: .zero)
            logInfo("after", to: dispatcher)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["before"])
    }

    @Test(
        "The logger's filter holds for recovered messages, also where it is set right after the logger was added",
        arguments: [true, false])
    func filter(_ isSetBefore: Bool) throws {
        let fixture = JournalFixture()
        let filter = LogFilter { !$0.text.contains("SECRET") }
        try fixture.live([fixture.makeLogger()], isHandled: false) { dispatcher in
            for number in 0..<5 {
                logInfo("SECRET \(number)", to: dispatcher)
                logInfo("open \(number)", to: dispatcher)
            }
        }
        let logger = try fixture.makeLogger()
        if isSetBefore { logger.filter = filter }
        let isComplete = try fixture.recover([logger]) { _ in logger.filter = filter }
        #expect(isComplete)
        #expect(fixture.lines() == (0..<5).map { "open \($0)" })
        #expect(logger.statistics.filtered == 5 && logger.statistics.isBalanced)
    }

    @Test("What a filter had left out stays out, though the next run has no filter, or another one")
    func earlierFilter() throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        try fixture.live([logger]) { dispatcher in
            logger.filter = LogFilter { !$0.text.contains("SECRET") }
            logInfo("SECRET 1", to: dispatcher)
            logInfo("open 1", to: dispatcher)
            logger.filter = nil
            logInfo("SECRET that was let pass", to: dispatcher)
            logger.filter = LogFilter { _ in false }
            logInfo("nothing", to: dispatcher)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["open 1", "SECRET that was let pass"])
    }

    @Test("What a formatter had dropped stays out, though the next run's formatter would write it")
    func earlierFormatter() throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger(formatter: DroppingFormatter())
        try fixture.live([logger]) { dispatcher in
            logInfo("drop 1", to: dispatcher)
            logInfo("keep 1", to: dispatcher)
            logger.formatter = nil
            logInfo("drop this not", to: dispatcher)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["keep 1", "drop this not"])
    }

    @Test("A flight recorder and the collapse of repeats act on recovered messages as on new ones")
    func selection() throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger()], isHandled: false) { dispatcher in
            logDebug("detail", to: dispatcher)
            for _ in 0..<4 { logInfo("the same", to: dispatcher) }
            logError("error", to: dispatcher)
            logDebug("detail that nothing asks for", to: dispatcher)
        }
        let logger = try fixture.makeLogger()
        logger.flightRecorder = FlightRecorder(announces: false)
        logger.duplicateSuppression = DuplicateSuppression()
        #expect(try fixture.recover([logger]))
        #expect(
            fixture.lines() == ["the same", "last message repeated 3 times", "detail", "error"])
    }

    @Test("Two loggers with one directory and application each get their own, in whatever order they come")
    func sameDirectory() throws {
        for isSwapped in [false, true] {
            let fixture = JournalFixture()
            let text = try fixture.makeLogger(formatter: LineFormatter())
            let json = try fixture.makeLogger(formatter: JSONLinesFormatter())
            json.levels = .error
            try fixture.live([text, json]) { dispatcher in
                for number in 0..<3 { logError("number \(number)", to: dispatcher) }
                logInfo("text alone", to: dispatcher)
            }
            let loggers = try [
                fixture.makeLogger(formatter: LineFormatter()),
                fixture.makeLogger(formatter: JSONLinesFormatter()),
            ]
            #expect(try fixture.recover(isSwapped ? loggers.reversed() : loggers))
            let lines = fixture.lines()
            #expect(lines.filter { $0.hasPrefix("{") }.count == 3)
            #expect(lines.filter { !$0.hasPrefix("{") }.count == 4)
            #expect(fixture.scratch.names(fixture.next).isEmpty)
        }
    }

    @Test("Two loggers that nothing tells apart get each its own share once")
    func twins() throws {
        let fixture = JournalFixture()
        let twins = try (0..<2).map { _ in try fixture.makeLogger() }
        try fixture.live(twins) { dispatcher in
            twins[1].levels = .error
            logInfo("first", to: dispatcher)
            logError("both", to: dispatcher)
        }
        try fixture.recover((0..<2).map { _ in try fixture.makeLogger() })
        #expect(fixture.lines().sorted() == ["both", "both", "first"])
        #expect(fixture.scratch.names(fixture.next).isEmpty)
    }

    @Test("Where one logger wrote to a place, the one that is there now gets all, whatever it is called")
    func renamed() throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger(name: "old")]) { logInfo("kept", to: $0) }
        #expect(try fixture.recover([fixture.makeLogger(formatter: LineFormatter(), name: "new")]))
        #expect(fixture.lines().count == 1)
    }

    @Test(
        "Of two loggers of one place, what only one left goes to that one, whichever comes first",
        arguments: [true, false])
    func onlyOneLeft(_ isAttached: Bool) throws {
        for isSwapped in [false, true] {
            let fixture = JournalFixture()
            let loggers = try ["first", "second"].map {
                try fixture.makeLogger(formatter: NamingFormatter($0), name: $0)
            }
            // Without the other in the run that died, or with it, done and removed.
            try fixture.live(isAttached ? loggers : [loggers[1]]) { dispatcher in
                if isAttached { dispatcher.remove(loggers[0]) }
                logInfo("kept", to: dispatcher)
            }
            let next = try ["first", "second"].map {
                try fixture.makeLogger(formatter: NamingFormatter($0), name: $0)
            }
            #expect(try fixture.recover(isSwapped ? next.reversed() : next))
            #expect(fixture.lines() == ["second kept"])
            #expect(fixture.scratch.names(fixture.next).isEmpty)
        }
    }

    @Test(
        "What is left of two loggers waits for the second one, though the first has got its own in a run alone"
    )
    func waitsForTheSecond() throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger("a"), fixture.makeLogger("b")]) { logInfo("line", to: $0) }
        try fixture.recover([fixture.makeLogger("a")])
        #expect(fixture.lines("a") == ["line"] && fixture.lines("b").isEmpty)
        #expect(try fixture.recover([fixture.makeLogger("b")]))
        #expect(fixture.lines("a") == ["line"] && fixture.lines("b") == ["line"])
        #expect(fixture.scratch.names(fixture.next).isEmpty)
    }

    @Test("What is left of one logger waits for it while the other one of the same place has a run alone")
    func waitsForItsLogger() throws {
        let fixture = JournalFixture()
        let loggers = try ["first", "second"].map {
            try fixture.makeLogger(formatter: NamingFormatter($0), name: $0)
        }
        try fixture.live(loggers) { dispatcher in
            dispatcher.remove(loggers[0])
            logInfo("kept", to: dispatcher)
        }
        for name in ["first", "second"] {
            #expect(fixture.lines().isEmpty)
            try fixture.recover([fixture.makeLogger(formatter: NamingFormatter(name), name: name)])
        }
        #expect(fixture.lines() == ["second kept"])
    }

    @Test("Shares of a journal go to the loggers of the same place, by name and formatter, else by order")
    func keys() {
        let text = JournalKey(place: "p", variant: "a/Line")
        let json = JournalKey(place: "p", variant: "a/JSON")
        let second = JournalKey(place: "p", variant: "a/JSON", number: 1)
        let other = JournalKey(place: "q", variant: "a/Line")
        let new = JournalKey(place: "p", variant: "b/New")
        let old = JournalKey("p")
        let cases: [(keys: [JournalKey], wanted: JournalKey, order: Int, share: JournalKey?)] = [
            ([], text, 0, nil), ([other], text, 0, nil), ([text], text, 0, text), ([text], new, 3, text),
            ([old], text, 0, old), ([old, old], text, 1, old), ([text, json], json, 0, json),
            ([text, other, json], json, 0, json), ([text, json, second], second, 0, second),
            ([text, json, second], json, 2, json), ([text, json], new, 0, text),
            ([text, json], new, 1, json),
            ([text, json], new, 2, nil), ([text, json, text], text, 1, text),
        ]
        for (keys, wanted, order, share) in cases {
            let found = JournalKey.share(
                of: wanted, order: order, known: keys, left: Set(keys), present: [wanted])
            #expect(found == share, "\(keys) \(wanted)")
        }
        let shares:
            [(left: Set<JournalKey>, present: Set<JournalKey>, wanted: JournalKey, share: JournalKey?)] = [
                // The journal knows that the text logger left nothing.
                ([json], [], text, nil), ([json], [], json, json), ([json], [text], new, json),
                // Who is there gets what is its own, though another asks before it.
                ([text, json], [json], new, text), ([text, json], [text], new, json),
                ([text, json], [text, json], new, nil), ([json], [json], new, nil),
                // Two that only their number tells apart.
                ([second], [], json, second), ([second], [second], json, nil),
            ]
        for (left, present, wanted, share) in shares {
            let found = JournalKey.share(
                of: wanted, order: 0, known: [text, json, second], left: left,
                present: present.union([wanted]))
            #expect(found == share, "\(left) \(present) \(wanted)")
        }
        for key in [text, json, second, other] { #expect(JournalKey(key.text) == key) }
        let long = JournalKey(place: String(repeating: "ä", count: 2000), variant: "v")
        #expect(long.text.utf8.count < JournalLayout.Slot.longestKey && JournalKey(long.text) == long)
        #expect(long != JournalKey(place: String(repeating: "ä", count: 2001), variant: "v"))
        for text in ["", "\0", "\0\0", "a\0b\0x", "a\0b\099999999999999999999", "\0\0\0\0"] {
            #expect(JournalKey(text).number == 0)
        }
    }
}

/// Drops what says so.
private final class DroppingFormatter: LogFormatter, @unchecked Sendable {
    override func format(_ message: LogMessage) -> String? {
        message.text.hasPrefix("drop") ? nil : message.text
    }
}

/// Says whose a line is.
private final class NamingFormatter: LogFormatter, @unchecked Sendable {
    private let name: String
    init(_ name: String) { self.name = name }
    override func format(_ message: LogMessage) -> String? { "\(name) \(message.text)" }
}
