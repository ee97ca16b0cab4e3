/// The account of the records that no file took yet, and of those that are lost: counted, reported, and announced.
///
/// Not thread-safe: owned by the engine.
final class WaitingRecords {
    private let scene: FileScene
    /// The record that tells how many were dropped, and why.
    private let announcement: (Int, SystemFailure?) -> [UInt8]
    private var pending = PendingRecords()

    init(_ scene: FileScene, announcement: @escaping (Int, SystemFailure?) -> [UInt8]) {
        self.scene = scene
        self.announcement = announcement
    }

    /// Whether everything was written or dropped, and every loss announced.
    var isEmpty: Bool { pending.isEmpty }
    /// How many records wait, announcements included.
    var total: Int { pending.total }

    /// Keeps the records from `first` on, as many as the limit allows, and drops the others.
    ///
    /// - Parameters:
    ///   - bytes: the records, without gaps.
    ///   - ends: where each ends.
    ///   - marks: the mark of each in the journal; none without a journal.
    ///   - first: the number of the first record that waits.
    ///   - failure: why they wait.
    func park(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], from first: Int,
        because failure: SystemFailure?
    ) {
        let dropped = pending.park(
            bytes, ends, marks, from: first, limit: scene.settings.waitingLimit, because: failure,
            announcement: announcement)
        scene.counters.waiting = pending.count
        if dropped > 0 { countDropped(dropped, failure) }
    }

    /// Writes what waits, announcements included, by one call of `write`.
    ///
    /// - Returns: whether an announcement cannot be written; nil where nothing waits.
    func attempt(_ write: (RecordBuffer) -> RecordWriter.Progress) -> Bool? {
        if pending.hasOnlyLoss { pending.announceLoss(announcement) }
        guard pending.hasRecords else { return nil }
        let progress = write(pending.buffer)
        let settled = pending.settle(progress.dealt, unwritable: progress.unwritable)
        scene.counters.written -= settled.announced
        scene.counters.announcements += settled.announced
        scene.counters.waiting = pending.count
        if settled.hasDropped { countDropped(1, pending.reason) }
        return settled.hasUnwritableAnnouncement
    }

    /// Whether records wait, not announcements of a loss alone.
    var hasRecords: Bool { pending.hasRecords }

    /// Gives up a record that no file could ever hold.
    func drop(_ number: Int32) {
        let why = SystemFailure(.write, number)
        pending.drop(1, because: why)
        countDropped(1, why)
    }

    /// Drops what waits, counted: the logger is removed, and there is no later.
    func giveUp(because failure: SystemFailure?) {
        let count = pending.count
        guard count > 0 else { return }
        forget()
        countDropped(count, failure)
    }

    /// Forgets what waits: after a fork it is the parent's.
    func forget() {
        pending.removeAll()
        scene.counters.waiting = 0
    }

    private func countDropped(_ count: Int, _ why: SystemFailure?) {
        scene.counters.dropped += count
        scene.report(.dropped(records: scene.counters.dropped, why))
    }
}
