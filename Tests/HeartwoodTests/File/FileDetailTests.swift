import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What is easily forgotten: the end of a logger, settings that change while a file is open, steady streams.
@Suite(.inTurn) struct FileDetailTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let naming = LogFileNaming(application: "t")
    private let syncs = Locked(0)
    private let isFull = Locked(false)

    private var calls: SystemCalls {
        SystemCalls { [syncs, isFull] call in
            if call == .sync { syncs.withLock { $0 += 1 } }
            return call == .write && isFull.withLock { $0 } ? .fails(ENOSPC) : nil
        }
    }

    private func makeLogger() throws -> FileLogger {
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls), settings: FileSettings(naming: naming), formatter: nil,
            clock: clock)
        logger.minimumFreeSpace = .zero
        return logger
    }

    @Test(
        "A logger whose limits would remove files of another program says so at its start",
        arguments: [
            ("shop", "{app}-{variant}-{date}.log", "2.1", "shop-api", "{app}-{date}.log", true),
            ("shop", "{app}-{variant}-{date}.log", "2.1", "shop-2", "{app}-{date}.log", true),
            ("shop", "{app}-{variant}-{date}.log", "2.1", "shopping", "{app}-{date}.log", false),
            ("shop", "{app}-{variant}-{date}.log", "2.1", "store", "{app}-{date}.log", false),
            ("shop", "{app}-{date}.log", nil, "shop-api", "{app}-{date}.log", false),
            ("shop", "{app} {date}.log", nil, "shop 2", "{app} {date}.log", false),
            ("shop", "{app}-{date}.log", nil, "shop-2026", "{app}-{date}.log", false),
            ("shop", "{date}.log", nil, "store", "{date}.log", true),
            ("shop", "{date}.log", nil, "store", "{app}-{date}.log", false),
            ("shop", "web-{number}.log", nil, "store", "web-{number}.log", true),
            ("shop", "{app}-{date}.log as cur.log", nil, "store", "{app}-{date}.log as cur.log", true),
            ("shop", "{app}-{date}.log as cur.log", nil, "store", "{app}-{date}.log as other.log", false),
        ] as [(String, String, String?, String, String, Bool)])
    func neighbors(
        application: String, template: String, variant: String?, other: String, otherTemplate: String,
        isTold: Bool
    ) async throws {
        func log(_ application: String, _ template: String, _ variant: String?) async throws -> [String] {
            let dispatcher = LogDispatcher.forTest()
            let reports = Locked<[String]>([])
            dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
            // "TEMPLATE as NAME" has a fixed name for the current file.
            let parts = template.components(separatedBy: " as ")
            let naming = try LogFileNaming(
                application: application, template: parts[0],
                activeName: parts.count > 1 ? parts[1] : nil, variant: variant)
            let logger = try FileLogger(directory: scratch.logs, settings: FileSettings(naming: naming))
            dispatcher.add(logger)
            logInfo("a message", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            await logger.rollNow()
            logInfo("a message", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            dispatcher.removeAll()
            return reports.withLock { $0 }
        }
        #expect(try await log(other, otherTemplate, nil).isEmpty)
        let reports = try await log(application, template, variant)
        #expect(reports.count == (isTold ? 1 : 0), "\(reports)")
        #expect(reports.allSatisfy { $0.contains("belongs to \(other)") }, "\(reports)")
        // Its own files of before, and of other variants, are no reason.
        let again = try await log(application, template, variant.map { $0 + ".1" })
        #expect(again.count == reports.count, "\(again)")
    }

    @Test("A formatter that writes nothing for a message wants no line, and the message counts as filtered")
    func emptyOutput() async throws {
        final class Selective: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
                if message.level != .debug { output.append(message.text) }
                return true
            }
        }
        let logger = try makeLogger()
        logger.formatter = Selective()
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        logDebug("nothing", to: dispatcher)
        logInfo("two", to: dispatcher)
        logger.currentLink = "current"
        await dispatcher.flush(timeout: .testLimit)
        #expect(scratch.text("current") == "one\ntwo\n")
        #expect(logger.statistics.filtered == 1 && logger.statistics.delivered == 2)
    }

    @Test("Lines that no disk has taken when the logger is removed count as failed, and are reported")
    func removedWithFullDisk() async throws {
        isFull.withLock { $0 = true }
        let logger = try makeLogger()
        let dispatcher = LogDispatcher.forTest()
        let reports = Locked<[String]>([])
        dispatcher.diagnostics.handler = { report in
            if report.kind == .messagesDropped { reports.withLock { $0.append(report.text) } }
        }
        dispatcher.add(logger)
        for number in 0..<3 { logInfo("\(number)", to: dispatcher) }
        #expect(await dispatcher.flush(timeout: .testLimit).holding == ["FileLogger"])
        #expect(logger.statistics.delivered == 0 && logger.statistics.waiting == 3)
        await dispatcher.remove(logger)
        let statistics = logger.statistics
        #expect(statistics.failed == 3 && statistics.delivered == 0 && statistics.isBalanced)
        #expect(reports.withLock { $0.first?.contains("3 messages dropped") == true })
    }

    @Test("A link that is set while a file is open leads to it at once, and so does one with another name")
    func linkOfOpenFile() async throws {
        let logger = try makeLogger()
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        for link in ["current", "latest"] {
            logger.currentLink = link
            await dispatcher.flush(timeout: .testLimit)
            #expect(scratch.text(link) == "one\n")
        }
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test(
        "What was written is put on the disk when the logger goes or reopens its file, unless the policy is never",
        arguments: [true, false])
    func syncAtTheEnd(isNever: Bool) async throws {
        let logger = try makeLogger()
        logger.syncPolicy = isNever ? .never : .interval(.seconds(3600))
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(syncs.withLock { $0 } == 0)
        logger.reopen()
        await dispatcher.flush(timeout: .testLimit)
        #expect(syncs.withLock { $0 } == (isNever ? 0 : 1))
        logInfo("two", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        await dispatcher.remove(logger)
        #expect(syncs.withLock { $0 } == (isNever ? 0 : 2))
    }

    @Test(
        "A file that seems to be older than 2001 had a clock that was never set: it is not removed for its age"
    )
    func neverSetClock() {
        let plan = RetentionPlan(maximumAge: .seconds(86_400))
        let now = moment("2026-01-01T00:00:00Z")
        let old = ["1970-01-01T00:00:05Z", "2000-12-31T23:59:59Z", "2001-01-01T00:00:00Z"].map {
            RetentionPlan.File(
                name: $0, label: LogFileLabel(createdAt: nil), size: 1, modified: moment($0))
        }
        let removals = plan.removals(from: old, count: 3, total: 3, now: now)
        #expect(removals.map(\.name) == ["2001-01-01T00:00:00Z"])
        #expect(plan.removals(from: old, count: 3, total: 3, now: nil).isEmpty)
    }

    @Test("With an interval, a log that is never quiet is put on the disk in time all the same")
    func syncOfBusyLog() async throws {
        let logger = try makeLogger()
        logger.syncPolicy = .interval(.seconds(5))
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        for second in 0..<20 {
            logInfo("\(second)", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            clock.advance(by: .seconds(1))
        }
        #expect((4...6).contains(syncs.withLock { $0 }))
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("A file that others have deleted is not the current one, and did not roll")
    func deletedByOthers() async throws {
        let logger = try makeLogger()
        let rolled = Locked(0)
        logger.onRoll = { _ in rolled.withLock { $0 += 1 } }
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        let first = try #require(logger.currentPath)
        #expect(unlink(first) == 0)
        #expect(logger.currentPath == nil)
        clock.advance(by: .seconds(1))
        logInfo("two", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        let second = try #require(logger.currentPath)
        #expect(second != first && scratch.names().map { scratch.logs + "/" + $0 } == [second])
        logger.hookQueue.sync {}
        #expect(rolled.withLock { $0 } == 0)
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("A file that a processor has had removed counts for no limit any more, and is told of")
    func removedByProcessor() throws {
        final class Removing: LogArchiveProcessor, @unchecked Sendable {
            override func process(_ file: LogFileInfo) throws -> Outcome { .remove }
        }
        let directory = try Directory(scratch.logs)
        let engine = FileEngine(
            directory: directory, settings: FileSettings.unlimited(naming: naming), clock: clock)
        var log = RecordLog()
        log.write(3, to: engine)
        engine.rollNow()
        log.write(1, to: engine)
        var settings = FileArchiver.Settings()
        settings.processor = Removing()
        let removed = Locked<[String]>([])
        let worker = ArchiveWorker(
            directory: directory, inventory: engine.inventory, makeRoom: { _, _ in true },
            describe: { [inventory = engine.inventory] name in
                inventory.entries.last { $0.name == name }.map {
                    LogFileInfo($0, directory, active: nil, isFinished: true)
                }
            },
            tell: { event in
                if case .removed(let name) = event { removed.withLock { $0.append(name) } }
            })
        let finished = try #require(engine.finished.first)
        var name = finished
        #expect(try worker.work(on: &name, settings))
        #expect(removed.withLock { $0 } == [finished] && !scratch.names().contains(finished))
        #expect(engine.inventory.entries.map(\.name) == scratch.names())
        #expect(engine.inventory.total == scratch.total && engine.inventory.count == 1)
    }
}
