import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct FileLoggerTests {
    private let scratch = Scratch()
    private let clock = ManualClock()

    private func makeLogger(
        naming: LogFileNaming = LogFileNaming(application: "app"), formatter: LogFormatter? = nil
    ) throws -> (FileLogger, LogDispatcher) {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: formatter,
            clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        return (logger, dispatcher)
    }

    @Test("Lines go to a dated file with the permissions 0600, in a directory of 0700, whatever the umask")
    func firstFile() throws {
        let (_, dispatcher) = try makeLogger()
        logInfo("first", to: dispatcher)
        logInfo("second", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names() == ["app 2026-01-01--00-00-00-000.log"])
        #expect(scratch.text("app 2026-01-01--00-00-00-000.log") == "first\nsecond\n")
        let file = try FileManager.default.attributesOfItem(atPath: scratch.logs + "/" + scratch.names()[0])
        #expect(file[.posixPermissions] as? Int == 0o600)
        let directory = try FileManager.default.attributesOfItem(atPath: scratch.logs)
        #expect(directory[.posixPermissions] as? Int == 0o700)
    }

    @Test("No file grows beyond its limit, the newest files are kept, and their lines are in order")
    func rollsBySize() throws {
        let (logger, dispatcher) = try makeLogger()
        logger.maximumFileSize = .bytes(1000)
        logger.maximumFileCount = 3
        for number in 0..<500 { logInfo("line number \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        let names = scratch.names()
        #expect(names.count == 3)
        for name in names { #expect(scratch.size(name) <= 1000) }
        let lines = scratch.lines(logger.naming).dropLast()
        let first = 500 - lines.count
        #expect(Array(lines) == (first..<500).map { "line number \($0)" })
        #expect(lines.count > 60)
    }

    @Test("A setting takes effect exactly between the lines before and after it (promise 2)")
    func orderedSettings() throws {
        let (logger, dispatcher) = try makeLogger()
        logInfo("a", to: dispatcher)
        logger.maximumFileSize = .bytes(5)
        logInfo("bb", to: dispatcher)
        logger.maximumFileSize = .zero
        logInfo("cc", to: dispatcher)
        logInfo("dd", to: dispatcher)
        #expect(logger.maximumFileSize == .zero)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(LogFileNaming(application: "app")) == ["a\nbb\ncc\ndd\n"])
        logger.maximumFileSize = .bytes(6)
        logInfo("ee", to: dispatcher)
        logInfo("ff", to: dispatcher)
        logInfo("gg", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.lines(logger.naming) == ["a", "bb", "cc", "dd", "ee", "ff", "gg", ""])
        #expect(scratch.names().count == 3)
    }

    @Test("An idle file is rolled when it is old enough, and the next line begins another one")
    func rollsIdleFileByAge() throws {
        let (logger, dispatcher) = try makeLogger()
        let rolled = Locked<[String]>([])
        logger.onRoll = { info in rolled.withLock { $0.append(info.name) } }
        logger.rollingInterval = .seconds(60)
        logInfo("old", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        clock.advance(by: .seconds(61))
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.currentPath == nil)
        logger.hookQueue.sync {}
        #expect(rolled.withLock { $0 } == ["app 2026-01-01--00-00-00-000.log"])
        logInfo("new", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(LogFileNaming(application: "app")) == ["old\n", "new\n"])
    }

    @Test("rollNow finishes the file between the lines before and after it, and says so")
    func rollNow() async throws {
        let (logger, dispatcher) = try makeLogger()
        logInfo("one", to: dispatcher)
        #expect(await logger.rollNow())
        logInfo("two", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(LogFileNaming(application: "app")) == ["one\n", "two\n"])
        let files = try logger.logFiles()
        #expect(files.map(\.isActive) == [true, false])
        #expect(files.map(\.isArchived) == [false, true])
    }

    @Test("A second logger goes on with the newest file, but never with one that was finished")
    func reuse() async throws {
        for (rolls, expected) in [(false, ["one\ntwo\n"]), (true, ["one\n", "two\n"])] {
            let scratch = Scratch()
            for line in ["one", "two"] {
                let logger = try FileLogger(
                    directory: scratch.logs,
                    settings: FileSettings(naming: LogFileNaming(application: "app")), formatter: nil,
                    clock: clock)
                let dispatcher = LogDispatcher()
                dispatcher.add(logger)
                logInfo("\(line)", to: dispatcher)
                if rolls, line == "one" { await logger.rollNow() }
                await dispatcher.remove(logger)
            }
            #expect(scratch.texts(LogFileNaming(application: "app")) == expected)
        }
    }

    @Test("rollNow before the first line finishes the newest file of an earlier run")
    func rollBeforeFirstLine() async throws {
        scratch.write("earlier\n", to: "app 2025-12-31--23-00-00-000.log")
        let (logger, dispatcher) = try makeLogger()
        await logger.rollNow()
        logInfo("now", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(LogFileNaming(application: "app")) == ["earlier\n", "now\n"])
    }

    @Test("What another program called its own is never touched")
    func foreignFiles() throws {
        let foreign = ["app.log", "app 2.log", "apple 2025-12-31--23-00-00-000.log", "thesis.txt"]
        for name in foreign { scratch.write("precious", to: name) }
        let (logger, dispatcher) = try makeLogger()
        logger.maximumFileSize = .bytes(10)
        logger.maximumFileCount = 1
        logger.maximumFileAge = .nanoseconds(1)
        for number in 0..<50 { logInfo("line \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        for name in foreign { #expect(scratch.text(name) == "precious") }
        #expect(scratch.names().count == foreign.count + 1)
    }

    @Test("A line without a newline gets one, a line with one gets no second, an empty one is an empty line")
    func newlines() throws {
        let (_, dispatcher) = try makeLogger()
        for line in ["a\n", "b", "", "c\n"] { logInfo("\(line)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.text(scratch.names()[0]) == "a\nb\n\nc\n")
    }

    @Test("Each file begins with the header, a file that is gone on with does not get it again")
    func header() throws {
        let (logger, dispatcher) = try makeLogger()
        logger.fileHeader = "# shop"
        logger.maximumFileSize = .bytes(20)
        for number in 0..<4 { logInfo("line \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.remove(logger)
        #expect(scratch.texts(logger.naming) == (0..<4).map { "# shop\nline \($0)\n" })
        let second = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: logger.naming), formatter: nil,
            clock: clock)
        second.fileHeader = "# shop"
        dispatcher.add(second)
        logInfo("5", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(logger.naming)[3] == "# shop\nline 3\n5\n")
    }

    /// A run with a header and a formatter, and whether the next one continues its file.
    struct Restart: Sendable, CustomTestStringConvertible {
        var header: String?
        var formatter: LogFormatter?
        var isEncrypted = false
        var testDescription: String {
            "\(header ?? "none") \(formatter.map { "\(type(of: $0))" } ?? "text")\(isEncrypted ? " encrypted" : "")"
        }
    }

    @Test(
        "A file that begins another way than a new one would is finished, any other is gone on with",
        arguments: [
            (Restart(header: "a,b"), Restart(header: "a,b"), true),
            (Restart(header: "a,b"), Restart(header: "a,b,c"), false),
            (Restart(header: "a,b,c"), Restart(header: "a,b"), false),
            (Restart(), Restart(header: "a,b"), false),
            (Restart(formatter: LineFormatter()), Restart(formatter: LineFormatter()), true),
            (Restart(formatter: LineFormatter()), Restart(formatter: JSONLinesFormatter()), false),
            (Restart(formatter: JSONLinesFormatter()), Restart(formatter: LineFormatter()), false),
            (Restart(formatter: JSONLinesFormatter()), Restart(formatter: LogfmtFormatter()), false),
            (Restart(formatter: JSONLinesFormatter()), Restart(formatter: JSONLinesFormatter()), true),
            // What these write nobody knows before.
            (Restart(formatter: JSONLinesFormatter()), Restart(), true),
            (Restart(), Restart(formatter: LineFormatter()), true),
            (
                Restart(header: "# shop", formatter: JSONLinesFormatter()),
                Restart(header: "# shop", formatter: JSONLinesFormatter()), true
            ),
            (
                Restart(header: "# shop", formatter: JSONLinesFormatter()),
                Restart(header: "# shop", formatter: LineFormatter()), false
            ),
            (Restart(header: "a", isEncrypted: true), Restart(header: "a", isEncrypted: true), true),
            (Restart(header: "a", isEncrypted: true), Restart(header: "b", isEncrypted: true), false),
            (Restart(header: "a", isEncrypted: true), Restart(header: "a"), false),
            (Restart(header: "a"), Restart(header: "a", isEncrypted: true), false),
            (
                Restart(formatter: JSONLinesFormatter(), isEncrypted: true),
                Restart(formatter: LineFormatter(), isEncrypted: true), false
            ),
        ])
    func restart(first: Restart, second: Restart, isContinued: Bool) throws {
        for activeName in [nil, "app.log"] {
            let scratch = Scratch()
            let naming = try LogFileNaming(application: "app", activeName: activeName)
            var count = 0
            for run in [first, second] {
                let dispatcher = LogDispatcher.forTest(clock: clock)
                let logger = try FileLogger(
                    directory: scratch.logs, settings: FileSettings(naming: naming), formatter: run.formatter,
                    clock: clock)
                logger.fileHeader = run.header
                if run.isEncrypted {
                    logger.archiveKey = FixedKey()
                    logger.archiveFormat = .encrypted
                }
                dispatcher.add(logger)
                logInfo("text", to: dispatcher)
                dispatcher.flush(timeout: .testLimit)
                #expect(logger.statistics.failed == 0)
                count = try logger.logFiles().count
                dispatcher.remove(logger)
            }
            #expect(count == (isContinued ? 1 : 2), "\(scratch.names())")
        }
    }
}

/// What follows from settings and calls that come at odd times.
@Suite(.inTurn) struct FileLoggerLifeTests {
    private let scratch = Scratch()
    private let clock = ManualClock()

    private func makeLogger(_ activeName: String? = nil) throws -> (FileLogger, LogDispatcher) {
        let naming = try LogFileNaming(application: "app", activeName: activeName)
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger)
        dispatcher.flush(timeout: .testLimit)
        return (logger, dispatcher)
    }

    @Test("Settings that come one by one remove nothing that all of them together would keep")
    func settingsOneByOne() throws {
        for day in 10..<30 { scratch.write("old\n", to: "app 2025-12-\(day)--00-00-00-000.log") }
        let (logger, dispatcher) = try makeLogger()
        logger.diskQuota = .mebibytes(1)
        logger.maximumFileCount = 100
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names().count == 20)
        clock.advance(by: .seconds(2))
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names().count == 20)
        logger.maximumFileCount = 5
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names().count == 5)
    }

    @Test("Without any message, the limits are applied a second after the logger was added")
    func limitsWithoutMessage() throws {
        for day in 10..<30 { scratch.write("old\n", to: "app 2025-12-\(day)--00-00-00-000.log") }
        let (_, dispatcher) = try makeLogger()
        clock.advance(by: .seconds(1))
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names().count == 10)
    }

    @Test("Files become too old and go while nothing is logged")
    func idleRetention() throws {
        let (logger, dispatcher) = try makeLogger()
        clock.setWall(SystemClock().now())  // files have the kernel's times
        logger.maximumFileAge = .seconds(3600)
        logInfo("line", to: dispatcher)
        logger.rollNow()
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names().count == 1)
        for _ in 0..<8 {
            clock.advance(by: .seconds(1000))
            dispatcher.flush(timeout: .testLimit)
        }
        #expect(scratch.names().isEmpty)
    }

    @Test("A change of names finishes the file under its old name")
    func renaming() throws {
        let (logger, dispatcher) = try makeLogger("app.log")
        logInfo("one", to: dispatcher)
        logger.naming = LogFileNaming(application: "other")
        logInfo("two", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            scratch.names() == ["app 2026-01-01--00-00-00-000.log", "other 2026-01-01--00-00-00-000.log"])
    }

    @Test("A relative directory stays the same when the program changes its working directory")
    func workingDirectory() async throws {
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            _ = FileManager.default.changeCurrentDirectoryPath(path)
            let logger = try FileLogger(
                directory: "logs", settings: FileSettings(naming: LogFileNaming(application: "app")),
                formatter: nil)
            let dispatcher = LogDispatcher()
            dispatcher.add(logger)
            logInfo("one", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            _ = FileManager.default.changeCurrentDirectoryPath("/")
            logInfo("two", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
        }
        #expect(scratch.lines(LogFileNaming(application: "app")) == ["one", "two", ""])
    }

    @Test("Lines that wait when the logger goes are counted as failed, and nothing hangs")
    func removedWhileFull() throws {
        let calls = SystemCalls { call in call == .write ? .fails(ENOSPC) : nil }
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "app")), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger)
        for _ in 0..<10 { logInfo("line", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.statistics.failed == 0)
        dispatcher.remove(logger)
        #expect(logger.statistics.failed == 10)
        #expect(logger.statistics.delivered == 0)
        #expect(logger.statistics.received == 10)
    }

    @Test("Synchronize puts finished files on the disk as well")
    func synchronizes() throws {
        let syncs = Locked(0)
        let calls = SystemCalls { call in
            if call == .sync { syncs.withLock { $0 += 1 } }
            return nil
        }
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "app")), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        logger.rollNow()
        logInfo("two", to: dispatcher)
        #expect(logger.synchronize())
        #expect(syncs.withLock { $0 } == 4)  // both files, the directory, and where that is
        #expect(logger.synchronize())
        #expect(syncs.withLock { $0 } == 5)
    }

    @Test("The disk is synchronised when the policy says so", arguments: [0, 1, 2, 3])
    func syncPolicy(_ which: Int) throws {
        let policies: [LogSyncPolicy] = [.never, .everyBatch, .levels([.error]), .interval(.seconds(5))]
        let syncs = Locked(0)
        let calls = SystemCalls { call in
            if call == .sync { syncs.withLock { $0 += 1 } }
            return nil
        }
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "app")), formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logger.syncPolicy = policies[which]
        logInfo("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let afterInfo = syncs.withLock { $0 }
        logError("two", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let afterError = syncs.withLock { $0 }
        clock.advance(by: .seconds(10))
        dispatcher.flush(timeout: .testLimit)
        let afterTime = syncs.withLock { $0 }
        #expect((afterInfo > 0) == (which == 1))
        #expect((afterError > 0) == (which == 1 || which == 2))
        #expect((afterTime > 0) == (which != 0))
    }

    /// One change of each setting.
    private static let changes: [@Sendable (inout FileLogger.Settings) -> Void] = [
        { $0.maximumFileSize = .bytes(1) }, { $0.rollingInterval = .seconds(1) },
        { $0.rollingBoundary = .day },
        { $0.zone = .offset(.seconds(3600)) }, { $0.maximumFileCount = 1 },
        { $0.diskQuota = .bytes(1) }, { $0.maximumFileAge = .seconds(1) },
        { $0.naming = LogFileNaming(application: "app") }, { $0.filePolicy = LogFilePolicy() },
        { $0.fileMode = 0o640 }, { $0.fileProtection = .complete }, { $0.isExcludedFromBackup = false },
        { $0.reusesFiles = false }, { $0.fileHeader = "" }, { $0.currentLink = "" }, { $0.isShared = true },
        { $0.syncPolicy = .everyBatch }, { $0.maximumMessageSize = .bytes(1) },
        { $0.waitingLimit = .bytes(1) }, { $0.minimumFreeSpace = .bytes(1) },
        { $0.archiveFormat = LogArchiveFormat(.gzip) }, { $0.archiveKey = FixedKey() },
        { $0.archiveProcessor = LogArchiveProcessor() }, { $0.repairsTornLines = false },
    ]

    @Test("Settings are equal to their copies, and to none in which one of them is another")
    func equalSettings() {
        let settings = FileLogger.Settings(naming: LogFileNaming(application: "app"))
        #expect(Mirror(reflecting: settings).children.count == Self.changes.count)
        for (index, change) in Self.changes.enumerated() {
            var changed = settings
            change(&changed)
            #expect(changed != settings, "change \(index)")
            let copy = changed
            #expect(copy == changed)
        }
    }

    @Test("What the initializer is given holds as what is set afterwards does", arguments: [true, false])
    func settingsOfInitializer(isGiven: Bool) throws {
        LogArchives.register()
        let syncs = Counter()
        let calls = SystemCalls { call in
            if call == .sync { syncs.increase() }
            return nil
        }
        let directory = try Directory(scratch.logs, calls: calls)
        func change(_ settings: inout FileSettings) {
            settings.maximumMessageSize = nil
            settings.syncPolicy = .everyBatch
            settings.isShared = true
            settings.archiveFormat = LogArchiveFormat(.gzip)
        }
        var settings = FileSettings(naming: LogFileNaming(application: "app"))
        if isGiven { change(&settings) }
        let logger = try FileLogger(directory, settings: settings, formatter: nil)
        if !isGiven { logger.updateSettings(change) }
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 100_000)
        logInfo("\(text)", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.lines(logger.naming) == [text, ""])
        #expect(syncs.value > 0)
        #expect(!logger.runsOnCaller)
        logger.rollNow()
        dispatcher.flush(timeout: .testLimit)
        logger.finishArchives()
        #expect(scratch.names().contains { $0.hasSuffix(".log.gz") })
        dispatcher.removeAll()
    }

    @Test("Threads that set different settings lose none of them, and all take effect (promise 2)")
    func settingsTogether() throws {
        let (logger, dispatcher) = try makeLogger()
        for round in 1...20 {
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                switch thread {
                case 0: logger.maximumFileCount = round
                case 1: logger.maximumFileSize = .bytes(1000 + round)
                case 2: logger.updateSettings { $0.waitingLimit = .bytes(2000 + round) }
                default: logger.fileHeader = "head \(round)"
                }
            }
            let settings = logger.settings
            #expect(settings.maximumFileCount == round && settings.maximumFileSize == .bytes(1000 + round))
            #expect(settings.waitingLimit == .bytes(2000 + round) && settings.fileHeader == "head \(round)")
            #expect(logger.waitingLimit == settings.waitingLimit)
        }
        logInfo("line", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.texts(logger.naming) == ["head 20\nline\n"])
        var calls = 0
        logger.updateSettings { settings in
            calls += 1
            if calls == 1 { logger.maximumFileCount = 77 }
            settings.maximumFileSize = .bytes(1077)
        }
        #expect(calls == 2 && logger.maximumFileCount == 77 && logger.maximumFileSize == .bytes(1077))
        let inHook = Locked<FileLogger.Settings?>(nil)
        logger.performInOrder { inHook.withLock { $0 = logger.settings } }
        dispatcher.flush(timeout: .testLimit)
        #expect(inHook.withLock { $0 } == logger.settings)
    }
}
