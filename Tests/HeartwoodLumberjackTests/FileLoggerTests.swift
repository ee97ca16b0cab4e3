import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Files", .inTurn)
    struct FileLoggerTests {
        private let folder = Folder()
        private let log = DDLog()
        private let completionQueue = DispatchQueue(label: "lumberjack.completion")

        private func makeLogger(_ manager: DDLogFileManagerDefault? = nil) -> DDFileLogger {
            let logger = DDFileLogger(
                logFileManager: manager ?? DDLogFileManagerDefault(logsDirectory: folder.path),
                completionQueue: completionQueue)
            logger.logFormatter = nil
            log.add(logger)
            return logger
        }

        private func write(_ texts: String...) {
            for text in texts { DDLogInfo(text, ddlog: log) }
            log.flushLog()
        }

        private func roll(_ logger: DDFileLogger) async {
            await withCheckedContinuation { done in logger.rollLogFile { done.resume() } }
        }

        @Test("The settings begin as they do there, and what is set is read back")
        func settings() {
            let logger = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path))
            #expect(logger.maximumFileSize == 1_048_576 && logger.rollingFrequency == 86_400)
            #expect(!logger.doNotReuseLogFiles && logger.automaticallyAppendNewlineForCustomFormatters)
            let manager = logger.logFileManager
            #expect(manager.maximumNumberOfLogFiles == 5 && manager.logFilesDiskQuota == 20 * 1024 * 1024)
            #expect(manager.logsDirectory == folder.path && logger.loggerName == .file)
            #expect(logger.logFormatter is DDLogFileFormatterDefault)
            logger.maximumFileSize = 0
            logger.rollingFrequency = -1
            logger.doNotReuseLogFiles = true
            manager.maximumNumberOfLogFiles = 0
            manager.logFilesDiskQuota = 77
            #expect(logger.maximumFileSize == 0 && logger.rollingFrequency == 0 && logger.doNotReuseLogFiles)
            #expect(manager.maximumNumberOfLogFiles == 0 && manager.logFilesDiskQuota == 77)
            // Heartwood's logger has them.
            #expect(logger.heartwoodFileLogger?.maximumFileCount == 0)
            #expect(logger.heartwoodFileLogger?.diskQuota == .bytes(77))
            #expect(logger.heartwoodFileLogger?.rollingInterval == .zero)
            logger.rollingFrequency = 0.5
            #expect(logger.rollingFrequency == 0.5)
        }

        @Test(
            "Lines have the date in UTC; no file is there before the first one; a second run continues the file"
        )
        func lines() {
            let logger = makeLogger()
            logger.logFormatter = DDLogFileFormatterDefault()
            #expect(folder.names.isEmpty)
            write("first")
            log.removeAllLoggers()
            let again = makeLogger()
            again.logFormatter = DDLogFileFormatterDefault()
            #expect(again.currentLogFileInfo?.fileName == folder.names.first)
            write("second\nline")
            log.removeAllLoggers()
            #expect(folder.names.count == 1 && folder.names[0].hasSuffix(".log"))
            let pattern = /\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d:\d{3}  first\n\d{4}.{19}  second\nline\n/
            #expect(folder.texts[0].wholeMatch(of: pattern) != nil)
        }

        @Test(
            "A file ends before it exceeds its size, the newest are kept, and settings hold from the next message on"
        )
        func limits() {
            let logger = makeLogger()
            logger.maximumFileSize = 1000
            logger.logFileManager.maximumNumberOfLogFiles = 3
            for number in 0..<1000 { DDLogInfo("message \(number)", ddlog: log) }
            log.flushLog()
            #expect(folder.names.count == 3 && folder.texts.allSatisfy { $0.utf8.count <= 1000 })
            #expect(folder.texts.joined().hasSuffix("message 998\nmessage 999\n"))
            logger.logFileManager.logFilesDiskQuota = 1500
            write("x")
            #expect(
                folder.texts.joined().utf8.count <= 1500
                    && folder.texts.joined().hasSuffix("message 999\nx\n"))
            logger.maximumFileSize = 0
            logger.logFileManager.maximumNumberOfLogFiles = 0
            logger.logFileManager.logFilesDiskQuota = 0
            for number in 0..<1000 { DDLogInfo("more \(number)", ddlog: log) }
            log.flushLog()
            #expect(folder.texts.last?.hasSuffix("more 999\n") == true)
            #expect(folder.texts.last.map { $0.utf8.count > 5000 } == true)
            log.removeAllLoggers()
        }

        @Test(
            "A file is finished by call, before the first message too, and the completion comes on its queue")
        func rolling() async {
            let logger = makeLogger()
            write("one")
            await withCheckedContinuation { done in
                logger.rollLogFile { [completionQueue] in
                    dispatchPrecondition(condition: .onQueue(completionQueue))
                    done.resume()
                }
            }
            write("two")
            log.removeAllLoggers()
            let again = makeLogger()
            await roll(again)
            write("three")
            log.removeAllLoggers()
            #expect(folder.texts == ["one\n", "two\n", "three\n"])
            let fresh = makeLogger()
            fresh.doNotReuseLogFiles = true
            write("four")
            log.removeAllLoggers()
            #expect(folder.texts.count == 4)
        }

        @Test(
            "The manager hears of finished files: of those that were rolled, and of those that an earlier run left"
        )
        func archiving() async {
            let manager = Watching(folder.path)
            let logger = makeLogger(manager)
            write("one")
            await roll(logger)
            await manager.wait(for: 1)
            write("two")
            log.removeAllLoggers()
            let names = folder.names
            let second = Watching(folder.path)
            makeLogger(second).doNotReuseLogFiles = true
            write("three")
            await second.wait(for: 1)
            log.removeAllLoggers()
            #expect(manager.notes.all == ["\(folder.path)/\(names[0]) true"])
            #expect(second.notes.all == ["\(folder.path)/\(names[1]) false"])
            let older = OlderWatching(folder.path)
            let last = makeLogger(older)
            await roll(last)
            write("four")
            await roll(last)
            await older.wait(for: 2)
            log.removeAllLoggers()
            #expect(older.notes.all.map { $0.components(separatedBy: " ").last } == ["archived", "rolled"])
            #expect(manager.logger === logger)
        }

        @Test(
            "Names of the manager's own are used, numbered where they are taken, and found again by the next run"
        )
        func ownNames() async {
            let manager = Named(folder.path, "shop.log")
            let foreign = folder.path + "/other.log"
            try? Data("precious".utf8).write(to: URL(fileURLWithPath: foreign))
            let logger = makeLogger(manager)
            write("one")
            await roll(logger)
            write("two")
            await roll(logger)
            write("three")
            #expect(folder.names == ["other.log", "shop 2.log", "shop 3.log", "shop.log"])
            #expect(manager.sortedLogFileNames == ["shop 3.log", "shop 2.log", "shop.log"])
            log.removeAllLoggers()
            // The second run goes on with the newest file, and keeps the order.
            let again = Named(folder.path, "shop.log")
            let next = makeLogger(again)
            #expect(again.sortedLogFileNames == ["shop 3.log", "shop 2.log", "shop.log"])
            write("four")
            #expect(folder.text("shop 3.log") == "three\nfour\n")
            await roll(next)
            write("five")
            #expect(again.sortedLogFileNames.first == "shop 4.log" && folder.text("shop 4.log") == "five\n")
            again.maximumNumberOfLogFiles = 2
            write("six")
            #expect(folder.names == ["other.log", "shop 3.log", "shop 4.log"])
            #expect(folder.text("other.log") == "precious")
            log.removeAllLoggers()
        }

        @Test(
            "A number is greater than those that are there, also when files were removed, in a second run as well"
        )
        func numbers() async {
            let manager = Named(folder.path, "shop.log")
            manager.maximumNumberOfLogFiles = 2
            let logger = makeLogger(manager)
            for number in 0..<5 {
                write("\(number)")
                await roll(logger)
            }
            #expect(folder.names == ["shop 4.log", "shop 5.log"])
            log.removeAllLoggers()
            let again = Named(folder.path, "shop.log")
            again.maximumNumberOfLogFiles = 2
            _ = makeLogger(again)
            write("5")
            #expect(folder.names == ["shop 5.log", "shop 6.log"] && folder.texts == ["4\n", "5\n"])
            log.removeAllLoggers()
        }

        @Test("A file that was finished stays finished in the next run, whatever its name says")
        func finishedNames() async {
            let logger = makeLogger(Named(folder.path, "shop.log"))
            write("one")
            await roll(logger)
            log.removeAllLoggers()
            makeLogger(Named(folder.path, "shop.log")).doNotReuseLogFiles = false
            write("two")
            log.removeAllLoggers()
            #expect(folder.names == ["shop 2.log", "shop.log"])
            #expect(folder.texts == ["two\n", "one\n"])
        }

        @Test(
            "Names that change with the time need no number, and files of an earlier name are kept and removed"
        )
        func changingNames() async {
            let manager = Named(folder.path, "a.log")
            let logger = makeLogger(manager)
            for name in ["b.log", "c.log", "d.log"] {
                write(name)
                manager.next = name
                await roll(logger)
            }
            write("last")
            #expect(folder.names == ["a.log", "b.log", "c.log", "d.log"])
            #expect(manager.sortedLogFileNames == ["d.log", "c.log", "b.log", "a.log"])
            manager.maximumNumberOfLogFiles = 2
            log.flushLog()
            #expect(folder.names == ["c.log", "d.log"])
            log.removeAllLoggers()
        }

        @Test(
            "Each new file begins with the header, which may differ from file to file, and an old one has none"
        )
        func headers() async {
            let manager = Headed(folder.path)
            let logger = makeLogger(manager)
            write("one")
            await roll(logger)
            write("two")
            log.removeAllLoggers()
            _ = makeLogger(Headed(folder.path))
            write("three")
            log.removeAllLoggers()
            #expect(folder.texts == ["header 1\none\n", "header 2\ntwo\nthree\n"])
        }

        @Test("A serializer makes the bytes, of headers without and of messages with their object")
        func serializers() {
            let manager = Headed(folder.path)
            manager.logMessageSerializer = Framing()
            _ = makeLogger(manager)
            write("one", "two")
            log.removeAllLoggers()
            #expect(folder.texts == ["<header 1\n|header><one\n|4><two\n|4>"])
        }

        @Test("Where it is asked for, nothing is put after what a formatter gives, and otherwise one newline")
        func newlines() {
            let logger = makeLogger()
            logger.logFormatter = Marker("")
            write("a\n", "b")
            logger.automaticallyAppendNewlineForCustomFormatters = false
            write("c", "d\n")
            logger.logFormatter = nil
            write("e")
            logger.logFormatter = Silent()
            write("f")
            log.removeAllLoggers()
            #expect(folder.texts == ["a\nb\ncd\ne\n"])
        }

        @Test("A subclass may leave messages out, change them, and see each of them with its file")
        func subclasses() {
            let logger = Picky(
                logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path), completionQueue: nil)
            logger.logFormatter = nil
            log.add(logger)
            write("one", "skip", "change")
            log.removeAllLoggers()
            #expect(folder.texts == ["one\nchanged\n"])
            #expect(logger.notes.all.first == "added" && logger.notes.all.last == "removed")
            #expect(logger.notes.all.contains("flushed"))
            let next = Picky(
                logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path), completionQueue: nil)
            next.logFormatter = nil
            log.add(next)
            write("two")
            write("three")
            log.removeAllLoggers()
            // Its answer to whether the newest file is to be finished was yes.
            #expect(folder.texts == ["one\nchanged\n", "two\nthree\n"])
            #expect(next.notes.all.contains("asked \(folder.names[0])"))
            #expect(next.notes.all.contains { $0 == "will \(folder.names[1])" })
        }

        @Test("A buffered logger is the logger itself, and loses nothing when it is rolled or removed")
        func buffering() async {
            let logger = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path))
                .wrapWithBuffer()
            logger.logFormatter = nil
            log.add(logger)
            for number in 0..<100 { DDLogInfo("\(number)", ddlog: log) }
            await roll(logger)
            DDLogInfo("last", ddlog: log)
            log.remove(logger.unwrapFromBuffer())
            #expect(folder.texts == [(0..<100).map { "\($0)\n" }.joined(), "last\n"])
        }

        @Test("The lists of a manager have the newest file first, before and after it has a logger")
        func lists() async {
            let manager = DDLogFileManagerDefault(logsDirectory: folder.path)
            #expect(manager.sortedLogFilePaths.isEmpty)
            let logger = makeLogger(manager)
            for text in ["one", "two", "three"] {
                write(text)
                await roll(logger)
            }
            write("four")
            let names = Array(folder.names.reversed())
            #expect(manager.sortedLogFileNames == names && Set(manager.unsortedLogFileNames) == Set(names))
            #expect(manager.sortedLogFilePaths == names.map { folder.path + "/" + $0 })
            #expect(manager.unsortedLogFilePaths.count == 4 && manager.unsortedLogFileInfos.count == 4)
            #expect(manager.sortedLogFileInfos.map(\.isArchived) == [false, true, true, true])
            log.removeAllLoggers()
            let other = DDLogFileManagerDefault(logsDirectory: folder.path)
            #expect(other.sortedLogFileNames == names && other.isLogFile(withName: names[0]))
            #expect(
                !other.isLogFile(withName: "other.log") && other.isLogFile(withName: other.newLogFileName))
        }

        @Test("A file is described by its path, its size and its times, until it is asked to look again")
        func infos() throws {
            let logger = makeLogger()
            write("one")
            let info = try #require(logger.currentLogFileInfo)
            #expect(info.filePath == folder.path + "/" + folder.names[0] && info.fileName == folder.names[0])
            #expect(info.fileSize == 4 && !info.isArchived && !info.isSymlink)
            #expect(abs(info.creationDate?.timeIntervalSinceNow ?? 999) < 60 && info.age < 60)
            #expect(abs(info.modificationDate?.timeIntervalSinceNow ?? 999) < 60)
            #expect(
                info == DDLogFileInfo(filePath: info.filePath)
                    && info.hash == DDLogFileInfo(filePath: info.filePath).hash)
            write("two")
            #expect(info.fileSize == 4)
            info.reset()
            #expect(info.fileSize == 8)
            log.removeAllLoggers()
            try Data("there".utf8).write(to: URL(fileURLWithPath: folder.path + "/taken"))
            info.renameFile(to: "taken")
            #expect(info.fileName == folder.names[0] && folder.text("taken") == "there")
            info.renameFile(to: "moved")
            #expect(info.filePath == folder.path + "/moved" && folder.text("moved") == "one\ntwo\n")
            let old = DDLogFileInfo(filePath: folder.path + "/app 2020-01-01--00-00-00-000.log")
            #expect(info.reverseCompare(byCreationDate: old) == .orderedAscending)
            #expect(old.reverseCompare(byModificationDate: info) == .orderedDescending)
            #expect(old.fileAttributes.isEmpty && old.fileSize == 0)
        }

        @Test("A directory that cannot be used costs the messages, which are counted, and nothing else")
        func failingDirectory() {
            try? Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
            log.dispatcher.diagnostics.handler = { _ in }
            let logger = DDFileLogger(
                logFileManager: DDLogFileManagerDefault(logsDirectory: folder.path + "/file"))
            log.add(logger)
            write("lost")
            #expect(logger.heartwoodLogger.statistics.failed == 1 && logger.currentLogFileInfo == nil)
            logger.maximumFileSize = 5
            logger.rollLogFile(withCompletion: nil)
            log.removeAllLoggers()
        }

        @Test(
            "A manager that adopts the protocol alone gives the directory and the names, and removes files itself"
        )
        func protocolOnly() async {
            let manager = Bare(folder.path)
            let logger = DDFileLogger(logFileManager: manager)
            logger.logFormatter = nil
            log.add(logger)
            for number in 0..<7 {
                write("\(number)")
                await roll(logger)
            }
            log.removeAllLoggers()
            #expect(folder.texts == (0..<7).map { "\($0)\n" } && folder.names[0] == "bare-1.txt")
        }

        @Test("Two managers write to two directories, and shared names stay apart")
        func severalLoggers() {
            let other = Folder()
            _ = makeLogger()
            let second = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: other.path))
            second.logFormatter = nil
            log.add(second, with: .error)
            write("info")
            DDLogError("error", ddlog: log)
            log.removeAllLoggers()
            #expect(folder.texts == ["info\nerror\n"] && other.texts == ["error\n"])
        }
    }
}

/// Notes what is called when files are finished.
private class Noting: DDLogFileManagerDefault, @unchecked Sendable {
    let notes = Notes()
    private let state = Locked<[(count: Int, done: CheckedContinuation<Void, Never>)]>([])
    weak var logger: DDFileLogger?

    init(_ path: String) { super.init(logsDirectory: path) }
    override init(logsDirectory: String?) { super.init(logsDirectory: logsDirectory) }

    override func didAdd(to fileLogger: DDFileLogger) { logger = fileLogger }

    final func note(_ text: String) {
        notes.add(text)
        let ready = state.withLock { waiting in
            let ready = waiting.filter { $0.count <= notes.all.count }
            waiting.removeAll { $0.count <= notes.all.count }
            return ready
        }
        for waiter in ready { waiter.done.resume() }
    }

    /// Waits until so many calls have come.
    final func wait(for count: Int) async {
        await withCheckedContinuation { done in
            let isThere = state.withLock { waiting in
                if notes.all.count >= count { return true }
                waiting.append((count, done))
                return false
            }
            if isThere { done.resume() }
        }
    }
}

private final class Watching: Noting, @unchecked Sendable {
    override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        note("\(logFilePath) \(wasRolled)")
    }
}

private final class OlderWatching: Noting, @unchecked Sendable {
    override func didArchiveLogFile(atPath logFilePath: String) { note("\(logFilePath) archived") }
    override func didRollAndArchiveLogFile(atPath logFilePath: String) { note("\(logFilePath) rolled") }
}

private final class Named: DDLogFileManagerDefault, @unchecked Sendable {
    private let name: Locked<String>
    var next: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }
    init(_ path: String, _ name: String) {
        self.name = Locked(name)
        super.init(logsDirectory: path)
    }
    override var newLogFileName: String { next }
    override func isLogFile(withName fileName: String) -> Bool {
        fileName.hasSuffix(".log") && fileName != "other.log"
    }
}

private final class Headed: DDLogFileManagerDefault, @unchecked Sendable {
    private let count = Locked(0)
    init(_ path: String) { super.init(logsDirectory: path) }
    override var logFileHeader: String? {
        "header \(count.withLock { count in count += 1; return count })"
    }
}

private final class Framing: NSObject, DDFileLogMessageSerializer {
    func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data {
        Data("<\(string)|\(message.map { "\($0.flag.rawValue)" } ?? "header")>".utf8)
    }
}

private final class Silent: NSObject, DDLogFormatter {
    func format(message logMessage: DDLogMessage) -> String? { "" }
}

private final class Picky: DDFileLogger {
    let notes = Notes()
    override func log(message logMessage: DDLogMessage) {
        switch logMessage.message {
        case "skip": return
        case "change": super.log(message: DDLogMessage("changed", level: .all, flag: .info))
        default: super.log(message: logMessage)
        }
    }
    override func didAdd() { notes.add("added") }
    override func willRemove() { notes.add("removed") }
    override func flush() { notes.add("flushed") }
    override func willLogMessage(_ logFileInfo: DDLogFileInfo) { notes.add("will \(logFileInfo.fileName)") }
    override func didLogMessage(_ logFileInfo: DDLogFileInfo) { notes.add("did \(logFileInfo.fileName)") }
    override func shouldArchiveRecentLogFileInfo(_ recentLogFileInfo: DDLogFileInfo) -> Bool {
        notes.add("asked \(recentLogFileInfo.fileName)")
        return true
    }
}

private final class Bare: NSObject, DDLogFileManager, @unchecked Sendable {
    var maximumNumberOfLogFiles: UInt = 1
    var logFilesDiskQuota: UInt64 = 1
    let logsDirectory: String
    private let created = Locked<[String]>([])
    init(_ path: String) { logsDirectory = path }

    var unsortedLogFileNames: [String] { created.withLock { $0 } }
    var unsortedLogFilePaths: [String] { unsortedLogFileNames.map { logsDirectory + "/" + $0 } }
    var unsortedLogFileInfos: [DDLogFileInfo] { unsortedLogFilePaths.map { DDLogFileInfo(filePath: $0) } }
    var sortedLogFilePaths: [String] { unsortedLogFilePaths.reversed() }
    var sortedLogFileNames: [String] { unsortedLogFileNames.reversed() }
    var sortedLogFileInfos: [DDLogFileInfo] { unsortedLogFileInfos.reversed() }

    func createNewLogFile() throws -> String {
        let name = created.withLock { created in
            created.append("bare-\(created.count + 1).txt")
            return created[created.count - 1]
        }
        try Data().write(to: URL(fileURLWithPath: logsDirectory + "/" + name))
        return logsDirectory + "/" + name
    }
}
