import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood

@Suite("Rules for levels", .inTurn)
struct LevelRulesTests {
    @Test(
        "Patterns with stars",
        arguments: [
            ("net", "net", true), ("net", "nets", false), ("*", "", true), ("*", "a.b", true),
            ("net.*", "net.http", true),
            ("net.*", "net", false), ("net.*", "net.", true), ("*.http", "net.http", true),
            ("*.http", "http", false),
            ("a*b*c", "abc", true), ("a*b*c", "axxbyyc", true), ("a*b*c", "axxcyyb", false),
            ("a*a", "a", false), ("a*a", "aa", true),
            ("**", "x", true), ("", "", true), ("", "x", false), ("*ab*ab*", "ab", false),
            ("*ab*ab*", "xabyabz", true),
        ])
    func patterns(pattern: String, name: String, matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }

    @Test(
        "The rule with the most characters counts, for a name and what belongs to it, in whatever order they were set"
    )
    func precedence() {
        let rules: [(String, LogLevelMask)] = [
            ("*", .info), ("net", .debug), ("net.http", .error), ("net.*", .verbose), ("*http.cookies", .off),
            ("db.*", .warning),
        ]
        let expected: [(String, LogLevelMask)] = [
            ("shop", .info), ("net", .debug), ("net.http", .error), ("net.http.body", .error),
            ("net.tcp", .verbose),
            ("net.tcp.raw", .verbose), ("net.http.cookies", .off), ("db", .info), ("db.sql", .warning),
            ("network", .info),
        ]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            var set = LevelRules(separator: ".")
            for (pattern, levels) in rules.shuffled(using: &random) {
                set.set(levels, for: NamePattern(pattern))
            }
            for (name, levels) in expected { #expect(set.levels(of: name) == levels, "\(name)") }
        }
    }

    @Test(
        "A rule is replaced by one for the same pattern, and taken back; of equal weight, the later one counts"
    )
    func changes() {
        var rules = LevelRules(separator: ".")
        #expect(rules.levels(of: "a") == nil)
        rules.set(.debug, for: NamePattern("a*"))
        rules.set(.error, for: NamePattern("*a"))
        #expect(rules.levels(of: "a") == .error)
        rules.set(.info, for: NamePattern("a*"))
        #expect(rules.levels(of: "a") == .info)
        #expect(rules.list == [LogLevelRule("*a", .error), LogLevelRule("a*", .info)])
        #expect(rules.union == LogLevelMask.info.rawValue)
        rules.set(nil, for: NamePattern("a*"))
        #expect(rules.levels(of: "a") == .error)
        rules.replace(with: [LogLevelRule("x", .debug)])
        #expect(rules.levels(of: "a") == nil)
    }

    @Test("A name with stars that is set itself describes itself alone")
    func exact() {
        var rules = LevelRules(separator: ".")
        rules.set(.debug, for: NamePattern(exactly: "a*b"))
        #expect(rules.levels(of: "a*b") == .debug)
        #expect(rules.levels(of: "axb") == nil)
    }
}

@Suite("Levels of categories at run time", .inTurn)
struct CategoryLevelsTests {
    private let root = "tree-\(UUID())"

    @Test("A category inherits from those it belongs to, unless it has levels of its own")
    func inheritance() {
        let (net, http) = (LogCategory(root), LogCategory("\(root).http"))
        let body = LogCategory("\(root).http.body")
        net.levels = .warning
        #expect([net, http, body].map(\.levels) == [.warning, .warning, .warning])
        http.levels = .debug
        #expect([net, http, body].map(\.levels) == [.warning, .debug, .debug])
        #expect(LogCategory("\(root).http.later").levels == .debug)
        http.inheritLevels()
        #expect([net, http, body].map(\.levels) == [.warning, .warning, .warning])
        net.inheritLevels()
        #expect([net, http, body].map(\.levels) == [.all, .all, .all])
    }

    @Test("Wildcards hold for categories that are made later, and can be taken back")
    func wildcards() {
        let before = LogCategory("\(root).before")
        LogCategory.setLevels(.error, matching: "\(root).*")
        let after = LogCategory("\(root).after")
        #expect([before.levels, after.levels, LogCategory(root).levels] == [.error, .error, .all])
        #expect(LogCategory.levelRules.contains(LogLevelRule("\(root).*", .error)))
        LogCategory.setLevels(nil, matching: "\(root).*")
        #expect([before.levels, after.levels] == [.all, .all])
        #expect(!LogCategory.levelRules.contains { $0.pattern.hasPrefix(root) })
    }

    @Test("Categories are listed, and found without being made")
    func listing() {
        #expect(LogCategory.existing(root) == nil)
        let category = LogCategory(root)
        #expect(LogCategory.existing(root) == category)
        #expect(LogCategory.all.contains(category))
        #expect(LogCategory.all.first == .default)
    }

    @Test("What a rule switches off is not evaluated, what it switches on is logged at once, in all threads")
    func effect() {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let category = LogCategory("\(root).http")
        LogCategory.setLevels(.off, matching: root)
        let evaluated = Locked(0)
        @Sendable func text(_ thread: Int) -> String {
            evaluated.withLock { $0 += 1 }
            return "\(thread)"
        }
        onThreads(4) { thread in logError(text(thread), category: category, to: dispatcher) }
        #expect(evaluated.withLock { $0 } == 0)
        #expect(!isLogEnabled(.fatal, category: category, to: dispatcher))
        LogCategory.setLevels(.error, matching: root)
        onThreads(4) { thread in
            logError(text(thread), category: category, to: dispatcher)
            logInfo(text(thread), category: category, to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(evaluated.withLock { $0 } == 4)
        #expect(Set(logger.texts) == ["0", "1", "2", "3"])
        LogCategory.setLevels(nil, matching: root)
    }

    @Test("Many threads may set and make at the same time; the last word of each holds")
    func races() {
        let root = root
        onThreads(4) { thread in
            for index in 0..<20 {
                let category = LogCategory("\(root).\(thread).\(index)")
                category.levels = .debug
                #expect(category.levels == .debug)
                LogCategory.setLevels(.error, matching: "\(root).\(thread).\(index)")
                #expect(category.levels == .error)
                category.inheritLevels()
                #expect(category.levels == .all)
            }
        }
    }
}

@Suite("Levels of source files at run time", .serialized, .inTurn)
struct SourceLevelsTests {
    private let dispatcher = LogDispatcher.forTest()
    private let logger = RecordingLogger()
    private let quiet = LogCategory("source-\(UUID())")

    /// The patterns name files that no other test uses: rules hold for the whole process.
    private let name = "Source\(UUID())"

    init() {
        dispatcher.add(logger)
        quiet.levels = .warning
    }

    @Test("A file has its rule's levels in the place of its categories', at once; others keep theirs")
    func files() {
        LogSourceLevels.set(.debug, matching: "HeartwoodTests/CategoryLevelsTests.swift")
        logDebug("on", category: quiet, to: dispatcher)
        logVerbose("off", category: quiet, to: dispatcher)
        var evaluated = 0
        func text() -> String {
            evaluated += 1
            return "elsewhere"
        }
        logDebug(text(), category: quiet, to: dispatcher, file: "HeartwoodTests/Other.swift")
        #expect(evaluated == 0)
        logWarning("elsewhere", category: quiet, to: dispatcher, file: "HeartwoodTests/Other.swift")
        #expect(isLogEnabled(.debug, category: quiet, to: dispatcher))
        #expect(!isLogEnabled(.debug, category: quiet, to: dispatcher, file: "HeartwoodTests/Other.swift"))
        LogSourceLevels.set(.off, matching: "HeartwoodTests/CategoryLevelsTests.swift")
        logError("off", to: dispatcher)
        LogSourceLevels.set(nil, matching: "HeartwoodTests/CategoryLevelsTests.swift")
        logDebug("off again", category: quiet, to: dispatcher)
        logError("as before", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["on", "elsewhere", "as before"])
    }

    @Test(
        "A module's name stands for its files, a longer pattern goes before, and dispatchers have their say")
    func modules() {
        LogSourceLevels.set(.verbose, matching: name)
        LogSourceLevels.set(.error, matching: "\(name)/Loud*")
        #expect(
            LogSourceLevels.rules.suffix(2) == [
                LogLevelRule(name, .verbose), LogLevelRule("\(name)/Loud*", .error),
            ])
        defer {
            LogSourceLevels.set(nil, matching: name)
            LogSourceLevels.set(nil, matching: "\(name)/Loud*")
        }
        var rules = LevelRules(separator: "/")
        for rule in LogSourceLevels.rules { rules.set(rule.levels, for: NamePattern(rule.pattern)) }
        #expect(rules.levels(of: "\(name)/Cart.swift") == .verbose)
        #expect(rules.levels(of: "\(name)/LoudCart.swift") == .error)
        #expect(rules.levels(of: "Other/Cart.swift") == nil)
        // The dispatcher's own levels are not widened.
        dispatcher.levels = .error
        #expect(!isLogEnabled(.debug, category: quiet, to: dispatcher))
        logger.levels = .fatal
        #expect(!isLogEnabled(.error, category: quiet, to: dispatcher))
    }

    @Test("The gate of a category shows its own levels again when the last rule has gone")
    func gates() {
        let before = LogSourceLevels.rules
        LogSourceLevels.set(.verbose, matching: name)
        #expect(quiet.state.openLevels.load(ordering: .relaxed) & LogLevel.verbose.rawValue != 0)
        #expect(quiet.levels == .warning)
        LogSourceLevels.rules = before
        #expect(quiet.state.openLevels.load(ordering: .relaxed) == LogLevelMask.warning.rawValue)
    }
}
