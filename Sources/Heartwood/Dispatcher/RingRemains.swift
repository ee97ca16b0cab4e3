import CHeartwood
import Synchronization

/// What is left of a ring whose file was cut, or could not take a page: the bytes that the file still has, and those that
/// calls have written since.
///
///     before   the ring's memory is the file
///     then     a page is gone: the ring's memory is zeros of the process alone, and full, so that no call gets room
///
/// Invariants:
/// 1. A byte of a record was written once: to the file or to the zeros, which were both zero before. So both together,
///    joined by `or`, are what was logged, unless the file has lost it.
/// 2. A message is handed out only if its bytes are within what the file still has, and it is whole: its place says so
///    (stamp or check), or it was published after the file was lost.
final class RingRemains {
    /// A record that is whole, or known to be none; `size` is how far the next one is.
    enum Found {
        case message(RecordBatch)
        case other(size: Int)
        /// A message that was published, and is gone.
        case vanished(size: Int)
        /// Nothing that is known; `size` is where to look next.
        case nothing(size: Int)
    }

    private let memory: RingMemory
    private let old: UnsafeMutableRawPointer
    /// How much of the ring the file still has.
    private let stored: Int
    private let salt: UInt64
    /// Where the records end, as far as that is known: the file may have lost the ring's counters.
    let end: UInt64
    /// Whether all calls that had room have their records before `end`.
    let isEndKnown: Bool

    private static let page = MemoryMap.pageSize
    private var size: Int { RingRemains.page + memory.capacity }

    /// Reads what the file has; nil where there is no memory for it.
    ///
    /// - Parameters:
    ///   - memory: The ring's, which is zeros now.
    ///   - journal: The file.
    ///   - consumed: Up to where records have been handed out.
    ///   - closed: Where the records ended when the ring was closed; nil if it was open.
    ///   - known: A place that the tail has reached, for a file that has lost its counters.
    init?(
        _ memory: RingMemory, _ journal: JournalFile, consumed: UInt64, closed: UInt64?, known: UInt64
    ) {
        let size = RingRemains.page + memory.capacity
        guard let old = MemoryMap.fresh(size) else { return nil }
        let offset = journal.mapping.geometry.counters
        var count = 0
        while count < size {
            let got = pread(journal.mapping.descriptor, old + count, size - count, off_t(offset + count))
            if got < 0, hw_errno() == EINTR { continue }
            if got <= 0 { break }
            count += got
        }
        // Of what was cut, an empty part may have been added again.
        let isSame =
            count >= RingRemains.page
            && old.load(fromByteOffset: JournalLayout.Counters.salt, as: UInt64.self) == journal.salt
        let tail = closed ?? old.load(fromByteOffset: JournalLayout.Counters.tail, as: UInt64.self)
        let isPlausible = tail >= consumed && tail - consumed <= UInt64(memory.capacity)
        self.memory = memory
        self.old = old
        salt = journal.salt
        stored = isSame ? count - RingRemains.page : 0
        isEndKnown = (isSame || closed != nil) && isPlausible
        end = isEndKnown ? tail : max(known, consumed)
    }

    deinit { munmap(old, size) }

    // MARK: - Words

    private func offset(_ position: UInt64) -> Int {
        Int(truncatingIfNeeded: position & UInt64(memory.capacity - 1))
    }

    /// The first word that a call has published since the file was lost; 0 for none.
    private func latest(_ position: UInt64) -> UInt64 {
        memory.word(at: position).pointee.load(ordering: .acquiring)
    }

    /// What the first word at a position says, if it can be a record's.
    private func published(_ position: UInt64) -> (size: Int, kind: RecordView.Kind)? {
        let offset = offset(position)
        let commit = old.load(fromByteOffset: RingRemains.page + offset, as: UInt64.self) | latest(position)
        let size = Int(commit & 0xFFFF_FFFF)
        guard commit != 0, let kind = RecordView.Kind(rawValue: commit >> 32 & 0xFF), size >= 8,
            size % 8 == 0, size <= min(memory.capacity - offset, Int(end - position))
        else { return nil }
        return (size, kind)
    }

    // MARK: - Records

    /// Where the first record from a position on is that was reserved, and not published.
    func reach(from position: UInt64) -> UInt64 {
        var position = position
        while position < end, let (size, _) = published(position) { position &+= UInt64(size) }
        return position
    }

    /// What there is at a position; `isInGap` where it is not known that a record begins there.
    func record(at position: UInt64, isInGap: Bool) -> Found {
        let offset = offset(position)
        if offset >= stored, isInGap || published(position) == nil {
            // The file has no more; its ring begins again with what may be whole.
            return .nothing(size: min(memory.capacity - offset, Int(end - position)))
        }
        guard let (size, kind) = published(position), kind == .message || !isInGap else {
            return .nothing(size: 8)
        }
        if kind != .message { return .other(size: size) }
        if size >= RecordView.header, offset + size <= stored {
            let batch = RecordBatch(capacity: size)
            for place in stride(from: 0, to: size, by: 8) {
                let word = old.load(fromByteOffset: RingRemains.page + offset + place, as: UInt64.self)
                let later = memory.address(of: position).load(fromByteOffset: place, as: UInt64.self)
                batch.base.storeBytes(of: word | later, toByteOffset: place, as: UInt64.self)
            }
            batch.size = size
            batch.end = position &+ UInt64(size)
            let record = RecordView(batch.base)
            // Without a salt in the ring's counters, a call makes no stamp.
            let isLate = !isInGap && latest(position) != 0 && record.hasSize(of: size)
            if isLate || record.isWhole(at: position, size: size, salt) { return .message(batch) }
        }
        return isInGap ? .nothing(size: 8) : .vanished(size: size)
    }
}
