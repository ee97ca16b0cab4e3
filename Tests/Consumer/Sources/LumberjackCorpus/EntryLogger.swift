import HeartwoodLumberjack

/// An entry of the table.
struct LogEntry: Equatable {
    let date: Date
    let level: DDLogFlag
    let text: String
    let module: String?
}

/// A database logger over a table in memory; with a database it looks the same.
final class EntryLogger: DDAbstractDatabaseLogger {
    private var pending: [LogEntry] = []
    private var table: [LogEntry] = []
    private(set) var saves = 0

    override init() {
        super.init()
        saveThreshold = 100
        saveInterval = 10
        maxAge = 60 * 60 * 24 * 3
        deleteInterval = 60
        deleteOnEverySave = false
    }

    override func db_log(_ logMessage: DDLogMessage) -> Bool {
        guard logMessage.context != 99 else { return false }
        let entry = LogEntry(
            date: logMessage.timestamp, level: logMessage.flag, text: logMessage.message,
            module: logMessage.representedObject as? String)
        pending.append(entry)
        return true
    }

    override func db_save() {
        guard !pending.isEmpty else { return }
        table.append(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
        saves += 1
    }

    override func db_delete() {
        guard maxAge > 0 else { return }
        let limit = Date(timeIntervalSinceNow: -maxAge)
        table.removeAll { $0.date < limit }
    }

    override func db_saveAndDelete() {
        db_delete()
        db_save()
    }

    func entries(of flag: DDLogFlag) -> [LogEntry] {
        return loggerQueue.sync { table.filter { $0.level == flag } }
    }
}
