import Heartwood

/// Making room: what goes, in which order, is the plan's.
extension Spool {
    /// Makes room in one way; false when that gives none.
    func relieve(_ relief: SpoolPlan.Relief) -> Bool {
        switch relief {
        case .reclaim: return reclaim()
        case .evictBelow(let level): return evict(below: level)
        case .evictOldest: return evictOldest()
        case .evictFromBatch:
            let ids = pendingOfBatch
            return dropOfBatch(plan.evictable(of: ids), of: ids)
        case .replaceRefused:
            let ids = pendingOfBatch
            return dropOfBatch(plan.newestRefused(of: ids), of: ids)
        }
    }

    /// The ids of the open batch that are not done, as far as they can be read now.
    private var pendingOfBatch: [UInt64] {
        plan.batch.state.range.flatMap { records(in: $0) }?.map(\.id) ?? []
    }

    private func dropOfBatch(_ ids: ArraySlice<UInt64>, of pending: [UInt64]) -> Bool {
        guard !ids.isEmpty else { return false }
        plan.dropOfBatch(ids, of: pending)
        saveState()
        return reclaim()
    }

    /// Takes what is done in the open batch out of memory, or of the oldest file that has such; false when
    /// there is nothing.
    private func reclaim() -> Bool {
        guard plan.batch.reclaimable > 0 else { return false }
        if plan.reclaimUnsaved() { return true }
        let state = plan.batch.state
        var next: UInt64 = 0
        while let segment = plan.reclaimable(from: next) {
            next = segment.firstID + 1
            guard let file = read(segment) else { continue }
            let kept = file.entries.filter { !state.isDone($0.id) }
            guard kept.count < file.entries.count else { continue }
            if rewrite(segment, keeping: kept, of: file) { return true }
            break
        }
        plan.endReclaiming()
        return false
    }

    /// Drops the oldest records that are not in the open batch: a segment, or a part of what is in memory.
    func evictOldest() -> Bool { evictOldestSegment() || plan.evictOldestUnsaved() }

    func evictOldestSegment() -> Bool {
        guard let oldest = plan.oldestBesideBatch, let count = evict(oldest) else { return false }
        plan.countDropped(count, \.droppedFull)
        return true
    }

    /// Drops records less serious than a level: those of a segment, or in memory.
    func evict(below level: UInt8) -> Bool { compact(below: level) || plan.evictUnsaved(below: level) }

    /// Rewrites the oldest segment that has records less serious than a level, without these.
    private func compact(below level: UInt8) -> Bool {
        var next = plan.beginCompacting(below: level)
        var isWhole = true
        while let segment = plan.compactable(from: next) {
            next = segment.firstID + 1
            if segment.compactedLevel.map({ $0 > level }) ?? true {
                if let file = read(segment) {
                    plan.change(segment.firstID) { $0.compactedLevel = level }
                    let (kept, gone) = plan.kept(of: file.entries, below: level)
                    if gone > 0 {
                        guard rewrite(segment, keeping: kept, of: file) else { return false }
                        plan.countDropped(gone, \.droppedFull)
                        return true
                    }
                } else {
                    isWhole = false
                }
            }
            if isWhole { plan.didCompact(before: next) }
        }
        return false
    }

    package func expire() {
        guard let isOld = isTooOld else { return }
        while let first = plan.segments.first, plan.oldestBesideBatch?.firstID == first.firstID,
            let last = read(first)?.entries.last, isOld(last.time), let count = evict(first)
        {
            plan.countDropped(count, \.droppedOld)
        }
        plan.expireUnsaved(isOld)
    }

    /// Deletes a segment; returns how many unfinished records went with it.
    private func evict(_ segment: SpoolSegment) -> Int? {
        let count = unfinished(in: segment)
        // One that cannot be read is lost by that, and counted there.
        guard plan.segment(segment.firstID) != nil else { return 0 }
        return remove(sealed(segment)) ? count : nil
    }

    /// Deletes the segments of which everything is done.
    func removeDone() { while let segment = plan.oldestDone, remove(sealed(segment)) {} }
}
