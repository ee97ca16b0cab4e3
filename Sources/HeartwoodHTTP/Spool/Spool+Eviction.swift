import Heartwood

extension Spool {
    /// Makes room for a record, as ``SpoolSettings/overflow`` says; false when there is no room.
    ///
    /// What the open batch has done takes no room that new messages need: its files are rewritten without it first.
    func makeRoom(for record: SpoolRecord) -> Bool {
        var size = SpoolFrame.size(of: record)
        if disk != nil {
            let files = 2 * (unsaved.bytes + size) / settings.effectiveSegmentBytes + 2
            size += SpoolSegment.headerSize * min(files, unsaved.count + 1)
        }
        let limit = settings.maximumBytes.bytes
        guard size <= limit else { return false }
        while bytes + size > limit || (disk != nil && unsaved.bytes > 16 << 20) {
            if reclaim() { continue }
            switch settings.overflow {
            case .dropNewest: if !replaceRefused() { return false }
            case .dropOldest: if !evictOldest() && !evictFromBatch() { return false }
            case .dropBelow(let level):
                let threshold = UInt8(clamping: level.severity.index)
                if record.level > threshold { return false }
                if !evict(below: threshold) && !evictOldest() && !evictFromBatch() { return false }
            }
        }
        return true
    }

    /// Drops the oldest records that are not in the open batch: a segment, or a part of what is in memory.
    func evictOldest() -> Bool {
        if let disk, let count = disk.evictOldest(sparing: batch.state.range, batch.state.isDone) {
            countDropped(count, \.droppedFull)
            return true
        }
        let spared = batch.state.last
        guard let oldest = unsaved.from(spared + 1).first else { return false }
        let share = max(1, unsaved.count / 64)
        let end = oldest.id + UInt64(share)
        let count = unsaved.removeAll { $0.id > spared && $0.id < end }
        countDropped(count, \.droppedFull)
        return count > 0
    }

    /// Drops the oldest half of what is left of the open batch, where nothing else is left to go.
    ///
    /// A store that is full of refused messages would take no other one otherwise, and so never find out that the server
    /// takes others. The piece on its way goes last; what the server has received and not yet confirmed stays.
    private func evictFromBatch() -> Bool {
        let ids = pendingOfBatch(besides: batch.parked.filter(\.isUnconfirmed).map(\.range))
        let others = ids.filter { batch.state.piece?.contains($0) != true }
        let oldest = others.isEmpty ? ids : others
        return dropOfBatch(oldest.prefix(max(1, oldest.count / 2)))
    }

    /// Drops the newest message that was refused without a success, so that a new one takes its place.
    ///
    /// That costs as many messages as to refuse the new one, and shows whether the server takes any.
    private func replaceRefused() -> Bool {
        guard let newest = batch.parked.last(where: { !$0.isUnconfirmed }) else { return false }
        let ids = pendingOfBatch(besides: []).filter { newest.range.contains($0) }
        return dropOfBatch(ids.suffix(1))
    }

    /// The ids of the open batch that are not done, but for those in some ranges.
    private func pendingOfBatch(besides spared: [ClosedRange<UInt64>]) -> [UInt64] {
        guard let range = batch.state.range else { return [] }
        return (records(in: range) ?? []).map(\.id).filter { id in !spared.contains { $0.contains(id) } }
    }

    private func dropOfBatch(_ ids: some Collection<UInt64>) -> Bool {
        guard !ids.isEmpty else { return false }
        countDropped(batch.mark(ids), \.droppedFull)
        batch.removeParked(without: pendingOfBatch(besides: []))
        saveState()
        return reclaim()
    }

    /// Takes what is done in the open batch out of memory, or of the oldest file that has such; false when there is nothing.
    private func reclaim() -> Bool {
        guard batch.reclaimable > 0, let range = batch.state.range else { return false }
        if unsaved.removeAll(where: { batch.state.isDone($0.id) }) > 0 { return true }
        let isFound = disk?.reclaim(range, batch.state.isDone) ?? false
        if !isFound { batch.endReclaiming() }
        return isFound
    }

    func evict(below level: UInt8) -> Bool {
        let spared = batch.state.last
        var count = disk?.compact(below: level, sparing: batch.state.range, batch.state.isDone) ?? 0
        if count == 0 { count = unsaved.removeAll { $0.id > spared && $0.level > level } }
        countDropped(count, \.droppedFull)
        return count > 0
    }

    /// Drops what is older than ``SpoolSettings/maximumAge``; whole segments on disk.
    package func expire() {
        guard let limit = settings.maximumAge, let isOld = age.rule(limit, clock) else { return }
        let state = batch.state
        if let disk {
            while let first = disk.segments.first, state.range.map({ first.firstID > $0.upperBound }) ?? true,
                let times = disk.times(of: first), isOld(times.last),
                let count = disk.evictOldest(sparing: state.range, state.isDone)
            {
                countDropped(count, \.droppedOld)
            }
        }
        countDropped(unsaved.removeAll { $0.id > state.last && isOld($0.time) }, \.droppedOld)
    }
}
