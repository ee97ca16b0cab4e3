import CHeartwood

// A message as bytes, from the call to the formatter.
//
//    0  commit      8   0 while it is being written; then size | kind << 32 (RecordRing)
//    8  time        8   cycle counter, or ns since 1970 (flag .wallTime); ns since 1970 once drained
//   16  thread      8   the kernel's number
//   24  context     8
//   32  site        4   CallSiteTable
//   36  category    4   CategoryRegistry
//   40  text size   4
//   44  fields size 4
//   48  level       1   the number of its bit
//   49  flags       1
//   50  name, queue, task sizes   1 + 1 + 1
//   53  place       3   low bits of position / 8, in a journal; else zero
//   56  sequence    8   set by the drain; in a journal's ring, the stamp of the record, then its check
//   64  [tag 8] name, queue label, task name, then text and fields, or [large 8] in their place
//
// The whole is padded to a multiple of 8. `tag` and `large` are owned references (+1): the tag's box, and the
// `LargeBody` of a message that is too big for the ring. Everything else is data.

/// Reads and writes the fields of one record, wherever its bytes are.
///
/// Nothing else knows where a field is but `hw_ring_put`, which writes the usual record; the first word while
/// a record is in the ring is `RecordRing`'s. All of it is inlined to plain loads and stores.
struct RecordView {
    /// What a record in the ring is.
    enum Kind: UInt64 {
        case message = 1
        case control = 2
        case filler = 3
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// `time` is on the wall clock already.
        static let wallTime = Flags(rawValue: 1)
        /// A tag's box comes first in the body.
        static let tag = Flags(rawValue: 2)
        /// Text and fields are in a `LargeBody`.
        static let large = Flags(rawValue: 4)
        /// The call was made in a hook of a logger or formatter.
        static let reentrant = Flags(rawValue: 8)
        /// It owns objects.
        static let references: Flags = [.tag, .large]
    }

    private enum Offset {
        static let commit = 0
        static let time = 8
        static let thread = 16
        static let context = 24
        static let site = 32
        static let category = 36
        static let textSize = 40
        static let fieldsSize = 44
        static let level = 48
        static let flags = 49
        static let nameSizes = 50
        static let taskSize = 52
        static let sequence = 56
    }

    /// The bytes before the body.
    static let header = 64
    /// How many names come first in the body, after a tag.
    static let nameCount = 3

    /// The first byte, at a multiple of 8.
    let base: UnsafeMutableRawPointer

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    /// A record that is only read.
    @inline(__always)
    init(_ base: UnsafeRawPointer) { self.base = UnsafeMutableRawPointer(mutating: base) }

    /// The size of a record whose parts take `size` bytes.
    @inline(__always)
    static func padded(_ size: Int) -> Int { (size &+ 7) & ~7 }

    @inline(__always)
    private func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
        base.load(fromByteOffset: offset, as: type)
    }

    @inline(__always)
    private func store<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
        base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    // MARK: - Fields

    /// The size of a record that has left the ring, as its first word says.
    @inline(__always)
    var size: Int {
        get { Int(load(Offset.commit, as: UInt64.self)) }
        nonmutating set { store(UInt64(newValue), Offset.commit) }
    }

    /// The size of a message that is still in the ring, as its first word says beside other things.
    @inline(__always)
    var publishedSize: Int { Int(load(Offset.commit, as: UInt64.self) & 0xFFFF_FFFF) }

    @inline(__always)
    var time: UInt64 {
        get { load(Offset.time) }
        nonmutating set { store(newValue, Offset.time) }
    }

    @inline(__always)
    var thread: UInt64 {
        get { load(Offset.thread) }
        nonmutating set { store(newValue, Offset.thread) }
    }

    @inline(__always)
    var context: Int64 {
        get { load(Offset.context) }
        nonmutating set { store(newValue, Offset.context) }
    }

    @inline(__always)
    var site: UInt32 {
        get { load(Offset.site) }
        nonmutating set { store(newValue, Offset.site) }
    }

    @inline(__always)
    var category: UInt32 {
        get { load(Offset.category) }
        nonmutating set { store(newValue, Offset.category) }
    }

    @inline(__always)
    var textSize: Int {
        get { Int(load(Offset.textSize, as: UInt32.self)) }
        nonmutating set { store(UInt32(truncatingIfNeeded: newValue), Offset.textSize) }
    }

    @inline(__always)
    var fieldsSize: Int {
        get { Int(load(Offset.fieldsSize, as: UInt32.self)) }
        nonmutating set { store(UInt32(truncatingIfNeeded: newValue), Offset.fieldsSize) }
    }

    /// The number of the level's bit as it is there, which a damaged journal may have wrong.
    @inline(__always)
    var level: Int {
        get { Int(load(Offset.level, as: UInt8.self)) }
        nonmutating set { store(UInt8(truncatingIfNeeded: newValue), Offset.level) }
    }

    /// The level's bit.
    @inline(__always)
    var levelBit: UInt32 { 1 << UInt32(level & 31) }

    @inline(__always)
    var flags: Flags {
        get { Flags(rawValue: load(Offset.flags)) }
        nonmutating set { store(newValue.rawValue, Offset.flags) }
    }

    @inline(__always)
    var sequence: UInt64 {
        get { load(Offset.sequence) }
        nonmutating set { store(newValue, Offset.sequence) }
    }

    /// Low bits of the record's position in a journal's ring, divided by 8.
    @inline(__always)
    var place: UInt64 { UInt64(load(Offset.taskSize, as: UInt32.self) >> 8) }

    // MARK: - Names

    /// The size of the name of the thread (0), the queue (1) or the task (2).
    @inline(__always)
    func nameSize(_ index: Int) -> Int { Int(load(Offset.nameSizes + index, as: UInt8.self)) }

    @inline(__always)
    func setNameSize(_ index: Int, _ size: Int) {
        store(UInt8(truncatingIfNeeded: size), Offset.nameSizes + index)
    }

    /// The sizes of all three.
    @inline(__always)
    var namesSize: Int { nameSize(0) + nameSize(1) + nameSize(2) }

    // MARK: - All at once

    /// Makes all fields zero.
    func clear() { memset(base, 0, RecordView.header) }

    // MARK: - The body

    /// Where text and fields are, which a journal's check is of; none where they are not in the record.
    var body: (offset: Int, count: Int) {
        let flags = flags
        let offset = RecordView.header + (flags.contains(.tag) ? 8 : 0) + namesSize
        return (offset, flags.contains(.large) ? 0 : textSize + fieldsSize)
    }

    // MARK: - In a journal

    // In the place of the sequence, which a record in a ring does not have yet.

    /// Marks a complete record, before it is published, as that of its position.
    @inline(__always)
    func stamp(_ position: UInt64, _ salt: UInt64) {
        store(load(Offset.level, as: UInt64.self) | (position >> 3) << 40, Offset.level)
        store(position ^ salt, Offset.sequence)
    }

    /// Whether its parts have exactly this size together.
    func hasSize(of size: Int) -> Bool {
        let body = body
        return size == RecordView.padded(body.offset + (flags.contains(.large) ? 8 : body.count))
    }

    /// Whether it was published at this position, and not sealed yet.
    func isStamped(_ position: UInt64, _ salt: UInt64) -> Bool { sequence == position ^ salt }

    /// Puts the check of a stamped record, which `copy` has the bytes of, in the place of its stamp: in one
    /// store.
    @inline(__always)
    func seal(_ position: UInt64, _ salt: UInt64, copy: RecordView) {
        store(copy.check(position, salt), Offset.sequence)
    }

    /// Whether its bytes are those that were sealed at this position.
    func isSealed(_ position: UInt64, _ salt: UInt64) -> Bool { sequence == check(position, salt) }

    @inline(__always)
    private func check(_ position: UInt64, _ salt: UInt64) -> UInt64 {
        let body = body
        return hw_record_check(base, base + body.offset, body.count, position ^ salt)
    }

    /// Joins what is after the fields with as many bytes of a pad, which begins where the record does:
    /// encrypts or decrypts.
    func joinBody(with pad: UnsafeRawPointer, size: Int) {
        var offset = RecordView.header
        while offset < size {
            store(load(offset, as: UInt64.self) ^ pad.load(fromByteOffset: offset, as: UInt64.self), offset)
            offset &+= 8
        }
    }

    // MARK: - References

    /// What it owns.
    var references: (tag: Unmanaged<TagBox>?, large: Unmanaged<LargeBody>?) {
        let flags = flags
        if flags.isDisjoint(with: .references) { return (nil, nil) }
        var offset = RecordView.header
        var tag: Unmanaged<TagBox>?
        if flags.contains(.tag) {
            tag = .fromOpaque(base.loadUnaligned(fromByteOffset: offset, as: UnsafeRawPointer.self))
            offset += 8
        }
        guard flags.contains(.large) else { return (tag, nil) }
        offset += namesSize
        return (tag, .fromOpaque(base.loadUnaligned(fromByteOffset: offset, as: UnsafeRawPointer.self)))
    }

    /// Releases what it owns.
    func releaseReferences() {
        let (tag, large) = references
        tag?.release()
        large?.release()
    }

    /// Makes a second record own what this one owns.
    func retainReferences() {
        let (tag, large) = references
        _ = tag?.retain()
        _ = large?.retain()
    }

    /// Takes what it owns off the ring's account.
    func leaveRing() {
        let (tag, large) = references
        tag?._withUnsafeGuaranteedRef { $0.leaveRing() }
        large?._withUnsafeGuaranteedRef { $0.leaveRing() }
    }
}
