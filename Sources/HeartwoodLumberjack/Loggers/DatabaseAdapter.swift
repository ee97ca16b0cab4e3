import Heartwood

/// A database logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it; its rows are kept by the owner.
final class DatabaseAdapter: AbstractDatabaseLogger<Void>, @unchecked Sendable {  // the owner guards itself
    private let owner: Owner

    init(_ logger: DDAbstractLogger) {
        owner = Owner(logger)
        super.init(name: logger.loggerName.rawValue)
    }

    private var database: DDAbstractDatabaseLogger? { owner.logger as? DDAbstractDatabaseLogger }

    /// Keeps the logger until it is removed.
    func keepOwner() { owner.keep() }

    override func row(for message: LogMessage) -> Void? {
        database?.db_log(.arriving(message)) == true ? () : nil
    }

    override func save(_ rows: [Void]) { database?.db_save() }
    override func deleteMessages(before moment: LogTimestamp) { database?.db_delete() }

    override func saveAndDelete(_ rows: [Void], before moment: LogTimestamp) {
        database?.db_saveAndDelete()
    }

    override func flush() {
        super.flush()
        database?.flush()
    }

    override func begin() { database?.didAdd(in: queue) }

    override func end() {
        database?.willRemove()
        owner.release()
    }
}
