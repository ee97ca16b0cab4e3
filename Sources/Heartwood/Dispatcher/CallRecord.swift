import CHeartwood

/// A call's message on its way into the ring: what goes into the record, and how.
struct CallRecord {
    private let thread: ThreadState
    private let level: LogLevel
    private let category: UInt32
    private let context: Int
    private let site: UInt32
    var time: UInt64 = 0
    var flags: RecordLayout.Flags = []
    var tag: Unmanaged<TagBox>?
    private(set) var large: Unmanaged<LargeBody>?
    var textSize = 0
    var fieldsSize = 0
    /// Text and the call's own fields.
    var body = UnsafeRawBufferPointer(start: nil, count: 0)
    var extraFields: [UInt8] = []
    private let queueLabel: UnsafePointer<CChar>?
    private let queueSize: Int
    private let taskName: String?
    private let taskSize: Int

    @inline(__always)
    init(thread: ThreadState, level: LogLevel, category: LogCategory, context: Int, site: UInt32) {
        self.thread = thread
        self.level = level
        self.category = category.state.id
        self.context = context
        self.site = site
        queueLabel = hw_queue_label()
        queueSize = queueLabel.map { min(strlen($0), 255) } ?? 0
        taskName = withUnsafeCurrentTask { $0 == nil ? nil : Task.name }
        taskSize = taskName.map { min($0.utf8.count, 255) } ?? 0
    }

    @inline(__always)
    private var namesSize: Int { min(thread.name.count, 255) + queueSize + taskSize }

    /// The record's size, a multiple of 8.
    @inline(__always)
    var size: Int {
        let bodySize = large == nil ? body.count + extraFields.count : 8
        return RecordLayout.padded(RecordLayout.header + (tag == nil ? 0 : 8) + namesSize + bodySize)
    }

    mutating func becomeLarge(_ body: Unmanaged<LargeBody>) {
        large = body
        flags.insert(.large)
    }

    func copyBody(to target: UnsafeMutableRawBufferPointer) {
        guard let base = target.baseAddress else { return }
        if let source = body.baseAddress { base.copyMemory(from: source, byteCount: body.count) }
        extraFields.withUnsafeBytes { extra in
            if let source = extra.baseAddress {
                (base + body.count).copyMemory(from: source, byteCount: extra.count)
            }
        }
    }

    /// Writes everything but the first word, which publishes the record.
    @inline(__always)
    func write(to record: UnsafeMutableRawPointer) {
        let nameSize = min(thread.name.count, 255)
        record.storeBytes(of: time, toByteOffset: RecordLayout.time, as: UInt64.self)
        record.storeBytes(of: thread.id, toByteOffset: RecordLayout.thread, as: UInt64.self)
        record.storeBytes(of: Int64(context), toByteOffset: RecordLayout.context, as: Int64.self)
        record.storeBytes(of: site, toByteOffset: RecordLayout.site, as: UInt32.self)
        record.storeBytes(of: category, toByteOffset: RecordLayout.category, as: UInt32.self)
        record.storeBytes(of: UInt32(truncatingIfNeeded: textSize), toByteOffset: RecordLayout.textSize, as: UInt32.self)
        record.storeBytes(
            of: UInt32(truncatingIfNeeded: fieldsSize + extraFields.count), toByteOffset: RecordLayout.fieldsSize,
            as: UInt32.self)
        record.storeBytes(
            of: UInt8(truncatingIfNeeded: level.index), toByteOffset: RecordLayout.level, as: UInt8.self)
        record.storeBytes(
            of: flags.rawValue | (tag == nil ? 0 : RecordLayout.Flags.tag.rawValue),
            toByteOffset: RecordLayout.flags, as: UInt8.self)
        record.storeBytes(of: UInt8(nameSize), toByteOffset: RecordLayout.nameSize, as: UInt8.self)
        record.storeBytes(of: UInt8(queueSize), toByteOffset: RecordLayout.queueSize, as: UInt8.self)
        record.storeBytes(of: UInt8(taskSize), toByteOffset: RecordLayout.taskSize, as: UInt8.self)

        var cursor = record + RecordLayout.header
        if let tag {
            cursor.storeBytes(of: tag.toOpaque(), as: UnsafeMutableRawPointer.self)
            cursor += 8
        }
        if nameSize > 0 {
            thread.name.withUnsafeBytes { name in
                if let source = name.baseAddress { cursor.copyMemory(from: source, byteCount: nameSize) }
            }
            cursor += nameSize
        }
        if let queueLabel, queueSize > 0 {
            cursor.copyMemory(from: queueLabel, byteCount: queueSize)
            cursor += queueSize
        }
        if var taskName, taskSize > 0 {
            taskName.withUTF8 { name in
                if let source = name.baseAddress { cursor.copyMemory(from: source, byteCount: taskSize) }
            }
            cursor += taskSize
        }
        if let large {
            cursor.storeBytes(of: large.toOpaque(), as: UnsafeMutableRawPointer.self)
        } else {
            if let source = body.baseAddress { cursor.copyMemory(from: source, byteCount: body.count) }
            if !extraFields.isEmpty {
                copyBody(to: UnsafeMutableRawBufferPointer(start: cursor, count: body.count + extraFields.count))
            }
        }
    }
}
