import CHeartwood
import Heartwood

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

    /// How many of a segment's records are not done; of one that cannot be read now, by what is known without reading.
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
            if !isActive || reader.file.refresh() == 0 { return reader.file }
            self.reader = nil
        }
        while let current = segments.index(of: segment.firstID) {
            do {
                return try read(segments[current], isActive)
            } catch let error where opening.isUnderWay && error.isTransient {
                // Counted as a failure; after the last one the file is no longer among the segments.
                continue
            } catch {
                return nil
            }
        }
        return nil
    }

    /// Why a segment has no content now.
    private struct Unread: Error {
        /// Whether it may be read another time.
        var isTransient: Bool
    }

    private func read(_ segment: SpoolSegment, _ isActive: Bool) throws(Unread) -> SegmentFile {
        let file: SegmentFile
        do {
            file = try SegmentFile(segment, in: directory, identity: identity.isEmpty ? nil : identity)
        } catch {
            switch error {
            case .system(let number): throw failed(segment, number)
            case .foreign, .unidentified:
                reports.report(
                    .damaged, "a file of the spool was replaced; moved to quarantine/", segment.name)
                quarantine.move(segment.name)
                lose(segment)
                throw Unread(isTransient: false)
            }
        }
        let error = file.refresh()
        if error != 0 {
            reports.fail("cannot read a file of the spool", segment.name, error)
            guard countReadFailure(segment) else { throw Unread(isTransient: refuse(segment, error)) }
            if isActive { sealActive() }
        }
        reader = (segment.firstID, file)
        // What cannot be read at last counts as damaged.
        if !isActive || error != 0, segment.lastID != nil, let index = segments.index(of: segment.firstID) {
            compare(segments[index], with: file)
        }
        return file
    }

    /// Notes that a file cannot be opened: one that is gone, or fails too often, is lost.
    private func failed(_ segment: SpoolSegment, _ error: Int32) -> Unread {
        reports.fail("cannot read a file of the spool", segment.name, error)
        if error == ENOENT {
            lose(segment)
            return Unread(isTransient: false)
        }
        guard countReadFailure(segment) else { return Unread(isTransient: refuse(segment, error)) }
        quarantine.move(segment.name)
        lose(segment)
        return Unread(isTransient: false)
    }

    /// Whether it may be read at once.
    ///
    /// A lack of descriptors or memory says nothing about the file, and refuses the opening instead. A file that is not
    /// ours to open stays where it is.
    private func refuse(_ segment: SpoolSegment, _ error: Int32) -> Bool {
        guard opening.isUnderWay, error != EIO else { return true }
        guard [EMFILE, ENFILE, ENOMEM].contains(error) else { return false }
        opening.fail(
            LogError(
                .file, "cannot read a file of the spool", place: directory.path + "/" + segment.name,
                cause: error))
        return false
    }

    /// Whether a file has failed so often that the others must not wait for it any longer.
    func countReadFailure(_ segment: SpoolSegment) -> Bool {
        guard let index = segments.index(of: segment.firstID) else { return false }
        segments[index].readFailures += 1
        return segments[index].readFailures >= Self.readAttempts
    }

    /// Counts what a sealed segment should have and has not, once.
    func compare(_ segment: SpoolSegment, with file: SegmentFile) {
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
