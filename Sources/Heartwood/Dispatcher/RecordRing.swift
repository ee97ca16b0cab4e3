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
    let memory: RingMemory
    private let waitingWord: UnsafeMutablePointer<Atomic<Int>>
    private let counters: UnsafeMutableRawPointer

    var capacity: Int { memory.capacity }
    var maximumRecord: Int { memory.maximumRecord }

    // MARK: Guarded by 'waiting'
    private let waiting = Locked<[DispatchSemaphore]>([])

    static let smallest = 64 * 1024
    static let largest = 1 << 30

    /// Makes an empty ring; `capacity` is rounded up to a power of two between 64 KiB and 1 GiB.
    init(capacity wanted: Int) {
        var size = RecordRing.smallest
        while size < min(wanted, RecordRing.largest) { size *= 2 }
        let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base, base != UnsafeMutableRawPointer(bitPattern: -1) else {
            fatalError("No memory for a record ring of \(ByteCount(size)): choose a smaller `ringCapacity`.")
        }
        // On cache lines of their own: producers write the one, the consumer the other.
        counters = .allocate(byteCount: 384, alignment: 128)
        memory = RingMemory(
            base: base, capacity: size,
            tail: counters.bindMemory(to: Atomic<UInt64>.self, capacity: 1),
            head: (counters + 128).bindMemory(to: Atomic<UInt64>.self, capacity: 1))
        waitingWord = (counters + 256).bindMemory(to: Atomic<Int>.self, capacity: 1)
        memory.tailWord.initialize(to: Atomic(0))
        memory.headWord.initialize(to: Atomic(0))
        waitingWord.initialize(to: Atomic(0))
    }

    deinit {
        munmap(memory.base, memory.capacity)
        counters.deallocate()
    }

    // MARK: - Producers

    /// Where the next record will begin.
    var tail: UInt64 { memory.tailWord.pointee.load(ordering: .sequentiallyConsistent) }

    /// Up to where records were taken.
    var head: UInt64 { memory.headWord.pointee.load(ordering: .sequentiallyConsistent) }

    func address(of position: UInt64) -> UnsafeMutableRawPointer { memory.address(of: position) }

    /// Whether a position is at the ring's first byte: what stands before it is at the other end of the memory.
    func isStart(_ position: UInt64) -> Bool { position & UInt64(capacity - 1) == 0 }

    func reserve(_ size: Int) -> (position: UInt64, used: Int)? { memory.reserve(size) }

    func publish(_ position: UInt64, size: Int, kind: Kind) {
        memory.publish(position, size: size, kind: kind)
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
        let commit = memory.word(at: position).pointee.load(ordering: .acquiring)
        guard commit != 0, let kind = Kind(rawValue: commit >> 32) else { return nil }
        return (Int(commit & 0xFFFF_FFFF), kind)
    }

    /// Gives the bytes from `head` to `position` back to the producers.
    func free(upTo position: UInt64) {
        let head = memory.headWord.pointee.load(ordering: .relaxed)
        let base = memory.base
        var count = Int(position &- head)
        if count == 0 { return }
        let start = Int(head & UInt64(capacity - 1))
        let first = min(count, capacity - start)
        memset(base + start, 0, first)
        count -= first
        if count > 0 { memset(base, 0, count) }
        // Releasing: the zeros are there before a producer may reserve them. Consistent with `waitForRoom`.
        memory.headWord.pointee.store(position, ordering: .sequentiallyConsistent)
        if waitingWord.pointee.load(ordering: .sequentiallyConsistent) > 0 {
            for semaphore in waiting.withLock({ $0 }) { semaphore.signal() }
        }
    }
}
