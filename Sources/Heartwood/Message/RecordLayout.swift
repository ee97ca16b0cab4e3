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
//   56  sequence    8   set by the drain; before that, in a journal, the record's check
//   64  [tag 8] name, queue label, task name, then text and fields, or [large 8] in their place
//
// The whole is padded to a multiple of 8. `tag` and `large` are owned references (+1): the tag's box, and the
// `LargeBody` of a message that is too big for the ring. Everything else is data.

enum RecordLayout {
    /// What a record in the ring is.
    enum Kind: UInt64 {
        case message = 1
        case control = 2
        case filler = 3
    }

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
    static let nameSize = 50
    static let queueSize = 51
    static let taskSize = 52
    static let sequence = 56
    static let header = 64

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
    }

    @inline(__always)
    static func padded(_ size: Int) -> Int { (size + 7) & ~7 }

    /// Where text and fields of a record are, which a journal's check is of; none where they are not in the record.
    static func body(of record: UnsafeRawPointer) -> (offset: Int, count: Int) {
        func byte(_ offset: Int) -> Int { Int(record.load(fromByteOffset: offset, as: UInt8.self)) }
        func word(_ offset: Int) -> Int { Int(record.load(fromByteOffset: offset, as: UInt32.self)) }
        let flags = Flags(rawValue: UInt8(truncatingIfNeeded: byte(flags)))
        let offset =
            header + (flags.contains(.tag) ? 8 : 0) + byte(nameSize) + byte(queueSize) + byte(taskSize)
        return (offset, flags.contains(.large) ? 0 : word(textSize) + word(fieldsSize))
    }

    /// Releases what the record at `base` owns.
    static func releaseReferences(of base: UnsafeRawPointer) {
        let (tag, large) = references(of: base)
        tag?.release()
        large?.release()
    }

    /// Makes a second record own what the record at `base` owns.
    static func retainReferences(of base: UnsafeRawPointer) {
        let (tag, large) = references(of: base)
        _ = tag?.retain()
        _ = large?.retain()
    }

    /// Takes what the record at `base` owns off the ring's account.
    static func leaveRing(_ base: UnsafeRawPointer) {
        let (tag, large) = references(of: base)
        tag?._withUnsafeGuaranteedRef { $0.leaveRing() }
        large?._withUnsafeGuaranteedRef { $0.leaveRing() }
    }

    /// What the record at `base` owns.
    static func references(of base: UnsafeRawPointer) -> (
        tag: Unmanaged<TagBox>?, large: Unmanaged<LargeBody>?
    ) {
        let flags = Flags(rawValue: base.load(fromByteOffset: flags, as: UInt8.self))
        if flags.isDisjoint(with: [.tag, .large]) { return (nil, nil) }
        var offset = header
        var tag: Unmanaged<TagBox>?
        if flags.contains(.tag) {
            tag = .fromOpaque(base.loadUnaligned(fromByteOffset: offset, as: UnsafeRawPointer.self))
            offset += 8
        }
        guard flags.contains(.large) else { return (tag, nil) }
        offset += (nameSize...taskSize).reduce(0) { $0 + Int(base.load(fromByteOffset: $1, as: UInt8.self)) }
        return (tag, .fromOpaque(base.loadUnaligned(fromByteOffset: offset, as: UnsafeRawPointer.self)))
    }
}
