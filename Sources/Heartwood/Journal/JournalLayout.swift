/// Where things are in the file of a journal; `Docs/Internals/JournalFormat.md` draws it.
enum JournalLayout {
    static let magic: UInt64 = 0x314E_5255_4F4A_5748  // "HWJOURN1"
    /// The version of a journal whose records are encrypted.
    static let version: UInt32 = 4
    /// The version of a journal whose records are in clear; nothing else differs.
    static let plainVersion: UInt32 = 3
    /// The oldest version that is still read.
    ///
    /// Its records have no decisions, and up to version 2 a record had its check when it was published.
    static let oldestVersion: UInt32 = 1

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
        static let check = 152
        static let wrapped = 160
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
