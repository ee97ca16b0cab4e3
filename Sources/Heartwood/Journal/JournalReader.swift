import CHeartwood

/// Finds the records in a journal's memory; nothing in it is taken on trust.
struct JournalReader: @unchecked Sendable {  // the memory is only read, and belongs to who holds the lock
    /// A record that is whole.
    struct Place: Equatable {
        let position: UInt64
        let size: Int
        /// Which slots want it; nil where it was not passed on.
        let decision: JournalDecision?
        /// The position after it, by which loggers acknowledge it.
        var end: UInt64 { position &+ UInt64(size) }
    }

    let header: JournalHeader
    /// What the records are encrypted with; nil where they are in clear.
    var pad: JournalPad?
    private let bytes: UnsafeRawBufferPointer
    /// The whole messages from the first that may be needed on.
    private(set) var places: [Place] = []
    /// How many stretches were found that are no records; each is one record at least.
    private(set) var damaged: [UInt64] = []
    let released: UInt64
    let tail: UInt64
    let names: JournalNames
    let clock: JournalClock

    /// Reads the journal in `bytes`, which are all of its file.
    init(_ bytes: UnsafeRawBufferPointer, _ header: JournalHeader) throws(JournalHeader.Failure) {
        self.header = header
        self.bytes = bytes
        let geometry = header.geometry
        func load<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
            bytes.loadUnaligned(fromByteOffset: offset, as: type)
        }
        released = load(geometry.marks + JournalLayout.Marks.released, UInt64.self)
        let head = load(geometry.counters + JournalLayout.Counters.head, UInt64.self)
        let tail = load(geometry.counters + JournalLayout.Counters.tail, UInt64.self)
        guard released & 7 == 0, tail & 7 == 0, head <= released, released <= tail,
            tail - head <= UInt64(geometry.ringSize)
        else { throw .damaged("its markers are invalid") }
        self.tail = tail
        let used = min(
            Int(clamping: load(geometry.marks + JournalLayout.Marks.tableUsed, UInt64.self)),
            JournalLayout.tableSize)
        names = JournalNames(
            UnsafeRawBufferPointer(rebasing: bytes[geometry.tables..<geometry.tables + used]),
            salt: header.salt)
        let index = Int(min(1, load(geometry.marks + JournalLayout.Marks.clockIndex, UInt64.self)))
        let place = geometry.marks + JournalLayout.Marks.clocks + 24 * index
        clock = JournalClock(
            ticks: load(place, UInt64.self), wall: load(place + 8, Int64.self),
            rate: load(place + 16, Double.self))
        scan()
    }

    // MARK: Records

    private func offset(of position: UInt64) -> Int { header.geometry.offset(of: position) }

    /// The fields of the record at a position; all of them must be in the ring.
    private func record(at position: UInt64) -> RecordView {
        RecordView(bytes.baseAddress.unsafelyUnwrapped + offset(of: position))
    }

    private func word(_ position: UInt64) -> UInt64 {
        bytes.load(fromByteOffset: offset(of: position), as: UInt64.self)
    }

    /// How many bytes there are from a position to the ring's end, where every record ends as well.
    private func rest(at position: UInt64) -> Int {
        header.geometry.fileSize - offset(of: position)
    }

    private mutating func scan() {
        var position = released
        var isInGap = false
        while position < tail {
            let commit = word(position)
            let size = Int(commit & 0xFFFF_FFFF)
            let fits = size >= 8 && size % 8 == 0 && size <= min(rest(at: position), Int(tail - position))
            switch RecordView.Kind(rawValue: commit >> 32 & 0xFF) {
            case .message? where fits && isWhole(position, size):
                places.append(
                    Place(position: position, size: size, decision: JournalDecision(in: commit)))
                isInGap = false
                position += UInt64(size)
            case .control? where fits && size == 16 && !isInGap:
                position += 16
            case .filler? where fits && size == rest(at: position) && !isInGap:
                position += UInt64(size)
            default:
                // Nothing was written to what is zero: only a call that has not returned had reserved it.
                if !isInGap, hasContent(position) {
                    damaged.append(position)
                    isInGap = true
                }
                position += 8
            }
        }
    }

    /// Whether something was written where a record should begin.
    private func hasContent(_ position: UInt64) -> Bool {
        let count = min(RecordView.header, rest(at: position), Int(tail - position))
        return (0..<count / 8).contains { word(position + UInt64($0 * 8)) != 0 }
    }

    private func isWhole(_ position: UInt64, _ size: Int) -> Bool {
        size >= RecordView.header
            && record(at: position).isWhole(at: position, size: size, header.salt)
    }

    // MARK: Messages

    func level(of place: Place) -> UInt32 { record(at: place.position).levelBit }

    /// Whether a message is for the logger of a slot, by the levels that it had at this place of the order.
    func isWanted(_ place: Place, by slot: JournalSlot) -> Bool {
        // What was not passed on comes after all that was, and so after the last change of the slot's levels.
        place.decision?.wants(slot: slot.index) ?? (level(of: place) & slot.levels != 0)
    }

    /// How many bytes of a message are beside the journal; nil where it is in the ring.
    func largeSize(_ place: Place) -> Int? {
        let record = record(at: place.position)
        return record.flags.contains(.large) ? record.textSize + record.fieldsSize : nil
    }

    /// A message as it was logged; `large` is what was stored beside the journal.
    func message(_ place: Place, sequence: UInt64, large: [UInt8]?) -> MessageParts {
        let record = record(at: place.position)
        let flags = record.flags
        let body = body(of: place)
        var cursor = flags.contains(.tag) ? 8 : 0
        func take(_ count: Int) -> [UInt8] {
            let taken = cursor..<max(cursor, min(cursor + count, body.count))
            cursor = taken.upperBound
            return Array(body[taken])
        }
        func name(_ index: Int) -> String? {
            let name = take(record.nameSize(index))
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }
        var parts = MessageParts()
        parts.level = LogLevel(index: record.level & 31) ?? .info
        parts.category = names.categories[record.category] ?? .default
        parts.context = Int(record.context)
        parts.site = names.sites[record.site] ?? .unknown
        let time = record.time
        parts.timestamp =
            flags.contains(.wallTime)
            ? LogTimestamp(nanoseconds: Int64(bitPattern: time)) : clock.time(of: time)
        parts.sequence = sequence
        parts.threadID = record.thread
        parts.threadName = name(0)
        parts.queueLabel = name(1)
        parts.taskName = name(2)
        let textSize = record.textSize
        let fieldsSize = record.fieldsSize
        if !flags.contains(.large) {
            parts.text = take(textSize)
            parts.fields = take(fieldsSize)
        } else if let large, large.count == textSize + fieldsSize {
            parts.text = Array(large[..<textSize])
            parts.fields = Array(large[textSize...])
        } else {
            parts.text = LogText("<a message of \(textSize) bytes, lost with the process>").bytes
        }
        return parts
    }

    /// What is after the fields of a record, decrypted.
    private func body(of place: Place) -> [UInt8] {
        let start = offset(of: place.position)
        let body = UnsafeRawBufferPointer(rebasing: bytes[start + RecordView.header..<start + place.size])
        guard let pad else { return Array(body) }
        return pad.applied(to: body, .ring, from: place.position + UInt64(RecordView.header)) ?? []
    }

    /// The signal that ended the process, if it was seen.
    var signal: JournalSignal? {
        JournalSignal(reading: UnsafeRawBufferPointer(rebasing: bytes[header.geometry.marks...]))
    }
}

extension RecordView {
    /// Whether it was published at this position, as far as its marks can tell.
    func isWhole(at position: UInt64, size: Int, _ salt: UInt64) -> Bool {
        guard hasSize(of: size) else { return false }
        if isSealed(position, salt) { return true }
        return isStamped(position, salt) && !JournalLayout.isInTwoPages(position, size)
    }
}

/// What a handler of fatal signals left in the journal.
struct JournalSignal: Equatable {
    let number: Int32
    let code: Int32
    let address: UInt64
    let thread: UInt64
    let time: LogTimestamp

    /// Reads the marks of a journal.
    init?(reading marks: UnsafeRawBufferPointer) {
        func load<T: BitwiseCopyable>(_ index: Int, _ type: T.Type) -> T {
            marks.loadUnaligned(fromByteOffset: JournalLayout.Marks.signal + 8 * index, as: type)
        }
        guard load(0, UInt64.self) == 1 else { return nil }
        number = Int32(truncatingIfNeeded: load(1, Int64.self))
        code = Int32(truncatingIfNeeded: load(2, Int64.self))
        address = load(3, UInt64.self)
        thread = load(4, UInt64.self)
        time = LogTimestamp(nanoseconds: load(5, Int64.self))
    }

    /// The signal's name, as in `kill -l`.
    var name: String {
        switch number {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGFPE: "SIGFPE"
        case SIGABRT: "SIGABRT"
        case SIGSYS: "SIGSYS"
        default: "signal \(number)"
        }
    }

    /// The message that tells of the signal in the log.
    var message: MessageParts {
        var parts = MessageParts()
        parts.level = .fatal
        parts.category = .heartwood
        parts.timestamp = time
        parts.threadID = thread
        let place = "0x" + String(address, radix: 16)
        parts.text =
            LogText("the process was terminated by \(name, as: "signal") at address \(place, as: "address")")
            .bytes
        return parts
    }
}
