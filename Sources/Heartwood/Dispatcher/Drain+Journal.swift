import CHeartwood

/// The ring in a file: what is freed, and when.
extension Drain {
    /// Takes over that the ring is in `file` now, nil for memory, and that dead processes have left something.
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

    /// Gives a logger that makes messages durable its slot; before that, what is left for it from earlier runs.
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
                "the journal supports at most \(JournalLayout.slotCount) loggers; \(node.logger.name) may lose messages in a crash"
            )
        }
        node.follower.setSlot(recipient.slot)
        return recipient
    }

    /// Lets a logger that is removed finish with its slot; what it cannot write stays in the ring for recovery.
    mutating func release(_ recipient: Recipient) {
        guard let slot = recipient.slot else { return }
        // What comes from here on is not for it.
        slot.levels = 0
        departing.append(slot)
        recipient.node.follower.endSlot(slot, isLeaving: true) {}
    }

    /// Stores with a message which loggers want it, by their current levels, and its checksum; `record` is its copy.
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
        // Bytes of unknown messages, and known messages, that are gone since the last one that was handed out.
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
        var patience = RingPatience(Drain.patience, head: reach, at: clock.uptime())
        while reach < remains.end || !remains.isEndKnown,
            patience.rest(head: reach, at: clock.uptime()) != nil
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

    /// Stops waiting for the loggers that keep the ring full; what they have not written yet would be lost in a crash.
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
