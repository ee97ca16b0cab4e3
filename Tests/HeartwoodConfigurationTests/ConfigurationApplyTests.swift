import Foundation
import HeartwoodArchive
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

/// A logger of the program's own, with a property and a setting of the initialiser.
private final class Tagged: RecordingLogger, @unchecked Sendable {
    @Ordered var tag = "none"
    @Ordered var note: String?
    let mark: Int

    init(name: String, mark: Int) {
        self.mark = mark
        super.init(name: name, formatter: nil, queue: nil)
        Tagged.made.withLock { $0.append(self) }
    }

    /// All that were ever made, by all tests.
    static let made = Locked<[Tagged]>([])

    static let kind = LoggerKind("tagged") { settings in
        let mark = settings.optional("mark", .integer())
        settings.bind("tag", .string, to: \Tagged.tag)
        settings.bind("note", .string, to: \Tagged.note)
        return { Tagged(name: settings.name, mark: mark ?? 0) }
    }

    static let failing = LoggerKind("failing") { _ in
        { throw LogError(.file, "it cannot be made", place: "/nowhere") }
    }
}

@Suite("Applying configurations", .inTurn)
struct ConfigurationApplyTests {
    private let archives: Void = LogArchives.register()

    init() {
        LogConfiguration.register(Tagged.kind)
        LogConfiguration.register(Tagged.failing)
    }

    private func tagged(_ name: String, _ dispatcher: LogDispatcher) throws -> Tagged {
        try #require(dispatcher.configuredLogger(named: name) as? Tagged)
    }

    @Test("Loggers are made in their order, with their settings and names")
    func make() throws {
        let dispatcher = LogDispatcher.forTest()
        let scratch = Scratch()
        let configuration: LogConfiguration = [
            "synchronousLevels": "off", "overflow": ["block": "60s"],
            "metadata": ["host": "web1", "shard": 3],
            "loggers": [
                "file": [
                    "kind": "file", "directory": LogSetting(stringLiteral: scratch.logs), "level": "notice",
                    "maximumFileSize": "64 KiB", "rollingInterval": "1h", "rollingBoundary": "day",
                    "maximumFileCount": 3, "diskQuota": "1 MiB", "maximumFileAge": "7d", "fileMode": "0640",
                    "naming": ["application": "shop", "template": "{app} {number:4}.log"],
                    "syncPolicy": ["levels": "error"], "archiveFormat": "gzip",
                    "formatter": "{LEVEL} {message}",
                    "backlogLimit": "2 MiB", "overflow": "dropOldest", "duplicateSuppression": "10s",
                    "redaction": [
                        "rules": [
                            "cardNumbers", ["startingWith": "sk_"],
                            ["keys": ["door code"], "except": ["no"]],
                            ["nationalNumbers": ["us"]],
                        ], "replacement": "redact",
                    ],
                    "filter": ["exceptCategories": ["noise.*"]],
                ],
                "console": [
                    "kind": "console", "stream": ["errors": "error"], "colors": "none", "zone": "utc",
                    "privacy": "redact", "escaping": "indent", "level": ["error", "debug"],
                ],
                "mine": ["kind": "tagged", "mark": 7, "tag": "x"],
                "not": ["kind": "tagged", "enabled": false],
            ],
        ]
        try configuration.apply(to: dispatcher)
        #expect(dispatcher.loggers.map(\.name) == ["file", "console", "mine"])
        #expect(dispatcher.configuredLogger(named: "not") == nil)
        let file = try #require(dispatcher.configuredLogger(named: "file") as? FileLogger)
        #expect(file.levels == .notice)
        #expect(file.maximumFileSize == .kibibytes(64))
        #expect(file.rollingInterval == .seconds(3600))
        #expect(file.rollingBoundary == .day)
        #expect(file.maximumFileCount == 3)
        #expect(file.diskQuota == .mebibytes(1))
        #expect(file.maximumFileAge == .seconds(604_800))
        #expect(file.fileMode == 0o640)
        #expect(file.syncPolicy == .levels(.error))
        #expect(file.archiveFormat == .gzip)
        #expect(file.backlogLimit == .mebibytes(2))
        #expect(file.overflowPolicy == .dropOldest)
        #expect(file.duplicateSuppression == DuplicateSuppression(interval: .seconds(10)))
        let console = try #require(dispatcher.configuredLogger(named: "console") as? ConsoleLogger)
        #expect(console.stream == .split(errors: .error))
        #expect(console.colorDepth == ConsoleColorDepth.none)
        #expect(console.zone == .utc)
        #expect(console.levels == [.error, .debug])
        console.levels = .off
        let mine = try tagged("mine", dispatcher)
        #expect(mine.mark == 7)
        #expect(mine.tag == "x")
        #expect(dispatcher.metadata == ["host": "web1", "shard": 3])

        logNotice("card 4111 1111 1111 1111 and sk_12345", to: dispatcher)
        logNotice("noise", category: LogCategory("noise.x"), to: dispatcher)
        logInfo("too quiet for the file", to: dispatcher)
        dispatcher.removeAll()
        #expect(scratch.text("shop 0001.log") == "NOTICE card <card> and <token>\n")
        #expect(mine.texts.count == 3)
    }

    /// Applies a configuration of one file logger, and returns the logger.
    private func file(
        _ members: [LogSetting.Member], in scratch: Scratch, _ dispatcher: LogDispatcher
    ) throws -> FileLogger {
        let place = [
            LogSetting.Member("kind", "file"),
            LogSetting.Member("directory", LogSetting(stringLiteral: scratch.logs)),
        ]
        let settings = LogSetting(.object(members + place))
        try LogConfiguration(["loggers": ["f": settings]]).apply(to: dispatcher)
        return try #require(dispatcher.configuredLogger(named: "f") as? FileLogger)
    }

    @Test("The zone of the boundary and that of names are two settings")
    func zones() throws {
        let zone = LogSetting.Member("zone", "+05:30")
        let (scratch, dispatcher) = (Scratch(), LogDispatcher.forTest())
        defer { dispatcher.removeAll() }
        let file = try file(
            [zone, LogSetting.Member("naming", LogSetting(.object([zone])))], in: scratch, dispatcher)
        #expect(file.zone == .offset(.seconds(19_800)))
        #expect(file.naming.zone == .offset(.seconds(19_800)))
    }

    @Test(
        "No limit is `none` or 0, for sizes, times and numbers", arguments: ["none", "0", 0] as [LogSetting])
    func noLimit(_ none: LogSetting) throws {
        let names = [
            "maximumFileSize", "rollingInterval", "maximumFileCount", "diskQuota", "maximumFileAge",
            "maximumMessageSize",
        ]
        let (scratch, dispatcher) = (Scratch(), LogDispatcher.forTest())
        defer { dispatcher.removeAll() }
        func apply(_ value: LogSetting) throws -> FileLogger {
            try file(names.map { LogSetting.Member($0, value) }, in: scratch, dispatcher)
        }
        let logger = try apply(1000)
        #expect(logger.diskQuota == .bytes(1000) && logger.maximumFileAge == .seconds(1000))
        let settings = try apply(none).settings
        #expect(settings.maximumFileSize == nil && settings.rollingInterval == nil)
        #expect(settings.maximumFileCount == nil && settings.diskQuota == nil)
        #expect(settings.maximumFileAge == nil && settings.maximumMessageSize == nil)
        let error = #expect(throws: LogConfigurationError.self) {
            try file([LogSetting.Member("maximumFileSize", "no")], in: scratch, dispatcher)
        }
        #expect(error.map { "\($0)" }?.contains("or none") == true)
    }

    @Test(
        "Applied again, loggers go on: only what has changed is set, and what is not given any more goes back"
    )
    func again() throws {
        let dispatcher = LogDispatcher.forTest()
        var configuration: LogConfiguration = [
            "synchronousTimeout": "1s",
            "loggers": [
                "a": ["kind": "tagged", "tag": "one", "note": "n", "level": "error", "mark": 1],
                "b": ["kind": "tagged"],
            ],
        ]
        dispatcher.synchronousTimeout = .seconds(9)
        try configuration.apply(to: dispatcher)
        let (a, b) = (try tagged("a", dispatcher), try tagged("b", dispatcher))
        #expect(dispatcher.synchronousTimeout == .seconds(1))
        a.tag = "set by code"
        b.levels = .off
        configuration["loggers", "a", "level"] = "debug"
        configuration["loggers", "a", "note"] = nil
        configuration["synchronousTimeout"] = nil
        try configuration.apply(to: dispatcher)
        #expect(try tagged("a", dispatcher) === a)
        #expect(a.levels == .debug)
        #expect(a.note == nil)
        #expect(a.tag == "set by code")
        #expect(b.levels == .off)
        #expect(dispatcher.synchronousTimeout == .seconds(9))
        configuration["loggers", "a", "tag"] = nil
        configuration["loggers", "a", "level"] = nil
        try configuration.apply(to: dispatcher)
        #expect(a.tag == "none")
        #expect(a.levels == .all)
        #expect(!a.events.contains(.removed))

        // Another kind, or another setting of the initialiser, needs another logger; the old one finishes its work.
        logInfo("first", to: dispatcher)
        configuration["loggers", "a", "mark"] = 2
        try configuration.apply(to: dispatcher)
        let second = try tagged("a", dispatcher)
        #expect(second !== a)
        #expect(a.texts == ["first"])
        #expect(a.events.last == .removed)
        logInfo("second", to: dispatcher)
        // Without the logger it goes; who was removed by the program is made anew.
        configuration["loggers", "a"] = nil
        dispatcher.remove(b)
        try configuration.apply(to: dispatcher)
        #expect(dispatcher.loggers.map(\.name) == ["b"])
        #expect(second.events == [.added, .message("second"), .batchEnd, .removed])
        #expect(try tagged("b", dispatcher) !== b)
        // An empty configuration takes everything back, and leaves the loggers of the program alone.
        let own = RecordingLogger()
        dispatcher.add(own)
        try LogConfiguration().apply(to: dispatcher)
        #expect(dispatcher.loggers.count == 1)
        #expect(dispatcher.loggers.first === own)
    }

    @Test("A setting changes exactly between the messages before and after it (promise 2)")
    func ordered() throws {
        let dispatcher = LogDispatcher.forTest()
        var configuration: LogConfiguration = ["loggers": ["a": ["kind": "tagged"]]]
        try configuration.apply(to: dispatcher)
        for number in 0..<100 {
            configuration["loggers", "a", "formatter"] = LogSetting(stringLiteral: "\(number) {message}")
            try configuration.apply(to: dispatcher)
            logInfo("\(number)", to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        #expect(try tagged("a", dispatcher).lines == (0..<100).map { "\($0) \($0)" })
    }

    @Test("When one logger cannot be made, nothing is changed")
    func failure() throws {
        let dispatcher = LogDispatcher.forTest()
        let scratch = Scratch()
        let category = LogCategory("configuration.failure.\(UUID())")
        let before: LogConfiguration = [
            "loggers": ["a": ["kind": "tagged", "tag": "one"]], "synchronousTimeout": 3,
            "categories": [.init(category.name): "error"],
        ]
        try before.apply(to: dispatcher)
        let a = try tagged("a", dispatcher)
        scratch.write("", to: "file")
        var after: LogConfiguration = [
            "loggers": [
                "a": ["kind": "tagged", "tag": "two", "level": "off"], "b": ["kind": "tagged"],
                "broken": ["kind": "failing"],
                "file": ["kind": "file", "directory": LogSetting(stringLiteral: scratch.logs + "/file/x")],
            ], "synchronousTimeout": 4, "categories": [.init(category.name): "debug"],
        ]
        let error = #expect(throws: LogConfigurationError.self) { try after.apply(to: dispatcher) }
        #expect(error?.problems.map(\.path) == ["loggers.broken", "loggers.file"])
        #expect(
            error?.problems.first?.description
                == "code: loggers.broken: cannot create the logger: it cannot be made [/nowhere]")
        func isUnchanged() -> Bool {
            dispatcher.loggers.count == 1 && dispatcher.loggers.first === a && a.tag == "one"
                && a.levels == .all
                && dispatcher.synchronousTimeout == .seconds(3) && category.levels == .error
        }
        #expect(isUnchanged())
        // A value that is wrong is found even before.
        after["loggers", "broken"] = nil
        after["loggers", "file"] = ["kind": "file", "directory": "/", "maximumFileSize": "x"]
        #expect(throws: LogConfigurationError.self) { try after.apply(to: dispatcher) }
        #expect(isUnchanged())
        after["loggers", "file"] = nil
        try after.apply(to: dispatcher)
        #expect(!isUnchanged())
        try LogConfiguration().apply(to: dispatcher)
        #expect(category.levels == .all)
    }

    @Test("Levels change in one step, and rules that code has set stay")
    func levels() throws {
        let dispatcher = LogDispatcher.forTest()
        let root = "configuration.levels.\(UUID())"
        let (one, two) = (LogCategory(root + ".one"), LogCategory(root + ".two"))
        one.levels = .fatal
        let configuration: LogConfiguration = [
            "categories": [.init(root + ".*"): "notice", .init(root + ".two"): ["error"]],
            "sources": [.init(root + "/File.swift"): "verbose"],
        ]
        try configuration.apply(to: dispatcher)
        #expect(one.levels == .fatal)
        #expect(two.levels == [.error])
        #expect(LogCategory(root + ".three").levels == .notice)
        #expect(LogSourceLevels.rules.contains(LogLevelRule(root + "/File.swift", .verbose)))
        try LogConfiguration().apply(to: dispatcher)
        #expect(one.levels == .fatal)
        #expect(two.levels == .all)
        #expect(!LogSourceLevels.rules.contains { $0.pattern.hasPrefix(root) })
        one.inheritLevels()
    }

    @Test("Under load nothing is lost or doubled while loggers are tuned and replaced a hundred times")
    func load() throws {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        let scratch = Scratch(inMemory: true)
        let name = "load \(UUID())"
        let count = Load.scaled(20_000)
        @Sendable func configuration(_ round: Int) -> LogConfiguration {
            let directory = scratch.logs + (round / 10 % 2 == 0 ? "/a" : "/b")
            return [
                "overflow": ["block": "60s"],
                "loggers": [
                    .init(name): [
                        "kind": "tagged", "mark": .init(integerLiteral: Int64(round)),
                        "overflow": ["block": "60s"],
                    ],
                    .init(name + " kept"): [
                        "kind": "tagged", "tag": .init(stringLiteral: "\(round)"),
                        "overflow": ["block": "60s"],
                        "formatter": round % 2 == 0 ? "json" : "{message}",
                    ],
                    "file": [
                        "kind": "file", "directory": .init(stringLiteral: directory),
                        "formatter": "{message}",
                        "maximumFileCount": 0, "maximumFileSize": round % 3 == 0 ? "64 KiB" : "32 KiB",
                        "overflow": ["block": "60s"], "naming": ["application": "t"],
                    ],
                ],
            ]
        }
        try configuration(0).apply(to: dispatcher)
        let kept = try tagged(name + " kept", dispatcher)
        onThreads(5) { thread in
            if thread == 4 {
                for round in 1...100 {
                    do { try configuration(round).apply(to: dispatcher) } catch { Issue.record(error) }
                }
            } else {
                for number in 0..<count { logInfo("\(thread) \(number)", to: dispatcher) }
            }
        }
        dispatcher.removeAll()
        func check(_ texts: [String], _ what: String) {
            for thread in 0..<4 {
                let own = texts.filter { $0.hasPrefix("\(thread) ") }
                #expect(
                    own.count == count && own == (0..<count).map { "\(thread) \($0)" }, "\(what) \(thread)")
            }
            #expect(texts.count == 4 * count, "\(what)")
        }
        let replaced = Tagged.made.withLock { $0.filter { $0.name == name } }
        #expect(replaced.count == 101)
        check(replaced.flatMap(\.texts), "replaced")
        check(kept.texts, "kept")
        #expect(kept.statistics.dropped == 0)
        // The files of both directories together, in no order between them.
        let naming = LogFileNaming(application: "t")
        var lines: [String] = []
        for directory in ["/a", "/b"] {
            for file in scratch.names(scratch.logs + directory) where naming.recognize(file) != nil {
                lines += scratch.text(String(directory.dropFirst()) + "/" + file).split(separator: "\n").map(
                    String.init)
            }
        }
        #expect(lines.count == 4 * count)
        #expect(Set(lines).count == 4 * count)
    }

    @Test("Whoever waits for the turn of another thread is woken when that ends, however many wait")
    func turns() {
        for _ in 0..<20 {
            let state = ConfiguredState()
            #expect(state.begin())
            #expect(!state.begin() && state.isOwn)
            let count = Locked(0)
            let ended = Semaphore()
            for _ in 0..<4 {
                #expect(
                    DetachedThread.start {
                        while !state.begin() { state.waitForTurn() }
                        let number = count.withLock { $0 }
                        count.withLock { $0 = number + 1 }
                        state.end()
                        ended.signal()
                    })
            }
            state.end()
            for _ in 0..<4 { #expect(ended.wait(upTo: .seconds(30))) }
            #expect(count.withLock { $0 } == 4)
        }
    }

    @Test("Loggers are exchanged under a journal as well")
    func journal() async throws {
        let scratch = Scratch()
        let dispatcher = LogDispatcher.forTest()
        func configuration(_ directory: String) -> LogConfiguration {
            [
                "journal": .init(stringLiteral: scratch.path + "/journal"),
                "loggers": [
                    "file": [
                        "kind": "file", "directory": .init(stringLiteral: scratch.logs + directory),
                        "formatter": "text", "naming": "{number}.log",
                    ]
                ],
            ]
        }
        for round in 0..<4 {
            try configuration("/\(round)").apply(to: dispatcher)
            guard case .active = dispatcher.journalStatus else {
                Issue.record("\(dispatcher.journalStatus)")
                return
            }
            for number in 0..<100 { logInfo("\(round) \(number)", to: dispatcher) }
        }
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        for round in 0..<4 {
            #expect(scratch.text("\(round)/1.log") == (0..<100).map { "\(round) \($0)\n" }.joined())
        }
        dispatcher.removeAll()
        dispatcher.journal = nil
    }

    @Test(
        "A configuration may be applied from inside of a logger, and by several threads at once (promise 5)")
    func anywhere() throws {
        final class Applying: AbstractLogger, @unchecked Sendable {
            let target: LogDispatcher
            init(_ target: LogDispatcher) {
                self.target = target
                super.init(name: "applying")
            }
            override func log(_ message: LogMessage) {
                try?
                    ([
                        "loggers": [
                            "x": ["kind": "tagged", "mark": .init(integerLiteral: Int64(message.sequence))]
                        ]
                    ]
                    as LogConfiguration).apply(to: target)
            }
        }
        onThread {
            let dispatcher = LogDispatcher.forTest()
            dispatcher.add(Applying(dispatcher))
            onThreads(4) { thread in
                for round in 0..<20 {
                    logInfo("x", to: dispatcher)
                    try?
                        ([
                            "loggers": [
                                "y": [
                                    "kind": "tagged",
                                    "mark": .init(integerLiteral: Int64(round * 4 + thread)),
                                ]
                            ]
                        ]
                        as LogConfiguration).apply(to: dispatcher)
                }
            }
            dispatcher.flush(timeout: .testLimit)
            #expect(dispatcher.loggers.count == 2)
            dispatcher.removeAll()
        }
    }
}
