/// The account of the records that no file took yet, and of those that are lost: counted, reported, and
/// announced.
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

/// Records that no file took yet, and the account of those that were dropped.
///
/// 1. Every record that comes in leaves as written, or was dropped and counted (promise 4).
/// 2. A loss is announced by a record of the engine's own, in the place of the lost ones. An announcement is
///    not counted as a record; one that no file can hold is announced together with the next loss.
struct PendingRecords {
    private var records = RecordBuffer()
    /// Which of the records are announcements, and of how many lost records.
    private var announcements: [(index: Int, lost: Int)] = []
    /// Records dropped since the last announcement.
    private var lost = 0
    /// Why they were dropped.
    private(set) var reason: SystemFailure?

    /// Whether everything was written or dropped, and every loss announced.
    var isEmpty: Bool { records.isEmpty && lost == 0 }
    /// Whether a loss is still to be announced and no record is pending.
    var hasOnlyLoss: Bool { records.isEmpty && lost > 0 }
    var hasRecords: Bool { !records.isEmpty }
    /// The records that are pending, announcements excluded.
    var count: Int { records.count - announcements.count }
    /// The records that are pending, announcements included.
    var total: Int { records.count }

    /// The bytes, the ends and the marks of what is pending.
    var buffer: RecordBuffer { records }

    /// Keeps the records from `first` on, as many as `limit` bytes allow.
    ///
    /// - Returns: how many had to be dropped.
    mutating func park(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], from first: Int, limit: Int,
        because failure: SystemFailure?, announcement: (Int, SystemFailure?) -> [UInt8]
    ) -> Int {
        var start = first == 0 ? 0 : ends[first - 1]
        var dropped = 0
        for (index, end) in ends.enumerated().dropFirst(first) {
            let record = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end
            var room = limit - records.byteCount
            if lost > 0, record.count < room {
                let text = announcement(lost, reason)
                if text.count + record.count <= room {
                    announce(text)
                    room -= text.count
                } else {
                    room = 0
                }
            }
            if record.count <= room {
                records.append(record: record, mark: marks.isEmpty ? 0 : marks[index])
            } else {
                dropped += 1
                drop(1, because: failure)
            }
        }
        return dropped
    }

    /// Counts records as dropped.
    mutating func drop(_ count: Int, because failure: SystemFailure?) {
        lost += count
        reason = failure
    }

    /// Adds the announcement of what was dropped.
    mutating func announceLoss(_ announcement: (Int, SystemFailure?) -> [UInt8]) {
        guard lost > 0 else { return }
        announce(announcement(lost, reason))
    }

    private mutating func announce(_ text: [UInt8]) {
        announcements.append((records.count, lost))
        records.append(text)
        lost = 0
    }

    /// What an attempt to write has settled.
    struct Settled {
        /// Announcements that were written.
        var announced = 0
        /// The last record can be in no file, and was dropped.
        var hasDropped = false
        /// The last record can be in no file, and was itself the announcement of a loss.
        var hasUnwritableAnnouncement = false
    }

    /// Removes what was dealt with from the front; `unwritable` says why the last of it can be in no file.
    mutating func settle(_ dealt: Int, unwritable: Int32?) -> Settled {
        var own = announcements.prefix { $0.index < dealt }
        announcements = announcements.dropFirst(own.count).map { ($0.index - dealt, $0.lost) }
        records.removeFirst(dealt)
        var settled = Settled()
        if let number = unwritable {
            if let last = own.last, last.index == dealt - 1 {
                own.removeLast()
                lost += last.lost
                settled.hasUnwritableAnnouncement = true
            } else {
                drop(1, because: SystemFailure(.write, number))
                settled.hasDropped = true
            }
        }
        settled.announced = own.count
        return settled
    }

    /// Forgets everything.
    mutating func removeAll() {
        records.removeAll()
        announcements.removeAll()
        lost = 0
    }
}
