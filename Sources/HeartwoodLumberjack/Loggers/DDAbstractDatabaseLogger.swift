import Heartwood

/// The base of loggers that put messages into a database: it says when to save and when to delete.
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
/// All hooks are called one at a time, on the logger's queue. Heartwood's name for it is `AbstractDatabaseLogger`, whose
/// `save` may fail and is tried again.
open class DDAbstractDatabaseLogger: DDAbstractLogger {
    private var database: DatabaseAdapter? { heartwoodLogger as? DatabaseAdapter }

    /// Makes a logger.
    public override init() { super.init(backedBy: { DatabaseAdapter($0) }) }

    override func prepareForAdding() -> AbstractLogger {
        database?.keepOwner()
        return heartwoodLogger
    }

    // MARK: Settings (any thread, ordered)

    /// How many messages are saved at once; 500, and 0 for no such limit.
    public final var saveThreshold: UInt {
        get { UInt(clamping: database?.saveThreshold ?? 0) }
        set { database?.saveThreshold = Int(clamping: newValue) }
    }

    /// How many seconds a message waits at most; 60, and 0 or less for no such limit.
    public final var saveInterval: TimeInterval {
        get { database?.saveInterval.seconds ?? 0 }
        set { database?.saveInterval = .lumberjackSeconds(newValue) }
    }

    /// How many seconds a message is kept; 7 days, and 0 or less: forever.
    public final var maxAge: TimeInterval {
        get { database?.maximumAge.seconds ?? 0 }
        set { database?.maximumAge = .lumberjackSeconds(newValue) }
    }

    /// After how many seconds old messages are deleted again; 5 minutes, and 0 or less for never.
    public final var deleteInterval: TimeInterval {
        get { database?.deleteInterval.seconds ?? 0 }
        set { database?.deleteInterval = .lumberjackSeconds(newValue) }
    }

    /// Whether every save also deletes what is too old; false.
    public final var deleteOnEverySave: Bool {
        get { database?.deletesOnEverySave ?? false }
        set { database?.deletesOnEverySave = newValue }
    }

    // MARK: Acting

    /// Saves what was logged before on this thread; never waits.
    open func savePendingLogEntries() { database?.saveNow() }

    /// Deletes what is older than ``maxAge``; never waits.
    open func deleteOldLogEntries() { database?.deleteNow() }

    // MARK: Override points

    /// Keeps a message until the next save; false leaves it out, as the base class does with all.
    open func db_log(_ logMessage: DDLogMessage) -> Bool { false }

    /// Saves what was kept; the base class does nothing.
    open func db_save() {}

    /// Deletes what is older than ``maxAge``; the base class does nothing.
    open func db_delete() {}

    /// Saves and deletes, where both are due; the base class does one after the other.
    open func db_saveAndDelete() {
        db_save()
        db_delete()
    }
}
