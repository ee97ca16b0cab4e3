import CHeartwood
import Synchronization

/// The memory of a `RecordRing` as its producers see it: plain values, so that a call counts no references.
///
/// Valid as long as its ring. The invariants are the ring's.
struct RingMemory {
    /// What its producers touch: see `hw_ring`, which reserves room in it.
    let shared: hw_ring
    private let mask: UInt64
    /// Of a fill level, gives the number of the quarter it is in.
    let quarterShift: Int

    var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(shared.base) }
    var capacity: Int { Int(shared.capacity) }
    /// A larger record takes another way (`LargeBody`).
    var maximumRecord: Int { Int(shared.maximum_record) }
    /// After it, on the same cache line, is the salt of the journal that the memory belongs to; 0 for none.
    var tailWord: UnsafeMutablePointer<Atomic<UInt64>> { RingMemory.atomic(shared.tail) }
    var headWord: UnsafeMutablePointer<Atomic<UInt64>> { RingMemory.atomic(shared.head) }
    /// The address of the pad that records are encrypted with; 0 where they are not.
    var padWord: UnsafeMutablePointer<Atomic<UInt>> { RingMemory.atomic(shared.pad) }

    @inline(__always)
    private static func atomic<Value>(_ word: UnsafeMutablePointer<Value>) -> UnsafeMutablePointer<
        Atomic<Value>
    > {
        UnsafeMutableRawPointer(word).assumingMemoryBound(to: Atomic<Value>.self)
    }

    init(
        base: UnsafeMutableRawPointer, capacity: Int, tail: UnsafeMutableRawPointer,
        head: UnsafeMutableRawPointer, pad: UnsafeMutableRawPointer
    ) {
        shared = hw_ring(
            base: base.assumingMemoryBound(to: UInt8.self), capacity: Int64(capacity),
            maximum_record: Int64(capacity / 4), tail: tail.assumingMemoryBound(to: UInt64.self),
            head: head.assumingMemoryBound(to: UInt64.self), pad: pad.assumingMemoryBound(to: UInt.self))
        mask = UInt64(capacity - 1)
        quarterShift = (capacity / 4).trailingZeroBitCount
    }

    @inline(__always)
    func address(of position: UInt64) -> UnsafeMutableRawPointer {
        base + Int(truncatingIfNeeded: position & mask)
    }

    @inline(__always)
    func word(at position: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        address(of: position).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Reserves `size` bytes, a multiple of 8 and at most `maximumRecord`.
    ///
    /// - Returns: the record's position and how full the ring was before, or nil when it is full.
    @inline(__always)
    func reserve(_ size: Int) -> (position: UInt64, used: Int)? {
        var position: UInt64 = 0
        let used = withUnsafePointer(to: shared) { hw_ring_reserve($0, Int64(size), &position) }
        return used < 0 ? nil : (position, Int(used))
    }

    /// Whether records are written as they are: without a journal, or one that has no key.
    @inline(__always)
    var isPlain: Bool { padWord.pointee.load(ordering: .relaxed) == 0 }

    /// The pad of the record at a position; nil where there is none.
    @inline(__always)
    func pad(at position: UInt64) -> UnsafeRawPointer? {
        // Acquiring: what the pad has for a place is there before the place can be reserved.
        UnsafeRawPointer(bitPattern: padWord.pointee.load(ordering: .acquiring)).map {
            $0 + Int(truncatingIfNeeded: position & mask)
        }
    }

    /// Writes a call to the room that was reserved for it, everything but the first word.
    ///
    /// Its twin is `hw_ring_put` in C, for a text alone; `RecordRingTests.plain` holds the two equal.
    @inline(__always)
    func write(_ call: Call, _ size: Int, at position: UInt64) {
        if isPlain { call.write(to: address(of: position)) } else { writeEncrypted(call, size, at: position) }
    }

    /// The text never is in the file as it was logged, not even for a moment.
    @inline(never)
    private func writeEncrypted(_ call: Call, _ size: Int, at position: UInt64) {
        guard let pad = pad(at: position) else { return call.write(to: address(of: position)) }
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
            guard let base = room.baseAddress else { return }
            memset(base, 0, size)
            call.write(to: base)
            RecordView(base).joinBody(with: pad, size: size)
            (address(of: position) + 8).copyMemory(from: base + 8, byteCount: size - 8)
        }
    }

    /// Makes a reserved and written record visible to the consumer.
    @inline(__always)
    func publish(_ position: UInt64, size: Int, kind: RecordView.Kind) {
        let record = RecordView(address(of: position))
        if kind == .message {
            let salt = (tailWord + 1).pointee.load(ordering: .relaxed)
            if salt != 0 { RingMemory.mark(record, at: position, size, salt) }
        }
        word(at: position).pointee.store(
            UInt64(truncatingIfNeeded: size) | kind.rawValue << 32, ordering: .releasing)
    }

    /// Completes a record for the journal, before it is published.
    // Static, as the memory of a call would be copied onto its stack otherwise.
    private static func mark(_ record: RecordView, at position: UInt64, _ size: Int, _ salt: UInt64) {
        record.stamp(position, salt)
        if JournalLayout.isInTwoPages(position, size) { record.seal(position, salt, copy: record) }
    }
}

/// The places in the order of messages where some found no room in the ring.
///
/// A place is the ring's tail at the time: what was reserved before it came before the message that is
/// missing, and what its thread logs later comes after it.
final class RingGaps: Sendable {
    // MARK: Atomics (any thread)
    private let count = Atomic<Int>(0)

    // MARK: Guarded by 'places'
    private let places = Locked<[(position: UInt64, count: Int)]>([])

    /// Whether there are places that the drain has not passed yet.
    var isPending: Bool { count.load(ordering: .sequentiallyConsistent) != 0 }

    /// Takes note that a message is missing at the ring's tail.
    func note(at tail: () -> UInt64) {
        places.withLock { places in
            let position = tail()
            if let last = places.last, last.position == position {
                places[places.count - 1].count += 1
            } else {
                places.append((position, 1))
                count.store(places.count, ordering: .sequentiallyConsistent)
            }
        }
    }

    /// The first place, if there is one.
    var next: UInt64? { isPending ? places.withLock { $0.first?.position } : nil }

    /// Takes the places up to `position` away; returns how many messages are missing there.
    func take(upTo position: UInt64) -> Int {
        if !isPending { return 0 }
        return places.withLock { places in
            let passed = places.prefix { $0.position <= position }
            places.removeFirst(passed.count)
            count.store(places.count, ordering: .sequentiallyConsistent)
            return passed.reduce(0) { $0 + $1.count }
        }
    }
}
