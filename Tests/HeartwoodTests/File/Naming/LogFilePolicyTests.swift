import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Chooses everything by itself, and badly where `mischief` says so.
private final class Choosing: LogFilePolicy, @unchecked Sendable {
    let created = Locked<[String]>([])
    let isMischievous: Bool

    init(isMischievous: Bool) { self.isMischievous = isMischievous }

    override func owns(_ name: String, label: LogFileLabel) -> Bool {
        !name.contains("-09-") || isMischievous
    }
    override func permissions(of name: String, usual: FileMode) -> FileMode { 0o640 }
    override func didCreate(_ path: String) { created.withLock { $0.append(path) } }
    override func label(
        at moment: LogTimestamp, after newest: LogFileLabel?, naming: LogFileNaming
    ) -> LogFileLabel {
        if isMischievous { return LogFileLabel(createdAt: LogTimestamp(nanoseconds: 0)) }
        return super.label(at: moment, after: newest, naming: naming)
    }
    override func removalOrder(_ files: [LogFileInfo]) -> [LogFileInfo] {
        isMischievous ? [] : files.reversed()
    }
}

/// Overrides half of what it must.
private final class HalfNaming: LogFileNaming, @unchecked Sendable {
    override func name(for label: LogFileLabel) -> String { "trace-\(label.number).txt" }
}

@Suite(.inTurn) struct LogFilePolicyTests {
    private let scratch = Scratch()
    private let clock = ManualClock()

    private func makeEngine(
        _ filePolicy: LogFilePolicy, _ advice: Locked<[String]> = Locked([])
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        settings.filePolicy = filePolicy
        settings.rolling.maximumSize = 60
        settings.retention.maximumCount = 3
        return FileEngine(
            directory: try Directory(scratch.logs), settings: settings, clock: clock,
            report: { if case .advice(let text) = $0 { advice.withLock { $0.append(text) } } })
    }

    @Test("A policy chooses which files belong, how they are created, and in which order they go")
    func chooses() throws {
        scratch.write("kept\n", to: "t 2025-09-01--00-00-00-000.log")
        let filePolicy = Choosing(isMischievous: false)
        let engine = try makeEngine(filePolicy)
        var log = RecordLog()
        for _ in 0..<5 {
            log.write(2, to: engine)
            clock.advance(by: .seconds(1))
        }
        #expect(scratch.text("t 2025-09-01--00-00-00-000.log") == "kept\n")
        // Of its own files the newest that is not written goes first, so the first one stays.
        let own = scratch.names().dropFirst()
        #expect(own.count == 3)
        let kept: [String] = own.flatMap { scratch.text($0).split(separator: "\n").map { "\($0)" } }
        #expect(kept.prefix(2) == log.lines.prefix(2))
        #expect(kept.suffix(2) == log.lines.suffix(2))
        #expect(filePolicy.created.withLock { $0.count } == 5)
        #expect(try engine.directory.status(Array(own)[0])?.mode == 0o440)
    }

    @Test("A policy that answers nonsense breaks no limit, loses no line, and is reported")
    func mischief() throws {
        let advice = Locked<[String]>([])
        let engine = try makeEngine(Choosing(isMischievous: true), advice)
        var log = RecordLog()
        for _ in 0..<5 {
            log.write(2, to: engine)
            clock.advance(by: .seconds(1))
        }
        #expect(engine.isIdle)
        #expect(scratch.names().count == 3)
        #expect(scratch.lines(engine.settings.naming) == log.lines.suffix(6) + [""])
        #expect(advice.withLock { $0 }.contains { $0.contains("is not after the newest file") })
    }

    @Test("A naming that cannot read its own names is refused at set-up, and as a later setting")
    func halfNaming() throws {
        #expect(throws: LogError.self) {
            try FileLogger(
                directory: scratch.logs, settings: FileSettings(naming: HalfNaming(application: "t")))
        }
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        let told = Locked<[String]>([])
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { event in told.withLock { $0.append(event.text) } }
        dispatcher.add(logger)
        logger.naming = HalfNaming(application: "t")
        logInfo("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(scratch.names() == ["t 2026-01-01--00-00-00-000.log"])
        #expect(told.withLock { $0 }.contains { $0.contains("override label(of:)") })
        dispatcher.removeAll()
    }

    @Test("Files of another version belong to the logger: they count and are removed, but are not continued")
    func variants() throws {
        func makeEngine(_ version: String) throws -> FileEngine {
            var settings = FileSettings.unlimited(
                naming: try LogFileNaming(
                    application: "shop", template: "{app}-{variant}-{date:yyyy-MM-dd}.log", variant: version))
            settings.retention.maximumCount = 3
            return FileEngine(directory: try Directory(scratch.logs), settings: settings, clock: clock)
        }
        var log = RecordLog()
        for version in ["1.0", "1.1", "1.2", "1.3", "2.0"] {
            let engine = try makeEngine(version)
            log.write(1, to: engine)
            engine.close()
            clock.advance(by: .seconds(86_400))
        }
        #expect(
            scratch.names() == [
                "shop-1.2-2026-01-03.log", "shop-1.3-2026-01-04.log", "shop-2.0-2026-01-05.log",
            ])
        let again = try makeEngine("2.0")
        clock.setWall(moment("2026-01-05T12:00:00Z"))
        log.write(1, to: again)
        #expect(scratch.names().count == 3)
        #expect(throws: LogError.self) {
            try LogFileNaming(application: "shop", template: "{app}-{variant}-{date}.log")
        }
        #expect(throws: LogError.self) { try LogFileNaming(application: "shop", variant: "1.0") }
    }

    @Test(
        "Without a directory, a logger uses that of the environment, or the usual one",
        arguments: [
            (["LOGS_DIRECTORY": "/var/log/a:/var/log/b"], "/var/log/a"),
            (["LOGS_DIRECTORY": "relative", "XDG_STATE_HOME": "/home/x/state"], "/home/x/state/shop/log"),
            (["XDG_STATE_HOME": "/s"], "/s/shop/log"),
        ] as [([String: String], String)])
    func standardDirectory(_ environment: [String: String], _ expected: String) throws {
        #expect(try StandardLogDirectory.path(application: "shop", environment: environment) == expected)
        #if !canImport(Darwin)
        #expect(
            try StandardLogDirectory.path(application: "shop", environment: [:], user: 0) == "/var/log/shop")
        let home = try #require(HomeDirectory.path)
        #expect(
            try StandardLogDirectory.path(application: "shop", environment: [:], user: 1)
                == home + "/.local/state/shop/log")
        #endif
    }

    @Test("A formatter that writes nothing leaves no line, and text without a formatter is one line")
    func emptyAndRawText() throws {
        final class Silent: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? {
                message.level == .debug ? "" : message.text
            }
        }
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: Silent(), clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logDebug("nothing", to: dispatcher)
        logInfo("one", to: dispatcher)
        logger.formatter = nil
        logInfo("two\n\u{1b}[31mthree", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let lines = scratch.text(scratch.names()[0]).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[0] == "one" && lines[1].contains("three") && lines[2] == "")
        #expect(!lines[1].contains("\u{1b}"))
        dispatcher.removeAll()
    }
}
