package import Heartwood

/// What an ``HTTPLogger`` asks of its store of unsent messages: a ``Spool``, or a row of them.
///
/// It belongs to one logger and is used in its hooks only. `appended + recovered = acknowledged + set aside +
/// lost + pending` holds at any time.
package protocol UnsentStore: AnyObject {
    /// Limits and the cutting into files; may be changed at any time.
    var settings: SpoolSettings { get set }
    /// How many records are pending.
    var pending: Int { get }
    /// How many records are in memory only.
    var unsavedCount: Int { get }
    /// The counts so far: stored, dropped by reason, damaged.
    var counters: SpoolCounters { get }
    /// When the oldest pending record was logged.
    var oldestTime: LogTimestamp? { get }
    /// Whether it outlives the process.
    var isOnDisk: Bool { get }
    /// Whether it never drops anything to make room: dead letters are kept without a limit then.
    var keepsEverything: Bool { get }
    /// Where the logger may keep files of its own.
    var directory: Directory? { get }
    /// Whether it was closed: only its figures may be read.
    var isClosed: Bool { get }

    /// Takes a record over, in memory until ``save()``; false when it was dropped, which is counted. `mark`
    /// is the journal's, 0 without a journal.
    @discardableResult func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64) -> Bool
    /// Writes what is in memory only to the files; true when nothing is left there.
    @discardableResult func save() -> Bool
    /// Drops what is older than ``SpoolSettings/maximumAge``.
    func expire()
    /// Whether pieces of a batch were sent, and not all of it is done.
    var hasOpenBatch: Bool { get }
    /// What is to be sent next, the same until it is completed, split or parked; nil when there is nothing.
    ///
    /// With `probe` it is a piece that is as new as possible.
    func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece?
    /// Marks records of a piece as done: delivered, or set aside; returns how many of them were pending.
    @discardableResult func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int
    /// Keeps the piece, and continues with those after it until ``unpark(_:)``; `isUnconfirmed` says that the
    /// server has received it and will confirm that later, and has not refused it.
    func park(_ piece: SpoolPiece, isUnconfirmed: Bool)
    /// Has parked pieces sent again, in their order.
    func unpark(_ pieces: [SpoolPiece])
    /// Makes two pieces of the one on its way; false when it is a single record.
    func split(_ piece: SpoolPiece) -> Bool
    /// Drops the oldest records; returns how many.
    @discardableResult func dropOldest(_ count: Int) -> Int
    /// A text that no other record has, for one of the piece on its way.
    func name(of record: SpoolRecord, in piece: SpoolPiece) -> String
    /// What went wrong since this was last asked.
    func drainErrors() -> [LogError]

    /// Frees the directory for others; what was not saved is gone, and counted.
    func close()
    /// Opens the directory again, after ``close()``, and continues the figures.
    func reopened() throws -> any UnsentStore
    /// The same in memory, where the directory cannot be had again.
    func reopenedInMemory() -> any UnsentStore
}

extension UnsentStore {
    package var keepsEverything: Bool { false }

    /// The oldest piece that is not parked.
    package func nextPiece(maximumCount: Int, maximumBytes: Int) -> SpoolPiece? {
        nextPiece(maximumCount: maximumCount, maximumBytes: maximumBytes, probe: false)
    }
}
