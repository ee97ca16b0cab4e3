import CHeartwood

/// The bytes of one message, in memory of its own: a message that is kept keeps nothing else.
///
/// A logger's node owns one and fills it again for each message, unless a logger kept the last one. Written
/// only while it has one owner, then only read: that is what makes it safe to share. For the same reason its
/// variables need no checks of exclusive access, which would take a tenth of the time that a formatter takes.
final class MessageStorage: @unchecked Sendable {
    /// The record (`RecordView`) with text and fields in place, whatever their size.
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
    @exclusivity(unchecked) private(set) var bodyOffset = RecordView.header
    @exclusivity(unchecked) private(set) var textOffset = RecordView.header
    @exclusivity(unchecked) private(set) var tag: (any Sendable)?
    @exclusivity(unchecked) private var hasTag = false

    /// So many bytes can be read after the text, which `hw_write_pieces` reads in blocks of 16.
    private static let readable = 16

    init(capacity: Int = 512) {
        self.capacity = capacity
        bytes = MessageStorage.allocate(capacity)
        record.clear()
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: capacity + readable, alignment: 8)
    }

    /// Makes a copy in memory that is as large as it must be: for messages that are kept.
    init(copying other: MessageStorage) {
        capacity = other.textOffset + other.textSize + other.fieldsSize
        bytes = MessageStorage.allocate(capacity)
        bytes.copyMemory(from: other.bytes, byteCount: capacity)
        (bodyOffset, textOffset) = (other.bodyOffset, other.textOffset)
        (siteReference, categoryReference) = (other.siteReference, other.categoryReference)
        (ownedSite, tag, hasTag) = (other.ownedSite, other.tag, other.hasTag)
    }

    deinit { bytes.deallocate() }

    /// The memory that it occupies, with the object itself and what the allocator adds, but without its tag.
    var footprint: Int { capacity + MessageStorage.readable + 192 }

    /// The fields.
    @inline(__always)
    var record: RecordView { RecordView(bytes) }

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

    var textSize: Int { record.textSize }
    var fieldsSize: Int { record.fieldsSize }
    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes + textOffset, count: textSize) }
    var fields: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + textOffset + textSize, count: fieldsSize)
    }

    /// The names of thread, queue and task with their sizes in front.
    var names: [UInt8] {
        let sizes = (0..<RecordView.nameCount).map { UInt8(record.nameSize($0)) }
        return sizes + UnsafeRawBufferPointer(start: bytes + bodyOffset, count: textOffset - bodyOffset)
    }

    private func ensure(_ size: Int) {
        if size <= capacity { return }
        bytes.deallocate()
        capacity = max(size, capacity * 2)
        bytes = MessageStorage.allocate(capacity)
    }

    /// Takes a copy of the record at `record`.
    func fill(from source: RecordView, names: inout NameCache) {
        let size = source.size
        if source.flags.isDisjoint(with: .references) {
            ensure(size)
            bytes.copyMemory(from: source.base, byteCount: size)
            bodyOffset = RecordView.header
            if hasTag { (tag, hasTag) = (nil, false) }
        } else {
            fillWithReferences(from: source, size: size)
        }
        textOffset = bodyOffset + record.namesSize
        siteReference = names.site(record.site)
        categoryReference = names.category(record.category)
    }

    @inline(never)
    private func fillWithReferences(from source: RecordView, size: Int) {
        let (tag, large) = source.references
        self.tag = tag?.takeUnretainedValue().value
        hasTag = tag != nil
        bodyOffset = RecordView.header + (tag == nil ? 0 : 8)
        guard let large else {
            ensure(size)
            return bytes.copyMemory(from: source.base, byteCount: size)
        }
        large._withUnsafeGuaranteedRef { large in
            let names = source.namesSize
            ensure(bodyOffset + names + large.bytes.count)
            bytes.copyMemory(from: source.base, byteCount: bodyOffset + names)
            if let body = large.bytes.baseAddress {
                (bytes + bodyOffset + names).copyMemory(from: body, byteCount: large.bytes.count)
            }
        }
    }

    /// Becomes a message that was not logged through a ring: one of the framework's own, or one read from a
    /// disk.
    func fill(_ parts: MessageParts) {
        let names = [parts.threadName, parts.queueLabel, parts.taskName].map {
            Array(($0 ?? "").utf8.prefix(255))
        }
        let size =
            RecordView.header + names.reduce(0) { $0 + $1.count } + parts.text.count + parts.fields.count
        ensure(size)
        record.clear()
        record.size = size
        record.time = UInt64(bitPattern: parts.timestamp.nanoseconds)
        record.thread = parts.threadID
        record.context = Int64(parts.context)
        record.textSize = parts.text.count
        record.fieldsSize = parts.fields.count
        record.level = parts.level.index
        record.sequence = parts.sequence
        var offset = RecordView.header
        for (index, name) in names.enumerated() {
            record.setNameSize(index, name.count)
            offset = append(name, at: offset)
        }
        (bodyOffset, textOffset) = (RecordView.header, offset)
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
        record.size = size
        record.textSize = 5 + text.count
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
