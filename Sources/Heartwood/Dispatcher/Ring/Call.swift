import CHeartwood

/// A message on its way from its call into the ring: what goes into the record, and how.
///
/// It points into the caller's memory and lives no longer than the call.
struct Call {
    let text: UnsafeRawBufferPointer
    let level: UInt32
    /// Not counted: categories live forever.
    ///
    /// Nil is the default one.
    let category: Unmanaged<LogCategory.State>?
    let categoryID: UInt32
    let context: Int
    let site: UInt32
    /// The call's own fields, encoded.
    var fields = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The fields of the task, the category and the dispatcher, encoded.
    var outerFields = UnsafeRawBufferPointer(start: nil, count: 0)
    var tag: Unmanaged<TagBox>?
    var large: Unmanaged<LargeBody>?
    var flags: RecordView.Flags = []
    var time: UInt64 = 0
    var thread: UInt64 = 0
    var threadName = UnsafeRawBufferPointer(start: nil, count: 0)
    var queueLabel = UnsafeRawBufferPointer(start: nil, count: 0)
    var taskName = UnsafeRawBufferPointer(start: nil, count: 0)

    @inline(__always)
    init(text: UnsafeRawBufferPointer, level: UInt32, category: LogCategory?, context: Int, site: UInt32) {
        self.text = text
        self.level = level
        if let category {
            self.category = .passUnretained(category.state)
            categoryID = category.state.id
        } else {
            self.category = nil
            categoryID = CategoryRegistry.defaultID
        }
        self.context = context
        self.site = site
    }

    /// The record's size, a multiple of 8.
    @inline(__always)
    var size: Int {
        let names = threadName.count + queueLabel.count + taskName.count
        let body = large == nil ? text.count + fields.count + outerFields.count : 8
        return RecordView.padded(RecordView.header + (tag == nil ? 0 : 8) + names + body)
    }

    /// Takes the names of where it runs.
    @inline(__always)
    mutating func setOrigin(_ thread: ThreadState, ticks: UInt64) {
        self.thread = thread.id
        threadName = thread.name(at: ticks)
        queueLabel = thread.queueLabel
    }

    /// Writes everything but the first word, which publishes the record.
    @inline(__always)
    func write(to place: UnsafeMutableRawPointer) {
        let record = RecordView(place)
        record.time = time
        record.thread = thread
        record.context = Int64(context)
        record.site = site
        record.category = categoryID
        record.textSize = text.count
        record.fieldsSize = fields.count + outerFields.count
        record.level = level.trailingZeroBitCount
        record.flags = flags
        record.setNameSize(0, threadName.count)
        record.setNameSize(1, queueLabel.count)
        record.setNameSize(2, taskName.count)
        var cursor = place + RecordView.header
        if let tag {
            cursor.write(tag.toOpaque(), at: 0)
            cursor += 8
        }
        Call.append(threadName, to: &cursor)
        Call.append(queueLabel, to: &cursor)
        Call.append(taskName, to: &cursor)
        if let large { cursor.write(large.toOpaque(), at: 0) } else { appendBody(to: &cursor) }
    }

    @inline(__always)
    func appendBody(to cursor: inout UnsafeMutableRawPointer) {
        Call.append(text, to: &cursor)
        Call.append(fields, to: &cursor)
        Call.append(outerFields, to: &cursor)
    }

    @inline(__always)
    private static func append(_ bytes: UnsafeRawBufferPointer, to cursor: inout UnsafeMutableRawPointer) {
        if bytes.count == 0 { return }
        cursor.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        cursor += bytes.count
    }
}
