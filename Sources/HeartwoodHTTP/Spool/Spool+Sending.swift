import Heartwood

extension Spool {
    /// What is to be sent next, noted on disk as being on its way; nil when nothing waits.
    ///
    /// Until ``complete(_:done:)``, ``split(_:)`` or ``park(_:)`` is called, it is the same again, over restarts too.
    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        recount()
        let most = max(1, maximumCount)
        while true {
            let needsMore = batch.needsMore
            if probe, batch.state.isOpen { widenToNewest(most, maximumBytes) }
            if needsMore, batch.todo.isEmpty, !begin(most, maximumBytes) {
                settleDamage()
                return nil
            }
            while let piece = probe ? batch.todo.last : batch.todo.first {
                var range = piece
                // What cannot be read now is not done: it stays on its way.
                guard var records = self.records(in: range) else {
                    settleDamage()
                    return nil
                }
                if records.isEmpty {
                    batch.remove(range)
                    continue
                }
                if range != batch.state.piece, records.count > most {
                    if probe {
                        batch.cut(range, after: records[records.count - most - 1].id)
                        continue
                    }
                    // Pieces that were parked when the process ended come back as one.
                    batch.cut(range, after: records[most - 1].id)
                    range = range.lowerBound...records[most - 1].id
                    records = Array(records.prefix(most))
                }
                if batch.state.piece != range || !isStateSaved {
                    batch.send(range)
                    saveState()
                }
                settleDamage()
                return SpoolPiece(range: range, records: records, origin: identity)
            }
            guard batch.parked.isEmpty else { continue }
            finish()
        }
    }

    /// Whether pieces of a batch were sent, and not all of it is done.
    package var hasOpenBatch: Bool { batch.state.isOpen }

    /// Keeps the piece, and continues with those after it, newer batches too, until ``unpark(_:)``.
    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        batch.park(piece.range, isUnconfirmed: isUnconfirmed)
    }

    /// Has parked pieces sent again, in their order.
    package func unpark(_ pieces: [SpoolPiece]) { batch.unpark(pieces.map(\.range)) }

    /// Notes that records of a piece need no sending any more: delivered, or set aside.
    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let count = batch.mark(done)
        countDone(count)
        if piece.records.allSatisfy({ batch.state.isDone($0.id) }) { batch.complete(piece.range) }
        if batch.isSettled { finish() } else { saveState() }
        return count
    }

    /// Makes two pieces of one; false when it is a single record.
    package func split(_ piece: SpoolPiece) -> Bool {
        guard piece.records.count > 1, batch.todo.contains(piece.range) else { return false }
        batch.cut(piece.range, after: piece.records[piece.records.count / 2].id - 1)
        return true
    }

    /// Drops the oldest records, those on their way included; returns how many.
    @discardableResult
    package func dropOldest(_ count: Int) -> Int {
        batch.unparkAll()
        var left = count
        while left > 0, let piece = nextPiece(maximumCount: left, maximumBytes: .max) {
            let ids = piece.records.prefix(left).map(\.id)
            complete(piece, done: ids)
            countAsked(ids.count)
            left -= ids.count
        }
        return count - left
    }

    /// Calls `body` with every pending record, in their order, until it returns false.
    package func forEachPending(_ body: (SpoolRecord) -> Bool) {
        save()
        forEach(after: batch.state.acknowledged) { batch.state.isDone($0.id) || body($0) }
    }

    /// Opens a batch, or makes the open one longer by a piece; false when there is nothing to take.
    private func begin(_ maximumCount: Int, _ maximumBytes: Int) -> Bool {
        var first: UInt64?
        var last: UInt64 = 0
        var count = 0
        var bytes = 0
        let state = batch.state
        forEach(after: state.isOpen ? state.last : state.acknowledged) { record in
            let start = state.isOpen ? state.acknowledged + 1 : first ?? record.id
            if record.id - start >= UInt64(BatchState.widestBatch) { return false }
            bytes += record.payload.count
            if count > 0 && bytes > maximumBytes { return false }
            first = first ?? record.id
            last = record.id
            count += 1
            return count < maximumCount
        }
        guard let first else { return false }
        if state.isOpen { batch.widen(by: [first...last]) } else { batch.begin(first...last) }
        return true
    }

    /// Makes the open batch as long as it may be, and its newest records a piece.
    private func widenToNewest(_ maximumCount: Int, _ maximumBytes: Int) {
        var found: [(id: UInt64, size: Int)] = []
        let limit = batch.state.acknowledged + UInt64(BatchState.widestBatch)
        forEach(after: batch.state.last) { record in
            guard record.id <= limit else { return false }
            found.append((record.id, record.payload.count))
            return true
        }
        guard let first = found.first, let last = found.last else { return }
        var start = last.id
        var bytes = 0
        for record in found.suffix(maximumCount).reversed() {
            bytes += record.size
            if bytes > maximumBytes { break }
            start = record.id
        }
        batch.widen(by: (start > first.id ? [first.id...start - 1] : []) + [start...last.id])
    }

    private func finish() {
        let last = batch.finish()
        if let first = unsaved.first, first.id <= last {
            unsaved.removeFirst(unsaved.count - unsaved.from(last + 1).count)
        }
        saveState()
        if isStateSaved { disk?.reap(through: batch.state.acknowledged) }
    }

    /// The records of a range that are not done; nil when a file that may have some of them cannot be read now.
    func records(in range: ClosedRange<UInt64>) -> [SpoolRecord]? {
        var records: [SpoolRecord] = []
        var seen: UInt64 = 0
        let isRead = forEach(after: range.lowerBound - 1) { record in
            seen = record.id
            guard record.id <= range.upperBound else { return false }
            if !batch.state.isDone(record.id) { records.append(record) }
            return true
        }
        return isRead || seen >= range.upperBound ? records : nil
    }

    /// Files first: what they have is older than what is in memory.
    ///
    /// Returns false when it ended before a file that cannot be read now; what follows that must wait.
    @discardableResult
    func forEach(after id: UInt64, _ body: (SpoolRecord) -> Bool) -> Bool {
        var goesOn = true
        let isRead =
            disk?.forEach(after: id) { record in
                goesOn = body(record)
                return goesOn
            } ?? true
        guard isRead, goesOn else { return isRead }
        for record in unsaved.from(id + 1) where !body(record) { break }
        return true
    }

    /// Damage that reading has found takes records away from those that are pending.
    func settleDamage() {
        guard let disk else { return }
        countDone(disk.reports.settle(disk.reports.unsettled, pending: pending))
    }

    /// Counts the pending records after damage, as soon as all files can be read.
    ///
    /// Until then their number is a guess: a file that is lost may have had records that were done, or not have had them
    /// any more.
    private func recount() {
        guard let disk, disk.losses.isUncertain else { return }
        settleDamage()
        disk.losses.beginCounting()
        var count = 0
        let isRead = forEach(after: batch.state.acknowledged) { record in
            if !batch.state.isDone(record.id) { count += 1 }
            return true
        }
        guard isRead else { return disk.losses.noteUncertain() }
        countDone(disk.reports.settle(pending - count, pending: pending))
    }
}
