import CHeartwood
import Synchronization

/// How far one logger is with the records of a journal, and what it is just writing.
///
/// It is in the file, so that another process sees it when this one is dead. Its owner is the logger's
/// running thread; `done` is also moved by the drain, while nothing is under way for the logger.
///
/// 1. `done` only grows.
/// 2. While a write is made, the intent describes it: it is complete before the write begins, and is cleared
///    after `done` has moved past what was written.
package final class JournalSlot: @unchecked Sendable {  // see the owners above
    private typealias Place = JournalLayout.Slot

    let mapping: JournalMapping
    /// Its number in the journal.
    let index: Int
    private let base: UnsafeMutableRawPointer

    // MARK: Guarded by the node's inbox
    /// The end of the last records that were handed to the logger's queue.
    var pushed: UInt64 = 0

    // MARK: Owned by the drain
    /// The journal does not wait for it: it was too slow.
    var isLagging = false

    init(_ mapping: JournalMapping, index: Int) {
        self.mapping = mapping
        self.index = index
        base = mapping.base + mapping.geometry.slot(index)
    }

    private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        base.load(fromByteOffset: offset, as: type)
    }

    private func text(_ offset: Int, _ size: Int, _ limit: Int) -> String {
        let count = min(Int(load(size, as: UInt32.self)), limit)
        return String(decoding: UnsafeRawBufferPointer(start: base + offset, count: count), as: UTF8.self)
    }

    private func setText(_ text: String, _ offset: Int, _ size: Int, _ limit: Int) {
        let bytes = Array(text.utf8.prefix(limit))
        (base + offset).copyMemory(from: bytes, byteCount: bytes.count)
        base.write(UInt32(bytes.count), at: size)
    }

    // MARK: Whose it is

    var isInUse: Bool { word(Place.state).pointee.load(ordering: .acquiring) == Place.inUse }

    /// Whether it is a logger's, or was one's.
    var isKnown: Bool { word(Place.state).pointee.load(ordering: .acquiring) != Place.free }

    /// What its logger is known by, over restarts.
    var key: String { text(Place.key, Place.keySize, Place.longestKey) }

    /// The levels that the logger wants.
    var levels: UInt32 {
        get { UInt32(truncatingIfNeeded: word(Place.levels).pointee.load(ordering: .relaxed)) }
        set { if mapping.isOurs { word(Place.levels).pointee.store(UInt64(newValue), ordering: .relaxed) } }
    }

    /// How many records were released before the logger had written them.
    var lost: Int {
        get { Int(clamping: word(Place.lost).pointee.load(ordering: .relaxed)) }
        set { if mapping.isOurs { word(Place.lost).pointee.store(UInt64(newValue), ordering: .relaxed) } }
    }

    /// Takes a free slot for a logger that needs the records from `position` on.
    func begin(key: String, levels: UInt32, from position: UInt64) {
        setText(key, Place.key, Place.keySize, Place.longestKey)
        word(Place.done).pointee.store(position, ordering: .relaxed)
        word(Place.intent).pointee.store(0, ordering: .relaxed)
        word(Place.levels).pointee.store(UInt64(levels), ordering: .relaxed)
        word(Place.lost).pointee.store(0, ordering: .relaxed)
        pushed = position
        // Releasing: a slot that is in use is complete.
        word(Place.state).pointee.store(Place.inUse, ordering: .releasing)
    }

    /// The logger needs nothing of this journal any more.
    func end() {
        if mapping.isOurs { word(Place.state).pointee.store(Place.doneWith, ordering: .releasing) }
    }

    // MARK: How far

    var done: UInt64 { word(Place.done).pointee.load(ordering: .acquiring) }

    /// The logger is done with everything before `position`.
    func acknowledge(_ position: UInt64) {
        guard mapping.isOurs else { return }
        let done = word(Place.done)
        var known = done.pointee.load(ordering: .relaxed)
        while known < position {
            let (exchanged, now) = done.pointee.compareExchange(
                expected: known, desired: position, ordering: .releasing)
            if exchanged { return }
            known = now
        }
    }

    /// The logger has left out the message that ends at `end`: it is not for it after a crash, either.
    ///
    /// For a message that the journal no longer keeps this does nothing, unless a message of the same size is
    /// in its place by now: then the slot was released, and is not protected anyway.
    func leaveOut(endingAt end: UInt64, size: Int) {
        guard mapping.isOurs, size > 0 else { return }
        let geometry = mapping.geometry
        let position = end &- UInt64(size)
        let word = mapping.word(geometry.offset(of: position))
        var known = word.pointee.load(ordering: .relaxed)
        while known & 0xFFFF_FFFF == UInt64(size), let decision = JournalDecision(in: known),
            decision.wants(slot: index)
        {
            let (exchanged, now) = word.pointee.compareExchange(
                expected: known, desired: JournalDecision.removing(slot: index, from: known),
                ordering: .relaxed)
            if exchanged { return }
            known = now
        }
    }

    // MARK: A write

    /// How many records one write may have.
    package static let writeLimit = JournalLayout.Slot.entryLimit

    /// Says what is going to be written, and where.
    ///
    /// - Parameters:
    ///   - file: Which file.
    ///   - name: Its name in the logger's directory.
    ///   - size: The bytes that it has.
    ///   - bytes: What is written.
    ///   - start: The place of the write's first byte, in the numbers of `ends`.
    ///   - ends: Where each record ends; ``writeLimit`` of them at most.
    ///   - marks: The mark of each record (`AbstractLogger.journalMark`).
    ///   - isFrame: Whether the records arrive all or none, as in one encrypted frame; then `ends` are not of
    ///     `bytes`.
    package func intend(
        _ file: FileStatus.Identity, _ name: String, size: Int, _ bytes: UnsafeRawBufferPointer,
        from start: Int, ends: ArraySlice<Int>, marks: ArraySlice<UInt64>, isFrame: Bool = false
    ) {
        guard mapping.isOurs else { return }
        base.write(file.device, at: Place.device)
        base.write(file.inode, at: Place.inode)
        base.write(UInt64(size), at: Place.offset)
        setText(name, Place.name, Place.nameSize, Place.longestName)
        let entries = (base + Place.entries).assumingMemoryBound(to: UInt64.self)
        let checks = (base + Place.checks).assumingMemoryBound(to: UInt32.self)
        var index = 0
        if isFrame {
            checks[0] = Intent.check(bytes, 0, bytes.count)
            checks[1] = Intent.check(bytes, 0, min(bytes.count, Intent.frameHead))
            for mark in marks {
                entries[index] =
                    mark >> 3 & 0xFFFF_FFFF | UInt64(UInt32(truncatingIfNeeded: bytes.count)) << 32
                index += 1
            }
        } else {
            var before = 0
            for (end, mark) in zip(ends, marks) {
                let place = end - start
                entries[index] = mark >> 3 & 0xFFFF_FFFF | UInt64(UInt32(truncatingIfNeeded: place)) << 32
                checks[index] = Intent.check(bytes, before, place)
                before = place
                index += 1
            }
        }
        // Releasing: an intent that is seen is complete.
        word(Place.intent).pointee.store(
            UInt64(index) | (isFrame ? Place.frame : 0), ordering: .releasing)
    }

    /// Says that the write is over, and that the records before `mark` are in the file.
    package func settle(upTo mark: UInt64) {
        guard mapping.isOurs else { return }
        acknowledge(mark)
        word(Place.intent).pointee.store(0, ordering: .releasing)
    }

    /// The write that was under way, if there was one; `released` is near the positions that it tells of.
    func intent(near released: UInt64) -> Intent? {
        let state = word(Place.intent).pointee.load(ordering: .acquiring)
        let count = Int(clamping: state & ~Place.frame)
        guard (1...Place.entryLimit).contains(count) else { return nil }
        let isFrame = state & Place.frame != 0
        let entries = (base + Place.entries).assumingMemoryBound(to: UInt64.self)
        let checks = (base + Place.checks).assumingMemoryBound(to: UInt32.self)
        var intent = Intent(
            file: FileStatus.Identity(
                device: load(Place.device, as: UInt64.self), inode: load(Place.inode, as: UInt64.self)),
            name: text(Place.name, Place.nameSize, Place.longestName),
            size: Int(clamping: load(Place.offset, as: UInt64.self)), isFrame: isFrame)
        for index in 0..<count {
            let low = entries[index] & 0xFFFF_FFFF
            // The position whose low bits these are, and which is not far from `released`.
            let distance = Int32(truncatingIfNeeded: Int64(low) - Int64(released >> 3 & 0xFFFF_FFFF))
            let mark = low == 0 ? 0 : released &+ UInt64(bitPattern: Int64(distance) << 3)
            intent.marks.append(mark)
            intent.ends.append(Int(entries[index] >> 32))
        }
        intent.checks = (0..<(isFrame ? 2 : count)).map { checks[$0] }
        return intent
    }
}

extension JournalSlot {
    /// A write that was under way when the process died.
    ///
    /// How much of it arrived is told by the file's bytes, not by its size: another process may have
    /// continued the file.
    package struct Intent: Equatable {
        package var file: FileStatus.Identity
        package var name: String
        /// The bytes that the file had before.
        package var size: Int
        /// Whether the records arrive all or none, as in one encrypted frame.
        package var isFrame = false
        /// Where each record ends in the write, and the mark of each; 0 for those that are no message of the
        /// journal.
        package var ends: [Int] = []
        package var marks: [UInt64] = []
        /// The check of each record's bytes; of a frame, that of all bytes, and that of the first
        /// ``frameHead``.
        package var checks: [UInt32] = []

        /// How many bytes of a frame are its alone: no other frame begins with them.
        static let frameHead = 40

        /// How many bytes the write has.
        package var length: Int { ends.last ?? 0 }

        static func check(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt32 {
            guard let base = bytes.baseAddress, 0 <= start, start <= end, end <= bytes.count else { return 0 }
            let sum = hw_fold_bytes(base + start, end - start, 0)
            return UInt32(truncatingIfNeeded: sum ^ sum >> 32)
        }

        /// What the file has now where the write began, as many bytes as the write has at most.
        package func content(
            of file: Int32, _ calls: SystemCalls
        ) throws(SystemFailure) -> [UInt8] {
            let now = try calls.status(file).size
            return try calls.bytes(min(length, max(0, now - size)), of: file, at: size)
        }

        /// Of a file that has `content` where the write began, ``length`` bytes of it at most: how many bytes
        /// of whole records arrived, up to which mark, and whether a part of one follows them.
        package func arrived(in content: UnsafeRawBufferPointer) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            isFrame ? frameArrived(content) : recordsArrived(content)
        }

        private func recordsArrived(
            _ content: UnsafeRawBufferPointer
        ) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            var result = (bytes: 0, mark: UInt64(0), isTorn: false)
            for (index, end) in ends.enumerated() {
                guard end <= content.count else {
                    // The lines of another process would end in a newline.
                    result.isTorn = content.count > result.bytes && content.last != UInt8(ascii: "\n")
                    break
                }
                guard Intent.check(content, result.bytes, end) == checks[index] else { break }
                result.bytes = end
                result.mark = max(result.mark, marks[index])
            }
            return result
        }

        private func frameArrived(
            _ content: UnsafeRawBufferPointer
        ) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            if content.count >= length, Intent.check(content, 0, length) == checks[0] {
                return (length, marks.max() ?? 0, false)
            }
            let isOurs =
                content.count < Intent.frameHead
                || Intent.check(content, 0, Intent.frameHead) == checks[1]
            return (0, 0, !content.isEmpty && content.count < length && isOurs)
        }
    }
}

/// Which loggers want a message, as their levels were when it was passed on: kept in the message's first
/// word.
///
///     bits  0 ..< 32  size
///     bits 32 ..< 40  kind
///     bit  40         decided: the global queue has passed the message on
///     bits 48 ..< 64  one for each slot of the journal: its logger wants the message
///
/// So a later change of levels, of the filter, or of the loggers themselves cannot change what a crash makes
/// of the message. The bit of a slot is cleared again when the logger's filter or formatter leaves the
/// message out.
struct JournalDecision: Equatable {
    private static let decided: UInt64 = 1 << 40
    private static let firstSlot: UInt64 = 48

    private var slots: UInt64 = 0

    init() {}

    /// What the first word of a message says; nil where the message was not passed on.
    init?(in commit: UInt64) {
        if commit & JournalDecision.decided == 0 { return nil }
        slots = commit >> JournalDecision.firstSlot
    }

    mutating func add(slot index: Int) { slots |= 1 << UInt64(index) }

    func wants(slot index: Int) -> Bool { slots >> UInt64(index) & 1 != 0 }

    /// The first word of a message, with this decision.
    func added(to commit: UInt64) -> UInt64 {
        commit & 0xFF_FFFF_FFFF | JournalDecision.decided | slots << JournalDecision.firstSlot
    }

    /// The first word of a message without one slot.
    static func removing(slot index: Int, from commit: UInt64) -> UInt64 {
        commit & ~(1 << (JournalDecision.firstSlot + UInt64(index)))
    }
}
