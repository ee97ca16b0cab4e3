import CHeartwood
import Heartwood

extension SpoolDisk {
    /// Takes away what a process that ended has written of a group without coming to its end.
    ///
    /// Such a group is always the last thing in the files: nothing is written before a group is whole or taken back.
    func cutUnfinishedGroup() {
        var isUnfinished = false
        for segment in segments.reversed() {
            guard let file = open(segment) else { return }
            guard let last = file.entries.last else { continue }
            if !isUnfinished {
                // What a sealed file should have and has not is damage, and no reason to take anything else away.
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
    func takeCancelledAway() -> Bool {
        guard let group = losses.cancelled else { return true }
        guard rollBack(to: group.lowerBound - 1) else { return false }
        losses.endCancelling()
        return true
    }

    /// Takes away every record after `id`, and seals the files; false when a file cannot be read, cut or removed.
    @discardableResult
    func rollBack(to id: UInt64) -> Bool {
        sealActive()
        reader = nil
        while let last = segments.last, last.firstID > id {
            guard discard(at: segments.count - 1) else { return false }
        }
        guard let index = segments.indices.last, segments[index].lastID ?? .max > id else { return true }
        // The name of a sealed file says what is in it: it goes first.
        let unsealed = SpoolSegment(firstID: segments[index].firstID).name
        if segments[index].name != unsealed, directory.rename(segments[index].name, to: unsealed) == 0 {
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
        let file = directory.open(segment.name, O_WRONLY)
        let error = file < 0 ? hw_errno() : SpoolFile.truncate(file, to: size)
        if file >= 0 { close(file) }
        guard error == 0 else {
            reports.fail("cannot truncate a file of the spool", segment.name, error)
            return false
        }
        segments[index].size = size
        return true
    }
}
