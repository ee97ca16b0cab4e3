import CHeartwood
import Dispatch
import Synchronization

/// The bounded queue between the callers and the global queue: many producers, one consumer at a time, no lock.
///
///     base                                     base + capacity
///     |  free (zeros)  | head … records … tail |  free (zeros) |
///
/// Positions count bytes for ever; the place of a position is its remainder by the capacity, a power of two. A record
/// is never split: where it does not fit before the end, a filler takes the rest and it begins at the start.
///
/// Invariants:
/// 1. `head <= tail <= head + capacity`. Only producers move `tail`, by one atomic exchange each; only the consumer
///    moves `head`.
/// 2. The bytes from `tail` to `head + capacity` are zero. So the first word of a reserved record is 0 until its
///    producer publishes it, whatever was there before.
/// 3. Publishing is one releasing store of the first word; the consumer reads it acquiring, and so sees the rest.
/// 4. The consumer stops at the first record that is not published: order of reservations = order everywhere.
final class RecordRing: @unchecked Sendable {  // raw memory under the invariants above
    enum Kind: UInt64 {
        case message = 1
        case control = 2
        case filler = 3
    }

    // MARK: Constants (any thread)
    let capacity: Int
    /// A larger record takes another way (`LargeBody`).
    let maximumRecord: Int
    private let mask: UInt64
    private let base: UnsafeMutableRawPointer
    // On cache lines of their own: producers write the one, the consumer the other.
    private let tailWord: UnsafeMutablePointer<Atomic<UInt64>>
    private let headWord: UnsafeMutablePointer<Atomic<UInt64>>
    private let waitingWord: UnsafeMutablePointer<Atomic<Int>>
    private let counters: UnsafeMutableRawPointer

    // MARK: Guarded by 'waiting'
    private let waiting = Locked<[DispatchSemaphore]>([])

    static let smallest = 64 * 1024
    static let largest = 1 << 30

    /// Makes an empty ring; `capacity` is rounded up to a power of two between 64 KiB and 1 GiB.
    init(capacity wanted: Int) {
        var size = RecordRing.smallest
        while size < min(wanted, RecordRing.largest) { size *= 2 }
        capacity = size
        maximumRecord = size / 4
        mask = UInt64(size - 1)
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != UnsafeMutableRawPointer(bitPattern: -1) else {
            fatalError("No memory for a record ring of \(ByteCount(size)): choose a smaller `ringCapacity`.")
        }
        base = memory
        counters = .allocate(byteCount: 384, alignment: 128)
        tailWord = counters.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        headWord = (counters + 128).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        waitingWord = (counters + 256).bindMemory(to: Atomic<Int>.self, capacity: 1)
        tailWord.initialize(to: Atomic(0))
        headWord.initialize(to: Atomic(0))
        waitingWord.initialize(to: Atomic(0))
    }

    deinit {
        munmap(base, capacity)
        counters.deallocate()
    }

    // MARK: - Producers

    /// Where the next record will begin.
    var tail: UInt64 { tailWord.pointee.load(ordering: .sequentiallyConsistent) }

    /// Up to where records were taken.
    var head: UInt64 { headWord.pointee.load(ordering: .sequentiallyConsistent) }

    @inline(__always)
    func address(of position: UInt64) -> UnsafeMutableRawPointer { base + Int(position & mask) }

    /// Reserves `size` bytes, a multiple of 8 and at most `maximumRecord`.
    ///
    /// - Returns: the record's position and how full the ring was before, or nil when it is full.
    @inline(__always)
    func reserve(_ size: Int) -> (position: UInt64, used: Int)? {
        while true {
            let tail = tailWord.pointee.load(ordering: .relaxed)
            let head = headWord.pointee.load(ordering: .acquiring)
            let rest = capacity - Int(tail & mask)
            let filler = size <= rest ? 0 : rest
            let used = Int(truncatingIfNeeded: tail &- head)
            if used + filler + size > capacity {
                // `tail` may be older than `head`: look again, unless the ring really is full.
                if tailWord.pointee.load(ordering: .relaxed) != tail { continue }
                return nil
            }
            // Sequentially consistent, together with the consumer's `sleep`: see `DrainSchedule`.
            let (exchanged, _) = tailWord.pointee.weakCompareExchange(
                expected: tail, desired: tail &+ UInt64(filler + size), ordering: .sequentiallyConsistent)
            if !exchanged { continue }
            if filler > 0 { publish(tail, size: filler, kind: .filler) }
            return (tail &+ UInt64(filler), used)
        }
    }

    /// Makes a reserved and written record visible to the consumer.
    @inline(__always)
    func publish(_ position: UInt64, size: Int, kind: Kind) {
        word(at: position).pointee.store(UInt64(size) | kind.rawValue << 32, ordering: .releasing)
    }

    @inline(__always)
    private func word(at position: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        address(of: position).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Waits until something was taken from the ring, or `limit` has passed.
    func waitForRoom(of size: Int, limit: Duration) {
        let semaphore = DispatchSemaphore(value: 0)
        waiting.withLock { $0.append(semaphore) }
        // Sequentially consistent: either `free` sees this waiter, or the check below sees the room it made.
        waitingWord.pointee.add(1, ordering: .sequentiallyConsistent)
        if Int(truncatingIfNeeded: tail &- head) + 2 * size > capacity {
            _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.nanoseconds)))
        }
        waitingWord.pointee.subtract(1, ordering: .relaxed)
        waiting.withLock { $0.removeAll { $0 === semaphore } }
    }

    // MARK: - The consumer

    /// What stands at a position: nil when nothing was published there yet.
    @inline(__always)
    func record(at position: UInt64) -> (size: Int, kind: Kind)? {
        let commit = word(at: position).pointee.load(ordering: .acquiring)
        guard commit != 0, let kind = Kind(rawValue: commit >> 32) else { return nil }
        return (Int(commit & 0xFFFF_FFFF), kind)
    }

    /// Gives the bytes from `head` to `position` back to the producers.
    func free(upTo position: UInt64) {
        let head = headWord.pointee.load(ordering: .relaxed)
        var count = Int(position &- head)
        if count == 0 { return }
        let start = Int(head & mask)
        let first = min(count, capacity - start)
        memset(base + start, 0, first)
        count -= first
        if count > 0 { memset(base, 0, count) }
        // Releasing: the zeros are there before a producer may reserve them. Consistent with `waitForRoom`.
        headWord.pointee.store(position, ordering: .sequentiallyConsistent)
        if waitingWord.pointee.load(ordering: .sequentiallyConsistent) > 0 {
            for semaphore in waiting.withLock({ $0 }) { semaphore.signal() }
        }
    }
}
