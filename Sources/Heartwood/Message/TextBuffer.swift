/// The bytes that a call writes its message into before they go to the ring.
///
/// Invariants:
/// 1. One buffer has one writer: the interpolation that took it. It is passed on, never shared, while it
///    grows.
/// 2. A buffer that grows is replaced, not moved: a copy of the writer never points at freed memory.
/// 3. A buffer goes back to its thread only when no other reference holds it (`ThreadState.recycle`).
@usableFromInline
final class TextBuffer: @unchecked Sendable {  // written by one owner, then only read
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int

    /// Big enough for nearly every message, small enough to be kept by every thread.
    static let usualCapacity = 1024

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { base.deallocate() }
}
