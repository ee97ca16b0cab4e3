import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Databases", .inTurn)
    struct DatabaseLoggerTests {
        private let log = DDLog()

        @Test("The settings begin as they do there, and what is set is read back")
        func settings() {
            let logger = Table()
            #expect(logger.saveThreshold == 500 && logger.saveInterval == 60 && logger.maxAge == 7 * 86_400)
            #expect(logger.deleteInterval == 300 && !logger.deleteOnEverySave)
            (logger.saveThreshold, logger.saveInterval, logger.maxAge) = (3, -1, 0.5)
            (logger.deleteInterval, logger.deleteOnEverySave) = (0, true)
            #expect(logger.saveThreshold == 3 && logger.saveInterval == 0 && logger.maxAge == 0.5)
            #expect(logger.deleteInterval == 0 && logger.deleteOnEverySave)
        }

        @Test(
            "Messages are saved when there are enough, at a flush, by call and before the logger is removed")
        func saving() {
            let logger = Table()
            (logger.saveThreshold, logger.deleteInterval) = (3, 0)
            log.add(logger)
            for number in 0..<7 { DDLogInfo("\(number)", ddlog: log) }
            DDLogInfo("skip", ddlog: log)
            log.flushLog()
            #expect(logger.notes.all == ["added", "save 0 1 2", "save 3 4 5", "save 6", "flushed"])
            logger.saveThreshold = 0
            DDLogInfo("a", ddlog: log)
            logger.savePendingLogEntries()
            DDLogInfo("b", ddlog: log)
            log.removeAllLoggers()
            #expect(logger.notes.all.suffix(3) == ["save a", "save b", "removed"])
        }

        @Test("Old messages are deleted by call, and with each save where that is asked for")
        func deleting() {
            let logger = Table()
            logger.deleteInterval = 0
            log.add(logger)
            DDLogInfo("a", ddlog: log)
            logger.deleteOldLogEntries()
            log.flushLog()
            #expect(logger.notes.all == ["added", "delete", "save a", "flushed"])
            logger.deleteOnEverySave = true
            DDLogInfo("b", ddlog: log)
            log.flushLog()
            #expect(logger.notes.all.suffix(3) == ["save b", "delete", "flushed"])
            logger.maxAge = 0
            DDLogInfo("c", ddlog: log)
            log.flushLog()
            #expect(logger.notes.all.suffix(2) == ["save c", "flushed"])
            log.removeAllLoggers()
        }
    }
}

private final class Table: DDAbstractDatabaseLogger, @unchecked Sendable {
    let notes = Notes()
    private var waiting: [String] = []

    override func db_log(_ logMessage: DDLogMessage) -> Bool {
        if logMessage.message == "skip" { return false }
        waiting.append(logMessage.message)
        return true
    }
    override func db_save() {
        notes.add("save " + waiting.joined(separator: " "))
        waiting.removeAll()
    }
    override func db_delete() { notes.add("delete") }
    override func didAdd() { notes.add("added") }
    override func willRemove() { notes.add("removed") }
    override func flush() { notes.add("flushed") }
}
