/// What waits for one logger, and what is dropped when it is too much: pure bookkeeping, without lock or
/// thread.
///
/// `weight` is the sum of the weights of all records that wait and of those handed out and not yet
/// `finish`ed.
struct Backlog {
    enum Entry {
        /// Records, and how many were dropped just before them.
        case records(RecordSlice, lost: Gap)
        /// So many records were dropped here.
        case gap(Gap)
        case work(@Sendable () -> Void)
    }

    /// A place where records are missing.
    struct Gap: Equatable {
        /// How many this backlog has dropped.
        var here = 0
        /// How many found no room in the ring, and so never came here.
        var atRing = 0

        var count: Int { here + atRing }

        static func += (left: inout Gap, right: Gap) {
            left.here += right.here
            left.atRing += right.atRing
        }
    }

    private(set) var limits = BacklogLimits()
    /// How far a policy that blocks callers may go beyond the limit: what is under way when they are told to
    /// wait.
    var allowance = 0

    /// The most that may wait, in bytes of records.
    private var limit: Int { limits.bytes }
    /// What waits beyond the limit since the limits were changed: it stays, and the new limit counts for what
    /// comes.
    private var inherited = 0

    /// A hole is an entry that was evicted; `next` passes over it.
    private var entries: [Entry?] = []
    private var first = 0
    private var holes = 0
    private(set) var weight = 0
    private(set) var dropped = 0
    /// Whether callers wait because of this logger.
    private var hold = CallerHold()

    /// Whether callers should wait because of this logger.
    var holdsCallers: Bool { hold.isHolding }

    var isEmpty: Bool { first + holes == entries.count }

    /// How many entries there are, holes included: what the bookkeeping itself costs.
    var entryCount: Int { entries.count }

    // MARK: Out

    mutating func next() -> Entry? {
        while first < entries.count {
            let entry = entries[first].take()
            if entry == nil { holes -= 1 }
            first += 1
            if first == entries.count {
                entries.removeAll(keepingCapacity: entries.capacity <= 1024)
                first = 0
            } else if first > 64, first * 2 > entries.count {
                entries.removeFirst(first)
                first = 0
            }
            if let entry { return entry }
        }
        return nil
    }

    /// Takes note that records handed out before, of this weight, have been worked off.
    mutating func finish(weighing done: Int) {
        weight -= done
        inherited = min(inherited, weight)
        hold.empty(to: weight, of: limit)
    }

    /// A caller that waits looks how far the logger is; `progress` is a number that changes as the logger
    /// works.
    mutating func look(progress: Int, at now: Duration) -> CallerHold.Answer {
        guard case .block(let patience) = limits.policy else { return .goOn }
        return hold.look(progress: progress, at: now, limit: patience)
    }

    /// Changes the limits, which hold for what comes next.
    ///
    /// What waits already stays, unless a policy that drops waiting messages makes room for the next one. A
    /// policy that blocks callers makes them wait at once where more waits than the new limit allows: what
    /// they have logged until they hear of it finds room beside it.
    mutating func setLimits(_ limits: BacklogLimits) {
        self.limits = limits
        inherited = weight > limit ? weight : 0
        if case .block = limits.policy { hold.change(to: weight, of: limit) } else { hold.reset() }
    }

    /// Drops all messages without counting them, and keeps the work: after a fork they are the parent's.
    mutating func forgetMessages() {
        entries = entries[first...].filter { entry in
            if case .work? = entry { true } else { false }
        }
        first = 0
        holes = 0
        (weight, inherited) = (0, 0)
        hold.reset()
    }

    // MARK: In

    mutating func append(_ work: @escaping @Sendable () -> Void) { entries.append(.work(work)) }

    /// Takes note that records are missing here which found no room in the ring.
    mutating func append(lostAtRing count: Int) { note(Gap(atRing: count)) }

    /// Takes records as the policy says.
    ///
    /// - Parameters:
    ///   - slice: The records.
    ///   - progress: How far the logger is, in steps of its own.
    ///   - now: The time, which is asked for only where callers have given the logger up.
    /// - Returns: batches that are not needed any more, to be freed where no lock is held.
    mutating func append(
        _ slice: RecordSlice, progress: Int = 0, now: @autoclosure () -> Duration = .zero
    ) -> [RecordBatch] {
        var slice = slice
        var freed: [RecordBatch] = []
        switch limits.policy {
        case .block(let patience):
            if hold.isGivenUp { hold.revive(progress: progress, at: now(), limit: patience) }
            let most = hold.isGivenUp ? limit : max(limit, inherited) + allowance
            enqueueBeginning(&slice, room: most - weight)
            hold.fill(to: weight, of: limit)
        case .dropNewest:
            enqueueBeginning(&slice, room: limit - weight)
        case .dropOldest:
            makeRoom(for: slice.weight, &freed)
            enqueueEnd(&slice)
        case .dropBelow(let level):
            if weight + slice.weight > limit {
                let kept = LogLevelMask(atLeast: level).rawValue
                narrow(to: kept, &freed)
                drop(slice.narrow(to: kept))
                makeRoom(for: slice.weight, &freed)
            }
            enqueueEnd(&slice)
        }
        return freed
    }

    private mutating func enqueueBeginning(_ slice: inout RecordSlice, room: Int) {
        let lost = slice.weight > room ? slice.keepBeginning(weighing: room, orOneAbove: alone(room)) : 0
        enqueue(slice)
        drop(lost)
    }

    /// Above which weight a single record is taken though it does not fit.
    ///
    /// One that is larger than the limit would find no room ever: it is taken where nothing waits, or where
    /// callers wait until there is room again.
    private func alone(_ room: Int) -> Int {
        if weight == 0 { return 0 }
        if case .block = limits.policy, room > 0, !hold.isGivenUp { return limit }
        return .max
    }

    private mutating func enqueueEnd(_ slice: inout RecordSlice) {
        let excess = weight + slice.weight - limit
        drop(excess > 0 ? slice.dropBeginning(weighing: excess, keepingOne: weight == 0) : 0)
        enqueue(slice)
    }

    private mutating func enqueue(_ slice: RecordSlice) {
        if slice.count == 0 { return }
        let slice = slice.compacted
        weight += slice.weight
        entries.append(.records(slice, lost: Gap()))
    }

    /// Takes note that this backlog has dropped records at its end.
    private mutating func drop(_ count: Int) {
        dropped += count
        note(Gap(here: count))
    }

    private mutating func note(_ gap: Gap) {
        if gap.count == 0 { return }
        if first < entries.count, case .gap(var before)?? = entries.last {
            before += gap
            entries[entries.count - 1] = .gap(before)
        } else {
            entries.append(.gap(gap))
        }
    }

    /// Drops waiting records, the oldest first, until `extra` fits or none is left.
    private mutating func makeRoom(for extra: Int, _ freed: inout [RecordBatch]) {
        var index = first
        /// What is missing before `index`, and where that is noted: nowhere yet, if nil.
        var gap: (place: Int, content: Gap)?
        while weight + extra > limit, index < entries.count {
            switch entries[index] {
            case nil: break
            case .work: gap = nil
            case .gap(let content):
                if var before = gap {
                    before.content += content
                    move(before.content, from: before.place, to: index)
                    gap = (index, before.content)
                } else {
                    gap = (index, content)
                }
            case .records(var slice, var lost):
                let full = slice.weight
                let count = slice.dropBeginning(weighing: weight + extra - limit)
                weight -= full - slice.weight
                dropped += count
                lost.here += count
                if let before = gap {
                    lost += before.content
                    clear(before.place)
                }
                gap = slice.count == 0 ? (index, lost) : nil
                if slice.count == 0 { freed.append(slice.batch) }
                entries[index] = slice.count == 0 ? .gap(lost) : .records(slice, lost: lost)
            }
            index += 1
        }
        compact()
    }

    private mutating func move(_ gap: Gap, from old: Int, to new: Int) {
        clear(old)
        entries[new] = .gap(gap)
    }

    private mutating func clear(_ index: Int) {
        entries[index] = nil
        holes += 1
    }

    /// Drops the waiting records outside of `levels`.
    private mutating func narrow(to levels: UInt32, _ freed: inout [RecordBatch]) {
        for index in first..<entries.count {
            guard case .records(var slice, var lost)? = entries[index] else { continue }
            let full = slice.weight
            let count = slice.narrow(to: levels)
            if count == 0 { continue }
            freed.append(slice.batch)
            weight -= full - slice.weight
            dropped += count
            lost.here += count
            entries[index] = slice.count == 0 ? .gap(lost) : .records(slice.compacted, lost: lost)
        }
        mergeGaps()
    }

    /// Makes one of gaps that follow each other.
    private mutating func mergeGaps() {
        var last: (place: Int, content: Gap)?
        for index in first..<entries.count {
            switch entries[index] {
            case nil: continue
            case .gap(var content):
                if let before = last {
                    content += before.content
                    move(content, from: before.place, to: index)
                }
                last = (index, content)
            case .records, .work: last = nil
            }
        }
        compact()
    }

    /// Removes the holes when they are many.
    private mutating func compact() {
        if holes < 64 || holes * 2 < entries.count - first { return }
        entries = entries[first...].filter { $0 != nil }
        first = 0
        holes = 0
    }
}
