/// The ring in a file: what is freed, and when.
extension Drain {
    /// Takes over that the ring is in `file` now, nil for memory, and that dead processes have left something.
    mutating func begin(_ file: JournalFile?, _ recovery: JournalRecovery?, at position: UInt64) {
        if let old = journal { end(old) }
        journal = file
        self.recovery = recovery
        for index in recipients.indices {
            recipients[index] = protected(recipients[index], from: position)
        }
    }

    /// Gives a logger that makes messages durable its slot; before that, what is left for it from earlier runs.
    func protected(_ recipient: Recipient, from position: UInt64) -> Recipient {
        let node = recipient.node
        guard let journal, let key = (node.logger as? any DurableLogger)?.journalKey else { return recipient }
        var recipient = recipient
        if let recovery { recovery.deliver(to: node) }
        recipient.slot = journal.slot(
            for: key, levels: recipient.choice.levels.rawValue, from: position)
        if recipient.slot == nil {
            node.diagnostics.report(
                .setting,
                "the journal has room for \(JournalLayout.slotCount) loggers: \(node.logger.name) may lose messages in a crash"
            )
        }
        node.setSlot(recipient.slot)
        return recipient
    }

    /// Lets a logger that leaves finish with its slot.
    func abandon(_ recipient: Recipient) {
        if let slot = recipient.slot { recipient.node.endSlot(slot) {} }
    }

    /// Has every logger finish with an old file, which goes when the last has.
    private mutating func end(_ old: JournalFile) {
        for index in recipients.indices {
            guard let slot = recipients[index].slot else { continue }
            recipients[index].slot = nil
            recipients[index].node.endSlot(slot) { if old.isDoneWith { old.mapping.remove() } }
        }
        if old.isDoneWith { old.mapping.remove() }
    }

    /// In the child of a fork: the file is the parent's.
    mutating func leaveJournal() {
        journal?.mapping.leaveToParent()
        journal = nil
        recovery?.leaveToParent()
        recovery = nil
        for index in recipients.indices { recipients[index].slot = nil }
    }

    /// Frees what no logger needs any more for the case of a crash.
    func releaseDurable(_ ring: RecordRing) {
        let consumed = ring.consumed
        var mark = consumed
        for recipient in recipients {
            guard let slot = recipient.slot else { continue }
            if recipient.node.isAcknowledged(slot) {
                // Nothing is under way for it: what came since was not for it.
                slot.acknowledge(consumed)
                if slot.isLagging { (slot.isLagging, slot.lost) = (false, 0) }
            } else if !slot.isLagging {
                mark = min(mark, slot.done)
            }
        }
        let head = ring.head
        if mark <= head { return }
        if ring.hasLarge { journal?.mapping.removeLarge { $0 < mark } }
        ring.free(upTo: mark)
    }

    /// Stops waiting for the loggers that keep the ring full; what they have not written yet would be lost in a crash.
    ///
    /// - Returns: how many records were let go.
    func letGo(_ ring: RecordRing) -> Int {
        let lagging = recipients.compactMap { recipient in
            recipient.slot.flatMap { $0.isLagging || recipient.node.isAcknowledged($0) ? nil : $0 }
        }
        if lagging.isEmpty { return 0 }
        var total = 0
        for slot in lagging {
            let count = ring.countMessages(from: max(ring.head, slot.done))
            slot.isLagging = true
            slot.lost += count
            total = max(total, count)
        }
        releaseDurable(ring)
        return total
    }
}
