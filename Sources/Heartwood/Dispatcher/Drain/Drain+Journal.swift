import CHeartwood
import Synchronization

/// The ring in a file: what is freed, and when.
extension Drain {
    /// Takes over that the ring is in `file` now, nil for memory, and that dead processes have left
    /// something.
    mutating func begin(_ file: JournalFile?, _ recovery: JournalRecovery?, at position: UInt64) {
        if let old = journal { end(old) }
        journal = file
        journalLook = JournalLook(patience: journalLook.patience)
        (rescuedEnd, knownTail) = (nil, position)
        self.recovery = recovery
        for index in recipients.indices {
            recipients[index] = protected(recipients[index], from: position)
        }
    }

    /// Gives a logger that makes messages durable its slot; before that, what is left for it from earlier
    /// runs.
    mutating func protected(_ recipient: Recipient, from position: UInt64) -> Recipient {
        let node = recipient.node
        guard let journal, var key = JournalKey.of(node.logger) else { return recipient }
        var recipient = recipient
        // Those that write to the same place, and are before this one.
        let others = recipients.prefix { $0.node !== node }
            .compactMap { $0.slot.map { JournalKey($0.key) } }
            .filter { $0.place == key.place }
        while others.contains(key) { key.number += 1 }
        if let recovery { recovery.deliver(to: node, key, order: others.count) }
        recipient.slot = journal.slot(
            for: key.text, levels: recipient.choice.levels.rawValue, from: position)
        if let slot = recipient.slot {
            // A logger that was removed is done with it, and would count for it a second time.
            departing.removeAll { $0.index == slot.index }
        } else {
            node.diagnostics.report(
                .setting,
                "the journal supports at most \(JournalLayout.slotCount) loggers; "
                    + "\(node.logger.name) may lose messages in a crash"
            )
        }
        node.follower.setSlot(recipient.slot)
        return recipient
    }

    /// Lets a logger that is removed finish with its slot; what it cannot write stays in the ring for
    /// recovery.
    mutating func release(_ recipient: Recipient) {
        guard let slot = recipient.slot else { return }
        // What comes from here on is not for it.
        slot.levels = 0
        departing.append(slot)
        recipient.node.follower.endSlot(slot, isLeaving: true) {}
    }

    /// Stores with a message which loggers want it, by their current levels, and its checksum; `record` is
    /// its copy.
    func complete(_ record: RecordView, _ ring: RecordRing, at position: UInt64, _ journal: JournalFile) {
        // Others were sealed by their callers.
        if !JournalLayout.isInTwoPages(position, record.publishedSize) {
            RecordView(ring.address(of: position)).seal(position, journal.salt, copy: record)
        }
        let level = record.levelBit
        var decision = JournalDecision()
        for recipient in recipients {
            if let slot = recipient.slot, recipient.choice.levels.rawValue & level != 0 {
                decision.add(slot: slot.index)
            }
        }
        ring.decide(decision, at: position)
    }

    /// Has every logger finish with an old file, which goes when the last has.
    private mutating func end(_ old: JournalFile) {
        for index in recipients.indices {
            guard let slot = recipients[index].slot else { continue }
            recipients[index].slot = nil
            recipients[index].node.follower.endSlot(slot, isLeaving: false) {
                if old.isDoneWith { old.mapping.remove() }
            }
        }
        departing = []
        if old.isDoneWith { old.mapping.remove() }
    }

    /// In the child of a fork: the file is the parent's.
    mutating func leaveJournal() {
        journal?.mapping.leaveToParent()
        journal = nil
        recovery?.leaveToParent()
        recovery = nil
        departing = []
        for index in recipients.indices { recipients[index].slot = nil }
    }

    /// Frees what may be freed, and looks after the file.
    mutating func afterDrain(_ ring: RecordRing) {
        releaseDurable(ring)
        guard let journal, journalLook.isDue(at: SystemClock().uptime()) else { return }
        guard let loss = journal.mapping.loss else { return }
        // What is in a file that was removed is still there.
        if loss == .removed { journalLook.loss = loss } else { loseFile(ring, loss) }
    }

    // MARK: - A file that lost something

    /// Has the ring leave its file, of which something is gone; the next to drain hands out the rest.
    mutating func loseFile(_ ring: RecordRing, _ loss: JournalLoss) {
        if journalLook.loss == nil { journalLook.loss = loss }
        if ring.leaveFile() { return }
        // Without memory there is no other place, either: go on without what cannot be read.
        lose(likelyCount(Int(ring.tail &- ring.consumed)))
        ring.skipWhatIsGone()
    }

    /// Looks why a record is not published: its call may be at it, or it is gone with a part of the file.
    mutating func waitForRecord(at position: UInt64, _ ring: RecordRing, _ journal: JournalFile) {
        if ring.isCut { return }
        if journalLook.isStuck(at: position, SystemClock().uptime()) {
            loseFile(ring, .overwritten)
        } else if journalLook.loss != nil, journal.mapping.isCut {
            loseFile(ring, .cut)
        }
    }

    /// How long a call that is at its record gets when the file is lost.
    private static let patience = Duration.milliseconds(250)

    /// Hands out what is left of the ring after its file was lost, and counts the rest.
    mutating func rescue(_ ring: RecordRing, _ journal: JournalFile, byCaller: Bool) {
        if rescuedEnd != nil { return }
        if journalLook.loss == nil { journalLook.loss = journal.mapping.loss ?? .unstored }
        var position = ring.consumed
        rescuedEnd = max(knownTail, position)
        defer {
            perform(ring.takeControls(upTo: .max))
            ring.skipWhatIsGone()
        }
        guard
            let remains = RingRemains(
                ring.memory, journal, consumed: position, closed: ring.closedEnd, known: knownTail)
        else { return lose(likelyCount(Int(max(knownTail, position) &- position))) }
        rescuedEnd = remains.end
        waitForCalls(remains, from: position)
        // Bytes of unknown messages, and known messages, that are gone since the last one that was handed
        // out.
        var (gap, gone) = (0, 0)
        while position < remains.end {
            switch remains.record(at: position, isInGap: gap > 0) {
            case .message(let batch):
                lose(likelyCount(gap) + gone)
                (gap, gone) = (0, 0)
                perform(ring.takeControls(upTo: position))
                handOut(batch, ring, from: position, byCaller: byCaller, isInRing: false)
                position = batch.end
            case .other(let size): position &+= UInt64(size)
            case .vanished(let size):
                gone += 1
                position &+= UInt64(size)
            case .nothing(let size):
                gap += size
                position &+= UInt64(size)
            }
        }
        lose(likelyCount(gap) + gone)
    }

    /// Waits until every call that had room has published its record; for a limited time, as some may be
    /// gone.
    ///
    /// What a call writes later goes into the ring's next file, over the records of others. Where nothing
    /// tells which calls had room, all get the whole time.
    private func waitForCalls(_ remains: RingRemains, from start: UInt64) {
        let clock = SystemClock()
        var reach = remains.reach(from: start)
        var hold = CallerHold.holding
        while reach < remains.end || !remains.isEndKnown,
            hold.pause(progress: reach, at: clock.uptime(), limit: Drain.patience) != nil
        {
            usleep(200)
            reach = remains.reach(from: reach)
        }
    }

    /// Counts and announces messages that are gone.
    private mutating func lose(_ count: Int) {
        if count == 0 { return }
        vanished += count
        for recipient in recipients { recipient.node.inbox.push(lostAtRing: count) }
    }

    /// Frees what no logger needs any more for the case of a crash.
    mutating func releaseDurable(_ ring: RecordRing) {
        let consumed = ring.consumed
        var mark = consumed
        for recipient in recipients {
            guard let slot = recipient.slot else { continue }
            if recipient.node.inbox.isAcknowledged(slot) {
                // Nothing is under way for it: what came since was not for it.
                slot.acknowledge(consumed)
                if slot.isLagging { (slot.isLagging, slot.lost) = (false, 0) }
            } else if !slot.isLagging {
                mark = min(mark, slot.done)
            }
        }
        departing.removeAll { !$0.isInUse }
        for slot in departing where !slot.isLagging { mark = min(mark, slot.done) }
        let head = ring.head
        if mark <= head { return }
        // What is freed before these have written it is lost with the process.
        for slot in departing + recipients.compactMap(\.slot) where slot.isLagging {
            slot.lost += ring.countMessages(from: max(head, slot.done), to: mark, for: slot.index)
        }
        if ring.hasLarge { journal?.mapping.removeLarge { $0 < mark } }
        ring.free(upTo: mark)
    }

    /// Stops waiting for the loggers that keep the ring full; what they have not written yet would be lost in
    /// a crash.
    ///
    /// - Returns: how many records were released.
    mutating func release(_ ring: RecordRing) -> Int {
        let lagging =
            departing.filter { $0.isInUse && !$0.isLagging }
            + recipients.compactMap { recipient in
                recipient.slot.flatMap { $0.isLagging || recipient.node.inbox.isAcknowledged($0) ? nil : $0 }
            }
        if lagging.isEmpty { return 0 }
        var total = 0
        for slot in lagging {
            slot.isLagging = true
            let count = ring.countMessages(
                from: max(ring.head, slot.done), to: ring.consumed, for: slot.index)
            total = max(total, count)
        }
        releaseDurable(ring)
        return total
    }
}

/// What is left of a ring whose file was cut, or could not take a page: the bytes that the file still has,
/// and those that calls have written since.
///
///     before   the ring's memory is the file
///     then     a page is gone: the ring's memory is zeros of the process alone, and full,
///              so that no call gets room
///
/// Invariants:
/// 1. A byte of a record was written once: to the file or to the zeros, which were both zero before. So both
///    together, joined by `or`, are what was logged, unless the file has lost it.
/// 2. A message is handed out only if its bytes are within what the file still has, and it is whole: its
///    place says so (stamp or check), or it was published after the file was lost.
final class RingRemains {
    /// A record that is whole, or known to be none; `size` is how far the next one is.
    enum Found {
        case message(RecordBatch)
        case other(size: Int)
        /// A message that was published, and is gone.
        case vanished(size: Int)
        /// Nothing that is known; `size` is where to look next.
        case nothing(size: Int)
    }

    private let memory: RingMemory
    private let old: UnsafeMutableRawPointer
    /// How much of the ring the file still has.
    private let stored: Int
    private let salt: UInt64
    /// Where the records end, as far as that is known: the file may have lost the ring's counters.
    let end: UInt64
    /// Whether all calls that had room have their records before `end`.
    let isEndKnown: Bool

    private static let page = MemoryMap.pageSize
    private var size: Int { RingRemains.page + memory.capacity }

    /// Reads what the file has; nil where there is no memory for it.
    ///
    /// - Parameters:
    ///   - memory: The ring's, which is zeros now.
    ///   - journal: The file.
    ///   - consumed: Up to where records have been handed out.
    ///   - closed: Where the records ended when the ring was closed; nil if it was open.
    ///   - known: A place that the tail has reached, for a file that has lost its counters.
    init?(
        _ memory: RingMemory, _ journal: JournalFile, consumed: UInt64, closed: UInt64?, known: UInt64
    ) {
        let size = RingRemains.page + memory.capacity
        guard let old = MemoryMap.fresh(size) else { return nil }
        let offset = journal.mapping.geometry.counters
        var count = 0
        while count < size {
            let got = pread(journal.mapping.descriptor, old + count, size - count, off_t(offset + count))
            if got < 0, hw_errno() == EINTR { continue }
            if got <= 0 { break }
            count += got
        }
        // Of what was cut, an empty part may have been added again.
        let isSame =
            count >= RingRemains.page
            && old.load(fromByteOffset: JournalLayout.Counters.salt, as: UInt64.self) == journal.salt
        let tail = closed ?? old.load(fromByteOffset: JournalLayout.Counters.tail, as: UInt64.self)
        let isPlausible = tail >= consumed && tail - consumed <= UInt64(memory.capacity)
        self.memory = memory
        self.old = old
        salt = journal.salt
        stored = isSame ? count - RingRemains.page : 0
        isEndKnown = (isSame || closed != nil) && isPlausible
        end = isEndKnown ? tail : max(known, consumed)
    }

    deinit { munmap(old, size) }

    // MARK: - Words

    private func offset(_ position: UInt64) -> Int {
        Int(truncatingIfNeeded: position & UInt64(memory.capacity - 1))
    }

    /// The first word that a call has published since the file was lost; 0 for none.
    private func latest(_ position: UInt64) -> UInt64 {
        memory.word(at: position).pointee.load(ordering: .acquiring)
    }

    /// What the first word at a position says, if it can be a record's.
    private func published(_ position: UInt64) -> (size: Int, kind: RecordView.Kind)? {
        let offset = offset(position)
        let commit = old.load(fromByteOffset: RingRemains.page + offset, as: UInt64.self) | latest(position)
        let size = Int(commit & 0xFFFF_FFFF)
        guard commit != 0, let kind = RecordView.Kind(rawValue: commit >> 32 & 0xFF), size >= 8,
            size % 8 == 0, size <= min(memory.capacity - offset, Int(end - position))
        else { return nil }
        return (size, kind)
    }

    // MARK: - Records

    /// Where the first record from a position on is that was reserved, and not published.
    func reach(from position: UInt64) -> UInt64 {
        var position = position
        while position < end, let (size, _) = published(position) { position &+= UInt64(size) }
        return position
    }

    /// What there is at a position; `isInGap` where it is not known that a record begins there.
    func record(at position: UInt64, isInGap: Bool) -> Found {
        let offset = offset(position)
        if offset >= stored, isInGap || published(position) == nil {
            // The file has no more; its ring begins again with what may be whole.
            return .nothing(size: min(memory.capacity - offset, Int(end - position)))
        }
        guard let (size, kind) = published(position), kind == .message || !isInGap else {
            return .nothing(size: 8)
        }
        if kind != .message { return .other(size: size) }
        if size >= RecordView.header, offset + size <= stored {
            let batch = RecordBatch(capacity: size)
            for place in stride(from: 0, to: size, by: 8) {
                let word = old.load(fromByteOffset: RingRemains.page + offset + place, as: UInt64.self)
                let later = memory.address(of: position).load(fromByteOffset: place, as: UInt64.self)
                batch.base.storeBytes(of: word | later, toByteOffset: place, as: UInt64.self)
            }
            batch.size = size
            batch.end = position &+ UInt64(size)
            let record = RecordView(batch.base)
            // Without a salt in the ring's counters, a call makes no stamp.
            let isLate = !isInGap && latest(position) != 0 && record.hasSize(of: size)
            if isLate || record.isWhole(at: position, size: size, salt) { return .message(batch) }
        }
        return isInGap ? .nothing(size: 8) : .vanished(size: size)
    }
}
