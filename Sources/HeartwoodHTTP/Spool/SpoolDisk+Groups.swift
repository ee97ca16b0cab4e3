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
            if let whole = file.entries.last(where: { !$0.continues }) { return rollBack(to: whole.id) }
        }
        if isUnfinished, let first = segments.first { rollBack(to: first.firstID - 1) }
    }

    /// Takes away every record after `id`; the files are sealed then.
    func rollBack(to id: UInt64) {
        sealActive()
        reader = nil
        while let last = segments.last, last.firstID > id {
            guard discard(at: segments.count - 1) else { return }
        }
        guard let index = segments.indices.last, segments[index].lastID ?? .max > id else { return }
        // The name of a sealed file says what is in it: it goes first.
        let unsealed = SpoolSegment(firstID: segments[index].firstID).name
        if segments[index].name != unsealed, directory.rename(segments[index].name, to: unsealed) == 0 {
            segments[index].name = unsealed
        }
        segments[index].lastID = nil
        guard let file = open(segments[index]) else { return }
        let kept = file.entries.prefix { $0.id <= id }
        cut(segments[index], to: kept.last?.payload.upperBound ?? SpoolSegment.headerSize, at: index)
        reader = nil
        segments[index].count = kept.count
        segments[index].lastID = kept.last?.id
        if kept.isEmpty { discard(at: index) } else { seal(at: index) }
    }

    private func cut(_ segment: SpoolSegment, to size: Int, at index: Int) {
        let file = directory.open(segment.name, O_WRONLY)
        guard file >= 0, retrying({ ftruncate(file, off_t(size)) }) == 0 else {
            fail("a file of the spool cannot be cut", segment.name, hw_errno())
            if file >= 0 { close(file) }
            return
        }
        close(file)
        bytes -= segments[index].size - size
        segments[index].size = size
    }
}
