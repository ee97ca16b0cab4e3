import CHeartwood
import Heartwood

/// Decides what a spool does: which records are in which file or in memory, what is sent next, what is
/// dropped to make room, and what is counted.
///
/// Pure: it knows no disk and no clock. ``Spool`` asks it for the next step, has ``SpoolFiles`` do it, and
/// tells it what came of that. Invariants, each held by a test, and those of the state asked for after each
/// step of the simulation (``violation``):
/// 1. A record is in exactly one segment, or it is still in memory, or it is done. What is in memory is newer
///    than what is in the files.
/// 2. Segments are only appended to, and only by the process that made them, the newest one; what a dead
///    process left is sealed.
/// 3. A frame is written whole or not at all: what a failed write has left of one is cut off, or the file is
///    sealed.
/// 4. A segment that is done is deleted only after the cursor on disk says so. A crash between the two leaves
///    a file that the next start deletes.
/// 5. The piece on its way is in the cursor before it is sent (see ``BatchState``).
/// 6. Damage costs the records it hits; the bytes go to `quarantine/`, the others are delivered.
/// 7. Of a group of records all are there or none: what was not written to its end is cut off before anything
///    else is written.
/// 8. A message is appended only where the files together stay within the limit then. Groups may exceed it.
/// 9. `appended + recovered = completed + lost + pending`, once damage that was found is settled.
struct SpoolPlan {
    /// How many failed reads make a file count as lost.
    static let readAttempts = 10

    /// Limits and the cutting into files.
    var settings: SpoolSettings
    /// Whether there are files.
    let isOnDisk: Bool
    private(set) var segments = SegmentList()
    private(set) var batch = OpenBatch(BatchState())
    /// Records that are in memory only.
    private(set) var unsaved = RecordQueue()
    private(set) var nextID: UInt64 = 1
    /// Whether the cursor has the state of the batch.
    private(set) var isStateSaved = true
    /// Since when the newest segment is appended to; nil while none is.
    private var activeSince: Duration?
    /// Whether the spool is being opened: what cannot be read is tried again at once, since ids and counts
    /// depend on it.
    private var isOpening: Bool
    /// The file that could not be read while opening, for a reason that says nothing about it.
    private(set) var shortage: (name: String, failure: SystemFailure)?
    /// What was compacted: the segments before an id have nothing less serious than a level.
    private var compacted: (level: UInt8, end: UInt64) = (.max, 0)
    /// Records of a group that was given up and whose files could not be cut yet: they count as not there.
    private(set) var cancelled: ClosedRange<UInt64>?

    // MARK: Counts
    /// How many records are pending.
    private(set) var pending = 0
    /// How many records were delivered, or set aside.
    private var completed = 0
    /// Of this opening, and of those before it.
    private var counts = SpoolCounters()
    private var earlier = SpoolCounters()
    /// How many of the damaged records were taken off the pending ones.
    private var settled = 0
    /// Whether the number of damaged records is a guess, until those that are pending were counted: a file
    /// that is lost may have had records that were done, or not have had them.
    private(set) var isUncertain = false
    /// When the oldest pending record was logged, if that is known.
    private(set) var oldestTime: LogTimestamp?

    init(_ settings: SpoolSettings, isOnDisk: Bool) {
        (self.settings, self.isOnDisk, isOpening) = (settings, isOnDisk, isOnDisk)
    }

    /// What is wrong with the state, if anything is.
    var violation: String? {
        let ids = unsaved.all.map(\.id)
        if zip(ids, ids.dropFirst()).contains(where: { $0 >= $1 }) { return "ids in memory do not grow" }
        if cancelled == nil, let first = ids.first, segments.last?.lastID ?? 0 >= first {
            return "a file has ids of what is in memory"
        }
        if let last = ids.last, last >= nextID { return "an id is used twice" }
        if let range = batch.state.range, range.upperBound >= nextID { return "the batch has unused ids" }
        let pieces = batch.todo + batch.parked.map(\.range)
        if pieces.contains(where: { batch.state.range?.contains($0.lowerBound) != true }) {
            return "a piece is not of the batch"
        }
        let ordered = pieces.sorted { $0.lowerBound < $1.lowerBound }
        if zip(ordered, ordered.dropFirst()).contains(where: { $0.upperBound >= $1.lowerBound }) {
            return "two pieces overlap"
        }
        if !isOnDisk, !segments.isEmpty { return "files of a spool in memory" }
        let all = counters
        if all.appended + all.recovered != completed + all.lost + pending - unsettled || pending < 0 {
            return "the balance: \(all), \(completed) completed, \(pending) pending"
        }
        return nil
    }
}

// MARK: - Opening

extension SpoolPlan {
    /// The files that were found; of two with the same first id the longer one is what a compaction has
    /// replaced.
    ///
    /// Returns which files are to be removed, and which are to be set aside since they are not sealed: they
    /// are not the spool's, or could not be given their name.
    mutating func open(_ found: [SpoolSegment]) -> (surplus: [SpoolSegment], foreign: [SpoolSegment]) {
        var kept: [SpoolSegment] = []
        var surplus: [SpoolSegment] = []
        var foreign: [SpoolSegment] = []
        for segment in found.sorted(by: { ($0.firstID, $0.count) < ($1.firstID, $1.count) }) {
            guard let last = kept.last, last.firstID == segment.firstID else {
                kept.append(segment)
                continue
            }
            if last.lastID != nil {
                surplus.append(segment)
            } else {
                foreign.append(kept.removeLast())
                kept.append(segment)
            }
        }
        segments = SegmentList(kept)
        return (surplus, foreign)
    }

    /// The state that the cursor had; without one, everything that is in the files counts as unsent.
    mutating func open(_ state: BatchState?) {
        batch = OpenBatch(state ?? BatchState(acknowledged: segments.first.map { $0.firstID - 1 } ?? 0))
    }

    /// Ids before this one may have been used.
    mutating func useIDs(before id: UInt64) { nextID = max(nextID, id) }

    /// The greatest id that is known to have been used.
    var lastUsedID: UInt64 {
        max(segments.reversed().lazy.compactMap(\.lastID).first ?? 0, batch.state.end)
    }

    /// All files were read: no id is used again.
    mutating func setNextID() { useIDs(before: max(lastUsedID, segments.last?.firstID ?? 0) + 1) }

    /// The segments that may have records that are pending, each with how many: nil where it has to be read.
    var unread: [(segment: SpoolSegment, pending: Int?)] {
        segments.map { ($0, $0.firstID > batch.state.end ? $0.count : nil) }
    }

    /// So many records were found in the files.
    mutating func endOpening(recovered: Int) {
        pending = recovered
        // None of what is damaged was counted as pending.
        settled = counts.damagedRecords
        counts.recovered = pending + settled
        (isUncertain, isOpening) = (false, false)
    }

    /// Continues the figures of an earlier opening, whose damage is settled.
    mutating func continueFigures(of other: SpoolPlan, _ counters: SpoolCounters) {
        earlier = counters
        // They are found again, or not.
        earlier.recovered -= other.pending
        completed = other.completed
    }
}

// MARK: - Counting

extension SpoolPlan {
    /// What was stored, dropped by reason, and damaged.
    var counters: SpoolCounters {
        var sum = earlier
        sum += counts
        return sum
    }

    /// What the unsent messages take.
    var bytes: Int { unsaved.bytes + segments.bytes }

    /// How many damaged records were found that are not taken off the pending ones.
    private var unsettled: Int { counts.damagedRecords - settled }

    mutating func setOldest(_ time: LogTimestamp?) { oldestTime = time }

    /// Counts records that are pending no more.
    private mutating func countDone(_ count: Int) {
        pending -= count
        if count > 0 { oldestTime = nil }
    }

    /// Counts records that are dropped, by reason.
    mutating func countDropped(_ count: Int, _ reason: WritableKeyPath<SpoolCounters, Int>) {
        countDone(count)
        counts[keyPath: reason] += count
    }

    /// Counts records that the program dropped, which are counted as completed already.
    mutating func countAsked(_ count: Int) {
        completed -= count
        counts.droppedAsked += count
    }

    /// Counts a record that was not taken.
    mutating func countRefused() {
        counts.appended += 1
        counts.droppedFull += 1
    }

    mutating func countDamaged(bytes: Int, torn: Int) {
        counts.damagedBytes += bytes
        counts.tornBytes += torn
    }

    mutating func countDamaged(records: Int) { counts.damagedRecords += records }

    /// Takes the damage that was found off the pending records.
    mutating func settleDamage() { settle(unsettled) }

    /// So many records are pending, as all files say: corrects the count of damaged ones.
    mutating func recount(_ count: Int) { settle(pending - count) }

    /// Takes so many damaged records off the pending ones; less than zero if earlier counts were too high.
    private mutating func settle(_ found: Int) {
        let count = min(found, pending)
        settled += count
        counts.damagedRecords = settled
        countDone(count)
    }

    /// The pending records are being counted; where not all can be read, their number stays a guess.
    mutating func setUncertain(_ isUncertain: Bool) { self.isUncertain = isUncertain }
}

// MARK: - Storing

extension SpoolPlan {
    /// Takes the next id.
    mutating func takeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Counts records that have come, the first of them logged at a time.
    mutating func countStored(_ count: Int, from time: LogTimestamp?) {
        if pending == 0 { oldestTime = time }
        pending += count
        counts.appended += count
    }

    /// Takes a record, which is in memory until ``removeSaved(_:)``, with the next id.
    ///
    /// One call for each message, since it changes the plan in its place and copies nothing.
    ///
    /// - Returns: false when it cannot be stored, nil when room has to be made for it.
    mutating func append(_ record: SpoolRecord) -> Bool? {
        guard record.payload.count <= settings.effectivePayloadLimit, nextID < SpoolRecord.largestID,
            let hasRoom = hasRoom(for: record)
        else { return false }
        guard hasRoom else { return nil }
        var record = record
        record.id = takeID()
        countStored(1, from: record.time)
        unsaved.append(record)
        return true
    }

    /// So many of the oldest records in memory are in the files.
    mutating func removeSaved(_ count: Int) { unsaved.removeFirst(count) }

    /// Forgets what is in memory, as if it had never come.
    mutating func forgetUnsaved() {
        let count = unsaved.removeAll { _ in true }
        countDone(count)
        counts.appended -= count
    }

    /// Drops what is in memory only, since the store is closed.
    mutating func dropUnsaved() {
        let state = batch.state
        countDropped(unsaved.removeAll { !state.isDone($0.id) }, \.droppedUnsaved)
    }
}

// MARK: - Writing

extension SpoolPlan {
    /// What is to be done with the files so that records get into them.
    enum Step: Equatable {
        /// Take away what is left of a group that was given up: all records after this id.
        case rollBack(UInt64)
        /// Seal the newest segment: it is full, or too old.
        case seal
        /// Begin this segment.
        case begin(SpoolSegment)
        /// Append records to the newest segment: as many as fit into so many bytes and at most so many, but
        /// one in any case.
        case append(bytes: Int, count: Int)
    }

    /// The newest segment, while it is appended to.
    var active: SpoolSegment? { activeSince == nil ? nil : segments.last }

    /// The next step of writing records, the first of which is given; nil when nothing is left to do.
    func next(_ first: SpoolRecord?, at uptime: Duration) -> Step? {
        if let cancelled { return .rollBack(cancelled.lowerBound - 1) }
        guard let first else { return nil }
        guard let active, let activeSince else { return .begin(SpoolSegment(firstID: first.id)) }
        let room = settings.effectiveSegmentBytes - active.size
        let isDue =
            SpoolFrame.size(of: first) > room || active.count >= settings.segmentCount
            || uptime - activeSince >= settings.segmentAge
        if isDue, active.count > 0 { return .seal }
        return .append(bytes: room, count: settings.segmentCount - active.count)
    }

    /// This segment begins; one of the same name is what is left of an attempt, and was emptied.
    mutating func didBegin(_ segment: SpoolSegment, at uptime: Duration) {
        if let index = segments.index(of: segment.firstID) { segments.remove(at: index) }
        segments.append(segment)
        activeSince = uptime
    }

    /// Records were appended to the newest segment, which is so many bytes longer.
    mutating func didAppend(_ records: RecordQueue.Run, bytes: Int) {
        guard !segments.isEmpty else { return }
        let index = segments.count - 1
        segments[index].size += bytes
        segments[index].count += records.count
        if let last = records.last { segments[index].lastID = last.id }
    }

    /// The newest segment is appended to no more.
    mutating func endActive() { activeSince = nil }

    /// A group is given up: nothing of it counts, and its files are cut before anything else is written.
    ///
    /// Nothing was written since an earlier one that could not be taken away.
    mutating func cancel(_ group: ClosedRange<UInt64>) {
        cancelled = cancelled.map { min($0.lowerBound, group.lowerBound)...group.upperBound } ?? group
    }

    /// The files have nothing left of the group.
    mutating func endCancelling() { cancelled = nil }

    /// The segment with this first id, if it is still there.
    func segment(_ firstID: UInt64) -> SpoolSegment? { segments.index(of: firstID).map { segments[$0] } }

    /// Changes what is known of a segment; nothing where it is gone.
    mutating func change(_ firstID: UInt64, _ change: (inout SpoolSegment) -> Void) {
        guard let index = segments.index(of: firstID) else { return }
        var segment = segments[index]
        change(&segment)
        segments[index] = segment
    }

    /// A segment's file is gone.
    mutating func remove(_ segment: SpoolSegment) {
        guard let index = segments.index(of: segment.firstID) else { return }
        if index == segments.count - 1 { activeSince = nil }
        segments.remove(at: index)
    }
}

// MARK: - Damage

extension SpoolPlan {
    /// A segment is gone, or is not ours: what it had that was not done counts as damaged.
    mutating func lose(_ segment: SpoolSegment) {
        guard segments.index(of: segment.firstID) != nil else { return }
        countDamaged(records: max(0, segment.count - countDone(in: segment, besides: [])))
        setLost(segment, besides: [])
        remove(segment)
    }

    /// Compares a sealed segment with what its file has, and counts what is missing, once; returns whether
    /// the file is to be kept for a person to look at.
    mutating func compare(
        _ firstID: UInt64, with entries: [SegmentParser.Entry], isDamaged: Bool
    ) -> Bool {
        guard let index = segments.index(of: firstID), segments[index].lastID != nil else { return false }
        let segment = segments[index]
        let missing = max(0, segment.count - entries.count)
        guard isDamaged || segment.count != entries.count, missing > 0 || !segment.isExamined else {
            return false
        }
        if missing > 0 {
            countDamaged(records: max(0, missing - countDone(in: segment, besides: entries)))
        }
        setLost(segment, besides: entries)
        segments[index].count = entries.count
        segments[index].isExamined = true
        return !segment.isExamined
    }

    /// Counts that a file cannot be read; returns true when it counts as lost now.
    mutating func countReadFailure(_ segment: SpoolSegment) -> Bool {
        guard let index = segments.index(of: segment.firstID) else { return false }
        segments[index].readFailures += 1
        return segments[index].readFailures >= Self.readAttempts
    }

    /// Whether reading is to be retried at once, as it is while opening.
    ///
    /// A lack of descriptors or memory refuses the opening instead. A file that is not ours to open stays
    /// where it is.
    mutating func mayRetry(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        if isOpening, failure.isShortage { shortage = (segment.name, failure) }
        return isOpening && failure.isError(EIO)
    }

    /// How many of a segment's records are not done, by what is known without reading it.
    func unfinished(in segment: SpoolSegment) -> Int {
        segments.index(of: segment.firstID) == nil
            ? 0 : max(0, segment.count - countDone(in: segment, besides: []))
    }

    func isCancelled(_ id: UInt64) -> Bool { cancelled?.contains(id) == true }

    /// Whether a record that is in a file is pending.
    func isPending(_ id: UInt64) -> Bool { !batch.state.isDone(id) && !isCancelled(id) }

    /// How many of a segment's records that are not among the entries are done, as far as their ids tell.
    private func countDone(in segment: SpoolSegment, besides entries: [SegmentParser.Entry]) -> Int {
        guard segment.count > 0 else { return 0 }
        return missing(in: segment, entries).count { !isPending($0) }
    }

    /// A segment's records that are not among the entries count as damaged, and as nothing else afterwards,
    /// but for those that another file may have: the name of a foreign file can claim any.
    private mutating func setLost(_ segment: SpoolSegment, besides entries: [SegmentParser.Entry]) {
        isUncertain = true
        let others = segments.others(overlapping: segment)
        for id in missing(in: segment, entries) where !others.contains(where: { $0.contains(id) }) {
            batch.lose(id)
        }
    }

    private func missing(in segment: SpoolSegment, _ entries: [SegmentParser.Entry]) -> [UInt64] {
        guard let last = segment.lastID else { return [] }
        let known = Set(entries.map(\.id))
        let limit = segment.firstID + UInt64(2 * BatchState.widestBatch)
        return (segment.firstID...min(last, limit)).filter { !known.contains($0) }
    }
}

// MARK: - Room

extension SpoolPlan {
    /// A way to make room.
    enum Relief: Equatable {
        /// Rewrite a file without what is done of the batch.
        case reclaim
        /// Drop what is less serious than a level.
        case evictBelow(UInt8)
        /// Drop the oldest records that are not in the batch.
        case evictOldest
        /// Drop the oldest half of what is left of the batch, where nothing else is left to go.
        ///
        /// A store that is full of refused messages would take no other one otherwise, and so never find out
        /// that the server takes others.
        case evictFromBatch
        /// Drop the newest message that was refused without a success.
        ///
        /// That costs as many messages as to refuse the new one, and shows whether the server takes any.
        case replaceRefused
    }

    /// The ways to make room for a record, in the order in which they are tried.
    ///
    /// What the batch has done takes no room that new messages need.
    func reliefs(for record: SpoolRecord) -> [Relief] {
        switch settings.overflow {
        case .dropNewest:
            // To look for what is pending in the batch costs a read of its files.
            let hasRefused = batch.parked.contains { !$0.isUnconfirmed }
            return hasRefused ? [.reclaim, .replaceRefused] : [.reclaim]
        case .dropOldest: return [.reclaim, .evictOldest, .evictFromBatch]
        case .dropBelow(let level):
            let threshold = UInt8(clamping: level.severity.index)
            if record.level > threshold { return [.reclaim] }
            return [.reclaim, .evictBelow(threshold), .evictOldest, .evictFromBatch]
        }
    }

    /// Whether there is room for a record; nil where there never is.
    private func hasRoom(for record: SpoolRecord) -> Bool? {
        var size = SpoolFrame.size(of: record)
        if isOnDisk {
            let files = 2 * (unsaved.bytes + size) / settings.effectiveSegmentBytes + 2
            size += SpoolSegment.headerSize * min(files, unsaved.count + 1)
        }
        let limit = settings.maximumBytes.bytes
        guard size <= limit else { return nil }
        return bytes + size <= limit && !(isOnDisk && unsaved.bytes > 16 << 20)
    }

    /// Whether there are more files than may be.
    var hasTooManyFiles: Bool { settings.maximumFiles.limit.map { segments.count > $0 } ?? false }

    /// The oldest segment that has nothing of the batch.
    var oldestBesideBatch: SpoolSegment? {
        guard let range = batch.state.range else { return segments.first }
        return segments.oldest(besides: range).map { segments[$0] }
    }

    /// The oldest segment, if all of it is done, as the cursor on disk says already.
    var oldestDone: SpoolSegment? {
        guard isStateSaved, let first = segments.first, first.ends(by: batch.state.acknowledged) else {
            return nil
        }
        return first
    }

    /// Drops the oldest records in memory that are not in the batch: a share of them.
    mutating func evictOldestUnsaved() -> Bool {
        let spared = batch.state.last
        guard let oldest = unsaved.from(spared + 1).first else { return false }
        let end = oldest.id + UInt64(max(1, unsaved.count / 64))
        return dropUnsaved { $0.id > spared && $0.id < end }
    }

    /// Drops records in memory that are not in the batch, and less serious than a level.
    mutating func evictUnsaved(below level: UInt8) -> Bool {
        let spared = batch.state.last
        return dropUnsaved { $0.id > spared && $0.level > level }
    }

    /// Drops records in memory that are not in the batch, and too old.
    mutating func expireUnsaved(_ isOld: (LogTimestamp) -> Bool) {
        let spared = batch.state.last
        countDropped(unsaved.removeAll { $0.id > spared && isOld($0.time) }, \.droppedOld)
    }

    private mutating func dropUnsaved(where isGone: (SpoolRecord) -> Bool) -> Bool {
        let count = unsaved.removeAll(where: isGone)
        countDropped(count, \.droppedFull)
        return count > 0
    }

    /// Takes what is done in the batch out of memory; false when there is nothing.
    mutating func reclaimUnsaved() -> Bool {
        let state = batch.state
        return unsaved.removeAll { state.isDone($0.id) } > 0
    }

    /// The first segment with ids from this one on that may have something of the batch.
    func reclaimable(from id: UInt64) -> SpoolSegment? {
        guard batch.reclaimable > 0, let range = batch.state.range else { return nil }
        for segment in segments[segments.place(after: max(id, range.lowerBound) - 1)...]
        where segment.firstID >= id && segment.lastID ?? 0 >= range.lowerBound {
            return segment.firstID <= range.upperBound ? segment : nil
        }
        return nil
    }

    mutating func endReclaiming() { batch.endReclaiming() }

    /// Where compacting begins: what was found to have nothing to give is not looked at again.
    mutating func beginCompacting(below level: UInt8) -> UInt64 {
        let start = compacted.level <= level ? compacted.end : 0
        let index = segments.place { $0.firstID >= start }
        compacted = (level, index < segments.count ? segments[index].firstID : compacted.end)
        return start
    }

    /// The first segment with a first id from this one on that is not appended to.
    func compactable(from id: UInt64) -> SpoolSegment? {
        let index = segments.place { $0.firstID >= id }
        return index < (active == nil ? segments.count : segments.count - 1) ? segments[index] : nil
    }

    /// All segments before an id have nothing less serious than the level.
    mutating func didCompact(before id: UInt64) { compacted.end = id }

    /// Which of a file's records stay when it is compacted: none that is done, and none less serious than the
    /// level, unless it is in the batch; also returns how many go that are not done.
    func kept(
        of entries: [SegmentParser.Entry], below level: UInt8
    ) -> (kept: [SegmentParser.Entry], gone: Int) {
        let waiting = entries.filter { isPending($0.id) }
        let kept = waiting.filter { $0.level <= level || batch.state.range?.contains($0.id) == true }
        return (kept, waiting.count - kept.count)
    }

    /// The ids of the batch that room is made of: of these, which are pending, the oldest half.
    ///
    /// The piece on its way goes last; what the server has received and not yet confirmed stays.
    func evictable(of ids: [UInt64]) -> ArraySlice<UInt64> {
        let unconfirmed = batch.parked.filter(\.isUnconfirmed).map(\.range)
        let ids = ids.filter { id in !unconfirmed.contains { $0.contains(id) } }
        let others = ids.filter { batch.state.piece?.contains($0) != true }
        let oldest = others.isEmpty ? ids : others
        return oldest.prefix(max(1, oldest.count / 2))
    }

    /// The newest of these ids that was refused without a success.
    func newestRefused(of ids: [UInt64]) -> ArraySlice<UInt64> {
        guard let piece = batch.parked.last(where: { !$0.isUnconfirmed }) else { return [] }
        return ids.filter { piece.range.contains($0) }.suffix(1)
    }

    /// Drops records of the batch, of which these are left.
    mutating func dropOfBatch(_ ids: ArraySlice<UInt64>, of pending: [UInt64]) {
        countDropped(batch.mark(ids), \.droppedFull)
        batch.removeParked(without: pending.filter { !batch.state.isDone($0) })
    }
}

// MARK: - Sending

extension SpoolPlan {
    /// Begins a batch with the records between two ids, or makes the open one longer by them.
    mutating func begin(_ range: ClosedRange<UInt64>) {
        if batch.state.isOpen { batch.widen(by: [range]) } else { batch.begin(range) }
    }

    /// The records of a piece that are sent now, at most so many; nil where the batch has changed instead.
    mutating func take(
        _ records: [SpoolRecord], of range: ClosedRange<UInt64>, _ most: Int, isProbe: Bool
    ) -> (range: ClosedRange<UInt64>, records: [SpoolRecord])? {
        if records.isEmpty {
            batch.remove(range)
            return nil
        }
        guard range != batch.state.piece, records.count > most else { return (range, records) }
        if isProbe {
            batch.cut(range, after: records[records.count - most - 1].id)
            return nil
        }
        // Pieces that were parked when the process ended come back as one.
        let last = records[most - 1].id
        batch.cut(range, after: last)
        return (range.lowerBound...last, Array(records.prefix(most)))
    }

    /// Makes the batch longer by records that follow it, and the newest of them a piece, as far as that may
    /// be long.
    mutating func widen(_ found: [(id: UInt64, size: Int)], _ maximumCount: Int, _ maximumBytes: Int) {
        guard let first = found.first, let last = found.last else { return }
        var start = last.id
        var bytes = 0
        for record in found.suffix(maximumCount).reversed() {
            bytes += record.size
            if bytes > maximumBytes { break }
            start = record.id
        }
        batch.widen(by: (start > first.id ? [first.id...start - 1] : []) + [start...last.id])
    }

    /// Changes which pieces are sent, parked and split.
    mutating func changeBatch<Result>(_ change: (inout OpenBatch) -> Result) -> Result { change(&batch) }

    /// The batch is on its way with this piece; returns true if the cursor must be written.
    mutating func send(_ piece: ClosedRange<UInt64>) -> Bool {
        if batch.state.piece == piece, isStateSaved { return false }
        batch.send(piece)
        return true
    }

    /// Records are done: delivered, or set aside; returns how many of them were pending.
    mutating func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = batch.mark(done)
        completed += count
        countDone(count)
        if piece.records.allSatisfy({ batch.state.isDone($0.id) }) { batch.complete(piece.range) }
        return count
    }

    /// The batch ends: all of it is done.
    mutating func finish() {
        let last = batch.finish()
        if let first = unsaved.first, first.id <= last {
            unsaved.removeFirst(unsaved.count - unsaved.from(last + 1).count)
        }
    }

    mutating func setStateSaved(_ isSaved: Bool) { isStateSaved = isSaved }
}
