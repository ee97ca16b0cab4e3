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

    /// Keeps the records from `first` on, as many as `limit` bytes allow; how many had to be dropped.
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
                records.append(record, mark: marks.isEmpty ? 0 : marks[index])
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

/// Finished records one after the other, and where each of them ends.
///
/// 1. `ends` is rising, and its last element is the number of bytes.
/// 2. There is a mark for each record.
/// 3. Records leave at the front, and whole.
struct RecordBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []
    /// The mark of each record in the journal; 0 for those that it does not keep.
    private(set) var marks: [UInt64] = []

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    mutating func append(_ record: some Collection<UInt8>, mark: UInt64 = 0) {
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
        marks.append(mark)
    }

    /// Removes records from the front.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        if count >= ends.count {
            removeAll()
            return
        }
        let removed = ends[count - 1]
        bytes.removeFirst(removed)
        ends.removeFirst(count)
        marks.removeFirst(count)
        for index in ends.indices { ends[index] -= removed }
    }

    /// Removes everything, and keeps the memory for the next records.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }
}
