import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    /// What programs that were written for the original rely on about its files.
    @Suite("Files as programs expect them", .inTurn)
    struct FileBehaviorTests {
        private let folder = Folder()
        private let log = DDLog()

        private func makeLogger(_ manager: DDLogFileManagerDefault? = nil) -> DDFileLogger {
            let logger = DDFileLogger(
                logFileManager: manager ?? DDLogFileManagerDefault(logsDirectory: folder.path))
            logger.logFormatter = nil
            log.add(logger)
            return logger
        }

        private func roll(_ logger: DDFileLogger) async {
            await withCheckedContinuation { done in logger.rollLogFile { done.resume() } }
        }

        // MARK: Fixed names

        @Test(
            "A manager with one fixed name keeps its limits over many runs, whether or not it knows its own name",
            arguments: [true, false])
        func fixedName(knowsItsName: Bool) async {
            var reports = 0
            for life in 0..<20 {
                let manager = FixedName(folder.path, knowsItsName: knowsItsName)
                manager.maximumNumberOfLogFiles = 3
                manager.logFilesDiskQuota = 2000
                let run = DDLog()
                let count = Counter()
                run.dispatcher.diagnostics.handler = { report in
                    if report.text.contains("isLogFile") { count.add() }
                }
                let logger = DDFileLogger(logFileManager: manager)
                logger.logFormatter = nil
                run.add(logger)
                for number in 0..<3 {
                    DDLogInfo("life \(life) line \(number) \(String(repeating: "x", count: 80))", ddlog: run)
                    run.flushLog()
                    await roll(logger)
                }
                run.removeAllLoggers()
                reports += count.value
                #expect(folder.names.count <= 3 && folder.texts.joined().utf8.count <= 2000)
                #expect(manager.sortedLogFileNames.count == folder.names.count)
            }
            #expect(folder.texts.joined().contains("life 19 line 2"))
            #expect(reports == (knowsItsName ? 0 : 20))
        }

        @Test("A fixed name leaves files of other names alone, numbered ones of other names too")
        func foreign() async {
            for name in ["other.txt", "logs 2.txt", "log x.txt", "log 02.txt", "log 1.txt", "log 2.bak"] {
                try? Data("precious".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
            }
            let manager = FixedName(folder.path, knowsItsName: true)
            manager.maximumNumberOfLogFiles = 1
            let logger = makeLogger(manager)
            for _ in 0..<4 {
                DDLogInfo("x", ddlog: log)
                log.flushLog()
                await roll(logger)
            }
            log.removeAllLoggers()
            #expect(folder.texts.count { $0 == "precious" } == 6 && folder.names.count == 7)
        }

        // MARK: As the original's tests

        @Test("The limit on the number of files counts everything in the directory, also when it is lowered")
        func maximumNumberOfLogFiles() async throws {
            let manager = WithHeader(logsDirectory: folder.path)
            let logger = makeLogger(manager)
            logger.doNotReuseLogFiles = true
            manager.maximumNumberOfLogFiles = 4
            logger.maximumFileSize = 10
            for number in 1...4 { DDLogError("Log \(number) in the file", ddlog: log) }
            log.flushLog()
            #expect(folder.names.count == 4)
            manager.maximumNumberOfLogFiles = 2
            log.flushLog()
            #expect(folder.names.count == 2)
            log.removeAllLoggers()
        }

        @Test("A logger that reuses no files writes on after a roll, and has created two files then")
        func rollWithoutReuse() async throws {
            let logger = makeLogger(WithHeader(logsDirectory: folder.path))
            logger.doNotReuseLogFiles = true
            for number in 1...2 { DDLogError("Log \(number) in the old file", ddlog: log) }
            await roll(logger)
            for number in 1...2 { DDLogError("Log \(number) in the new file", ddlog: log) }
            log.flushLog()
            #expect(logger.logFileManager.unsortedLogFileInfos.count == 2 && folder.names.count == 2)
            log.removeAllLoggers()
        }

        @Test("Where no files are reused, asking for the current file creates one only if that is finished")
        func currentFileWithoutReuse() throws {
            let logger = makeLogger(WithHeader(logsDirectory: folder.path))
            logger.doNotReuseLogFiles = true
            let first = try #require(logger.currentLogFileInfo)
            let second = try #require(logger.currentLogFileInfo)
            #expect(first.filePath == second.filePath)
            second.isArchived = true
            let third = try #require(logger.currentLogFileInfo)
            #expect(third.filePath == logger.currentLogFileInfo?.filePath && third.filePath != first.filePath)
            #expect(logger.logFileManager.unsortedLogFileInfos.count == 2 && folder.names.count == 2)
            log.removeAllLoggers()
        }

        // MARK: Flushing

        @Test("The file logger's flush returns when everything that was logged before is in the file")
        func flush() {
            let logger = makeLogger()
            for number in 0..<100 { DDLogInfo("\(number)", ddlog: log) }
            logger.flush()
            #expect(folder.texts == [(0..<100).map { "\($0)\n" }.joined()])
            // A file that is purged after that takes nothing with it.
            for path in logger.logFileManager.sortedLogFilePaths {
                try? FileManager.default.removeItem(atPath: path)
            }
            DDLogInfo("last", ddlog: log)
            logger.flush()
            #expect(folder.texts == ["last\n"])
            log.removeAllLoggers()
        }

        @Test(
            "A subclass that flushes its base in its hook ends, and the base of a database logger saves and waits"
        )
        func flushInHook() {
            let logger = FlushingLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path))
            logger.logFormatter = nil
            log.add(logger)
            DDLogInfo("x", ddlog: log)
            log.flushLog()
            #expect(folder.texts == ["x\n"])
            let table = Table()
            log.add(table)
            DDLogInfo("y", ddlog: log)
            table.flush()
            #expect(table.saved.all == ["y"])
            log.removeAllLoggers()
        }

        // MARK: The current file

        @Test("The current file is created by asking for it, with its header, and takes the first line")
        func currentFile() async throws {
            let logger = makeLogger(WithHeader(logsDirectory: folder.path))
            let info = try #require(logger.currentLogFileInfo)
            #expect(folder.names == [info.fileName] && folder.texts == ["header\n"] && !info.isArchived)
            #expect(logger.currentLogFileInfo == info)
            DDLogInfo("one", ddlog: log)
            log.flushLog()
            #expect(folder.texts == ["header\none\n"] && logger.currentLogFileInfo == info)
            await roll(logger)
            let next = try #require(logger.currentLogFileInfo)
            #expect(next != info && folder.names.count == 2 && info.isArchived && !next.isArchived)
            log.removeAllLoggers()
        }

        @Test(
            "A logger that reuses no file does not give the file of another one, before its first line either"
        )
        func currentFileOfOther() throws {
            let first = makeLogger()
            DDLogInfo("one", ddlog: log)
            let second = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path))
            second.doNotReuseLogFiles = true
            let (mine, its) = (
                try #require(first.currentLogFileInfo), try #require(second.currentLogFileInfo)
            )
            #expect(mine != its && second.currentLogFileInfo == its && folder.names.count == 2)
            log.removeAllLoggers()
        }

        @Test("The size of the current file counts everything that was logged before")
        func currentSize() {
            let logger = makeLogger()
            var size = 0
            for round in 0..<20 {
                for number in 0..<1000 {
                    DDLogInfo("round \(round) line \(number)", ddlog: log)
                    size += "round \(round) line \(number)\n".utf8.count
                }
                #expect(logger.currentLogFileInfo?.fileSize == UInt64(size))
            }
            log.removeAllLoggers()
        }

        // MARK: Finished files

        @Test(
            "Whether a file is finished is known of its path and of information that is older than the roll")
        func archived() async throws {
            let logger = makeLogger()
            DDLogInfo("one", ddlog: log)
            let held = try #require(logger.currentLogFileInfo)
            let listed = try #require(logger.logFileManager.sortedLogFileInfos.first)
            #expect(
                !held.isArchived && !listed.isArchived && !DDLogFileInfo(filePath: held.filePath).isArchived)
            await roll(logger)
            #expect(held.isArchived && listed.isArchived)
            #expect(DDLogFileInfo(filePath: held.filePath).isArchived)
            log.removeAllLoggers()
            // Without a logger it is read from what is noted in the directory.
            #expect(DDLogFileInfo(filePath: held.filePath).isArchived)
            // As an archiver leaves both for a moment, and a crash for good.
            #expect(FileManager.default.createFile(atPath: held.filePath + ".gz", contents: Data("gz".utf8)))
            #expect(DDLogFileInfo(filePath: held.filePath).isArchived)
            held.isArchived = false
            #expect(!held.isArchived)
            #expect(!DDLogFileInfo(filePath: folder.path + "/none.log").isArchived)
        }

        @Test("Whether a file with a name of the manager's own is finished is known while a logger uses it")
        func archivedOwnName() async throws {
            let logger = makeLogger(FixedName(folder.path, knowsItsName: true))
            DDLogInfo("one", ddlog: log)
            let info = try #require(logger.currentLogFileInfo)
            await roll(logger)
            #expect(info.isArchived && DDLogFileInfo(filePath: info.filePath).isArchived)
            log.removeAllLoggers()
        }

        @Test(
            "What is set is known of the path, and no logger writes on in a file that is marked as finished")
        func marks() throws {
            let logger = makeLogger()
            logger.doNotReuseLogFiles = true
            let info = try #require(logger.currentLogFileInfo)
            #expect(logger.currentLogFileInfo == info && !info.hasExtendedAttribute(withName: mark))
            info.isArchived = true
            #expect(
                DDLogFileInfo(filePath: info.filePath).isArchived && info.hasExtendedAttribute(withName: mark)
            )
            let next = try #require(logger.currentLogFileInfo)
            #expect(next != info && logger.currentLogFileInfo == next && folder.names.count == 2)
            info.isArchived = false
            #expect(!info.isArchived && !DDLogFileInfo(filePath: info.filePath).isArchived)
            DDLogInfo("one", ddlog: log)
            log.removeAllLoggers()
            // By a program between two runs, with CocoaLumberjack's own attribute.
            next.addExtendedAttribute(withName: mark)
            #expect(next.isArchived)
            _ = makeLogger()
            DDLogInfo("two", ddlog: log)
            log.removeAllLoggers()
            #expect(folder.texts == ["", "one\n", "two\n"])
            next.isArchived = false
            #expect(!next.isArchived)
            next.removeExtendedAttribute(withName: mark)
            #expect(!next.hasExtendedAttribute(withName: mark))
        }

        /// The name that CocoaLumberjack has for it.
        private var mark: String { "lumberjack.log.archived" }

        @Test("The manager has heard of a file when its roll is complete, on a concurrent queue too")
        func orderOfCompletion() async throws {
            let manager = SlowToHear(logsDirectory: folder.path)
            let logger = makeLogger(manager)
            let info = try #require(logger.currentLogFileInfo)
            DDLogInfo("one", ddlog: log)
            let path = await withCheckedContinuation { done in
                logger.rollLogFile {
                    done.resume(returning: manager.path.withLock { $0 })
                    manager.isComplete.signal()
                }
            }
            #expect(path == info.filePath)
            log.removeAllLoggers()
        }

        // MARK: Links

        @Test(
            "A link of this user under the fixed name is replaced, and what it leads to is left alone",
            arguments: ["precious", nil])
        func link(_ text: String?) throws {
            let target = Folder()
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: target.path + "/target")) }
            let path = folder.path + "/log.txt"
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: target.path + "/target")
            let logger = makeLogger(FixedName(folder.path, knowsItsName: true))
            let info = try #require(logger.currentLogFileInfo)
            #expect(info.fileName == "log.txt" && !info.isSymlink)
            DDLogInfo("one", ddlog: log)
            log.removeAllLoggers()
            #expect(folder.texts == ["one\n"] && target.texts == (text.map { [$0] } ?? []))
        }

        @Test("A link of another user stays, and the new file has a number", .enabled(if: geteuid() == 0))
        func linkOfOthers() throws {
            let path = folder.path + "/log.txt"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
            #expect(lchown(path, 12_345, 12_345) == 0)
            let logger = makeLogger(FixedName(folder.path, knowsItsName: true))
            #expect(logger.currentLogFileInfo?.fileName == "log 2.txt")
            #expect(DDLogFileInfo(filePath: path).isSymlink)
            log.removeAllLoggers()
        }

        // MARK: Clearing

        @Test(
            "A line that is logged right after the files were listed and removed is in a new file, each time")
        func clearing() {
            let logger = makeLogger()
            for round in 0..<50 {
                DDLogInfo("line of round \(round)", ddlog: log)
                log.flushLog()
                for path in logger.logFileManager.sortedLogFilePaths {
                    try? FileManager.default.removeItem(atPath: path)
                }
                DDLogError("cleared \(round)", ddlog: log)
                DDLogInfo("and on", ddlog: log)
                log.flushLog()
                #expect(folder.texts == ["cleared \(round)\nand on\n"])
            }
            log.removeAllLoggers()
        }

        // MARK: The quota

        @Test("A file size that is set by hand raises a quota that was not, and leaves one that was")
        func quota() {
            let manager = DDLogFileManagerDefault(logsDirectory: folder.path)
            let logger = makeLogger(manager)
            logger.maximumFileSize = 100 * 1024 * 1024
            #expect(manager.logFilesDiskQuota == 200 * 1024 * 1024)
            #expect(logger.heartwoodFileLogger?.diskQuota == .mebibytes(200))
            logger.maximumFileSize = 1000
            #expect(manager.logFilesDiskQuota == kDDDefaultLogFilesDiskQuota)
            for endless in [0, UInt64.max] {
                logger.maximumFileSize = endless
                #expect(manager.logFilesDiskQuota == 0)
            }
            manager.logFilesDiskQuota = 5000
            logger.maximumFileSize = 100 * 1024 * 1024
            #expect(
                manager.logFilesDiskQuota == 5000 && logger.heartwoodFileLogger?.diskQuota == .bytes(5000))
            log.removeAllLoggers()
        }

        @Test("Files of 100 MB keep all of their lines with the default quota")
        func bigFile() {
            let logger = makeLogger()
            logger.maximumFileSize = 100 * 1024 * 1024
            let line = String(repeating: "x", count: 64 * 1024)
            for _ in 0..<400 { DDLogInfo(line, ddlog: log) }
            log.flushLog()
            #expect(folder.names.count == 1)
            #expect(logger.currentLogFileInfo?.fileSize == 400 * 65_537 as UInt64)
            log.removeAllLoggers()
        }

        // MARK: Managers

        @Test(
            "A file that a manager creates is there at once, with the header, and the first logger continues it",
            arguments: [true, false])
        func createdFile(hasHeader: Bool) throws {
            try FileManager.default.removeItem(atPath: folder.path)
            func makeManager() -> DDLogFileManagerDefault {
                hasHeader
                    ? WithHeader(logsDirectory: folder.path)
                    : DDLogFileManagerDefault(logsDirectory: folder.path)
            }
            let manager = makeManager()
            let path = try manager.createNewLogFile()
            #expect(manager.isLogFile(withName: (path as NSString).lastPathComponent))
            #expect(folder.texts == [hasHeader ? "header\n" : ""])
            let info = DDLogFileInfo(filePath: path)
            #expect(info.fileSize == (hasHeader ? 7 : 0) && info.creationDate != nil)
            #expect((info.fileAttributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            _ = makeLogger(makeManager())
            DDLogInfo("one", ddlog: log)
            log.removeAllLoggers()
            #expect(folder.texts == [hasHeader ? "header\none\n" : "one\n"])
        }

        @Test("A file manager of the manager's own, which would encrypt files, is reported: it has no effect")
        func ownFileManager() {
            let reports = Notes()
            log.dispatcher.diagnostics.handler = { reports.add($0.text) }
            _ = makeLogger(OwnFileManager(logsDirectory: folder.path))
            log.flushLog()
            #expect(reports.all.count { $0.contains("fileManager of OwnFileManager") } == 1)
            log.removeAllLoggers()
        }

        @Test("A serializer that is set later holds from the next message on, and can be taken back")
        func laterSerializer() {
            let manager = DDLogFileManagerDefault(logsDirectory: folder.path)
            _ = makeLogger(manager)
            DDLogInfo("plain", ddlog: log)
            manager.logMessageSerializer = Measuring()
            DDLogInfo("measured", ddlog: log)
            #expect(manager.logMessageSerializer is Measuring)
            manager.logMessageSerializer = DDFileLogPlainTextMessageSerializer()
            DDLogInfo("plain", ddlog: log)
            log.removeAllLoggers()
            #expect(folder.texts == ["plain\n9 measured\n (info)|plain\n"])
        }
    }
}

private final class Counter: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

private final class FixedName: DDLogFileManagerDefault, @unchecked Sendable {
    private let knowsItsName: Bool
    init(_ path: String, knowsItsName: Bool) {
        self.knowsItsName = knowsItsName
        super.init(logsDirectory: path)
    }
    override var newLogFileName: String { "log.txt" }
    override func isLogFile(withName fileName: String) -> Bool { knowsItsName && fileName == "log.txt" }
}

private final class WithHeader: DDLogFileManagerDefault, @unchecked Sendable {
    override var logFileHeader: String? { "header" }
}

/// Gives the completion of the roll time to come first.
private final class SlowToHear: DDLogFileManagerDefault, @unchecked Sendable {
    let path = Locked("")
    let isComplete = DispatchSemaphore(value: 0)
    override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        _ = isComplete.wait(timeout: .now() + .milliseconds(50))
        path.withLock { $0 = logFilePath }
    }
}

private final class OwnFileManager: DDLogFileManagerDefault, @unchecked Sendable {
    private let own = FileManager()
    override var fileManager: FileManager {
        get { own }
        set {}
    }
}

private final class Measuring: NSObject, DDFileLogMessageSerializer {
    func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data {
        Data("\(string.count) \(string)\(message == nil ? "" : " (info)")|".utf8)
    }
}

private final class FlushingLogger: DDFileLogger {
    override func flush() { super.flush() }
}

private final class Table: DDAbstractDatabaseLogger, @unchecked Sendable {
    let saved = Notes()
    private let waiting = Locked<[String]>([])
    override func db_log(_ logMessage: DDLogMessage) -> Bool {
        waiting.withLock { $0.append(logMessage.message) }
        return true
    }
    override func db_save() {
        for text in waiting.withLock({ waiting in
            defer { waiting = [] }; return waiting
        }) { saved.add(text) }
    }
}
