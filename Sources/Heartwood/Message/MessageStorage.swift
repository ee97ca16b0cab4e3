import CHeartwood

/// The bytes of one message, in memory of its own: a message that is kept keeps nothing else.
///
/// A logger's node owns one and fills it again for each message, unless a logger kept the last one. Written only
/// while it has one owner, then only read: that is what makes it safe to share. For the same reason its variables need
/// no checks of exclusive access, which would take a tenth of the time that a formatter takes.
final class MessageStorage: @unchecked Sendable {
    /// The record (`RecordLayout`) with text and fields in place, whatever their size.
    @exclusivity(unchecked) private(set) var bytes: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    /// Not counted: sites and categories that came through a ring live forever.
    ///
    /// `ownedSite` keeps one that does not.
    @exclusivity(unchecked) private var siteReference = Unmanaged.passUnretained(CallSite.unknown)
    @exclusivity(unchecked) private var categoryReference = Unmanaged.passUnretained(
        LogCategory.default.state)
    @exclusivity(unchecked) private var ownedSite: CallSite?
    /// Where the record's body starts: after its references.
    @exclusivity(unchecked) private(set) var bodyOffset = RecordLayout.header
    @exclusivity(unchecked) private(set) var textOffset = RecordLayout.header
    @exclusivity(unchecked) private(set) var tag: (any Sendable)?
    @exclusivity(unchecked) private var hasTag = false

    init(capacity: Int = 512) {
        self.capacity = capacity
        bytes = .allocate(byteCount: capacity, alignment: 8)
        memset(bytes, 0, RecordLayout.header)
    }

    /// Makes a copy in memory that is as large as it must be: for messages that are kept.
    init(copying other: MessageStorage) {
        capacity = other.textOffset + other.textSize + other.fieldsSize
        bytes = .allocate(byteCount: capacity, alignment: 8)
        bytes.copyMemory(from: other.bytes, byteCount: capacity)
        (bodyOffset, textOffset) = (other.bodyOffset, other.textOffset)
        (siteReference, categoryReference) = (other.siteReference, other.categoryReference)
        (ownedSite, tag, hasTag) = (other.ownedSite, other.tag, other.hasTag)
    }

    deinit { bytes.deallocate() }

    /// The memory that it occupies, with the object itself and what the allocator adds, but without its tag.
    var footprint: Int { capacity + 192 }

    @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        bytes.load(fromByteOffset: offset, as: type)
    }

    /// Whether the call named no category, known without touching it.
    @inline(__always)
    var hasDefaultCategory: Bool {
        categoryReference._withUnsafeGuaranteedRef { $0.id == CategoryRegistry.defaultID }
    }

    /// The place of the call, without counting references.
    @inline(__always)
    func withSite<Result>(_ body: (CallSite) -> Result) -> Result {
        siteReference._withUnsafeGuaranteedRef { body($0) }
    }

    /// The place for formatters, `File.swift:42`, or nothing: as `site.place`, without counting references.
    @inline(__always)
    func withPlace<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        siteReference._withUnsafeGuaranteedRef { body($0.place) }
    }

    var site: CallSite { siteReference._withUnsafeGuaranteedRef { $0 } }
    var category: LogCategory { LogCategory(state: categoryReference._withUnsafeGuaranteedRef { $0 }) }

    /// Whether it holds an object of the user's, or the memory of an unusually large message.
    var isWorthFreeing: Bool { tag != nil || capacity > 64 * 1024 }

    var textSize: Int { Int(load(RecordLayout.textSize, as: UInt32.self)) }
    var fieldsSize: Int { Int(load(RecordLayout.fieldsSize, as: UInt32.self)) }
    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes + textOffset, count: textSize) }
    var fields: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + textOffset + textSize, count: fieldsSize)
    }

    /// The names of thread, queue and task with their sizes in front.
    var names: [UInt8] {
        let sizes = (RecordLayout.nameSize...RecordLayout.taskSize).map { load($0, as: UInt8.self) }
        return sizes + UnsafeRawBufferPointer(start: bytes + bodyOffset, count: textOffset - bodyOffset)
    }

    private func ensure(_ size: Int) {
        if size <= capacity { return }
        bytes.deallocate()
        capacity = max(size, capacity * 2)
        bytes = .allocate(byteCount: capacity, alignment: 8)
    }

    /// Takes a copy of the record at `record`.
    func fill(from record: UnsafeRawPointer, names: inout NameCache) {
        let size = Int(record.load(fromByteOffset: RecordLayout.commit, as: UInt64.self))
        let flags = RecordLayout.Flags(
            rawValue: record.load(fromByteOffset: RecordLayout.flags, as: UInt8.self))
        if flags.isDisjoint(with: [.tag, .large]) {
            ensure(size)
            bytes.copyMemory(from: record, byteCount: size)
            bodyOffset = RecordLayout.header
            if hasTag { (tag, hasTag) = (nil, false) }
        } else {
            fillWithReferences(from: record, size: size)
        }
        textOffset =
            bodyOffset + Int(load(RecordLayout.nameSize, as: UInt8.self))
            + Int(load(RecordLayout.queueSize, as: UInt8.self))
            + Int(load(RecordLayout.taskSize, as: UInt8.self))
        siteReference = names.site(load(RecordLayout.site, as: UInt32.self))
        categoryReference = names.category(load(RecordLayout.category, as: UInt32.self))
    }

    @inline(never)
    private func fillWithReferences(from record: UnsafeRawPointer, size: Int) {
        let (tag, large) = RecordLayout.references(of: record)
        self.tag = tag?.takeUnretainedValue().value
        hasTag = tag != nil
        bodyOffset = RecordLayout.header + (tag == nil ? 0 : 8)
        guard let large else {
            ensure(size)
            return bytes.copyMemory(from: record, byteCount: size)
        }
        large._withUnsafeGuaranteedRef { large in
            let names = (RecordLayout.nameSize...RecordLayout.taskSize).reduce(0) {
                $0 + Int(record.load(fromByteOffset: $1, as: UInt8.self))
            }
            ensure(bodyOffset + names + large.bytes.count)
            bytes.copyMemory(from: record, byteCount: bodyOffset + names)
            if let body = large.bytes.baseAddress {
                (bytes + bodyOffset + names).copyMemory(from: body, byteCount: large.bytes.count)
            }
        }
    }

    /// Becomes a message that was not logged through a ring: one of the framework's own, or one read from a disk.
    func fill(_ parts: MessageParts) {
        let names = [parts.threadName, parts.queueLabel, parts.taskName].map {
            Array(($0 ?? "").utf8.prefix(255))
        }
        let size =
            RecordLayout.header + names.reduce(0) { $0 + $1.count } + parts.text.count + parts.fields.count
        ensure(size)
        memset(bytes, 0, RecordLayout.header)
        bytes.storeBytes(of: UInt64(size), toByteOffset: RecordLayout.commit, as: UInt64.self)
        bytes.storeBytes(of: parts.timestamp.nanoseconds, toByteOffset: RecordLayout.time, as: Int64.self)
        bytes.storeBytes(of: parts.threadID, toByteOffset: RecordLayout.thread, as: UInt64.self)
        bytes.storeBytes(of: Int64(parts.context), toByteOffset: RecordLayout.context, as: Int64.self)
        bytes.storeBytes(of: UInt32(parts.text.count), toByteOffset: RecordLayout.textSize, as: UInt32.self)
        bytes.storeBytes(
            of: UInt32(parts.fields.count), toByteOffset: RecordLayout.fieldsSize, as: UInt32.self)
        bytes.storeBytes(of: UInt8(parts.level.index), toByteOffset: RecordLayout.level, as: UInt8.self)
        bytes.storeBytes(of: parts.sequence, toByteOffset: RecordLayout.sequence, as: UInt64.self)
        var offset = RecordLayout.header
        for (index, name) in names.enumerated() {
            bytes.storeBytes(
                of: UInt8(name.count), toByteOffset: RecordLayout.nameSize + index, as: UInt8.self)
            offset = append(name, at: offset)
        }
        (bodyOffset, textOffset) = (RecordLayout.header, offset)
        offset = append(parts.text, at: offset)
        _ = append(parts.fields, at: offset)
        ownedSite = parts.site
        siteReference = .passUnretained(parts.site)
        categoryReference = .passUnretained(parts.category.state)
        (tag, hasTag) = (parts.tag, parts.tag != nil)
    }

    /// Becomes a copy of another message with another text, which is one literal.
    func fill(from other: MessageStorage, text: UnsafeRawBufferPointer) {
        let fields = other.fields
        let size = other.textOffset + 5 + text.count + fields.count
        ensure(size)
        bytes.copyMemory(from: other.bytes, byteCount: other.textOffset)
        bytes.storeBytes(of: UInt64(size), toByteOffset: RecordLayout.commit, as: UInt64.self)
        bytes.storeBytes(of: UInt32(5 + text.count), toByteOffset: RecordLayout.textSize, as: UInt32.self)
        var cursor = bytes + other.textOffset
        cursor.storeBytes(of: PieceTag.literal.rawValue, as: UInt8.self)
        (cursor + 1).storeBytes(of: UInt32(text.count), as: UInt32.self)
        cursor += 5
        if let base = text.baseAddress { cursor.copyMemory(from: base, byteCount: text.count) }
        cursor += text.count
        if let base = fields.baseAddress { cursor.copyMemory(from: base, byteCount: fields.count) }
        (bodyOffset, textOffset) = (other.bodyOffset, other.textOffset)
        (siteReference, categoryReference) = (other.siteReference, other.categoryReference)
        (ownedSite, tag, hasTag) = (other.ownedSite, other.tag, other.hasTag)
    }

    private func append(_ source: [UInt8], at offset: Int) -> Int {
        source.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (bytes + offset).copyMemory(from: base, byteCount: source.count)
            }
        }
        return offset + source.count
    }
}
