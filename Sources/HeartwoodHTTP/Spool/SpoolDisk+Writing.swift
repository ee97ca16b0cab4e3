import CHeartwood
import Heartwood

extension SpoolDisk {
    /// Appends records to the active segment, beginning new ones as needed; returns how many are in the files now.
    ///
    /// With `groupEnd` they are part of a group that is whole only once that id is in the files.
    func write(
        _ records: ArraySlice<SpoolRecord>, _ settings: SpoolSettings, uptime: Duration,
        groupEnd: UInt64 = 0
    ) -> Int {
        guard takeCancelledAway() else { return 0 }
        var written = 0
        var rest = records
        while let first = rest.first {
            guard let index = prepareActive(for: first, settings, uptime), let active else { return written }
            var output = segments[index].size == 0 ? segments[index].header(identity: identity) : []
            var ends: [Int] = []
            for record in rest {
                let size = segments[index].size + output.count + SpoolFrame.size(of: record)
                let isFull =
                    size > settings.effectiveSegmentBytes
                    || segments[index].count + ends.count >= settings.segmentCount
                if isFull && (!ends.isEmpty || segments[index].count > 0) { break }
                if slot != nil, ends.count == JournalSlot.writeLimit { break }
                SpoolFrame.encode(
                    record, salt: active.salt, continues: record.id < groupEnd, into: &output)
                ends.append(output.count)
            }
            let stored = append(output, ends, to: index, rest)
            if stored > 0 && settings.synchronizes && makeDurable(active.descriptor) != 0 {
                fail("cannot sync the spool to disk", segments[index].name, hw_errno())
            }
            written += stored
            rest = rest.dropFirst(stored)
            if stored < ends.count { return written }
        }
        return written
    }

    /// Writes frames that end at `ends`; what is not whole of them afterwards is cut off.
    func append(
        _ output: [UInt8], _ ends: [Int], to index: Int, _ records: ArraySlice<SpoolRecord>
    ) -> Int {
        guard let active else { return 0 }
        announce(output, ends, to: index, active.descriptor, records)
        let (written, error) = SpoolFile.append(active.descriptor, output)
        let whole = ends.prefix { $0 <= written }.count
        defer { slot?.settle(upTo: records.prefix(whole).reduce(0) { max($0, $1.mark) }) }
        if error != 0 {
            fail("cannot write the spool; messages stay in memory", segments[index].name, error)
            let keep = whole > 0 ? ends[whole - 1] : 0
            if SpoolFile.truncate(active.descriptor, to: segments[index].size + keep) != 0 {
                segments[index].size += written - keep
                bytes += written - keep
                note(records.prefix(whole), at: index, keep)
                sealActive()
                return whole
            }
            note(records.prefix(whole), at: index, keep)
            // This file may grow no more, but another one may.
            if error == EFBIG && segments[index].count > 0 { sealActive() }
            return whole
        }
        note(records.prefix(whole), at: index, written)
        return whole
    }

    /// Tells the crash journal what is going to be written.
    private func announce(
        _ output: [UInt8], _ ends: [Int], to index: Int, _ descriptor: Int32,
        _ records: ArraySlice<SpoolRecord>
    ) {
        guard let slot, let status = try? SystemCalls().status(descriptor) else { return }
        let marks = records.prefix(ends.count).map(\.mark)
        output.withUnsafeBytes { output in
            slot.intend(
                status.identity, segments[index].name, size: status.size, output, from: 0, ends: ends[...],
                marks: marks[...])
        }
    }

    func note(_ records: ArraySlice<SpoolRecord>, at index: Int, _ size: Int) {
        segments[index].size += size
        bytes += size
        segments[index].count += records.count
        if let last = records.last { segments[index].lastID = last.id }
    }

    /// The active segment's place, a new one where the old is full or too old for `record`.
    func prepareActive(for record: SpoolRecord, _ settings: SpoolSettings, _ uptime: Duration) -> Int? {
        if let active, let current = segments.last {
            let size = current.size + SpoolFrame.size(of: record)
            let isDue =
                size > settings.effectiveSegmentBytes || current.count >= settings.segmentCount
                || uptime - active.openedAt >= settings.segmentAge
            if !isDue || current.count == 0 { return segments.count - 1 }
            sealActive()
        }
        let segment = SpoolSegment(firstID: record.id)
        let file = directory.open(segment.name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
        guard file >= 0 else {
            fail("cannot write the spool; messages stay in memory", segment.name, hw_errno())
            return nil
        }
        if settings.synchronizes { _ = directory.synchronize() }
        segments.append(segment)
        active = (file, SpoolSegment.salt(identity: identity, firstID: record.id), uptime)
        return segments.count - 1
    }

    func sealActive() {
        guard let active else { return }
        close(active.descriptor)
        self.active = nil
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
