import Heartwood

/// What is known of a segment file without reading it: it is all in the name.
///
/// A file that is being written is called by its first id, `00000000000000000001.seg`; a sealed one by its
/// first id, its last id and its number of records, `00000000000000000001-00000000000000000300-300.seg`. The
/// file begins with 40 bytes: "HWSPOOL1", the spool's identity (16), the first id (u64), CRC32C of these
/// (u32), four zeros.
struct SpoolSegment: Equatable {
    static let headerSize = 40
    /// The largest file, and the most ids between its first and its last: what claims more is no segment.
    static let largestSize = 1 << 28
    static let widestRange = UInt64(1) << 40
    /// Ids beyond this one are believed only of files whose header has the spool's identity.
    static let largestUsualID = UInt64(1) << 48
    private static let magic = Array("HWSPOOL1".utf8)

    let firstID: UInt64
    /// Greatest id that may be in the file; nil while it is being written or was never sealed.
    var lastID: UInt64?
    /// How many records it has; meaningful once sealed.
    var count: Int
    /// Its size in bytes.
    var size: Int
    /// Its name in the directory.
    var name: String
    /// Whether what it should have and what it has were compared.
    var isExamined = false
    /// How often it could not be read.
    var readFailures = 0
    /// The level below which it has nothing left to give.
    var compactedLevel: UInt8?

    init(firstID: UInt64) {
        self.firstID = firstID
        count = 0
        size = 0
        name = firstID.padded(to: 20) + ".seg"
    }

    /// Reads a file's name; nil when it is not the name of a segment.
    init?(name: String, size: Int) {
        guard name.hasSuffix(".seg") else { return nil }
        let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, let firstID = Self.id(first), size <= Self.largestSize else {
            return nil
        }
        self.firstID = firstID
        self.size = size
        self.name = name
        switch parts.count {
        case 1:
            lastID = nil
            count = 0
        case 3:
            guard let last = Self.id(parts[1]), last >= firstID, last - firstID < Self.widestRange,
                parts[2].utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(parts[2]),
                UInt64(count) <= last - firstID + 1
            else { return nil }
            lastID = last
            self.count = count
        default: return nil
        }
    }

    private static func id(_ digits: Substring) -> UInt64? {
        guard digits.utf8.count == 20, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let id = UInt64(digits), (1...SpoolRecord.largestID).contains(id)
        else { return nil }
        return id
    }

    /// The name that a sealed segment bears.
    var sealedName: String {
        "\(firstID.padded(to: 20))-\((lastID ?? firstID).padded(to: 20))-\(count).seg"
    }

    /// The file's first bytes.
    func header(identity: [UInt8]) -> [UInt8] {
        var output = Self.magic + identity
        SpoolFrame.append(firstID, to: &output)
        SpoolFrame.append(CRC32C.checksum(output), to: &output)
        return output + [0, 0, 0, 0]
    }

    /// The spool's identity and the first id that a file's header names; nil when it is damaged.
    static func identity(inHeader bytes: UnsafeRawBufferPointer) -> (identity: [UInt8], firstID: UInt64)? {
        guard bytes.count >= headerSize, bytes.prefix(8).elementsEqual(magic) else { return nil }
        let covered = UnsafeRawBufferPointer(rebasing: bytes[..<32])
        guard CRC32C.checksum(covered) == SpoolFrame.load(bytes, 32, UInt32.self) else { return nil }
        return (Array(bytes[8..<24]), SpoolFrame.load(bytes, 24, UInt64.self))
    }

    /// What the checksums of a segment's frames begin with.
    static func salt(identity: [UInt8], firstID: UInt64) -> UInt32 {
        var bytes = identity
        SpoolFrame.append(firstID, to: &bytes)
        return CRC32C.checksum(bytes)
    }
}
