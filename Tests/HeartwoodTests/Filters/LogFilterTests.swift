import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

private func message(
    _ text: LogText = "connection to host refused", level: LogLevel = .info, category: String = "net.http",
    context: Int = 0, tag: (any Sendable)? = nil, metadata: LogMetadata = [:], at second: Double = 0,
    file: String = "Shop/Cart.swift", line: Int = 1
) -> LogMessage {
    LogMessage(
        text, level: level, category: LogCategory(category), context: context, tag: tag, metadata: metadata,
        timestamp: LogTimestamp(nanoseconds: Int64((second * 1e9).rounded())), file: file,
        function: "charge()", line: line)
}

@Suite("Filters", .inTurn)
struct LogFilterTests {
    @Test("Level, category, context, tag, file, function")
    func properties() {
        #expect(LogFilter.levels(.warning).passes(message(level: .error)))
        #expect(!LogFilter.levels(.warning).passes(message(level: .info)))
        #expect(LogFilter.contexts(1, 2).passes(message(context: 2)))
        #expect(!LogFilter.contexts(1, 2).passes(message(context: 3)))
        #expect(LogFilter.contexts(except: 1, 2).passes(message(context: 3)))
        #expect(!LogFilter.contexts(except: 1, 2).passes(message(context: 1)))
        #expect(LogFilter.tag("a").passes(message(tag: "a")))
        #expect(!LogFilter.tag("a").passes(message(tag: "b")))
        #expect(!LogFilter.tag("a").passes(message(tag: 1)))
        #expect(!LogFilter.tag("a").passes(message()))
        #expect(LogFilter.tag(as: Int.self) { $0 > 3 }.passes(message(tag: 4)))
        #expect(!LogFilter.tag(as: Int.self) { $0 > 3 }.passes(message(tag: 3)))
        #expect(LogFilter.tag(as: Int.self).passes(message(tag: 3)))
        #expect(LogFilter.file(.starts(with: "Shop/")).passes(message()))
        #expect(!LogFilter.file(.ends(with: "Other.swift")).passes(message()))
        #expect(LogFilter.function(.equals("charge()")).passes(message()))
        #expect(!LogFilter.function(.equals("charge")).passes(message()))
    }

    @Test(
        "Categories with wildcards; a name stands for what belongs to it",
        arguments: [
            (["net"], true), (["net.http"], true), (["net.*"], true), (["*.http"], true), (["*"], true),
            (["ne"], false), (["net.ht"], false), (["db", "net"], true), (["net.*.x"], false), ([], false),
        ] as [([String], Bool)])
    func categories(patterns: [String], expected: Bool) {
        let filter = patterns.reduce(LogFilter.nothing) { $0 || .category($1) }
        #expect(filter.passes(message()) == expected)
    }

    @Test(
        "Texts: starts, contains, ends, equals, expression; with and without case",
        arguments: [
            (LogTextMatch.starts(with: "conn"), true), (.starts(with: "Conn"), false),
            (.starts(with: "Conn", ignoringCase: true), true), (.contains("to host"), true),
            (.contains("hosts"), false),
            (.contains("x", "HOST"), false), (.contains("x", "HOST", ignoringCase: true), true),
            (.ends(with: "refused"), true),
            (.ends(with: "refuse"), false), (.equals("connection to host refused"), true),
            (.equals("connection"), false),
            (.equals("CONNECTION TO HOST REFUSED", ignoringCase: true), true), (.contains(""), true),
            (.contains(), false),
            (.starts(with: "connection to host refused and more"), false),
        ])
    func texts(match: LogTextMatch, expected: Bool) {
        #expect(match.matches("connection to host refused") == expected)
        #expect(LogFilter.message(match).passes(message("connection to \("host") refused")) == expected)
    }

    @Test("Case is ignored in all alphabets; a wrong expression is an error")
    func cases() throws {
        #expect(LogTextMatch.contains("ÄRGER", ignoringCase: true).matches("viel ärger"))
        #expect(!LogTextMatch.contains("ÄRGER").matches("viel ärger"))
        let host = try LogTextMatch.matches("h.st re")
        #expect(host.matches("connection to host refused"))
        #expect(LogFilter.message(host).passes(message()))
        #expect(try !LogTextMatch.matches("^host").matches("connection to host refused"))
        let error = try #require(throws: LogError.self) { _ = try LogTextMatch.matches("[") }
        #expect(error.description.contains("“[”"))
    }

    @Test("Metadata: a value of the text or beside it, the first of its name; private ones stay private")
    func metadata() {
        let message = message(
            "\(5, as: "n") \("ann", as: "who", privacy: .private)", metadata: ["n": 6, "k": "v"])
        #expect(LogFilter.metadata("n", 5).passes(message))
        #expect(!LogFilter.metadata("n", 6).passes(message))
        #expect(LogFilter.metadata("k", "v").passes(message))
        #expect(LogFilter.metadata("k").passes(message))
        #expect(!LogFilter.metadata("none").passes(message))
        #expect(!LogFilter.metadata("who", "ann").passes(message))
        #expect(LogFilter.metadata("who", "<private>").passes(message))
    }

    @Test("And, or, not, all, any, and the order of asking")
    func composition() {
        let (yes, no) = (LogFilter.everything, LogFilter.nothing)
        for (filter, expected) in [
            (yes && yes, true), (yes && no, false), (no && yes, false), (yes || no, true), (no || yes, true),
            (no || no, false),
            (!yes, false), (!no, true), (.all(of: []), true), (.any(of: []), false),
            (.all(of: [yes, no]), false),
            (.any(of: [no, yes]), true), (!(yes && no) || no, true),
        ] { #expect(filter.passes(message()) == expected) }
        let counters = FilterCounters()
        let counted = LogFilter.everything.counted(by: counters)
        _ = (no && counted).passes(message())
        _ = (yes || counted).passes(message())
        #expect(counters.passed == 0)
        _ = (yes && counted).passes(message())
        _ = (yes && (!counted).counted(by: counters)).passes(message())
        #expect((counters.passed, counters.filtered) == (2, 1))
    }

    @Test("A logger's filter takes effect between messages, and what it takes out is counted")
    func loggers() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        logger.filter = !.message(.contains("no"))
        logInfo("no two", to: dispatcher)
        logInfo("three", to: dispatcher)
        logger.filter = nil
        logInfo("no four", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["one", "three", "no four"])
        #expect(logger.statistics.filtered == 1)
        #expect(logger.statistics.delivered == 3)
        #expect(logger.statistics.isBalanced)
    }

    @Test("A filter's function may log: the call does not wait, and does not go on forever")
    func reentrant() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        logger.filter = LogFilter { message in
            logInfo("about \(message.text)", to: dispatcher)
            return true
        }
        dispatcher.add(logger)
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["x", "about x"])
    }

    @Test("A filter with a formatter drops messages, in either form")
    func formatter() {
        let formatter = FilteringFormatter(.levels(.error), LogFormatter())
        var buffer = LogBuffer()
        #expect(formatter.format(message()) == nil)
        #expect(!formatter.format(message(), into: &buffer))
        #expect(formatter.format(message("x", level: .error)) == "x")
        #expect(formatter.format(message("x", level: .error), into: &buffer))
        #expect(buffer.text == "x")
    }
}

@Suite("Sampling and rate limits", .inTurn)
struct AmountTests {
    @Test("All messages of a key pass or none does, in any order, and about the share that was asked for")
    func sampling() {
        let filter = LogFilter.sampling(0.2, by: .field("request"))
        var passed = 0
        for id in 0..<1000 {
            let first = filter.passes(message("\(id, as: "request") began"))
            let second = LogFilter.sampling(0.2, by: .field("request")).passes(
                message("x", metadata: ["request": .string("\(id)")]))
            #expect(first == second)
            if first { passed += 1 }
        }
        #expect((160...240).contains(passed))
        #expect(filter.passes(message("no request")))
    }

    @Test("A greater share holds all of a smaller one; 0 and 1 are nothing and everything")
    func shares() {
        for id in 0..<200 {
            let message = message("x", metadata: ["id": .integer(Int64(id))])
            let passes = [0, 0.1, 0.5, 0.9, 1].map {
                LogFilter.sampling($0, by: .field("id")).passes(message)
            }
            #expect(passes == passes.sorted { !$0 && $1 })
            #expect(!passes[0] && passes[4])
        }
    }

    @Test("The choice is the same in every process and version: this many of these keys")
    func stable() {
        let filter = LogFilter.sampling(0.5, by: .text)
        let chosen = (0..<16).map { filter.passes(message("\($0)")) ? "1" : "0" }.joined()
        // Worked out by another program after the published algorithms (FNV-1a, SplitMix64).
        #expect(chosen == "0010110101100001")
    }

    @Test("Keys: place, category, context, level, text, all")
    func keys() {
        let one = message("a", level: .error, category: "a", context: 1, line: 1)
        let other = message("b", level: .info, category: "b", context: 2, line: 2)
        for key in [FilterKey.callSite, .category, .context, .level, .text] {
            #expect(key.hash(of: one) == key.hash(of: one))
            #expect(key.hash(of: one) != key.hash(of: other), "\(key)")
        }
        #expect(FilterKey.all.hash(of: one) == FilterKey.all.hash(of: other))
        #expect(FilterKey.field("x").hash(of: one) == nil)
    }

    @Test("A token bucket: a burst, then the rate, whatever the clock does")
    func bucket() {
        let time = { (second: Double) in LogTimestamp(nanoseconds: Int64((second * 1e9).rounded())) }
        var bucket = TokenBucket(burst: 3, at: time(0))
        let steps: [(Double, Bool)] = [
            (0, true), (0, true), (0, true), (0, false), (0.4, false), (0.5, true), (0.5, false), (1.0, true),
            (100, true),
            (100, true), (100, true), (100, false), (50, false), (50.5, true), (50.5, false),
        ]
        for (index, step) in steps.enumerated() {
            #expect(bucket.take(at: time(step.0), rate: 2e-9, burst: 3) == step.1, "step \(index)")
        }
    }

    @Test("Each place has a limit of its own, and other keys if asked")
    func limits() {
        let filter = LogFilter.rateLimit(2, per: .seconds(1))
        let lines = [1, 1, 1, 2, 2, 2, 1].map { filter.passes(message(line: $0)) }
        #expect(lines == [true, true, false, true, true, false, false])
        #expect(filter.passes(message(at: 0.5, line: 1)))
        #expect(!filter.passes(message(at: 0.5, line: 1)))
        let byField = LogFilter.rateLimit(1, per: .seconds(60), burst: 2, by: .field("user"))
        let users = ["a", "a", "b", "a"].map { byField.passes(message("x", metadata: ["user": .string($0)])) }
        #expect(users == [true, true, true, false])
        #expect(byField.passes(message()))
    }

    @Test("Only so many keys are remembered, the youngest")
    func bounded() {
        let limiter = RateLimiter(rate: 1e-9, burst: 1)
        for key in 0..<20_000 {
            #expect(limiter.take(UInt64(key), at: LogTimestamp(nanoseconds: Int64(key))))
            #expect(limiter.count <= RateLimiter.capacity)
        }
        #expect(!limiter.take(19_999, at: LogTimestamp(nanoseconds: 20_000)))
        for _ in 0..<RateLimiter.capacity * 2 {
            _ = limiter.take(UInt64.random(in: 0...UInt64.max), at: LogTimestamp(nanoseconds: 30_000))
        }
        #expect(limiter.count <= RateLimiter.capacity)
    }

    @Test("Many threads share a limit, and no more pass than it says")
    func threads() {
        let filter = LogFilter.rateLimit(100, per: .seconds(1), by: .all)
        let counters = FilterCounters()
        let counted = filter.counted(by: counters)
        onThreads(4) { _ in for _ in 0..<200 { _ = counted.passes(message()) } }
        #expect((counters.passed, counters.filtered) == (100, 700))
    }
}

@Suite("Collapsing of repeats", .inTurn)
struct DuplicateSuppressionTests {
    private func logger(_ dispatcher: LogDispatcher, _ interval: Duration = .seconds(30)) -> RecordingLogger {
        let logger = RecordingLogger()
        logger.duplicateSuppression = DuplicateSuppression(interval: interval)
        dispatcher.add(logger)
        return logger
    }

    @Test("A message that comes again is counted, and the count is said before the next one")
    func simple() throws {
        let dispatcher = LogDispatcher.forTest()
        let logger = logger(dispatcher)
        logInfo("one", to: dispatcher)
        for _ in 0..<42 { logWarning("again \(1)", category: LogCategory("net"), to: dispatcher) }
        logInfo("two", to: dispatcher)
        logInfo("two", to: dispatcher)
        logInfo("three", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            logger.texts == [
                "one", "again 1", "last message repeated 41 times", "two", "last message repeated once",
                "three",
            ])
        let note = logger.messages[2]
        #expect(note.level == .warning)
        #expect(note.category.name == "net")
        #expect(note.metadata == ["repeated": 41])
        #expect(logger.statistics.filtered == 42)
        #expect(logger.statistics.delivered == 4)
        #expect(logger.statistics.isBalanced)
    }

    @Test("Messages that differ in text, value, field, level, category or context are others")
    func differences() {
        let dispatcher = LogDispatcher.forTest()
        let logger = logger(dispatcher)
        logInfo("a \(1)", to: dispatcher)
        logInfo("a \(2)", to: dispatcher)
        logInfo("a \(2)", metadata: ["k": 1], to: dispatcher)
        logInfo("a \(2)", metadata: ["k": 2], to: dispatcher)
        logDebug("a \(2)", metadata: ["k": 2], to: dispatcher)
        logDebug("a \(2)", category: LogCategory("net"), metadata: ["k": 2], to: dispatcher)
        logDebug("a \(2)", category: LogCategory("net"), context: 1, metadata: ["k": 2], to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["a 1"] + Array(repeating: "a 2", count: 6))
    }

    @Test("A flush, the removal, and switching it off say what is owed")
    func endings() {
        let dispatcher = LogDispatcher.forTest()
        let logger = logger(dispatcher)
        for _ in 0..<3 { logInfo("x", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["x", "last message repeated 2 times"])
        logInfo("x", to: dispatcher)
        logger.duplicateSuppression = nil
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts.suffix(2) == ["last message repeated once", "x"])
        logger.duplicateSuppression = DuplicateSuppression()
        for _ in 0..<2 { logInfo("y", to: dispatcher) }
        dispatcher.removeAll()
        #expect(logger.texts.suffix(2) == ["y", "last message repeated once"])
        #expect(logger.events.last == .removed)
    }

    @Test("While the same goes on, it is said after each interval; in silence, a timer says it")
    func intervals() {
        let clock = ManualClock()
        let dispatcher = LogDispatcher.forTest(clock: clock)
        let logger = logger(dispatcher, .seconds(10))
        // Bridges the dispatcher and the logger, so that what has been logged so far is handled.
        func settle() {
            dispatcher.drainNow()
            #expect(logger.waitUntilIdle(timeout: .testLimit))
        }
        for _ in 0..<12 {
            logInfo("x", to: dispatcher)
            settle()
            clock.setWall(clock.now() + .seconds(1))
        }
        #expect(logger.texts == ["x", "last message repeated 10 times"])
        clock.advance(by: .seconds(10))
        waitUntil { logger.texts.count == 3 }
        #expect(logger.texts.last == "last message repeated once")
        dispatcher.removeAll()
        #expect(logger.texts.count == 3)
    }

    @Test("A filter goes before: what it takes out neither repeats nor interrupts")
    func filtered() {
        let dispatcher = LogDispatcher.forTest()
        let logger = logger(dispatcher)
        logger.filter = .levels(.info)
        logInfo("x", to: dispatcher)
        logDebug("noise", to: dispatcher)
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["x", "last message repeated once"])
        #expect(logger.statistics.filtered == 2)
    }
}

@Suite("SwiftyBeaver's rules", .inTurn)
struct SwiftyBeaverFilterTests {
    private func filter(
        _ text: String, _ role: SwiftyBeaverFilter.Role, _ level: LogLevel = .verbose
    ) -> SwiftyBeaverFilter {
        SwiftyBeaverFilter(.message, .contains(text), role: role, minimumLevel: level)
    }

    @Test("Every row of the decision")
    func decisions() {
        typealias Row = (
            filters: [SwiftyBeaverFilter], minimum: LogLevel, text: LogText, level: LogLevel, passes: Bool
        )
        let rows: [Row] = [
            // No filters: the least level.
            ([], .info, "a", .info, true), ([], .info, "a", .debug, false),
            // Excluding ones: not with the text, nor below their level.
            ([filter("a", .excluding)], .verbose, "a", .error, false),
            ([filter("a", .excluding)], .verbose, "b", .debug, true),
            ([filter("a", .excluding, .info)], .verbose, "b", .debug, false),
            ([filter("a", .excluding)], .info, "b", .debug, false),
            ([filter("a", .excluding), filter("b", .excluding)], .verbose, "b", .error, false),
            // Required ones: all of them, whatever the least level.
            ([filter("a", .required)], .error, "a", .debug, true),
            ([filter("a", .required)], .verbose, "b", .error, false),
            ([filter("a", .required, .info)], .verbose, "a", .debug, false),
            ([filter("a", .required), filter("b", .required)], .error, "ab", .debug, true),
            ([filter("a", .required), filter("b", .required)], .error, "a", .error, false),
            ([filter("a", .required), filter("b", .excluding)], .verbose, "ab", .error, false),
            ([filter("a", .required), filter("b", .optional)], .error, "a", .debug, true),
            // Optional ones: one will do; met without its level drops; none met leaves it to the least level.
            ([filter("a", .optional), filter("b", .optional)], .error, "b", .debug, true),
            ([filter("a", .optional, .error)], .verbose, "a", .info, false),
            ([filter("a", .optional, .error), filter("b", .optional)], .error, "ab", .info, true),
            ([filter("a", .optional)], .info, "c", .info, true),
            ([filter("a", .optional)], .info, "c", .debug, false),
        ]
        for (index, row) in rows.enumerated() {
            let filter = LogFilter.swiftyBeaver(row.filters, minimumLevel: row.minimum)
            #expect(filter.passes(message(row.text, level: row.level)) == row.passes, "row \(index)")
        }
    }

    @Test("Path, function and conditions of one's own")
    func targets() {
        func passes(_ filter: SwiftyBeaverFilter) -> Bool {
            LogFilter.swiftyBeaver([filter], minimumLevel: .fatal).passes(message())
        }
        #expect(passes(SwiftyBeaverFilter(.path, .ends(with: "Cart.swift"))))
        #expect(!passes(SwiftyBeaverFilter(.path, .ends(with: "Other.swift"))))
        #expect(passes(SwiftyBeaverFilter(.function, .starts(with: "charge"))))
        #expect(passes(SwiftyBeaverFilter(.category("net"), role: .required)))
        #expect(!passes(SwiftyBeaverFilter(.category("db"), role: .required)))
    }
}
