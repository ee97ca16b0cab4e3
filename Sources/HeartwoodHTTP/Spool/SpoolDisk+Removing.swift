import CHeartwood
import Heartwood

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

    /// Deletes the oldest segment that has nothing of `range`; returns how many unfinished records went with it.
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

    /// Rewrites the oldest segment that has records less serious than `level`, without these; returns how many went.
    func compact(below level: UInt8, sparing range: ClosedRange<UInt64>?, _ isDone: (UInt64) -> Bool) -> Int?
    {
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
                        return replace(index, with: output, count: kept.count, lastID: last.id) ? gone : nil
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

    /// Rewrites the oldest segment with done records of `range` without these; false when it has none, or the disk does
    /// not take it.
    func reclaim(_ range: ClosedRange<UInt64>, _ isDone: (UInt64) -> Bool) -> Bool {
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
            return replace(index, with: output, count: kept.count, lastID: last.id)
        }
        return false
    }

    func replace(_ index: Int, with output: [UInt8], count: Int, lastID: UInt64) -> Bool {
        let old = segments[index].name
        let file = directory.open("compact.tmp", O_WRONLY | O_CREAT | O_TRUNC)
        guard file >= 0 else { return false }
        let (_, error) = SpoolFile.append(file, output)
        close(file)
        var compacted = segments[index]
        compacted.count = count
        compacted.lastID = lastID
        let name = compacted.sealedName
        guard error == 0, directory.rename("compact.tmp", to: name) == 0 else {
            _ = directory.remove("compact.tmp")
            return false
        }
        (compacted.size, compacted.name) = (output.count, name)
        segments[index] = compacted
        if name != old { _ = directory.remove(old) }
        if reader?.firstID == segments[index].firstID { reader = nil }
        return true
    }

    @discardableResult
    func discard(at index: Int) -> Bool {
        let segment = segments[index]
        let error = directory.remove(segment.name)
        guard error == 0 else {
            reports.fail("cannot remove a file of the spool", segment.name, error)
            return false
        }
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
