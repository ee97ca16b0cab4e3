import CHeartwood
import Dispatch
import Synchronization

/// The bounded queue between the callers and the global queue: many producers, one consumer at a time, no
/// lock.
///
///     base                                     base + capacity
///     |  free (zeros)  | head … records … tail |  free (zeros) |
///
/// Positions count bytes forever; the place of a position is its remainder by the capacity, a power of two. A
/// record is never split: where it does not fit before the end, a filler takes the rest and it begins at the
/// start.
///
/// Invariants:
/// 1. `head <= tail <= head + capacity`. Only producers move `tail`, by one atomic exchange each; only the
///    consumer moves `head`.
/// 2. The bytes from `tail` to `head + capacity` are zero, unless the ring is closed. So the first word of a
///    reserved record is 0 until its producer publishes it, whatever was there before.
/// 3. Publishing is one releasing store of the first word; the consumer reads it acquiring, and so sees the
///    rest.
/// 4. The consumer stops at the first record that is not published: order of reservations = order everywhere.
final class RecordRing: @unchecked Sendable {  // raw memory under the invariants above
    // MARK: Constants (any thread)
    let memory: RingMemory
    /// Tells the positions of one ring from those of another.
    let number = RecordRing.last.add(1, ordering: .relaxed).newValue
    private static let last = Atomic<UInt64>(0)
    private let waitingWord: UnsafeMutablePointer<Atomic<Int>>
    private let asked = Atomic<Int>(0)
    /// The page of the counters and, right after it, the ring: what a journal puts its file in the place of.
    private let region: UnsafeMutableRawPointer
    /// The capacity that was asked for; there may not have been the memory for it.
    let wanted: Int
    /// Whether the calling thread is the consumer; asked in debug builds only.
    private let isConsumer: @Sendable () -> Bool

    var capacity: Int { memory.capacity }
    var maximumRecord: Int { memory.maximumRecord }

    // MARK: Atomics (any thread)
    /// Through a pointer, for the handler of a signal.
    private let consumedWord: UnsafeMutablePointer<Atomic<UInt64>>

    /// Whether a message's text was ever put beside a journal.
    private let large = Atomic<Bool>(false)
    var hasLarge: Bool { large.load(ordering: .relaxed) }
    func noteLarge() { large.store(true, ordering: .relaxed) }

    private let padWord: UnsafeMutablePointer<Atomic<UInt>>

    // MARK: Owned by the consumer
    /// What records are encrypted with; kept for the next journal that has a key.
    private var pad: RingPad?
    /// Whether consumed records stay until they are freed by `free`, as a journal wants it.
    private(set) var keepsConsumed = false
    /// Whether all room is taken, so that the memory can be replaced: nothing is freed.
    private var isClosed = false
    /// Where the records end while the ring is closed.
    private(set) var closedEnd: UInt64?
    /// Memory that was made before the ring was closed, so that it can be opened again in any case.
    private var replacement: UnsafeMutableRawPointer?
    /// Up to where the ring was free when it woke those who wait for room.
    private var wokenAt: UInt64 = 0
    /// Where the journal takes note of what is freed, before it is.
    private var released: UnsafeMutablePointer<Atomic<UInt64>>?

    // MARK: Guarded by 'waiting'
    private let waiting = Locked<[Semaphore]>([])

    // MARK: Guarded by 'controls'
    /// The controls that are in the ring, in their order.
    ///
    /// A journal's file that is cut cannot take them along. What they are, the consumer knows.
    private let controls = Locked<[(position: UInt64, control: any AnyObject & Sendable)]>([])

    static let largest = 1 << 30

    /// Makes an empty ring; `capacity` is rounded up to a power of two between 64 KiB and 1 GiB.
    init(capacity wanted: Int, isConsumer: @escaping @Sendable () -> Bool = { true }) {
        self.isConsumer = isConsumer
        var size = JournalLayout.smallestRing
        while size < min(wanted, RecordRing.largest) { size *= 2 }
        self.wanted = size
        var memory = MemoryMap.fresh(MemoryMap.pageSize + size)
        while memory == nil, size > JournalLayout.smallestRing {
            size /= 2
            memory = MemoryMap.fresh(MemoryMap.pageSize + size)
        }
        // Swift cannot allocate a message's text then, either.
        guard let region = memory ?? MemoryMap.reserve(MemoryMap.pageSize + size) else {
            fatalError("Not enough memory for a record ring of \(ByteCount(size)).")
        }
        self.region = region
        // On cache lines of their own: producers write the one, the consumer the other. Zeros are their
        // beginning.
        padWord = .allocate(capacity: 1)
        padWord.initialize(to: Atomic(0))
        self.memory = RingMemory(
            base: region + MemoryMap.pageSize, capacity: size,
            tail: region + JournalLayout.Counters.tail, head: region + JournalLayout.Counters.head,
            pad: padWord)
        consumedWord = .allocate(capacity: 1)
        consumedWord.initialize(to: Atomic(0))
        waitingWord = .allocate(capacity: 1)
        waitingWord.initialize(to: Atomic(0))
    }

    deinit {
        hw_guard_remove(region)
        munmap(region, MemoryMap.pageSize + memory.capacity)
        consumedWord.deallocate()
        padWord.deallocate()
        waitingWord.deallocate()
    }

    // MARK: - Producers

    /// Where the next record will begin.
    var tail: UInt64 { memory.tailWord.pointee.load(ordering: .sequentiallyConsistent) }

    /// Up to where records were taken.
    var head: UInt64 { memory.headWord.pointee.load(ordering: .sequentiallyConsistent) }

    func address(of position: UInt64) -> UnsafeMutableRawPointer { memory.address(of: position) }

    /// Whether a position is at the ring's first byte: the bytes before it are at the other end of the
    /// memory.
    func isStart(_ position: UInt64) -> Bool { position & UInt64(capacity - 1) == 0 }

    func reserve(_ size: Int) -> (position: UInt64, used: Int)? { memory.reserve(size) }

    func publish(_ position: UInt64, size: Int, kind: RecordView.Kind) {
        memory.publish(position, size: size, kind: kind)
    }

    /// Puts a control into the ring; says how full that was before, or nil when it is full.
    func publish(_ control: any AnyObject & Sendable) -> Int? {
        let room = controls.withLock { controls in
            let room = reserve(16)
            if let room { controls.append((room.position, control)) }
            return room
        }
        guard let room else { return nil }
        publish(room.position, size: 16, kind: .control)
        return room.used
    }

    /// Takes the controls up to a position out of the list.
    func takeControls(upTo position: UInt64) -> [any AnyObject & Sendable] {
        checkConsumer()
        return controls.withLock { controls in
            let taken = controls.prefix { $0.position <= position }.map(\.control)
            controls.removeFirst(taken.count)
            return taken
        }
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: controls) }

    /// Waits until half of the ring or all that there was has been taken from it, or `limit` has passed.
    ///
    /// `wake` wakes the drain, unless it is at work; it is called when the drain and the loggers can see this
    /// waiter.
    func waitForRoom(of size: Int, limit: Duration, wake: () -> Void) {
        let semaphore = Semaphore()
        waiting.withLock { $0.append(semaphore) }
        // Sequentially consistent: either `free` sees this waiter, or the check below sees the room it made.
        waitingWord.pointee.add(1, ordering: .sequentiallyConsistent)
        askForRoom()
        wake()
        if Int(truncatingIfNeeded: tail &- head) + 2 * size > capacity {
            _ = semaphore.wait(upTo: limit)
        }
        waitingWord.pointee.subtract(1, ordering: .relaxed)
        waiting.withLock { $0.removeAll { $0 === semaphore } }
    }

    // MARK: - The consumer

    /// Ends the program, in debug builds, if the calling thread is not the consumer.
    @inline(__always)
    private func checkConsumer(_ entrance: StaticString = #function) {
        assert(isConsumer(), "\(entrance) was called by a thread that does not hold the drain's lock")
    }

    /// The record at a position: nil when nothing was published there yet.
    @inline(__always)
    func record(at position: UInt64) -> (size: Int, kind: RecordView.Kind)? {
        checkConsumer()
        let commit = memory.word(at: position).pointee.load(ordering: .acquiring)
        guard commit != 0, let kind = RecordView.Kind(rawValue: commit >> 32 & 0xFF) else { return nil }
        return (Int(commit & 0xFFFF_FFFF), kind)
    }

    /// Notes in a published message which slots of the journal it is for.
    ///
    /// Not atomic with others: until the message is passed on, only the consumer changes its first word.
    func decide(_ wanted: JournalDecision, at position: UInt64) {
        checkConsumer()
        let word = memory.word(at: position)
        let commit = word.pointee.load(ordering: .relaxed)
        word.pointee.store(wanted.added(to: commit), ordering: .releasing)
    }

    /// Up to where the consumer has come; what it does not keep is free.
    var consumed: UInt64 { consumedWord.pointee.load(ordering: .sequentiallyConsistent) }

    /// Takes note that the consumer needs nothing before `position` any more, and frees it unless it is kept.
    func consume(upTo position: UInt64) {
        checkConsumer()
        if keepsConsumed {
            consumedWord.pointee.store(position, ordering: .sequentiallyConsistent)
        } else {
            free(upTo: position)
        }
    }

    /// Gives the bytes from `head` to `position` back to the producers.
    func free(upTo position: UInt64) {
        checkConsumer()
        let head = memory.headWord.pointee.load(ordering: .relaxed)
        if consumed < position { consumedWord.pointee.store(position, ordering: .sequentiallyConsistent) }
        if isClosed { return }
        let base = memory.base
        var count = Int(truncatingIfNeeded: position &- head)
        // A cut file may have lost its head.
        if count <= 0 || count > capacity { return }
        // Releasing: whoever finds cleared records in a journal finds that they were released as well.
        released?.pointee.store(position, ordering: .releasing)
        let start = Int(head & UInt64(capacity - 1))
        let first = min(count, capacity - start)
        memset(base + start, 0, first)
        count -= first
        if count > 0 { memset(base, 0, count) }
        // The counters are others now.
        if isCut { return }
        // Without new bytes for it, the room cannot be used: it stays taken until there are.
        if let pad, !memory.isPlain,
            !pad.fill(from: head &+ UInt64(capacity), to: position &+ UInt64(capacity))
        {
            return
        }
        // Releasing: the zeros are there before a producer may reserve them. Consistent with `waitForRoom`.
        memory.headWord.pointee.store(position, ordering: .sequentiallyConsistent)
        // Many callers that wake for the room of a few messages take the processors from those who make room.
        if position &- wokenAt < UInt64(capacity / 2) { return }
        wokenAt = position
        wakeWaiters()
    }

    /// Asks the drain for one more look for room before it sleeps: a caller begins to wait, or a logger has
    /// made room.
    func askForRoom() { asked.add(1, ordering: .sequentiallyConsistent) }

    /// How often the drain was asked to look for room.
    var roomRequests: Int { asked.load(ordering: .sequentiallyConsistent) }

    /// Whether a producer waits for room.
    var hasWaiters: Bool { waitingWord.pointee.load(ordering: .sequentiallyConsistent) > 0 }

    /// Wakes those who wait for room: after each half of a ring, and at the end of a look of the drain.
    func wakeWaiters() {
        if hasWaiters { for semaphore in waiting.withLock({ $0 }) { semaphore.signal() } }
    }

    /// How many messages are kept from `position` to `end`, of those that were consumed and a journal's slot
    /// wants.
    func countMessages(from position: UInt64, to end: UInt64, for slot: Int) -> Int {
        checkConsumer()
        var position = position
        var count = 0
        while position < min(end, consumed), let (size, kind) = record(at: position) {
            let commit = memory.word(at: position).pointee.load(ordering: .relaxed)
            if kind == .message, JournalDecision(in: commit)?.wants(slot: slot) ?? true { count += 1 }
            position &+= UInt64(size)
        }
        return count
    }

    /// Decrypts a record that was copied from a position of the ring.
    func decrypt(_ record: RecordView, size: Int, at position: UInt64) {
        checkConsumer()
        if let pad = memory.pad(at: position) { record.joinBody(with: pad, size: size) }
    }

    // MARK: - A file that was cut

    /// Whether the file that the ring was in was cut while it was in use; what was in the ring is gone then.
    ///
    /// The ring is in memory of its own now, and looks full: a call that had reserved room before may still
    /// write to it.
    var isCut: Bool {
        checkConsumer()
        return keepsConsumed && hw_guard_was_hit(region)
    }

    /// Leaves a file that is known to have lost something, as if the ring had met it; false where there is no
    /// memory.
    func leaveFile() -> Bool {
        checkConsumer()
        return isCut || hw_guard_hit(region)
    }

    /// Counts all that is gone as consumed.
    func skipWhatIsGone() {
        checkConsumer()
        if isCut {
            isClosed = true
            // What was freed while the file was lost may have gone into the new counters.
            memory.headWord.pointee.store(tail &- UInt64(capacity), ordering: .sequentiallyConsistent)
        }
        consumedWord.pointee.store(tail, ordering: .sequentiallyConsistent)
    }

    // MARK: - Other memory

    /// Begins to keep what is consumed, and takes all the room there is, so that no producer gets any.
    ///
    /// - Returns: where the records end that were there before; nil, and nothing has changed, where there is
    ///   no memory to put in the ring's place.
    func close() -> UInt64? {
        checkConsumer()
        replacement = MemoryMap.fresh(MemoryMap.pageSize + capacity)
        if replacement == nil { return nil }
        keepsConsumed = true
        isClosed = true
        while true {
            let tail = self.tail
            let end = head &+ UInt64(capacity)
            // Full, or in memory that nobody gets room in.
            if tail &- head >= UInt64(capacity) {
                if !isCut { closedEnd = tail }
                return tail
            }
            let (isTaken, _) = memory.tailWord.pointee.compareExchange(
                expected: tail, desired: end, ordering: .sequentiallyConsistent)
            if isTaken {
                closedEnd = tail
                return tail
            }
        }
    }

    /// A position to begin at in other memory: greater than all that were used, and at the ring's first byte.
    var nextBeginning: UInt64 { (max(tail, consumed) / UInt64(capacity) + 2) * UInt64(capacity) }

    /// Has records encrypted from a position on, or not; false where the pad cannot be made.
    private func usePad(_ pad: JournalPad?, at beginning: UInt64) -> Bool {
        guard let pad else {
            padWord.pointee.store(0, ordering: .sequentiallyConsistent)
            return true
        }
        guard let memory = self.pad ?? RingPad(capacity: capacity) else { return false }
        self.pad = memory
        guard memory.begin(pad, at: beginning) else { return false }
        padWord.pointee.store(UInt(bitPattern: memory.base), ordering: .sequentiallyConsistent)
        return true
    }

    /// Replaces the memory by a file, or by fresh memory without one; the ring is closed and consumed.
    ///
    /// The file's counters say `beginning` already, and so open the ring. Its own memory is left to the file
    /// alone.
    ///
    /// - Returns: false where the file could not be mapped: then the ring goes on in fresh memory.
    func exchange(
        for file: (
            descriptor: Int32, offset: Int, released: UnsafeMutablePointer<Atomic<UInt64>>, pad: JournalPad?
        )?,
        beginning: UInt64
    ) -> Bool {
        checkConsumer()
        let size = MemoryMap.pageSize + capacity
        hw_guard_remove(region)
        consumedWord.pointee.store(beginning, ordering: .sequentiallyConsistent)
        keepsConsumed = file != nil
        isClosed = false
        closedEnd = nil
        released = file?.released
        // Before the ring is open.
        let isPadded = usePad(file?.pad, at: beginning)
        if let file {
            if isPadded, MemoryMap.replace(region, size, by: file.descriptor, from: file.offset) {
                _ = hw_guard_add(
                    region, size, UnsafeRawPointer(consumedWord).assumingMemoryBound(to: UInt64.self),
                    capacity, JournalLayout.Counters.tail, JournalLayout.Counters.head)
                if let replacement { munmap(replacement, size) }
                replacement = nil
                wakeWaiters()
                return true
            }
            keepsConsumed = false
            released = nil
            _ = usePad(nil, at: beginning)
        }
        // Made ready elsewhere: once it is in its place, producers may use it.
        guard let fresh = replacement ?? MemoryMap.fresh(size) else {
            fatalError("Not enough memory for a record ring of \(ByteCount(capacity)) in a forked child.")
        }
        replacement = nil
        fresh.storeBytes(of: beginning, toByteOffset: JournalLayout.Counters.tail, as: UInt64.self)
        fresh.storeBytes(of: beginning, toByteOffset: JournalLayout.Counters.head, as: UInt64.self)
        precondition(hw_move_memory(fresh, region, size), "Cannot replace the record ring's memory.")
        wakeWaiters()
        return file == nil
    }
}
