import CHeartwood

/// What never changes in a journal: whose it is, and how large its parts are.
struct JournalHeader: Equatable {
    enum Failure: Error, Equatable {
        case damaged(String)
        case unknownVersion(UInt32)
    }

    var geometry: JournalGeometry
    var process: Int64
    var processStart: UInt64
    var boot: [UInt8]
    var createdAt: LogTimestamp
    var salt: UInt64
    var program: String
    /// The key of its records, encrypted by the user's; empty where they are in clear.
    var wrapped: [UInt8] = []

    private typealias Place = JournalLayout.Header

    /// The header of a journal of this process.
    init(ringSize: Int, now: LogTimestamp) {
        geometry = JournalGeometry(pageSize: MemoryMap.pageSize, ringSize: ringSize)
        process = Int64(getpid())
        processStart = hw_process_start(process)
        boot = JournalHeader.currentBoot
        createdAt = now
        salt = .random(in: .min ... .max) | 1
        program = ProcessFacts.name
    }

    private static var currentBoot: [UInt8] {
        var boot = [UInt8](repeating: 0, count: 16)
        hw_boot_id(&boot)
        return boot
    }

    /// Whether the process that made the journal lives, as far as this machine can tell: another one with its
    /// number may.
    ///
    /// Only the lock is proof; this tells whether it is worth while to wait for it.
    var isOfLivingProcess: Bool {
        processStart != 0 && boot == JournalHeader.currentBoot
            && processStart == hw_process_start(process)
    }

    func write(to base: UnsafeMutableRawPointer) {
        base.write(JournalLayout.magic, at: Place.magic)
        base.write(JournalLayout.version, at: Place.version)
        base.write(UInt32(geometry.pageSize), at: Place.pageSize)
        base.write(UInt64(geometry.fileSize), at: Place.fileSize)
        base.write(UInt64(geometry.ringSize), at: Place.ringSize)
        base.write(process, at: Place.process)
        base.write(processStart, at: Place.processStart)
        (base + Place.boot).copyMemory(from: boot, byteCount: 16)
        base.write(createdAt.nanoseconds, at: Place.createdAt)
        base.write(salt, at: Place.salt)
        let name = Array(program.utf8.prefix(Place.longestName))
        base.write(UInt64(name.count), at: Place.nameSize)
        (base + Place.name).copyMemory(from: name, byteCount: name.count)
        (base + Place.wrapped).copyMemory(from: wrapped, byteCount: wrapped.count)
        base.write(JournalHeader.check(base), at: Place.check)
    }

    /// What its records are encrypted with; nil where they are in clear.
    ///
    /// - Throws: ``LogError`` of code `secret` without the key that it was made with.
    func pad(_ key: FrameCipher?) throws -> JournalPad? {
        wrapped.isEmpty ? nil : try JournalPad(unwrapping: wrapped, key, salt: salt)
    }

    private static func check(_ base: UnsafeRawPointer) -> UInt64 {
        hw_fold_words(base.assumingMemoryBound(to: hw_word.self), 0, Place.check / 8, 0)
    }

    /// Reads the header at the beginning of `bytes`, which are the whole file.
    init(reading bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard bytes.count >= 4096, let base = bytes.baseAddress else { throw .damaged("it is too short") }
        func load<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
            base.load(fromByteOffset: offset, as: type)
        }
        guard load(Place.magic, UInt64.self) == JournalLayout.magic else {
            throw .damaged("it is not a journal")
        }
        let version = load(Place.version, UInt32.self)
        guard version == JournalLayout.version else { throw .unknownVersion(version) }
        guard load(Place.check, UInt64.self) == JournalHeader.check(base) else {
            throw .damaged("its header is damaged")
        }
        geometry = JournalGeometry(
            pageSize: Int(load(Place.pageSize, UInt32.self)),
            ringSize: Int(clamping: load(Place.ringSize, UInt64.self)))
        let ringSize = geometry.ringSize
        guard (JournalLayout.smallestRing...JournalLayout.largestRing).contains(ringSize),
            ringSize & (ringSize - 1) == 0, (4096...65_536).contains(geometry.pageSize),
            geometry.pageSize & (geometry.pageSize - 1) == 0
        else { throw .damaged("its sizes are invalid") }
        guard geometry.fileSize == bytes.count, load(Place.fileSize, UInt64.self) == UInt64(bytes.count)
        else { throw .damaged("a part of it is missing") }
        process = load(Place.process, Int64.self)
        processStart = load(Place.processStart, UInt64.self)
        boot = Array(UnsafeRawBufferPointer(start: base + Place.boot, count: 16))
        createdAt = LogTimestamp(nanoseconds: load(Place.createdAt, Int64.self))
        salt = load(Place.salt, UInt64.self)
        let count = min(Int(clamping: load(Place.nameSize, UInt64.self)), Place.longestName)
        program = String(
            decoding: UnsafeRawBufferPointer(start: base + Place.name, count: count), as: UTF8.self)
        let sealed = UnsafeRawBufferPointer(start: base + Place.wrapped, count: JournalPad.wrappedSize)
        if sealed.contains(where: { $0 != 0 }) { wrapped = Array(sealed) }
    }
}

/// Where things are in the file of a journal; `Docs/Internals/JournalFormat.md` draws it.
enum JournalLayout {
    static let magic: UInt64 = 0x314E_5255_4F4A_5748  // "HWJOURN1"
    /// The version of the format; a journal of another one is set aside.
    static let version: UInt32 = 1

    static let slotCount = 8
    static let tableSize = 1 << 20
    /// The records of a journal know 24 bits of their position.
    static let smallestRing = 64 * 1024
    static let largestRing = 64 << 20

    /// Whether a machine that ends may have stored one part of a record and not the other: it stores pages.
    @inline(__always)
    static func isInTwoPages(_ position: UInt64, _ size: Int) -> Bool {
        Int(truncatingIfNeeded: position & 4095) &+ size > 4096
    }

    enum Header {
        static let magic = 0
        static let version = 8
        static let pageSize = 12
        static let fileSize = 16
        static let ringSize = 24
        static let process = 32
        static let processStart = 40
        static let boot = 48
        static let createdAt = 64
        static let salt = 72
        static let nameSize = 80
        static let name = 88
        static let longestName = 64
        /// Zeros where the records are in clear.
        static let wrapped = 152
        static let check = 216
    }

    enum Marks {
        static let released = 0
        static let tableUsed = 8
        static let clockIndex = 16
        static let clocks = 24
        static let signal = 128
    }

    enum Slot {
        static let state = 0
        static let done = 8
        static let lost = 16
        static let levels = 24
        static let intent = 32
        static let device = 40
        static let inode = 48
        static let offset = 56
        static let nameSize = 64
        static let keySize = 68
        static let name = 128
        static let longestName = 256
        static let key = 384
        static let longestKey = 1024
        static let entries = 4096
        static let entryLimit = 4096
        static let checks = entries + 8 * entryLimit
        static let end = checks + 4 * entryLimit
        /// In the word of the intent: its records are one frame.
        static let frame: UInt64 = 1 << 32

        static let free: UInt64 = 0
        static let inUse: UInt64 = 1
        static let doneWith: UInt64 = 2
    }

    enum Counters {
        static let tail = 0
        static let salt = 8
        static let head = 128
    }
}

/// Where the parts of a journal's file begin.
struct JournalGeometry: Equatable {
    let pageSize: Int
    let ringSize: Int

    var marks: Int { pageSize }
    func slot(_ index: Int) -> Int { 2 * pageSize + index * slotSize }
    var slotSize: Int { JournalLayout.Slot.end }
    var tables: Int { slot(JournalLayout.slotCount).rounded(upTo: pageSize) }
    var counters: Int { tables + JournalLayout.tableSize }
    var ring: Int { counters + pageSize }
    var fileSize: Int { ring + ringSize }

    /// Where a position of the ring is in the file.
    func offset(of position: UInt64) -> Int { ring + Int(position & UInt64(ringSize - 1)) }
}

extension Int {
    fileprivate func rounded(upTo unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
