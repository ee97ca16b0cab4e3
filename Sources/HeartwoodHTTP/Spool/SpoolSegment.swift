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
                parts[2].utf8.allSatisfy(\.isDigit), let count = Int(parts[2]),
                UInt64(count) <= last - firstID + 1
            else { return nil }
            lastID = last
            self.count = count
        default: return nil
        }
    }

    /// The ids that it may have.
    var range: ClosedRange<UInt64> { firstID...max(firstID, lastID ?? .max) }

    /// Whether all of its records have ids up to this one.
    func ends(by id: UInt64) -> Bool { lastID.map { $0 <= id } ?? false }

    private static func id(_ digits: Substring) -> UInt64? {
        guard digits.utf8.count == 20, digits.utf8.allSatisfy(\.isDigit),
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

/// The segments of a spool in the order of their ids, and what they take together.
///
/// A spool may have 100,000 of them: to take one from the beginning or the end takes constant time, and to
/// find one takes as many looks as their number has bits.
struct SegmentList: RandomAccessCollection {
    /// The segments are in `places[head...]`; those in front of them were removed.
    private var places: [SpoolSegment] = []
    private var head = 0
    /// The bytes of all files.
    private(set) var bytes = 0
    /// Whether no segment may have ids that are in the range of a later one; planted or damaged names can say
    /// so.
    private var isDisjoint = true

    init() {}

    init(_ segments: [SpoolSegment]) {
        for segment in segments { append(segment) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { places.count - head }

    subscript(position: Int) -> SpoolSegment {
        get { places[head + position] }
        set {
            bytes += newValue.size - places[head + position].size
            places[head + position] = newValue
            if position + 1 < count { checkOrder(after: position) }
        }
    }

    // MARK: Finding

    /// The place of the first segment for which `isThere` is true: for none before it, and all after it.
    func place(where isThere: (SpoolSegment) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isThere(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The place of the segment with this first id.
    func index(of firstID: UInt64) -> Int? {
        let place = place { $0.firstID >= firstID }
        return place < count && self[place].firstID == firstID ? place : nil
    }

    /// The place of the first segment that may have records after `id`.
    func place(after id: UInt64) -> Int {
        guard isDisjoint else { return 0 }
        let next = place { $0.firstID > id }
        guard next > 0 else { return 0 }
        return self[next - 1].ends(by: id) ? next : next - 1
    }

    /// The place of the oldest segment that has nothing of `range`.
    func oldest(besides range: ClosedRange<UInt64>) -> Int? {
        func isBeside(_ segment: SpoolSegment) -> Bool {
            segment.firstID > range.upperBound || segment.lastID ?? segment.firstID < range.lowerBound
        }
        guard isDisjoint, let first, !isBeside(first) else { return firstIndex(where: isBeside) }
        let place = place { $0.firstID > range.upperBound }
        return place < count ? place : nil
    }

    /// The ids of other segments, as their names say, that may be in the range of one.
    func others(overlapping segment: SpoolSegment) -> [ClosedRange<UInt64>] {
        guard !isDisjoint else { return [] }
        return filter { $0.firstID != segment.firstID && $0.range.overlaps(segment.range) }.map(\.range)
    }

    // MARK: Changes

    /// Adds a segment that is newer than all of them.
    mutating func append(_ segment: SpoolSegment) {
        bytes += segment.size
        places.append(segment)
        if count > 1 { checkOrder(after: count - 2) }
    }

    mutating func remove(at index: Int) {
        bytes -= self[index].size
        if index > 0 {
            places.remove(at: head + index)
            return
        }
        head += 1
        if head == places.count {
            (places, head, isDisjoint) = ([], 0, true)
        } else if head > 64, head > places.count / 2 {
            places.removeFirst(head)
            head = 0
        }
    }

    private mutating func checkOrder(after position: Int) {
        let (segment, next) = (self[position], self[position + 1])
        if segment.lastID ?? segment.firstID >= next.firstID { isDisjoint = false }
    }
}
