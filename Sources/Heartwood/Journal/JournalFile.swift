import CHeartwood
import Synchronization

/// The journal of a living dispatcher: the file that its ring is in.
final class JournalFile: Sendable {
    // MARK: Constants (any thread)
    let mapping: JournalMapping
    private let tables: JournalTables
    /// What is in the stamps and checks of its records.
    let salt: UInt64
    var path: String { mapping.directory.path + "/" + mapping.name }

    private static let number = Atomic<Int>(0)

    /// Makes the file, and puts into it what a record may cite so far.
    ///
    /// - Throws: ``LogError`` where cannot create the file, or its room not be allocated.
    init(
        in directory: Directory, ringSize: Int, beginning: UInt64 = 0, now: LogTimestamp,
        key: FrameCipher? = nil
    ) throws {
        guard ringSize <= JournalLayout.largestRing else {
            throw LogError(
                .setting,
                "A journal's ring must be at most \(ByteCount(JournalLayout.largestRing));"
                    + " choose a smaller `ringCapacity`", place: directory.path)
        }
        var header = JournalHeader(ringSize: ringSize, now: now)
        salt = header.salt
        let made = try key.map { try JournalPad.make($0, salt: header.salt) }
        header.wrapped = made?.wrapped ?? []
        mapping = try JournalFile.make(in: directory, header, made?.pad)
        mapping.base.write(salt, at: header.geometry.counters + JournalLayout.Counters.salt)
        tables = JournalTables(mapping)
        tables.begin()
        begin(at: beginning)
    }

    /// Says where the ring begins, before it is in the file.
    func begin(at position: UInt64) {
        let geometry = mapping.geometry
        mapping.base.write(position, at: geometry.counters + JournalLayout.Counters.tail)
        mapping.base.write(position, at: geometry.counters + JournalLayout.Counters.head)
        mapping.base.write(position, at: geometry.marks + JournalLayout.Marks.released)
    }

    deinit { tables.end() }

    private static func make(
        in directory: Directory, _ header: JournalHeader, _ pad: JournalPad?
    ) throws -> JournalMapping {
        let size = header.geometry.fileSize
        while true {
            let number = JournalFile.number.add(1, ordering: .relaxed).newValue
            let name = "heartwood-\(header.process)-\(header.processStart)-\(number)" + JournalMapping.suffix
            let unfinished = name + JournalMapping.unfinished
            do {
                if try directory.status(name) != nil { continue }
                let file = try directory.create(unfinished, mode: 0o600, isSecret: true)
                guard try directory.calls.tryLock(file.number) else { continue }
                do {
                    try allocate(file, size, directory.calls)
                    guard let base = MemoryMap.shared(file.number, size: size) else {
                        throw SystemFailure(.open, hw_errno())
                    }
                    header.write(to: base)
                    // Another process may have removed the unfinished file as a leftover.
                    guard try directory.rename(unfinished, to: name) else {
                        throw SystemFailure(.unlink, EIO)
                    }
                    return JournalMapping(
                        directory: directory, name: name, header: header, base: base, file: file, pad: pad)
                } catch {
                    _ = try? directory.remove(unfinished)
                    throw error
                }
            } catch let failure as SystemFailure {
                if failure.number == EEXIST || (failure.number == ENOENT && failure.call == .link) {
                    continue
                }
                let reason =
                    switch failure.call {
                    case .lock: "A journal needs a file system with locks; choose another directory"
                    case .changeMode:
                        "A journal needs a file system with permissions; choose another directory"
                    default: "Cannot create the journal; check its directory's free space and permissions"
                    }
                throw LogError(
                    .file, reason, place: directory.path + "/" + name, cause: failure.number)
            }
        }
    }

    private static func allocate(_ file: Descriptor, _ size: Int, _ calls: SystemCalls) throws(SystemFailure)
    {
        _ = try calls.perform(.write) { Int(hw_allocate(file.number, Int64(size))) }
    }

    // MARK: For the drain

    /// Where the ring takes note of what it frees.
    var released: UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.word(mapping.geometry.marks + JournalLayout.Marks.released)
    }

    /// Keeps the clocks of a moment; two places in turn, so that one is always whole.
    func note(_ clock: JournalClock) {
        guard mapping.isOurs else { return }
        let marks = mapping.geometry.marks
        let index = mapping.word(marks + JournalLayout.Marks.clockIndex)
        let next = 1 - min(1, index.pointee.load(ordering: .relaxed))
        let place = mapping.base + marks + JournalLayout.Marks.clocks + 24 * Int(next)
        place.write(clock.ticks, at: 0)
        place.write(clock.wall, at: 8)
        place.write(clock.rate, at: 16)
        index.pointee.store(next, ordering: .releasing)
    }

    /// A slot for a logger that needs the records from `position` on; nil where all are taken.
    ///
    /// One at a time: the drain's. The slot of a logger that is done with it is taken again by the same
    /// logger, and by others when no other is left: recovery sees by it which loggers the journal has had.
    func slot(for key: String, levels: UInt32, from position: UInt64) -> JournalSlot? {
        let free = (0..<JournalLayout.slotCount).map { JournalSlot(mapping, index: $0) }.filter {
            !$0.isInUse
        }
        let slot = free.first { $0.isKnown && $0.key == key } ?? free.first { !$0.isKnown } ?? free.first
        slot?.begin(key: key, levels: levels, from: position)
        return slot
    }

    /// Whether no logger needs it any more.
    var isDoneWith: Bool {
        mapping.slotsInUse.isEmpty
    }

    /// Takes note that the ring is elsewhere now, and where its records ended here.
    func ringHasLeft(at end: UInt64) {
        mapping.base.write(end, at: mapping.geometry.counters + JournalLayout.Counters.tail)
        tables.end()
    }
}

/// What is wrong with a journal's file that is in use.
enum JournalLoss: Sendable {
    /// The file has another name or none, so that no other process finds it; what is in it is there.
    case removed
    /// A part of the file is gone.
    case cut
    /// The system could not store a page: what was in the file is there.
    case unstored
    /// A record was lost in a file that has its size.
    case overwritten

    /// What happened, after "the journal".
    var description: String {
        switch self {
        case .removed: "was removed or renamed while in use"
        case .cut: "was truncated while in use"
        case .unstored:
            "could not be written, because the disk is full and the file system copies on write, "
                + "or because the disk fails"
        case .overwritten: "was overwritten while in use"
        }
    }
}

/// When to look whether a journal's file is still there, and what was seen.
struct JournalLook {
    /// What was found wrong.
    var loss: JournalLoss?
    /// How long a record may be reserved and not published, while the drain looks at it.
    let patience: Duration
    private var next = Duration.zero
    private var unpublished: (position: UInt64, waited: Duration, last: Duration)?

    /// A message is unprotected for so long at most after the file was removed.
    static let interval = Duration.milliseconds(100)

    init(patience: Duration = .seconds(10)) { self.patience = patience }

    /// Whether it is time to look, at `now` of a clock that never goes back.
    mutating func isDue(at now: Duration) -> Bool {
        if loss != nil || now < next { return false }
        next = now + JournalLook.interval
        return true
    }

    /// Takes note that the record at a position is not published; says whether that has been so for too long.
    ///
    /// Only time in which others run counts: a process that was stopped has not let its calls finish.
    mutating func isStuck(at position: UInt64, _ now: Duration) -> Bool {
        guard let known = unpublished, known.position == position else {
            unpublished = (position, .zero, now)
            return false
        }
        let waited = known.waited + min(now - known.last, .milliseconds(10))
        unpublished = (position, waited, now)
        return waited >= patience
    }
}

/// The clocks at one moment, and the rate of the cycle counter: what turns it into the time of day.
struct JournalClock: Equatable, Sendable {
    var ticks: UInt64
    var wall: Int64
    /// Nanoseconds for each tick.
    var rate: Double

    /// The moment at which the counter had this value; stops at the ends of the range.
    @inline(__always)
    func time(of ticks: UInt64) -> LogTimestamp {
        let distance = Double(Int64(truncatingIfNeeded: ticks &- self.ticks)) * rate
        // Not of a clock of this world, or not a number.
        guard abs(distance) < 9e18 else { return LogTimestamp(nanoseconds: wall) }
        let (time, overflow) = wall.addingReportingOverflow(Int64(distance))
        return LogTimestamp(nanoseconds: overflow ? (wall < 0 ? .min : .max) : time)
    }
}
