import Heartwood

extension Spool {
    /// What is to be sent next, noted on disk as being on its way; nil when nothing waits.
    ///
    /// Until ``complete(_:done:)``, ``split(_:)`` or ``park(_:)`` is called, it is the same again, over restarts too.
    package func nextPiece(maximumCount: Int, maximumBytes: Int, probe: Bool) -> SpoolPiece? {
        save()
        recount()
        while true {
            let isNew = !state.isOpen || todo.isEmpty && !parked.isEmpty
            if probe, state.isOpen { widenToNewest(maximumCount, maximumBytes) }
            if isNew, todo.isEmpty, !begin(maximumCount, maximumBytes) {
                settleDamage()
                return nil
            }
            while let range = probe ? todo.last : todo.first {
                var range = range
                // What cannot be read now is not done: it stays on its way.
                guard var records = self.records(in: range) else {
                    settleDamage()
                    return nil
                }
                if records.isEmpty {
                    todo.removeAll { $0 == range }
                    continue
                }
                if range != state.piece, records.count > max(1, maximumCount) {
                    if probe {
                        cut(range, after: records[records.count - max(1, maximumCount) - 1].id)
                        continue
                    }
                    // Pieces that were parked when the process ended come back as one.
                    cut(range, after: records[max(1, maximumCount) - 1].id)
                    range = range.lowerBound...records[max(1, maximumCount) - 1].id
                    records = Array(records.prefix(max(1, maximumCount)))
                }
                if state.piece != range || !isStateSaved {
                    state.send(range)
                    saveState()
                }
                settleDamage()
                return SpoolPiece(range: range, records: records, origin: identity)
            }
            guard parked.isEmpty else { continue }
            finish()
        }
    }

    /// Whether pieces of a batch were sent, and not all of it is done.
    package var hasOpenBatch: Bool { state.isOpen }

    /// Keeps the piece, and continues with those after it, newer batches too, until ``unpark(_:)``.
    package func park(_ piece: SpoolPiece, isUnconfirmed: Bool) {
        guard todo.contains(piece.range) else { return }
        todo.removeAll { $0 == piece.range }
        parked.append(ParkedPiece(range: piece.range, isUnconfirmed: isUnconfirmed))
    }

    /// Has parked pieces sent again, in their order.
    package func unpark(_ pieces: [SpoolPiece]) {
        for piece in pieces where parked.contains(where: { $0.range == piece.range }) {
            parked.removeAll { $0.range == piece.range }
            todo.append(piece.range)
        }
        todo.sort { $0.lowerBound < $1.lowerBound }
    }

    private func cut(_ range: ClosedRange<UInt64>, after id: UInt64) {
        guard let index = todo.firstIndex(of: range), id < range.upperBound else { return }
        todo[index] = range.lowerBound...id
        todo.insert(id + 1...range.upperBound, at: index + 1)
    }

    /// Notes that records of a piece need no sending any more: delivered, or set aside.
    @discardableResult
    package func complete(_ piece: SpoolPiece, done: [UInt64]) -> Int {
        let new = done.filter { !state.isDone($0) }
        state.mark(new)
        pending -= new.count
        reclaimable += new.count
        let isWhole = piece.records.allSatisfy { state.isDone($0.id) }
        if isWhole {
            todo.removeAll { $0 == piece.range }
            parked.removeAll { $0.range == piece.range }
            if state.piece == piece.range { state.send(nil) }
        }
        if todo.isEmpty && parked.isEmpty { finish() } else { saveState() }
        return new.count
    }

    /// Makes two pieces of one; false when it is a single record.
    package func split(_ piece: SpoolPiece) -> Bool {
        guard piece.records.count > 1, let index = todo.firstIndex(of: piece.range) else { return false }
        let middle = piece.records[piece.records.count / 2].id
        todo[index] = piece.range.lowerBound...middle - 1
        todo.insert(middle...piece.range.upperBound, at: index + 1)
        return true
    }

    /// Drops the oldest records, those on their way included; returns how many.
    @discardableResult
    package func dropOldest(_ count: Int) -> Int {
        todo = (todo + parked.map(\.range)).sorted { $0.lowerBound < $1.lowerBound }
        parked = []
        var left = count
        while left > 0, let piece = nextPiece(maximumCount: left, maximumBytes: .max) {
            let ids = piece.records.prefix(left).map(\.id)
            complete(piece, done: ids)
            ownCounters.droppedAsked += ids.count
            left -= ids.count
        }
        return count - left
    }

    /// Calls `body` with every pending record, in their order, until it returns false.
    package func forEachPending(_ body: (SpoolRecord) -> Bool) {
        save()
        forEach(after: state.acknowledged) { state.isDone($0.id) || body($0) }
    }

    /// Opens a batch, or makes the open one longer by a piece; false when there is nothing to take.
    func begin(_ maximumCount: Int, _ maximumBytes: Int) -> Bool {
        var first: UInt64?
        var last: UInt64 = 0
        var count = 0
        var bytes = 0
        let isOpen = state.isOpen
        forEach(after: isOpen ? state.last : state.acknowledged) { record in
            let start = isOpen ? state.acknowledged + 1 : first ?? record.id
            if record.id - start >= UInt64(BatchState.widestBatch) { return false }
            bytes += record.payload.count
            if count > 0 && bytes > maximumBytes { return false }
            first = first ?? record.id
            last = record.id
            count += 1
            return count < max(1, maximumCount)
        }
        guard let first else { return false }
        if isOpen {
            state.widen(to: last)
            todo.append(first...last)
            return true
        }
        state.skip(to: first - 1)
        state.begin(last: last)
        todo = [first...last]
        return true
    }

    /// Makes the open batch as long as it may be, and its newest records a piece.
    private func widenToNewest(_ maximumCount: Int, _ maximumBytes: Int) {
        var found: [(id: UInt64, size: Int)] = []
        let limit = state.acknowledged + UInt64(BatchState.widestBatch)
        forEach(after: state.last) { record in
            guard record.id <= limit else { return false }
            found.append((record.id, record.payload.count))
            return true
        }
        guard let first = found.first, let last = found.last else { return }
        var start = last.id
        var bytes = 0
        for record in found.suffix(max(1, maximumCount)).reversed() {
            bytes += record.size
            if bytes > maximumBytes { break }
            start = record.id
        }
        state.widen(to: last.id)
        if start > first.id { todo.append(first.id...start - 1) }
        todo.append(start...last.id)
    }

    func finish() {
        let last = state.last
        state.finish()
        todo = []
        parked = []
        reclaimable = 0
        if let first = unsaved.first, first.id <= last {
            unsaved.removeFirst(unsaved.count - unsaved.from(last + 1).count)
        }
        saveState()
        if isStateSaved { disk?.reap(through: state.acknowledged) }
    }

    func saveState() {
        isStateSaved = disk?.save(state, synchronizes: settings.synchronizes) ?? true
    }

    /// The records of a range that are not done; nil when a file that may have some of them cannot be read now.
    func records(in range: ClosedRange<UInt64>) -> [SpoolRecord]? {
        var records: [SpoolRecord] = []
        var seen: UInt64 = 0
        let isRead = forEach(after: range.lowerBound - 1) { record in
            seen = record.id
            guard record.id <= range.upperBound else { return false }
            if !state.isDone(record.id) { records.append(record) }
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
        takeDamage(disk.counters.damagedRecords - diskDamage, from: disk)
    }

    /// Counts the pending records after damage, as soon as all files can be read.
    ///
    /// Until then their number is a guess: a file that is lost may have had records that were done, or not have had them
    /// any more.
    private func recount() {
        guard let disk, disk.isCountUncertain else { return }
        settleDamage()
        disk.isCountUncertain = false
        var count = 0
        let isRead = forEach(after: state.acknowledged) { record in
            if !state.isDone(record.id) { count += 1 }
            return true
        }
        guard isRead else { return disk.isCountUncertain = true }
        takeDamage(pending - count, from: disk)
        disk.counters.damagedRecords = diskDamage
    }

    private func takeDamage(_ count: Int, from disk: SpoolDisk) {
        let count = min(count, pending)
        pending -= count
        diskDamage += count
        disk.counters.damagedRecords = diskDamage
    }
}
