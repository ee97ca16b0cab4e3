import CHeartwood

/// The keystream for all places of a ring, made before a call needs it: a call then only joins it with its bytes.
///
/// Invariants:
/// 1. Its byte at a place of the ring is that of the position which that place has until it is freed.
/// 2. It is memory of the process alone, and never in a file.
///
/// Owned by the ring's consumer; producers only read what is theirs.
final class RingPad {
    let base: UnsafeMutableRawPointer
    private let capacity: Int
    private var pad: JournalPad?

    /// How much is made at a time.
    private static let piece = 64 * 1024

    /// Nil where there is no memory for it.
    init?(capacity: Int) {
        guard let base = MemoryMap.fresh(capacity) else { return nil }
        self.base = base
        self.capacity = capacity
    }

    deinit { munmap(base, capacity) }

    /// Has the pad be another one's, for a ring that begins at a position; false where it cannot be made.
    func begin(_ pad: JournalPad, at position: UInt64) -> Bool {
        self.pad = pad
        return fill(from: position, to: position &+ UInt64(capacity))
    }

    /// Makes the pad of places that are free again; false where it cannot be made.
    func fill(from start: UInt64, to end: UInt64) -> Bool {
        guard let pad else { return false }
        var position = start
        while position < end {
            let offset = Int(position & UInt64(capacity - 1))
            let count = min(RingPad.piece, Int(end - position), capacity - offset)
            guard let bytes = pad.bytes(.ring, from: position, count: count) else { return false }
            bytes.withUnsafeBytes {
                (base + offset).copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: count)
            }
            position &+= UInt64(count)
        }
        return true
    }
}
