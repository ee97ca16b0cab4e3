import CHeartwood
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What is on the disk when, and in which order: details on which a power cut or another process depends.
@Suite(.inTurn) struct FileDurabilityTests {
    private let archives: Void = LogArchives.register()

    private let scratch = Scratch()
    private let clock = ManualClock()
    private let made = Locked<[SystemCall]>([])

    /// Calls that are remembered in their order.
    private var calls: SystemCalls {
        SystemCalls { [made] call in
            made.withLock { $0.append(call) }
            return nil
        }
    }

    private func makeEngine(_ change: (inout FileSettings) -> Void = { _ in }) throws -> FileEngine {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        change(&settings)
        return FileEngine(
            directory: try Directory(scratch.logs, calls: calls), settings: settings, clock: clock)
    }

    @Test("A finished file is put on the disk when it is rolled, whatever the interval of the policy")
    func syncAtRoll() throws {
        let engine = try makeEngine { $0.syncPolicy = .interval(.seconds(3600)) }
        var log = RecordLog()
        log.write(1, to: engine)
        made.withLock { $0 = [] }
        engine.rollNow()
        #expect(made.withLock { $0 }.contains(.sync))
    }

    @Test("After a roll, the next synchronization puts the finished file and its name on the disk, once")
    func syncAfterRoll() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        try engine.synchronize()
        made.withLock { $0 = [] }
        engine.rollNow()
        for _ in 0..<2 {
            try engine.synchronize()
            #expect(made.withLock { $0 }.filter { $0 == .sync }.count == 2)
        }
    }

    @Test("A message of an urgent level has what was written put on the disk, and those after it do not")
    func urgentOnce() throws {
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "t")), formatter: nil, clock: clock)
        logger.syncPolicy = .levels(.error)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(!made.withLock { $0 }.contains(.sync))
        logError("urgent", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        made.withLock { $0 = [] }
        for number in 0..<20 {
            logInfo("\(number)", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
        }
        #expect(made.withLock { $0 }.filter { $0 == .write }.count >= 20)
        #expect(!made.withLock { $0 }.contains(.sync))
        dispatcher.removeAll()
    }

    @Test(
        "A log is removed only after its archive and the name of it are on the disk, and the archive has its time"
    )
    func archiveOrder() throws {
        scratch.write("one\ntwo\n", to: "t.log")
        let directory = try Directory(scratch.logs, calls: calls)
        let (file, _) = try directory.open("t.log")
        try directory.calls.setModified(file.number, nanoseconds: moment("2020-05-05T05:05:05Z").nanoseconds)
        directory.calls.unlock(file.number)
        made.withLock { $0 = [] }
        let job = ArchiveJob(
            directory: directory, name: "t.log", stage: .gzip, cipher: nil, mode: 0o600,
            reserve: { _ in true })
        #expect(try job.run() != nil)
        let order = made.withLock { $0 }.filter { [.sync, .rename, .unlink].contains($0) }
        // The bytes, the name, the name on the disk, and only then the log.
        #expect(order.suffix(4) == [.sync, .rename, .sync, .unlink])
        #expect(try directory.status("t.log.gz")?.modified == moment("2020-05-05T05:05:05Z"))
        #expect(scratch.names() == ["t.log.gz"])
    }

    @Test("Room for an archive is made by removing older files only")
    func roomForArchive() throws {
        let engine = try makeEngine {
            $0.rolling.maximumSize = 60
            $0.retention.quota = 400
        }
        var log = RecordLog()
        log.write(10, to: engine)
        let entries = engine.inventory.entries
        let before = scratch.names()
        #expect(!engine.makeRoom(forArchive: 300, of: entries[1].label))
        #expect(scratch.names() == before)
        #expect(engine.makeRoom(forArchive: 190, of: entries[3].label))
        #expect(!scratch.names().contains(entries[0].name) && scratch.names().contains(entries[3].name))
    }

    @Test("A write that a crash cut off is looked for in the file that was renamed since (promise 10)")
    func intentOfRenamedFile() throws {
        let lines = Array("one\ntwo\n".utf8)
        scratch.write("one\ntwo\n", to: "renamed.log")
        let logger = try FileLogger(directory: scratch.logs, formatter: nil, clock: clock)
        let status = try #require(try logger.directory.status("renamed.log"))
        var intent = JournalSlot.Intent(file: status.identity, name: "t.log", size: 0)
        intent.ends = [4, 8]
        intent.marks = [6, 7]
        intent.checks = lines.withUnsafeBytes { bytes in
            [JournalSlot.Intent.check(bytes, 0, 4), JournalSlot.Intent.check(bytes, 4, 8)]
        }
        #expect(try logger.resolve(intent) == 7)
    }

    @Test("An active file is not finished for another logger, and a finished one is")
    func archivedFilesOfOthers() throws {
        let naming = LogFileNaming(application: "t")
        let dispatcher = LogDispatcher()
        let loggers = try (0..<2).map { _ in
            try FileLogger(
                directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        }
        dispatcher.add(loggers[0])
        logInfo("quiet", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        dispatcher.add(loggers[1])
        logInfo("both", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        loggers[1].rollNow()
        dispatcher.flush(timeout: .testLimit)
        clock.advance(by: .seconds(2))
        logInfo("more", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let paths = loggers.compactMap(\.currentPath)
        #expect(paths.count == 2)
        for logger in loggers {
            let files = try logger.logFiles()
            #expect(files.filter(\.isArchived).count == 1)
            #expect(files.allSatisfy { !paths.contains($0.path) || !$0.isArchived })
        }
        dispatcher.removeAll()
    }

    @Test(
        "No caller does the work of a logger that shares files, whose lock a stopped process may hold (promise 3)"
    )
    func callersOfSharedFiles() throws {
        let logger = try FileLogger(directory: scratch.logs, formatter: nil, clock: clock)
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        for isShared in [false, true, false] {
            logger.isShared = isShared
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
            #expect(logger.runsOnCaller == !isShared)
        }
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("A flush keeps its time limit while a stopped process holds the lock of shared files (promise 3)")
    func flushWithStoppedHolder() throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.isShared = true
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let directory = try Directory(scratch.logs)
        let holder = try directory.openAgain()
        #expect(try directory.calls.tryLock(holder.number))
        logInfo("two", to: dispatcher)
        // The logger waits for the lock three seconds; a flush that took part in that would be complete.
        #expect(dispatcher.flush(timeout: .milliseconds(100)).unfinished == ["FileLogger"])
        directory.calls.unlock(holder.number)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(scratch.text(scratch.names()[0]) == "one\ntwo\n")
        dispatcher.removeAll()
    }
}
