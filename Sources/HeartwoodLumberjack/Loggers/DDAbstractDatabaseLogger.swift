import Heartwood

/// The base class of loggers that write to a database: it decides when to save and delete.
///
/// A subclass keeps a message in ``db_log(_:)``, and writes what it has kept in ``db_save()``:
///
/// ```swift
/// final class TableLogger: DDAbstractDatabaseLogger {
///     private var waiting: [String] = []
///     private(set) var table: [String] = []
///
///     override func db_log(_ logMessage: DDLogMessage) -> Bool {
///         waiting.append(logMessage.message)
///         return true
///     }
///     override func db_save() {
///         table += waiting
///         waiting.removeAll()
///     }
/// }
/// ```
///
/// All hooks are called one at a time, on the logger's queue. Heartwood's name for it is
/// `AbstractDatabaseLogger`, whose `save` may fail and is tried again.
open class DDAbstractDatabaseLogger: DDAbstractLogger {
    private var database: DatabaseAdapter? { heartwoodLogger as? DatabaseAdapter }

    override func makeBacking() -> AbstractLogger { DatabaseAdapter(self) }
    override func makeFurtherBacking() -> AbstractLogger? { nil }
    override func keepForDispatcher() { database?.keepOwner() }

    // MARK: Settings (any thread, ordered)

    /// The number of messages that are saved at once; 500 unless changed, and 0 for no such limit.
    open var saveThreshold: UInt {
        get { UInt(clamping: database?.saveThreshold ?? 0) }
        set { database?.saveThreshold = Int(clamping: newValue) }
    }

    /// The time in seconds that a message waits for others; 60 unless changed, and 0 or less for no such
    /// limit.
    open var saveInterval: TimeInterval {
        get { database?.saveInterval?.seconds ?? 0 }
        set { database?.saveInterval = .lumberjackSeconds(newValue) }
    }

    /// The time in seconds that a message is kept; 7 days unless changed, and 0 or less for no limit.
    open var maxAge: TimeInterval {
        get { database?.maximumAge?.seconds ?? 0 }
        set { database?.maximumAge = .lumberjackSeconds(newValue) }
    }

    /// The time in seconds between two deletions of old messages; 5 minutes unless changed, and 0 or less for
    /// never.
    open var deleteInterval: TimeInterval {
        get { database?.deleteInterval?.seconds ?? 0 }
        set { database?.deleteInterval = .lumberjackSeconds(newValue) }
    }

    /// Whether every save also deletes old messages; false unless changed.
    open var deleteOnEverySave: Bool {
        get { database?.deletesOnEverySave ?? false }
        set { database?.deletesOnEverySave = newValue }
    }

    // MARK: Acting

    /// Saves all earlier messages of this thread; never waits.
    open func savePendingLogEntries() { database?.saveNow() }

    /// Deletes messages older than ``maxAge``; never waits.
    open func deleteOldLogEntries() { database?.deleteNow() }

    /// Saves everything that was logged before, and waits for that, up to ten seconds.
    ///
    /// Inside of a logger it does not wait. As a hook, which `flushLog()` calls, it has nothing to do: the
    /// base has saved.
    open override func flush() {
        guard let database, !database.isInHook else { return }
        database.saveNow()
        _ = database.waitUntilIdle(timeout: .seconds(10))
    }

    // MARK: Override points

    /// Keeps a message until the next save; returns false, and leaves it out, unless overridden.
    open func db_log(_ logMessage: DDLogMessage) -> Bool { false }

    /// Saves the kept messages; does nothing unless overridden.
    open func db_save() {}

    /// Deletes messages older than ``maxAge``; does nothing unless overridden.
    open func db_delete() {}

    /// Saves and deletes, when both are due; calls one method after the other unless overridden.
    open func db_saveAndDelete() {
        db_save()
        db_delete()
    }
}

/// A database logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it; its rows are kept by the
/// owner.
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
