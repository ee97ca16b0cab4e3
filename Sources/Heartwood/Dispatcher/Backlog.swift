/// What waits for one logger, and what is dropped when it is too much: pure bookkeeping, without lock or thread.
///
/// `weight` is the sum of the weights of all records that wait and of those handed out and not yet `finish`ed.
struct Backlog {
    enum Entry {
        /// Records, and how many were dropped just before them.
        case records(RecordSlice, lost: Int)
        /// So many records were dropped here.
        case gap(Int)
        case work(@Sendable () -> Void)
    }

    var limits: BacklogLimits
    /// How far a policy that blocks callers may go beyond the limit: what was in the ring already.
    var allowance: Int

    /// The most that may wait, in bytes of records.
    private var limit: Int { limits.bytes }
    private var policy: OverflowPolicy { limits.policy }

    private var entries: [Entry?] = []
    private var first = 0
    private(set) var weight = 0
    private(set) var dropped = 0
    /// Whether callers should wait because of this logger.
    private(set) var holdsCallers = false
    /// Whether a caller has waited in vain, so that nobody waits until the backlog has halved.
    private var gaveUp = false

    init(limits: BacklogLimits = BacklogLimits(), allowance: Int = 0) {
        self.limits = limits
        self.allowance = allowance
    }

    var isEmpty: Bool { first == entries.count }

    // MARK: Out

    mutating func next() -> Entry? {
        if first == entries.count { return nil }
        let entry = entries[first]
        entries[first] = nil
        first += 1
        if first == entries.count {
            entries.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
        return entry
    }

    /// Takes note that records handed out before, of this weight, have been worked off.
    mutating func finish(weighing done: Int) {
        weight -= done
        if weight <= limit / 2 {
            holdsCallers = false
            gaveUp = false
        }
    }

    mutating func giveUp() {
        if holdsCallers { gaveUp = true }
        holdsCallers = false
    }

    // MARK: In

    mutating func append(_ work: @escaping @Sendable () -> Void) { entries.append(.work(work)) }

    /// Takes records as the policy says.
    ///
    /// - Returns: batches that are not needed any more, to be freed where no lock is held.
    mutating func append(_ slice: RecordSlice) -> [RecordSlice] {
        var slice = slice
        var evicted: [RecordSlice] = []
        switch policy {
        case .block:
            let room = (gaveUp ? limit : limit + allowance) - weight
            enqueue(&slice, room: room)
            if weight > limit, !gaveUp { holdsCallers = true }
        case .dropNewest:
            enqueue(&slice, room: limit - weight)
        case .dropOldest:
            evicted = makeRoom(for: slice.weight)
            enqueueEnd(&slice)
        case .dropBelow(let level):
            if weight + slice.weight > limit {
                let kept = LogLevelMask(atLeast: level).rawValue
                narrow(to: kept)
                note(lost: slice.narrow(to: kept))
                evicted = makeRoom(for: slice.weight)
            }
            enqueueEnd(&slice)
        }
        return evicted
    }

    private mutating func enqueue(_ slice: inout RecordSlice, room: Int) {
        let lost = slice.weight > room ? slice.keepBeginning(weighing: room) : 0
        if slice.count > 0 {
            weight += slice.weight
            entries.append(.records(slice, lost: 0))
        }
        note(lost: lost)
    }

    /// As `enqueue`, but what does not fit is cut off at the beginning.
    private mutating func enqueueEnd(_ slice: inout RecordSlice) {
        let excess = weight + slice.weight - limit
        let lost = excess > 0 ? slice.dropBeginning(weighing: excess) : 0
        note(lost: lost)
        if slice.count > 0 {
            weight += slice.weight
            entries.append(.records(slice, lost: 0))
        }
    }

    private mutating func note(lost: Int) {
        if lost == 0 { return }
        dropped += lost
        if !isEmpty, case .gap(let before)?? = entries.last {
            entries[entries.count - 1] = .gap(before + lost)
        } else {
            entries.append(.gap(lost))
        }
    }

    /// Drops waiting records, the oldest first, until `extra` fits or none is left.
    private mutating func makeRoom(for extra: Int) -> [RecordSlice] {
        var evicted: [RecordSlice] = []
        var index = first
        while weight + extra > limit, index < entries.count {
            if case .records(var slice, let before)? = entries[index] {
                let full = slice.weight
                let lost = slice.dropBeginning(weighing: weight + extra - limit)
                weight -= full - slice.weight
                dropped += lost
                if slice.count == 0 {
                    evicted.append(slice)
                    entries[index] = .gap(before + lost)
                } else {
                    entries[index] = .records(slice, lost: before + lost)
                }
            }
            index += 1
        }
        return evicted
    }

    /// Drops the waiting records outside of `levels`.
    private mutating func narrow(to levels: UInt32) {
        for index in first..<entries.count {
            if case .records(var slice, let before)? = entries[index] {
                let full = slice.weight
                let lost = slice.narrow(to: levels)
                if lost == 0 { continue }
                weight -= full - slice.weight
                dropped += lost
                entries[index] = .records(slice, lost: before + lost)
            }
        }
    }
}
