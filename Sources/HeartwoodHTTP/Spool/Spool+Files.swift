import CHeartwood
import Heartwood

/// Writing, reading and opening the files.
extension Spool {
    /// Writes records to the files, beginning new ones as needed; returns how many are in them now.
    ///
    /// With `groupEnd` they are part of a group that is whole only once that id is in the files.
    func write(_ records: RecordQueue.Run, groupEnd: UInt64 = 0) -> Int {
        guard let files else { return 0 }
        let uptime = clock.uptime()
        var rest = records
        while let step = plan.next(rest.first, at: uptime) {
            var isDone = true
            switch step {
            case .rollBack(let id):
                isDone = rollBack(to: id)
                if isDone { plan.endCancelling() }
            case .seal: sealActive()
            case .begin(let segment):
                isDone = files.begin(segment, synchronizes: settings.synchronizes)
                if isDone { plan.didBegin(segment, at: uptime) }
            case .append(let bytes, let count):
                let (stored, isComplete) = append(rest, (bytes, count), groupEnd)
                rest = rest.dropFirst(stored)
                isDone = isComplete
            }
            guard isDone else { break }
        }
        return records.count - rest.count
    }

    /// Appends records to the newest segment; returns how many are in it now, and whether nothing failed.
    private func append(
        _ records: RecordQueue.Run, _ limit: (bytes: Int, count: Int), _ groupEnd: UInt64
    ) -> (count: Int, isComplete: Bool) {
        guard let files, let segment = plan.active else { return (0, false) }
        let (count, bytes, failure, isTorn) = files.writer.append(
            records, to: segment, limit: limit, groupEnd: groupEnd)
        let stored = records.prefix(count)
        if let failure {
            reports.fail("cannot write the spool; messages stay in memory", segment.name, failure)
        }
        plan.didAppend(stored, bytes: bytes)
        if settings.synchronizes, let first = stored.first, let last = stored.last,
            !files.confirm(segment.name)
        {
            // The system may forget what the disk has not got, and call the next wait a success: the records
            // are taken away, and written again to another file.
            cancel(first.id...last.id)
            files.writer.settle(records.prefix(0))
            return (0, false)
        }
        files.writer.settle(stored)
        // A file with a torn end is closed, and so is one that may grow no more while another one may.
        let isAtLimit = failure?.isError(EFBIG) == true && segment.count + count > 0
        if isTorn || isAtLimit { sealActive() }
        return (count, failure == nil)
    }

    func sealActive() {
        guard let active = plan.active else { return }
        files?.writer.end()
        plan.endActive()
        if active.count == 0 { remove(active) } else { seal(active) }
    }

    /// Gives the segment the name that says what is in it; if that fails, the next start reads it instead.
    private func seal(_ segment: SpoolSegment) {
        let name = segment.sealedName
        if files?.rename(segment, to: name) == true { plan.change(segment.firstID) { $0.name = name } }
    }

    /// The segment, closed for appending; nil when that has removed it.
    func sealed(_ segment: SpoolSegment) -> SpoolSegment? {
        if plan.active?.firstID == segment.firstID { sealActive() }
        return plan.segment(segment.firstID)
    }

    /// Puts a file with some of a segment's records in its place, or removes it where it keeps none; false
    /// when that fails.
    func rewrite(
        _ segment: SpoolSegment, keeping kept: [SegmentParser.Entry], of file: SegmentFile
    ) -> Bool {
        guard let segment = sealed(segment) else { return false }
        if kept.isEmpty { return remove(segment) }
        let new = files?.rewrite(
            segment, keeping: kept, of: file, synchronizes: settings.synchronizes)
        guard let new else { return false }
        plan.change(segment.firstID) { $0 = new }
        return true
    }

    @discardableResult
    func remove(_ segment: SpoolSegment?) -> Bool {
        guard let segment, files?.remove(segment) == true else { return false }
        plan.remove(segment)
        return true
    }

    /// A segment that is gone, or is not ours, counts as lost.
    private func lose(_ segment: SpoolSegment) {
        files?.forget(segment)
        // What is written to it would be lost: the next record begins a new one.
        if plan.active?.firstID == segment.firstID { files?.writer.end() }
        plan.lose(segment)
    }

    /// Gives up a group: its records are taken away, now or before anything else is written.
    func cancel(_ group: ClosedRange<UInt64>) {
        plan.cancel(group)
        _ = write(RecordQueue().all)
    }

    /// Takes away every record after `id`, and seals the files; false when a file cannot be read, cut or
    /// removed.
    private func rollBack(to id: UInt64) -> Bool {
        sealActive()
        files?.reader = nil
        while let last = plan.segments.last, last.firstID > id {
            guard remove(last) else { return false }
        }
        guard let last = plan.segments.last, last.lastID ?? .max > id else { return true }
        // The name of a sealed file says what is in it: it goes first.
        let unsealed = SpoolSegment(firstID: last.firstID).name
        if last.name != unsealed, files?.rename(last, to: unsealed) == true {
            plan.change(last.firstID) { $0.name = unsealed }
        }
        plan.change(last.firstID) { $0.lastID = nil }
        guard let segment = plan.segment(last.firstID), let file = read(segment) else {
            if plan.segment(last.firstID) == nil { return rollBack(to: id) }  // it is lost
            plan.change(last.firstID) { $0.lastID = last.lastID }
            return false
        }
        let kept = file.entries.prefix { $0.id <= id }
        let size = kept.last?.payload.upperBound ?? SpoolSegment.headerSize
        guard files?.cut(segment, to: size) == true else {
            plan.change(last.firstID) { $0.lastID = last.lastID }
            return false
        }
        plan.change(last.firstID) { ($0.size, $0.count, $0.lastID) = (size, kept.count, kept.last?.id) }
        guard let segment = plan.segment(last.firstID) else { return true }
        if kept.isEmpty { return remove(segment) }
        seal(segment)
        return true
    }
}

// MARK: - Reading

extension Spool {
    /// The records of a range that are not done; nil when a file that may have some of them cannot be read
    /// now.
    func records(in range: ClosedRange<UInt64>) -> [SpoolRecord]? {
        var records: [SpoolRecord] = []
        var seen: UInt64 = 0
        let isRead = forEach(after: range.lowerBound - 1) { record in
            seen = record.id
            guard record.id <= range.upperBound else { return false }
            if !plan.batch.state.isDone(record.id) { records.append(record) }
            return true
        }
        return isRead || seen >= range.upperBound ? records : nil
    }

    /// Calls `body` with each record after `id`, in their order, until it returns false: files first, since
    /// what they have is older than what is in memory.
    ///
    /// Returns false when it ended before a file that cannot be read now; what follows that must wait.
    @discardableResult
    func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) -> Bool {
        var index = plan.segments.place(after: id)
        while index < plan.segments.count {
            let segment = plan.segments[index]
            let isBefore = segment.ends(by: id)
            if !isBefore, let file = read(segment) {
                for entry in file.entries where entry.id > id && !plan.isCancelled(entry.id) {
                    guard body(file.record(entry)) else { return true }
                }
            } else if !isBefore, plan.segment(segment.firstID) != nil {
                return false
            }
            // A lost one has left the list.
            index = plan.segments.place { $0.firstID > segment.firstID }
        }
        for record in plan.unsaved.from(id + 1) where !body(record) { break }
        return true
    }

    /// How many of a segment's records are not done; of one that cannot be read now, by what is known without
    /// reading.
    func unfinished(in segment: SpoolSegment) -> Int {
        guard let file = read(segment) else { return plan.unfinished(in: segment) }
        return file.entries.count { plan.isPending($0.id) }
    }

    /// The segment's content; of one that is damaged, what is whole of it; nil when it cannot be read now, or
    /// is lost.
    func read(_ segment: SpoolSegment) -> SegmentFile? {
        guard let files else { return nil }
        let isActive = plan.active?.firstID == segment.firstID
        if let reader = files.reader, reader.firstID == segment.firstID {
            // What was added and cannot be read comes before what follows it.
            if !isActive || (try? reader.file.refresh()) != nil { return reader.file }
            files.reader = nil
        }
        while let current = plan.segment(segment.firstID) {
            let (file, mayRetry) = load(current, isActive, files)
            // Counted as a failure; after the last one the file is no longer among the segments.
            if file != nil || !mayRetry { return file }
        }
        return nil
    }

    /// Reads a segment; without its content, says whether it is to be tried again at once.
    private func load(
        _ segment: SpoolSegment, _ isActive: Bool, _ files: SpoolFiles
    ) -> (file: SegmentFile?, mayRetry: Bool) {
        let file: SegmentFile
        do throws(SystemFailure) {
            guard let found = try SegmentFile(segment, in: files.directory, identity: identity) else {
                setAside(segment, "a file of the spool was replaced; moved to quarantine/")
                return (nil, false)
            }
            file = found
        } catch { return (nil, didFail(segment, error)) }
        var isComplete = true
        do throws(SystemFailure) { try file.refresh() } catch {
            isComplete = false
            reports.fail("cannot read a file of the spool", segment.name, error)
            guard plan.countReadFailure(segment) else { return (nil, plan.mayRetry(segment, error)) }
            if isActive { sealActive() }
        }
        files.reader = (segment.firstID, file)
        // What cannot be read at last counts as damaged.
        if !isActive || !isComplete, let current = plan.segment(segment.firstID),
            plan.compare(segment.firstID, with: file.entries, isDamaged: !file.damage.isEmpty)
        {
            copyDamage(of: file, current)
        }
        return (file, false)
    }

    /// Counts that a file cannot be opened: one that is gone, or fails too often, is lost.
    ///
    /// Returns whether it is to be tried again at once.
    private func didFail(_ segment: SpoolSegment, _ failure: SystemFailure) -> Bool {
        reports.fail("cannot read a file of the spool", segment.name, failure)
        if !failure.isError(ENOENT) {
            guard plan.countReadFailure(segment) else { return plan.mayRetry(segment, failure) }
            files?.quarantine.move(segment.name)
        }
        lose(segment)
        return false
    }

    /// Moves a file that is not the spool's to the quarantine.
    private func setAside(_ segment: SpoolSegment, _ reason: String) {
        reports.report(.damaged, reason, segment.name)
        files?.quarantine.move(segment.name)
        lose(segment)
    }

    /// Copies what is damaged of a file to the quarantine, and counts it.
    private func copyDamage(of file: SegmentFile, _ segment: SpoolSegment) {
        guard let (damaged, torn) = files?.quarantine.copy(file, segment) else { return }
        plan.countDamaged(bytes: damaged, torn: torn)
    }
}

// MARK: - Opening

extension Spool {
    /// Finds the segments, and reads the cursor; returns the names of all files.
    static func load(_ files: SpoolFiles, _ plan: inout SpoolPlan) throws -> [String] {
        let found = try files.list()
        let segments = found.compactMap { file -> SpoolSegment? in
            let segment = SpoolSegment(name: file.name, size: file.size)
            if segment == nil, file.name.hasSuffix(".seg") {
                files.reports.report(.damaged, "not a file of the spool; ignored", file.name)
            }
            return segment
        }
        let (surplus, foreign) = plan.open(segments)
        for segment in surplus { _ = try? files.directory.remove(segment.name) }
        for segment in foreign { files.quarantine.move(segment.name) }
        for file in found where file.name.hasSuffix(".tmp") { _ = try? files.directory.remove(file.name) }
        try loadCursor(files, &plan)
        return found.map(\.name)
    }

    /// Reads the cursor, and makes one for a new spool, or one whose cursor is gone: what is there counts as
    /// unsent.
    ///
    /// - Throws: `LogError` when the cursor cannot be read, and no file says which spool it is: with a new
    ///   identity, all files would be those of another one.
    static func loadCursor(_ files: SpoolFiles, _ plan: inout SpoolPlan) throws(LogError) {
        var cursor: SpoolCursor?
        var failure: SystemFailure?
        do throws(SystemFailure) { cursor = try files.cursor.load() } catch {
            failure = error
            files.reports.fail("cannot read the spool's cursor", CursorFile.name, error)
        }
        plan.open(cursor?.state)
        let found = cursor?.identity ?? plan.segments.lazy.compactMap(files.identity(of:)).first
        if let failure, found == nil && !plan.segments.isEmpty || failure.isShortage {
            throw LogError(
                .file, "cannot read the spool's cursor", place: files.directory.path, cause: failure.number)
        }
        files.identify(as: found ?? RandomBytes.make(16))
        if cursor == nil { files.cursor.start(plan.batch.state, identity: files.identity) }
    }

    /// Seals what a dead process has left, and counts the records that are pending.
    ///
    /// - Throws: `LogError` when a file could not be opened for lack of descriptors or memory.
    func endOpening(_ files: SpoolFiles, _ names: [String]) throws {
        setAsideImplausible(files)
        cutUnfinishedGroup()
        for segment in plan.segments where segment.lastID == nil { adopt(segment) }
        try checkOpening()
        plan.setNextID()
        files.finishResending(among: names, storedUpTo: plan.lastUsedID)
        removeDone()
        var found = 0
        for (segment, pending) in plan.unread { found += pending ?? unfinished(in: segment) }
        plan.endOpening(recovered: found)
        try checkOpening()
    }

    private func checkOpening() throws(LogError) {
        guard let (name, failure) = plan.shortage else { return }
        throw LogError(
            .file, "cannot read a file of the spool", place: "\(path ?? "")/\(name)", cause: failure.number)
    }

    /// Sets files aside whose names have ids that no spool comes to, unless their headers are the spool's
    /// own: otherwise a planted name would use all ids up.
    private func setAsideImplausible(_ files: SpoolFiles) {
        for segment in plan.segments
        where max(segment.firstID, segment.lastID ?? 0) > SpoolSegment.largestUsualID {
            guard files.identity(of: segment) != identity else { continue }
            reports.report(.damaged, "not a file of the spool; moved to quarantine/", segment.name)
            files.quarantine.move(segment.name)
            plan.remove(segment)
        }
    }

    /// Takes away what a process that ended has written of a group without coming to its end.
    ///
    /// Such a group is always the last thing in the files: nothing is written before a group is whole or
    /// taken back.
    private func cutUnfinishedGroup() {
        var isUnfinished = false
        for segment in plan.segments.reversed() {
            guard let file = read(segment) else { return }
            guard let last = file.entries.last else { continue }
            if !isUnfinished {
                // What a sealed file should have and has not is damage, and no reason to take anything else
                // away.
                guard last.continues, segment.lastID ?? last.id == last.id else { return }
                isUnfinished = true
            }
            if let whole = file.entries.last(where: { !$0.continues }) {
                _ = rollBack(to: whole.id)
                return
            }
        }
        if isUnfinished, let first = plan.segments.first { _ = rollBack(to: first.firstID - 1) }
    }

    /// Reads and seals a segment that an ended process left unsealed.
    private func adopt(_ segment: SpoolSegment) {
        let frames = UInt64(max(0, segment.size - SpoolSegment.headerSize) / SpoolFrame.headerSize)
        guard let file = read(segment), let current = plan.segment(segment.firstID) else {
            plan.useIDs(before: segment.firstID + frames)
            return
        }
        if current.readFailures >= SpoolPlan.readAttempts {
            plan.useIDs(before: segment.firstID + frames)
            if file.entries.isEmpty {
                files?.quarantine.move(segment.name)
                lose(segment)
                return
            }
        }
        copyDamage(of: file, current)
        guard let last = file.entries.last else {
            remove(current)
            return
        }
        if file.damage.contains(where: { $0.lowerBound < file.end }) {
            let ids = Int(clamping: last.id - segment.firstID + 1)
            plan.countDamaged(records: max(0, ids - file.entries.count))
        }
        plan.change(segment.firstID) { ($0.lastID, $0.count) = (last.id, file.entries.count) }
        if let segment = plan.segment(segment.firstID) { seal(segment) }
    }
}
