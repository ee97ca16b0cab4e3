import Heartwood
import HeartwoodLumberjack
import HeartwoodTestSupport
import SuiteSupport
import Testing

extension LumberjackTests {
    /// What subclasses of the original's classes do: inherit initializers, and override members.
    @Suite("Subclasses", .inTurn)
    struct SubclassTests {
        private let folder = Folder()

        @Test("A subclass of the file logger inherits all initializers, and may add its own that calls them")
        func fileInitializers() {
            let manager = DDLogFileManagerDefault(logsDirectory: folder.path)
            #expect(PlainFileLogger(logFileManager: manager).logFileManager === manager)
            #expect(PlainFileLogger(logFileManager: manager, completionQueue: nil).loggerName == .file)
            #expect(PlainFileLogger(path: folder.path).logFileManager.logsDirectory == folder.path)
            // Not called: it would use the directory of the program.
            let _: () -> DDFileLogger = { PlainFileLogger() }
        }

        @Test("A subclass of the system's logger inherits all initializers")
        func systemInitializers() {
            #expect(PlainSystemLogger().loggerName == .os)
            #expect(PlainSystemLogger(subsystem: "com.example.shop", category: "cart").loggerName == .os)
        }

        @Test("A subclass of the base class or of the database logger inherits the initializer")
        func baseInitializers() {
            #expect(PlainLogger().loggerName.rawValue == "PlainLogger")
            #expect(PlainDatabaseLogger().saveThreshold == 7)
        }

        @Test("A subclass of the message inherits the initializers that others call as well")
        func messageInitializers() {
            let message = withVaList([5]) { list in
                ChangedMessage(
                    format: "%d", args: list, level: .all, flag: .info, context: 0, file: "f", function: nil,
                    line: 1,
                    tag: nil, options: [], timestamp: nil)
            }
            #expect(message.heartwoodMessage.text == "5" && message.message == "changed")
            let copy = DDLogMessage("text", level: .all, flag: .info, tag: 3).copy() as? DDLogMessage
            #expect(copy?.message == "text" && copy?.representedObject as? Int == 3)
        }

        @Test("Properties of messages can be overridden, and loggers see what the override says")
        func messages() throws {
            let log = DDLog()
            let keeper = Keeper()
            log.add(keeper)
            let message = ChangedMessage("text", level: .all, flag: .info)
            log.log(asynchronous: false, message: message)
            let arrived = try #require(keeper.messages.first)
            #expect(arrived === message && arrived.message == "changed" && arrived.flag == .error)
            #expect(arrived.level == .off && arrived.context == 5 && arrived.file == "file")
            #expect(arrived.fileName == "name" && arrived.function == "function" && arrived.line == 6)
            #expect(arrived.representedObject as? Int == 7 && arrived.options == .copyFile)
            #expect(arrived.timestamp == Date(timeIntervalSince1970: 8) && arrived.threadID == "9")
            #expect(arrived.threadName == "thread" && arrived.queueLabel == "queue" && arrived.qos == 10)
            #expect(arrived.messageFormat == "format")
            // As there, what the module's loggers write is what was logged.
            #expect(arrived.heartwoodMessage.text == "text")
            log.removeAllLoggers()
        }

        @Test("Properties of files, chains, queues and database loggers can be overridden")
        func others() {
            let info = ChangedInfo(filePath: "/x")
            #expect(info.age == 1 && info.fileSize == 2 && info.fileName == "name" && info.isArchived)
            #expect(info.creationDate == .distantPast && info.modificationDate == .distantFuture)
            #expect(info.fileAttributes.isEmpty && info.isSymlink && info.filePath == "path")
            let chain = ChangedChain()
            #expect(chain.formatters.count == 1 && ChangedQueueFormatter().minQueueLength == 3)
            #expect(PlainDatabaseLogger().saveInterval == 8)
            let manager = DDLogFileManagerDefault(logsDirectory: folder.path)
            #expect(ChangedFileLogger(logFileManager: manager).logFileManager is OtherManager)
        }

        #if !canImport(os)
        @Test(
            "A subclass of the system's logger may leave messages out, change them, and log to several DDLogs"
        )
        func systemHook() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let logger = PickySystemLogger()
                let (first, second) = (DDLog(), DDLog())
                first.add(logger)
                second.add(logger)
                DDLogInfo("one", ddlog: first)
                DDLogInfo("skip", ddlog: first)
                first.flushLog()
                DDLogInfo("two", ddlog: second)
                DDLogInfo("skip", ddlog: second)
                second.flushLog()
                #expect(logger.notes.all.filter { $0 != "added" } == ["one", "skip", "two", "skip"])
                #expect(logger.notes.all.count == 6)
                first.removeAllLoggers()
                second.removeAllLoggers()
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            let lines = text.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasSuffix("] one!") && lines[1].hasSuffix("] two!"))
        }
        #endif
    }
}

private final class PlainFileLogger: DDFileLogger {
    convenience init(path: String) { self.init(logFileManager: DDLogFileManagerDefault(logsDirectory: path)) }
}

private final class PlainSystemLogger: DDOSLogger, @unchecked Sendable {}
private final class PlainLogger: DDAbstractLogger {}

private final class PlainDatabaseLogger: DDAbstractDatabaseLogger {
    override var saveThreshold: UInt {
        get { 7 }
        set {}
    }
    override var saveInterval: TimeInterval {
        get { 8 }
        set {}
    }
}

private final class OtherManager: DDLogFileManagerDefault {}

private final class ChangedFileLogger: DDFileLogger {
    override var logFileManager: any DDLogFileManager {
        OtherManager(logsDirectory: super.logFileManager.logsDirectory)
    }
}

private final class ChangedMessage: DDLogMessage, @unchecked Sendable {
    override var message: String { "changed" }
    override var messageFormat: String { "format" }
    override var level: DDLogLevel { .off }
    override var flag: DDLogFlag { .error }
    override var context: Int { 5 }
    override var file: String { "file" }
    override var fileName: String { "name" }
    override var function: String? { "function" }
    override var line: UInt { 6 }
    override var representedObject: Any? { 7 }
    override var options: DDLogMessageOptions { .copyFile }
    override var timestamp: Date { Date(timeIntervalSince1970: 8) }
    override var threadID: String { "9" }
    override var threadName: String? { "thread" }
    override var queueLabel: String { "queue" }
    override var qos: UInt { 10 }
}

private final class ChangedInfo: DDLogFileInfo {
    override var filePath: String { "path" }
    override var fileName: String { "name" }
    override var fileAttributes: [FileAttributeKey: Any] { [:] }
    override var creationDate: Date? { .distantPast }
    override var modificationDate: Date? { .distantFuture }
    override var fileSize: UInt64 { 2 }
    override var age: TimeInterval { 1 }
    override var isSymlink: Bool { true }
    override var isArchived: Bool {
        get { true }
        set {}
    }
}

private final class ChangedChain: DDMultiFormatter {
    override var formatters: [any DDLogFormatter] { [Marker("x")] }
}

private final class ChangedQueueFormatter: DDDispatchQueueLogFormatter {
    override var minQueueLength: UInt {
        get { 3 }
        set {}
    }
}

private final class PickySystemLogger: DDOSLogger, @unchecked Sendable {
    let notes = Notes()
    override func didAdd() { notes.add("added") }
    override func log(message logMessage: DDLogMessage) {
        notes.add(logMessage.message)
        if logMessage.message == "skip" { return }
        super.log(message: DDLogMessage("\(logMessage.message)!", level: .all, flag: .info))
    }
}
