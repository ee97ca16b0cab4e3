import CHeartwood
import Heartwood

/// The spool's files: segments that are appended to and deleted, and the cursor.
///
/// Invariants, each held by a test:
/// 1. A record is in exactly one segment, or it is still in memory, or it is done.
/// 2. Segments are only appended to, and only by the process that made them; what a dead process left is
///    sealed.
/// 3. A frame is written whole or not at all: what a failed write has left of one is cut off, or the file is
///    sealed.
/// 4. A segment is deleted only after the cursor on disk says that all of it is done. A crash between the two
///    leaves a file that the next start deletes.
/// 5. The piece on its way is in the cursor before it is sent (see ``BatchState``).
/// 6. Damage costs the records it hits; the bytes go to `quarantine/`, the others are delivered.
/// 7. Of a group of records all are there or none: one that was not written to its end is cut off
///    (`+Groups`).
/// 8. The files together never have more bytes than the limit that ``Spool`` checks before it writes.
final class SpoolDisk {
    let directory: Directory
    let reports: SpoolReports
    let quarantine: Quarantine
    let writer: SegmentWriter
    private let cursor: CursorFile
    /// What the names of records and keys of pieces contain.
    private(set) var identity: [UInt8] = []
    /// The state that the cursor had when the spool was opened.
    private(set) var openedState = BatchState()

    var segments = SegmentList()
    var reader: (firstID: UInt64, file: SegmentFile)?
    var losses = SpoolLosses()
    /// Whether the spool is being opened: what cannot be read is tried again at once, since ids and counts
    /// depend on it.
    private var isOpening = true
    /// A reason other than damage for which a file could not be read while opening.
    private var openingError: LogError?
    /// The first id that no file, however damaged, can have had.
    private var leastNextID: UInt64 = 1
    /// What was compacted: the segments before an id have nothing less serious than a level.
    private var compacted: (level: UInt8, end: UInt64) = (.max, 0)

    /// Opens a spool, whatever state it was left in.
    ///
    /// - Throws: `LogError` when the directory cannot be used, or another logger has it.
    init(path: String, quarantineLimit: ByteCount, _ calls: SystemCalls) throws {
        directory = try Directory(path, for: .spool, calls: calls)
        reports = SpoolReports(path: path)
        quarantine = Quarantine(in: directory, limit: quarantineLimit, reports)
        writer = SegmentWriter(in: directory)
        cursor = CursorFile(in: directory, reports)
        let names = try loadSegments()
        loadCursor()
        setAsideImplausible()
        cutUnfinishedGroup()
        adoptUnsealed()
        finishResending(among: names)
        if let openingError { throw openingError }
        reap(through: openedState.acknowledged)
    }

    private func loadCursor() {
        if let saved = cursor.load() {
            (identity, openedState) = (saved.identity, saved.state)
            return
        }
        // A new spool, or one whose cursor is gone: what is there counts as unsent.
        identity = segments.lazy.compactMap(identityInHeader).first ?? RandomBytes.make(16)
        openedState = BatchState(acknowledged: segments.first.map { $0.firstID - 1 } ?? 0)
        cursor.start(openedState, identity: identity)
    }

    /// Ends the opening, once the records that are pending were counted.
    ///
    /// - Throws: `LogError` when a file could not be opened for lack of descriptors or memory.
    func endOpening() throws {
        isOpening = false
        losses.beginCounting()
        if let openingError { throw openingError }
    }

    /// The first id that was never used.
    var nextID: UInt64 {
        let used = segments.last.map { $0.lastID ?? $0.firstID } ?? 0
        return max(leastNextID, max(used, openedState.acknowledged, openedState.last) + 1)
    }

    /// Writes the state into the cursor; false, with a report, when that fails.
    func save(_ state: BatchState, synchronizes: Bool) -> Bool {
        cursor.save(state, identity: identity, synchronizes: synchronizes)
    }
}

// MARK: - Opening

extension SpoolDisk {
    /// Finds the segments; returns the names of all files of the directory.
    private func loadSegments() throws -> [String] {
        let files: [(name: String, size: Int)]
        do throws(SystemFailure) { files = try directory.regularFiles() } catch {
            throw LogError(
                .file, "cannot list the spool's directory", place: directory.path, cause: error.number)
        }
        for file in files where file.name.hasSuffix(".seg") {
            guard SpoolSegment(name: file.name, size: file.size) == nil else { continue }
            reports.report(.damaged, "not a file of the spool; ignored", file.name)
        }
        let found = files.compactMap { SpoolSegment(name: $0.name, size: $0.size) }
            .sorted { ($0.firstID, $0.count) < ($1.firstID, $1.count) }
        // Of two with the same first id the longer one is what a compaction has replaced.
        var kept: [SpoolSegment] = []
        for segment in found {
            if let last = kept.last, last.firstID == segment.firstID, last.lastID != nil {
                _ = try? directory.remove(segment.name)
            } else if kept.last?.firstID == segment.firstID {
                quarantine.move(kept.removeLast().name)
                kept.append(segment)
            } else {
                kept.append(segment)
            }
        }
        segments = SegmentList(kept)
        for file in files where file.name.hasSuffix(".tmp") { _ = try? directory.remove(file.name) }
        return files.map(\.name)
    }

    /// Sets files aside whose names have ids that no spool comes to, unless their headers are the spool's
    /// own: otherwise a planted name would use all ids up.
    private func setAsideImplausible() {
        for segment in segments where max(segment.firstID, segment.lastID ?? 0) > SpoolSegment.largestUsualID
        {
            guard identityInHeader(segment) != identity else { continue }
            reports.report(.damaged, "not a file of the spool; moved to quarantine/", segment.name)
            quarantine.move(segment.name)
            if let index = segments.firstIndex(where: { $0.name == segment.name }) {
                segments.remove(at: index)
            }
        }
    }

    private func identityInHeader(_ segment: SpoolSegment) -> [UInt8]? {
        var header: [UInt8] = []
        guard let (file, _) = try? directory.open(segment.name, for: .reading) else { return nil }
        try? file.read(from: 0, limit: SpoolSegment.headerSize, into: &header)
        guard let named = header.withUnsafeBytes({ SpoolSegment.identity(inHeader: $0) }),
            named.firstID == segment.firstID
        else { return nil }
        return named.identity
    }

    /// Reads and seals what a process that ended has not sealed itself.
    private func adoptUnsealed() {
        for segment in segments where segment.lastID == nil {
            let frames = UInt64(max(0, segment.size - SpoolSegment.headerSize) / SpoolFrame.headerSize)
            guard let file = open(segment), let index = segments.index(of: segment.firstID) else {
                leastNextID = max(leastNextID, segment.firstID + frames)
                continue
            }
            if segments[index].readFailures >= Self.readAttempts {
                leastNextID = max(leastNextID, segment.firstID + frames)
                if file.entries.isEmpty {
                    quarantine.move(segment.name)
                    lose(segment)
                    continue
                }
            }
            guard let last = file.entries.last else {
                quarantine.copy(file, segments[index])
                discard(at: index)
                continue
            }
            segments[index].lastID = last.id
            segments[index].count = file.entries.count
            if file.damage.contains(where: { $0.lowerBound < file.end }) {
                let ids = Int(clamping: last.id - segment.firstID + 1)
                reports.countDamaged(records: max(0, ids - file.entries.count))
            }
            quarantine.copy(file, segments[index])
            seal(at: index)
        }
    }
}

// MARK: - Reading

extension SpoolDisk {
    /// How often a file may fail before the others do not wait for it any longer.
    static let readAttempts = 10

    /// Calls `body` with each record after `id` that the files have, in their order, until it returns false.
    ///
    /// Returns false when it ended before a file that cannot be read now.
    func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) -> Bool {
        var index = segments.place(after: id)
        while index < segments.count {
            let segment = segments[index]
            if segment.count > 0, let last = segment.lastID, last <= id {
                index += 1
                continue
            }
            if let file = open(segment) {
                for entry in file.entries where entry.id > id && !losses.isCancelled(entry.id) {
                    guard body(file.record(entry)) else { return true }
                }
            } else if segments.index(of: segment.firstID) != nil {
                // One that cannot be read now comes before what follows it.
                return false
            }
            // One that is lost is not among them any more.
            index = segments.place { $0.firstID > segment.firstID }
        }
        return true
    }

    /// How many of a segment's records are not done; of one that cannot be read now, by what is known without
    /// reading.
    func unfinished(in segment: SpoolSegment, _ isDone: (UInt64) -> Bool) -> Int {
        if let file = open(segment) { return file.entries.reduce(0) { $0 + (isDone($1.id) ? 0 : 1) } }
        if segments.index(of: segment.firstID) == nil { return 0 }
        return max(0, segment.count - losses.countDone(in: segment, besides: []))
    }

    /// The ages of a segment's first and last record.
    func times(of segment: SpoolSegment) -> (first: LogTimestamp, last: LogTimestamp)? {
        guard let entries = open(segment)?.entries, let first = entries.first, let last = entries.last else {
            return nil
        }
        return (first.time, last.time)
    }

    /// The segment's content; of one that is damaged, what is whole of it.
    func open(_ segment: SpoolSegment) -> SegmentFile? {
        let isActive = writer.isOpen && segment.firstID == segments.last?.firstID
        if let reader, reader.firstID == segment.firstID {
            // What was added and cannot be read comes before what follows it.
            if !isActive || (try? reader.file.refresh()) != nil { return reader.file }
            self.reader = nil
        }
        while let current = segments.index(of: segment.firstID) {
            let (file, mayRetry) = read(segments[current], isActive)
            // Counted as a failure; after the last one the file is no longer among the segments.
            if file != nil || !isOpening || !mayRetry { return file }
        }
        return nil
    }

    /// Reads a segment; without its content, says whether it may be read another time.
    private func read(_ segment: SpoolSegment, _ isActive: Bool) -> (file: SegmentFile?, mayRetry: Bool) {
        let file: SegmentFile
        do throws(SystemFailure) {
            let known = identity.isEmpty ? nil : identity
            guard let found = try SegmentFile(segment, in: directory, identity: known) else {
                reports.report(
                    .damaged, "a file of the spool was replaced; moved to quarantine/", segment.name)
                quarantine.move(segment.name)
                lose(segment)
                return (nil, false)
            }
            file = found
        } catch { return (nil, failed(segment, error)) }
        var isComplete = true
        do throws(SystemFailure) { try file.refresh() } catch {
            isComplete = false
            reports.fail("cannot read a file of the spool", segment.name, error)
            guard countReadFailure(segment) else { return (nil, mayRetry(segment, error)) }
            if isActive { sealActive() }
        }
        reader = (segment.firstID, file)
        // What cannot be read at last counts as damaged.
        if !isActive || !isComplete, segment.lastID != nil, let index = segments.index(of: segment.firstID) {
            compare(segments[index], with: file)
        }
        return (file, false)
    }

    /// Counts that a file cannot be opened: one that is gone, or fails too often, is lost.
    ///
    /// Returns whether it may be tried again.
    private func failed(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        reports.fail("cannot read a file of the spool", segment.name, failure)
        if failure.isError(ENOENT) {
            lose(segment)
            return false
        }
        guard countReadFailure(segment) else { return mayRetry(segment, failure) }
        quarantine.move(segment.name)
        lose(segment)
        return false
    }

    /// Whether it may be read at once.
    ///
    /// A lack of descriptors or memory says nothing about the file, and refuses the opening instead. A file
    /// that is not ours to open stays where it is.
    private func mayRetry(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        guard isOpening, !failure.isError(EIO) else { return true }
        guard failure.isError(EMFILE, ENFILE, ENOMEM) else { return false }
        openingError = LogError(
            .file, "cannot read a file of the spool", place: directory.path + "/" + segment.name,
            cause: failure.number)
        return false
    }

    /// Whether a file has failed so often that the others must not wait for it any longer.
    private func countReadFailure(_ segment: SpoolSegment) -> Bool {
        guard let index = segments.index(of: segment.firstID) else { return false }
        segments[index].readFailures += 1
        return segments[index].readFailures >= Self.readAttempts
    }

    /// Counts what a sealed segment should have and has not, once.
    private func compare(_ segment: SpoolSegment, with file: SegmentFile) {
        guard let index = segments.index(of: segment.firstID),
            !file.damage.isEmpty || file.entries.count != segment.count
        else { return }
        let missing = max(0, segment.count - file.entries.count)
        let lost = missing == 0 ? 0 : max(0, missing - losses.countDone(in: segment, besides: file.entries))
        guard missing > 0 || !segments[index].isExamined else { return }
        reports.countDamaged(records: lost)
        losses.tell(segment, besides: file.entries)
        segments[index].count = file.entries.count
        if !segments[index].isExamined { quarantine.copy(file, segment) }
        segments[index].isExamined = true
    }
}

// MARK: - Writing

extension SpoolDisk {
    /// Appends records to the active segment, beginning new ones as needed; returns how many are in the files
    /// now.
    ///
    /// With `groupEnd` they are part of a group that is whole only once that id is in the files.
    func write(
        _ records: RecordQueue.Run, _ settings: SpoolSettings, uptime: Duration,
        groupEnd: UInt64 = 0
    ) -> Int {
        guard takeCancelledAway() else { return 0 }
        var written = 0
        var rest = records
        while let first = rest.first {
            guard let index = prepareActive(for: first, settings, uptime) else { return written }
            var output = segments[index].size == 0 ? segments[index].header(identity: identity) : []
            var ends: [Int] = []
            for record in rest {
                let size = segments[index].size + output.count + SpoolFrame.size(of: record)
                let isFull =
                    size > settings.effectiveSegmentBytes
                    || segments[index].count + ends.count >= settings.segmentCount
                if isFull && (!ends.isEmpty || segments[index].count > 0) { break }
                if ends.count == writer.recordLimit { break }
                writer.encode(record, continues: record.id < groupEnd, into: &output)
                ends.append(output.count)
            }
            let stored = append(output, ends, to: index, rest, synchronizes: settings.synchronizes)
            written += stored
            rest = rest.dropFirst(stored)
            if stored < ends.count { return written }
        }
        return written
    }

    /// Writes frames that end at `ends`; what is not whole of them afterwards is cut off.
    private func append(
        _ output: [UInt8], _ ends: [Int], to index: Int, _ records: RecordQueue.Run,
        synchronizes: Bool
    ) -> Int {
        let (written, failure) = writer.append(output, ends, to: segments[index], records)
        let whole = ends.prefix { $0 <= written }.count
        var stored = records.prefix(whole)
        defer { writer.settle(stored) }
        var size = written
        var isCut = true
        if let failure {
            reports.fail("cannot write the spool; messages stay in memory", segments[index].name, failure)
            let end = whole > 0 ? ends[whole - 1] : 0
            isCut = (try? writer.truncate(to: segments[index].size + end)) != nil
            if isCut { size = end }
        }
        note(stored, at: index, size)
        if synchronizes, let first = stored.first, let last = stored.last, !confirm(segments[index].name) {
            // The system may forget what the disk has not got, and call the next wait a success: the records
            // are taken away, and written again to another file.
            stored = records.prefix(0)
            cancel(first.id...last.id)
            return 0
        }
        // A file with a torn end is closed, and so is one that may grow no more while another one may.
        if !isCut || failure?.isError(EFBIG) == true && segments[index].count > 0 { sealActive() }
        return whole
    }

    /// Waits until the disk has what was written to the active segment; false when it does not confirm that.
    private func confirm(_ name: String) -> Bool {
        do throws(SystemFailure) { try writer.synchronize() } catch {
            reports.fail("cannot sync the spool to disk", name, error)
            return error.isUnsupported
        }
        return true
    }

    private func note(_ records: RecordQueue.Run, at index: Int, _ size: Int) {
        segments[index].size += size
        segments[index].count += records.count
        if let last = records.last { segments[index].lastID = last.id }
    }

    /// The active segment's place, a new one where the old is full or too old for `record`.
    private func prepareActive(for record: SpoolRecord, _ settings: SpoolSettings, _ uptime: Duration)
        -> Int?
    {
        if writer.isOpen, let current = segments.last {
            let size = current.size + SpoolFrame.size(of: record)
            let isDue =
                size > settings.effectiveSegmentBytes || current.count >= settings.segmentCount
                || writer.isOlder(than: settings.segmentAge, at: uptime)
            if !isDue || current.count == 0 { return segments.count - 1 }
            sealActive()
        }
        let segment = SpoolSegment(firstID: record.id)
        do throws(SystemFailure) { try writer.start(segment, identity: identity, at: uptime) } catch {
            reports.fail("cannot write the spool; messages stay in memory", segment.name, error)
            return nil
        }
        do throws(SystemFailure) { if settings.synchronizes { try directory.sync() } } catch {
            if !error.isUnsupported {
                reports.fail(
                    "cannot sync the spool's directory; messages stay in memory", segment.name, error)
                writer.end()
                _ = try? directory.remove(segment.name)
                return nil
            }
        }
        // What is left of an attempt that could not be removed was emptied.
        if let index = segments.index(of: segment.firstID) { segments.remove(at: index) }
        segments.append(segment)
        return segments.count - 1
    }

    func sealActive() {
        guard writer.isOpen else { return }
        writer.end()
        if segments.last?.count == 0 { discard(at: segments.count - 1) } else { seal(at: segments.count - 1) }
    }

    /// Gives the segment the name that says what is in it; if that fails, the next start reads it instead.
    func seal(at index: Int) {
        // Whoever reads it next compares what is there with what should be.
        if reader?.firstID == segments[index].firstID { reader = nil }
        let name = segments[index].sealedName
        if (try? directory.replace(name, with: segments[index].name)) != nil { segments[index].name = name }
    }
}

// MARK: - Removing

extension SpoolDisk {
    /// Deletes the segments of which everything is done, which the cursor on disk must say already.
    func reap(through acknowledged: UInt64) {
        while let first = segments.first, let last = first.lastID, last <= acknowledged, first.count > 0 {
            if segments.count == 1 && writer.isOpen {
                // Nothing waits: the file goes too, and the next record begins a new one.
                sealActive()
            }
            guard discard(at: 0) else { return }
        }
    }

    /// Deletes the oldest segment that has nothing of `range`; returns how many unfinished records went with
    /// it.
    func evictOldest(sparing range: ClosedRange<UInt64>?, _ isDone: (UInt64) -> Bool) -> Int? {
        let candidate = range.map { segments.oldest(besides: $0) } ?? segments.indices.first
        guard let oldest = candidate.map({ segments[$0] }) else { return nil }
        let count = unfinished(in: oldest, isDone)
        // One that cannot be read is lost by that, and counted there.
        guard let candidate = segments.index(of: oldest.firstID) else { return 0 }
        if candidate == segments.count - 1 && writer.isOpen { sealActive() }
        guard candidate < segments.count, discard(at: candidate) else { return nil }
        return count
    }

    /// Rewrites the oldest segment that has records less serious than `level`, without these; returns how
    /// many went.
    func compact(
        below level: UInt8, sparing range: ClosedRange<UInt64>?, synchronizes: Bool,
        _ isDone: (UInt64) -> Bool
    ) -> Int? {
        var index = compacted.level <= level ? segments.place { $0.firstID >= compacted.end } : 0
        compacted = (level, index < segments.count ? segments[index].firstID : compacted.end)
        var isWhole = true
        while index < segments.count, !(writer.isOpen && index == segments.count - 1) {
            let segment = segments[index]
            // Reading may find a file lost.
            if segment.compactedLevel.map({ $0 > level }) ?? true {
                if let file = open(segment), let index = segments.index(of: segment.firstID) {
                    let waiting = file.entries.filter { !isDone($0.id) }
                    let kept = waiting.filter { $0.level <= level || range?.contains($0.id) == true }
                    let gone = waiting.count - kept.count
                    segments[index].compactedLevel = level
                    if gone > 0, let last = kept.last {
                        var output = segment.header(identity: identity)
                        for entry in kept {
                            SpoolFrame.encode(file.record(entry), salt: file.salt, into: &output)
                        }
                        let isReplaced = replace(
                            index, with: output, count: kept.count, lastID: last.id, synchronizes)
                        return isReplaced ? gone : nil
                    }
                } else {
                    isWhole = false
                }
            }
            index = segments.place { $0.firstID > segment.firstID }
            if isWhole { compacted.end = segment.firstID + 1 }
        }
        return nil
    }

    /// Rewrites the oldest segment with done records of `range` without these; false when it has none, or the
    /// disk does not take it.
    func reclaim(
        _ range: ClosedRange<UInt64>, synchronizes: Bool, _ isDone: (UInt64) -> Bool
    ) -> Bool {
        var next = segments.place(after: range.lowerBound - 1)
        while next < segments.count {
            let segment = segments[next]
            defer { next = segments.place { $0.firstID > segment.firstID } }
            guard segment.firstID <= range.upperBound, segment.lastID ?? 0 >= range.lowerBound,
                let file = open(segment), let index = segments.index(of: segment.firstID)
            else { continue }
            let kept = file.entries.filter { !isDone($0.id) }
            guard kept.count < file.entries.count else { continue }
            if writer.isOpen, index == segments.count - 1 { sealActive() }
            guard let last = kept.last else { return discard(at: index) }
            var output = segment.header(identity: identity)
            for entry in kept { SpoolFrame.encode(file.record(entry), salt: file.salt, into: &output) }
            return replace(index, with: output, count: kept.count, lastID: last.id, synchronizes)
        }
        return false
    }

    /// Puts a file in the place of a segment, which is on the disk before the old one goes if that is asked
    /// for: a power cut finds one of them whole.
    private func replace(
        _ index: Int, with output: [UInt8], count: Int, lastID: UInt64, _ synchronizes: Bool
    ) -> Bool {
        let old = segments[index].name
        var compacted = segments[index]
        compacted.count = count
        compacted.lastID = lastID
        let name = compacted.sealedName
        do throws(SystemFailure) {
            try directory.store(output, as: name, through: "compact.tmp", synchronizes: synchronizes)
        } catch { return false }
        (compacted.size, compacted.name) = (output.count, name)
        segments[index] = compacted
        if reader?.firstID == compacted.firstID { reader = nil }
        if name == old { return true }
        if synchronizes {
            _ = reports.attempt("cannot sync the spool's directory", name) { () throws(SystemFailure) in
                try directory.sync()
            }
        }
        // In any case: what was taken out of it must not come back.
        _ = try? directory.remove(old)
        return true
    }

    @discardableResult
    func discard(at index: Int) -> Bool {
        let segment = segments[index]
        let isRemoved = reports.attempt("cannot remove a file of the spool", segment.name) {
            () throws(SystemFailure) in
            try directory.remove(segment.name)
        }
        guard isRemoved else { return false }
        if reader?.firstID == segment.firstID { reader = nil }
        segments.remove(at: index)
        return true
    }

    /// A segment that is not there any more, or is not ours, counts as lost.
    func lose(_ segment: SpoolSegment) {
        guard let index = segments.index(of: segment.firstID) else { return }
        reports.countDamaged(records: max(0, segment.count - losses.countDone(in: segment, besides: [])))
        losses.tell(segment, besides: [])
        if reader?.firstID == segment.firstID { reader = nil }
        // What is written to it would be lost: the next record starts a new one.
        if index == segments.count - 1 { writer.end() }
        segments.remove(at: index)
    }
}

// MARK: - Groups

extension SpoolDisk {
    /// Takes away what a process that ended has written of a group without coming to its end.
    ///
    /// Such a group is always the last thing in the files: nothing is written before a group is whole or
    /// taken back.
    private func cutUnfinishedGroup() {
        var isUnfinished = false
        for segment in segments.reversed() {
            guard let file = open(segment) else { return }
            guard let last = file.entries.last else { continue }
            if !isUnfinished {
                // What a sealed file should have and has not is damage, and no reason to take anything else
                // away.
                guard last.continues, segment.lastID ?? last.id == last.id else { return }
                isUnfinished = true
            }
            if let whole = file.entries.last(where: { !$0.continues }) {
                rollBack(to: whole.id)
                return
            }
        }
        if isUnfinished, let first = segments.first { rollBack(to: first.firstID - 1) }
    }

    /// Gives up a group: its records are taken away, now or before anything else is written.
    func cancel(_ group: ClosedRange<UInt64>) {
        losses.cancel(group)
        takeCancelledAway()
    }

    /// Takes a group away that was given up; false when that is not possible now.
    @discardableResult
    private func takeCancelledAway() -> Bool {
        guard let group = losses.cancelled else { return true }
        guard rollBack(to: group.lowerBound - 1) else { return false }
        losses.endCancelling()
        return true
    }

    /// Takes away every record after `id`, and seals the files; false when a file cannot be read, cut or
    /// removed.
    @discardableResult
    private func rollBack(to id: UInt64) -> Bool {
        sealActive()
        reader = nil
        while let last = segments.last, last.firstID > id {
            guard discard(at: segments.count - 1) else { return false }
        }
        guard let index = segments.indices.last, segments[index].lastID ?? .max > id else { return true }
        // The name of a sealed file says what is in it: it goes first.
        let unsealed = SpoolSegment(firstID: segments[index].firstID).name
        if segments[index].name != unsealed,
            (try? directory.replace(unsealed, with: segments[index].name)) != nil
        {
            segments[index].name = unsealed
        }
        let firstID = segments[index].firstID
        let before = (segments[index].lastID, segments[index].count)
        segments[index].lastID = nil
        guard let file = open(segments[index]) else {
            guard let index = segments.index(of: firstID) else { return rollBack(to: id) }  // it is lost
            (segments[index].lastID, segments[index].count) = before
            return false
        }
        let kept = file.entries.prefix { $0.id <= id }
        let size = kept.last?.payload.upperBound ?? SpoolSegment.headerSize
        guard cut(segments[index], to: size, at: index) else {
            (segments[index].lastID, segments[index].count) = before
            return false
        }
        reader = nil
        segments[index].count = kept.count
        segments[index].lastID = kept.last?.id
        if kept.isEmpty { return discard(at: index) }
        seal(at: index)
        return true
    }

    private func cut(_ segment: SpoolSegment, to size: Int, at index: Int) -> Bool {
        let isCut = reports.attempt("cannot truncate a file of the spool", segment.name) {
            () throws(SystemFailure) in
            try directory.open(segment.name).file.truncate(to: size)
        }
        if isCut { segments[index].size = size }
        return isCut
    }
}
