import CHeartwood
import Synchronization

/// The memory of a `RecordRing` as its producers see it: plain values, so that a call counts no references.
///
/// Valid as long as its ring. The invariants are the ring's.
struct RingMemory {
    let base: UnsafeMutableRawPointer
    let capacity: Int
    /// A larger record takes another way (`LargeBody`).
    let maximumRecord: Int
    private let mask: UInt64
    /// Of a fill level, gives the number of the quarter it is in.
    let quarterShift: Int
    /// After it, on the same cache line, is the salt of the journal that the memory belongs to; 0 for none.
    let tailWord: UnsafeMutablePointer<Atomic<UInt64>>
    let headWord: UnsafeMutablePointer<Atomic<UInt64>>
    /// The address of the pad that records are encrypted with; 0 where they are not.
    let padWord: UnsafeMutablePointer<Atomic<UInt>>

    init(
        base: UnsafeMutableRawPointer, capacity: Int, tail: UnsafeMutablePointer<Atomic<UInt64>>,
        head: UnsafeMutablePointer<Atomic<UInt64>>, pad: UnsafeMutablePointer<Atomic<UInt>>
    ) {
        self.base = base
        self.capacity = capacity
        maximumRecord = capacity / 4
        mask = UInt64(capacity - 1)
        quarterShift = (capacity / 4).trailingZeroBitCount
        tailWord = tail
        headWord = head
        padWord = pad
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
        while true {
            let tail = tailWord.pointee.load(ordering: .relaxed)
            let head = headWord.pointee.load(ordering: .acquiring)
            let rest = capacity &- Int(truncatingIfNeeded: tail & mask)
            let filler = size <= rest ? 0 : rest
            let used = Int(truncatingIfNeeded: tail &- head)
            if used &+ filler &+ size > capacity {
                // `tail` may be older than `head`: look again, unless the ring really is full.
                if tailWord.pointee.load(ordering: .relaxed) != tail { continue }
                return nil
            }
            // Sequentially consistent, together with the drain's falling asleep: see `DrainSchedule`.
            let (exchanged, _) = tailWord.pointee.weakCompareExchange(
                expected: tail, desired: tail &+ UInt64(truncatingIfNeeded: filler &+ size),
                ordering: .sequentiallyConsistent)
            if !exchanged { continue }
            if filler > 0 { publish(tail, size: filler, kind: .filler) }
            return (tail &+ UInt64(truncatingIfNeeded: filler), used)
        }
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

    /// Completes a record for the journal, before it is published.
    @inline(__always)
    private func mark(_ position: UInt64, _ size: Int, _ salt: UInt64) {
        RecordView(address(of: position)).stamp(position, salt)
        if JournalLayout.isInTwoPages(position, size) { seal(position, salt) }
    }

    @inline(never)
    private func seal(_ position: UInt64, _ salt: UInt64) {
        let record = RecordView(address(of: position))
        record.seal(position, salt, copy: record)
    }

    /// Makes a reserved and written record visible to the consumer.
    @inline(__always)
    func publish(_ position: UInt64, size: Int, kind: RecordView.Kind) {
        if kind == .message {
            let salt = (tailWord + 1).pointee.load(ordering: .relaxed)
            if salt != 0 { mark(position, size, salt) }
        }
        word(at: position).pointee.store(
            UInt64(truncatingIfNeeded: size) | kind.rawValue << 32, ordering: .releasing)
    }
}
