import CHeartwood
import Heartwood

extension SpoolDisk {
    /// Appends records to the active segment, beginning new ones as needed; returns how many are in the files now.
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
        let (written, error) = writer.append(output, ends, to: segments[index], records)
        let whole = ends.prefix { $0 <= written }.count
        let stored = records.prefix(whole)
        defer { writer.settle(stored) }
        var size = written
        var isCut = true
        if error != 0 {
            reports.fail("cannot write the spool; messages stay in memory", segments[index].name, error)
            let end = whole > 0 ? ends[whole - 1] : 0
            isCut = writer.truncate(to: segments[index].size + end) == 0
            if isCut { size = end }
        }
        note(stored, at: index, size)
        if whole > 0, synchronizes {
            let error = writer.synchronize()
            if error != 0 { reports.fail("cannot sync the spool to disk", segments[index].name, error) }
        }
        // A file with a torn end is closed, and so is one that may grow no more while another one may.
        if !isCut || error == EFBIG && segments[index].count > 0 { sealActive() }
        return whole
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
        let error = writer.start(segment, identity: identity, at: uptime)
        guard error == 0 else {
            reports.fail("cannot write the spool; messages stay in memory", segment.name, error)
            return nil
        }
        if settings.synchronizes { _ = directory.synchronize() }
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
        if directory.rename(segments[index].name, to: name) == 0 { segments[index].name = name }
    }
}
