package import Heartwood

extension Spool {
    /// Takes a record over, in memory until ``save()``; false when it was dropped, which is counted.
    @discardableResult
    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        var record = SpoolRecord(id: nextID, time: time, level: level, payload: payload)
        record.mark = mark
        let isStorable = payload.count <= settings.effectivePayloadLimit && nextID < SpoolRecord.largestID
        guard isStorable, makeRoom(for: record) else {
            ownCounters.appended += 1
            ownCounters.droppedFull += 1
            return false
        }
        nextID += 1
        if pending == 0 { oldestKnown = time }
        pending += 1
        ownCounters.appended += 1
        unsaved.append(record)
        if disk != nil && unsaved.bytes >= 1 << 20 { save() }
        return true
    }

    /// Writes what is in memory only to the files; true when nothing is left there.
    @discardableResult
    package func save() -> Bool {
        guard let disk, !unsaved.isEmpty else { return true }
        let written = disk.write(unsaved.all, settings, uptime: clock.uptime())
        unsaved.removeFirst(written)
        let limit = settings.maximumFiles
        while limit > 0 && disk.segments.count > limit, evictOldest() {}
        return unsaved.isEmpty
    }

    /// Forgets what is in memory only, as if it had never come: it will come again, from a crash journal.
    func forgetUnsaved() {
        let count = unsaved.removeAll { _ in true }
        pending -= count
        ownCounters.appended -= count
    }

    func makeRoom(for record: SpoolRecord) -> Bool {
        var size = SpoolFrame.size(of: record)
        if disk != nil {
            let files = 2 * (unsaved.bytes + size) / settings.effectiveSegmentBytes + 2
            size += SpoolSegment.headerSize * min(files, unsaved.count + 1)
        }
        let limit = settings.maximumBytes.bytes
        guard size <= limit else { return false }
        while bytes + size > limit || (disk != nil && unsaved.bytes > 16 << 20) {
            switch settings.overflow {
            case .dropNewest: return false
            case .dropOldest: if !evictOldest() { return false }
            case .dropBelow(let level):
                let threshold = UInt8(clamping: level.severity.index)
                if record.level > threshold { return false }
                if !evict(below: threshold) && !evictOldest() { return false }
            }
        }
        return true
    }

    /// Drops the oldest records that are not on their way: a segment, or a part of what is in memory.
    func evictOldest() -> Bool {
        // The cursor must know the ids that go with a file, or they would be used again.
        if !isStateSaved { saveState() }
        if isStateSaved, let disk, let count = disk.evictOldest(sparing: state.range, state.isDone) {
            pending -= count
            ownCounters.droppedFull += count
            return true
        }
        let spared = state.last
        guard let oldest = unsaved.from(spared + 1).first else { return false }
        let share = max(1, unsaved.count / 64)
        let end = oldest.id + UInt64(share)
        let count = unsaved.removeAll { $0.id > spared && $0.id < end }
        pending -= count
        ownCounters.droppedFull += count
        return count > 0
    }

    func evict(below level: UInt8) -> Bool {
        let spared = state.last
        var count = disk?.compact(below: level, sparing: state.range, state.isDone) ?? 0
        if count == 0 { count = unsaved.removeAll { $0.id > spared && $0.level > level } }
        pending -= count
        ownCounters.droppedFull += count
        return count > 0
    }

    /// Drops what is older than ``SpoolSettings/maximumAge``; whole segments on disk.
    ///
    /// Once the wall clock was seen to jump by more than an hour, nothing counts as old until the next start: a wrong
    /// clock must not empty the store. Times before 2001 are a clock that was never set, and no age.
    package func expire() {
        guard let age = settings.maximumAge else { return }
        let now = clock.now()
        let drift = (now - opened.wall) - (clock.uptime() - opened.uptime)
        if drift > .seconds(3600) || drift < .seconds(-3600) { hasClockJumped = true }
        guard !hasClockJumped else { return }
        let isOld: (LogTimestamp) -> Bool = { $0.nanoseconds > 978_307_200_000_000_000 && now - $0 > age }
        if let disk {
            while let first = disk.segments.first, state.range.map({ first.firstID > $0.upperBound }) ?? true,
                let times = disk.times(of: first), isOld(times.last),
                let count = disk.evictOldest(sparing: state.range, state.isDone)
            {
                pending -= count
                ownCounters.droppedOld += count
            }
        }
        let spared = state.last
        let count = unsaved.removeAll { $0.id > spared && isOld($0.time) }
        pending -= count
        ownCounters.droppedOld += count
    }
}
