import Synchronization

/// Text and fields of a message that is too large for the ring.
final class LargeBody: @unchecked Sendable {  // written before it is shared, then only read
    let bytes: UnsafeMutableRawBufferPointer
    /// Called once when the bytes are no longer the ring's: from then on the loggers' backlogs count them.
    private let onLeavingRing: @Sendable (Int) -> Void
    private let hasLeft = Atomic<Bool>(false)

    init(count: Int, onLeavingRing: @escaping @Sendable (Int) -> Void) {
        bytes = .allocate(byteCount: count, alignment: 8)
        self.onLeavingRing = onLeavingRing
    }

    deinit {
        leaveRing()
        bytes.deallocate()
    }

    func leaveRing() {
        if !hasLeft.exchange(true, ordering: .relaxed) { onLeavingRing(bytes.count) }
    }
}
