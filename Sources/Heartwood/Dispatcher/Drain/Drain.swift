import CHeartwood
import Synchronization

/// What moves records from the ring to the loggers' queues: the global queue's work.
///
/// Whoever holds the lock around it is the ring's only consumer. Nothing in here waits, or runs a hook.
struct Drain {
    /// A logger, and which levels it wants at this point of the order.
    struct Recipient {
        let node: LoggerNode
        var choice: LogLevelChoice
        /// Where the journal keeps how far the logger is, if it makes messages durable.
        var slot: JournalSlot?
    }

    var recipients: [Recipient] = []
    private(set) var ticks = TickClock()
    private var sequence: UInt64 = 0
    private(set) var accepted = 0
    private let usesTicks: Bool
    /// The file that the ring is in, if it is in one.
    var journal: JournalFile?
    /// The slots of loggers that were removed and have not ended yet: what these could not write stays in the
    /// ring.
    var departing: [JournalSlot] = []
    /// Whether the journal's file is still what it was.
    var journalLook = JournalLook()
    /// What is called, without the lock, when it is not, or while a journal is wanted and there is none.
    private(set) var lookAfterJournal: (@Sendable () -> Void)?
    /// Whether a journal is wanted that could not be made.
    private(set) var lacksJournal = false
    /// Where the records of a lost file ended.
    var rescuedEnd: UInt64?
    /// A place that the ring's tail has reached in its file.
    var knownTail: UInt64 = 0
    /// How many messages were lost with a journal's file before they were handed out.
    var vanished = 0
    private var acceptedBytes = 0
    /// What dead processes have left.
    var recovery: JournalRecovery?
    /// What may be due to be freed and may hold objects of the user's: freed by `RingConsumer.withDrain`,
    /// when the lock is open again.
    var garbage: [AnyObject] = []

    init(usesTicks: Bool) {
        self.usesTicks = usesTicks
    }

    /// Moves what is published between the head and `end`; says whether there was anything.
    ///
    /// `byCaller` says that a synchronous call drains, which then sees to the loggers itself.
    mutating func drain(_ ring: RecordRing, _ gaps: RingGaps, upTo end: UInt64, byCaller: Bool) -> Bool {
        if let journal {
            if ring.isCut {
                rescue(ring, journal, byCaller: byCaller)
                return false
            }
            knownTail = max(knownTail, end)
        }
        var position = ring.consumed
        passOn(gaps, at: position)
        defer { if journal != nil { afterDrain(ring) } }
        if position >= end { return false }
        if usesTicks {
            ticks.refresh()
            journal?.note(ticks.sample)
        }
        let first = position
        while position < end {
            guard let (size, kind) = ring.record(at: position) else { break }
            switch kind {
            case .filler:
                position &+= UInt64(size)
            case .control:
                let controls = ring.takeControls(upTo: position)
                position &+= UInt64(size)
                ring.consume(upTo: position)
                perform(controls)
            case .message:
                let stop = gaps.next.map { $0 > position ? min($0, end) : end } ?? end
                guard let next = takeRun(from: position, end: stop, ring, byCaller: byCaller) else {
                    return false
                }
                position = next
            }
            passOn(gaps, at: position)
        }
        ring.consume(upTo: position)
        if let journal, position < end { waitForRecord(at: position, ring, journal) }
        return position != first
    }

    /// Takes the one message before `end` off the ring for a synchronous call, which gets the right to run
    /// the only logger.
    ///
    /// Nothing is before it, in the ring or in the logger's inbox, and what comes after it is not handled
    /// before the right ends: so its place in the order is the one that it has in the ring. It may be the
    /// message of another call, which has the place before `end` then: what the logger took of the rest it
    /// has worked off, or it would not be idle.
    ///
    /// - Returns: what runs the logger, and has the message; nil where the general way is to be gone.
    mutating func takeAlone(_ ring: RecordRing, _ gaps: RingGaps, before end: UInt64) -> LoggerRunner? {
        guard journal == nil, !lacksJournal, recipients.count == 1, gaps.next == nil else { return nil }
        let start = ring.consumed
        guard start < end, let (size, kind) = ring.record(at: start), kind == .message,
            start &+ UInt64(size) == end, size <= LoggerRunner.aloneCapacity
        else { return nil }
        let record = RecordView(ring.address(of: start))
        guard record.flags.isDisjoint(with: .references),
            recipients[0].choice.levels.rawValue & record.levelBit != 0
        else { return nil }
        guard recipients[0].node.inbox.beginAlone() else { return nil }
        let runner = recipients[0].node.runner
        let copy = runner.copyAlone(record, size: size, end: end)
        ring.consume(upTo: end)
        if usesTicks, !copy.flags.contains(.wallTime) {
            ticks.refreshIfOld(at: copy.time)
            copy.time = UInt64(bitPattern: ticks.wallTime(of: copy.time))
        }
        sequence += 1
        accepted += 1
        acceptedBytes += size
        runner.addAlone(size: size, sequence: sequence)
        return runner
    }

    mutating func perform(_ controls: [any AnyObject & Sendable]) {
        for control in controls {
            unsafeDowncast(control, to: ControlBox.self).action(&self)
            garbage.append(control)
        }
    }

    /// Has `work` called, without the lock, where the journal's file is found gone, or while it is lacking.
    mutating func watchJournal(isLacking: Bool, _ work: @escaping @Sendable () -> Void) {
        (lacksJournal, lookAfterJournal) = (isLacking, work)
    }

    /// Has a journal know the time from its first record on.
    mutating func noteClock(in file: JournalFile) {
        if !usesTicks { return }
        ticks.refresh()
        file.note(ticks.sample)
    }

    /// Tells the loggers how many messages are missing up to here.
    private func passOn(_ gaps: RingGaps, at position: UInt64) {
        let missing = gaps.take(upTo: position)
        if missing == 0 { return }
        for recipient in recipients { recipient.node.inbox.push(lostAtRing: missing) }
    }

    /// Copies the published messages from `start` on into a batch, frees them, and hands the batch out; nil
    /// where they are gone.
    private mutating func takeRun(from start: UInt64, end: UInt64, _ ring: RecordRing, byCaller: Bool)
        -> UInt64?
    {
        // Up to a control, a filler, the end of the ring or of what is published: a run of whole records.
        var position = start
        while position < end, position &- start < UInt64(RecordBatch.usualCapacity),
            let (size, kind) = ring.record(at: position), kind == .message
        {
            if position != start, position &- start &+ UInt64(size) > UInt64(RecordBatch.usualCapacity) {
                break
            }
            position &+= UInt64(size)
            if ring.isStart(position) { break }
        }
        let total = Int(position &- start)
        let batch = RecordBatch(capacity: total)
        batch.base.copyMemory(from: ring.address(of: start), byteCount: total)
        // What was copied is not what was logged, where the file under the ring was cut meanwhile: its size
        // says so, as the rest of a page becomes zero without a fault.
        if let journal {
            if journal.mapping.isCut { loseFile(ring, .cut) }
            if ring.isCut { return nil }
        }
        batch.size = total
        batch.set(end: position, of: ring.number)
        ring.consume(upTo: position)
        handOut(batch, ring, from: start, byCaller: byCaller, isInRing: true)
        return position
    }

    /// Gives a batch of messages, which begin at `start`, to the loggers; marks them in the ring, if they are
    /// still there.
    mutating func handOut(
        _ batch: RecordBatch, _ ring: RecordRing, from start: UInt64, byCaller: Bool, isInRing: Bool
    ) {
        let total = batch.size
        var offset = 0
        while offset < total {
            let record = RecordView(batch.base + offset)
            let (size, flags) = (record.publishedSize, record.flags)
            if let journal {
                let position = start &+ UInt64(offset)
                // The check is that of the bytes in the file.
                if isInRing { complete(record, ring, at: position, journal) }
                ring.decrypt(record, size: size, at: position)
            }
            if usesTicks, !flags.contains(.wallTime) {
                record.time = UInt64(bitPattern: ticks.wallTime(of: record.time))
            }
            sequence += 1
            batch.add(at: offset, size: size, sequence: sequence)
            if !flags.isDisjoint(with: .references) { record.leaveRing() }
            offset += size
        }
        accepted += batch.count
        acceptedBytes += total
        if batch.hasReferences { garbage.append(batch) }
        for recipient in recipients {
            let freed = recipient.node.inbox.push(
                batch, levels: recipient.choice.levels.rawValue, byCaller: byCaller, slot: recipient.slot)
            for batch in freed where batch.hasReferences { garbage.append(batch) }
        }
    }

    /// How many messages so many bytes of the ring may have been: those before them say how large one is.
    func likelyCount(_ bytes: Int) -> Int {
        let size = accepted > 0 ? max(RecordView.header, acceptedBytes / accepted) : 128
        return bytes == 0 ? 0 : max(1, (bytes + size / 2) / size)
    }

    /// Drops the messages, which are a parent's after a fork, and carries out the controls between them.
    ///
    /// What follows a record that will never be published is dropped as well.
    mutating func forgetMessages(in ring: RecordRing) {
        var position = ring.consumed
        let end = ring.tail
        while position < end, let (size, kind) = ring.record(at: position) {
            if kind == .control {
                perform(ring.takeControls(upTo: position))
            }
            position &+= UInt64(size)
        }
        ring.free(upTo: end)
    }

    // MARK: Controls

    mutating func add(_ node: LoggerNode, _ choice: LogLevelChoice, at position: UInt64) {
        let recipient = Recipient(node: node, choice: choice, slot: nil)
        recipients.append(protected(recipient, from: position))
    }

    mutating func remove(_ node: LoggerNode) {
        for recipient in recipients where recipient.node === node { release(recipient) }
        recipients.removeAll { $0.node === node }
    }

    mutating func setLevels(_ choice: LogLevelChoice, of node: LoggerNode) {
        for index in recipients.indices
        where recipients[index].node === node && recipients[index].choice.number < choice.number {
            recipients[index].choice = choice
            recipients[index].slot?.levels = choice.levels.rawValue
        }
    }

    /// Tells the journal again what the loggers want: a level was declared.
    func resolveLevels() {
        for recipient in recipients { recipient.slot?.levels = recipient.choice.levels.rawValue }
    }
}

/// The levels that a logger wants, and the number of that setting: of two that were made at the same time the
/// one with the higher number holds, in whatever order they come.
struct LogLevelChoice: Sendable {
    var levels = LogLevelMask.all
    var number = 0
}

/// Something that happens between two messages, in their order.
final class ControlBox: Sendable {
    let action: @Sendable (inout Drain) -> Void
    init(_ action: @escaping @Sendable (inout Drain) -> Void) { self.action = action }
}

/// The lock around the drain: whoever holds it is the ring's only consumer.
///
/// No hook runs under it.
///
/// What the ring's consumer owns asks at each entrance, in debug builds, whether the calling thread holds the
/// lock.
final class DrainLock: Sendable {
    // MARK: Atomics (any thread)
    /// The thread that holds the lock, as `hw_thread_current` says; 0 for none, and always in release builds.
    private let holder = Atomic<UInt>(0)

    // MARK: Guarded by 'drain'
    private let drain: Locked<Drain>

    init(_ drain: sending Drain) { self.drain = Locked(drain) }

    /// Whether the calling thread holds the lock; not known in release builds.
    var isHeldHere: Bool { holder.load(ordering: .relaxed) == UInt(bitPattern: hw_thread_current()) }

    /// Calls `body` with the drain while no other thread has it.
    @inline(__always)
    func withLock<Result, Failure: Error>(
        _ body: (inout Drain) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try drain.withLock { (drain) throws(Failure) in
            assert(setHolder(UInt(bitPattern: hw_thread_current())))
            defer { assert(setHolder(0)) }
            return try body(&drain)
        }
    }

    private func setHolder(_ thread: UInt) -> Bool {
        holder.store(thread, ordering: .relaxed)
        return true
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: drain) }
}
