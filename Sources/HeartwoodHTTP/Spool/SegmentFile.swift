import CHeartwood
import Heartwood

/// An open segment: what it holds, in memory as far as it was read.
///
/// Reading goes on where it stopped; a segment is read once, however many batches it is cut into.
final class SegmentFile {
    let salt: UInt32
    private let descriptor: Int32
    private var bytes: [UInt8]
    private var parser: SegmentParser

    /// Why a file is of no use as a segment.
    enum Unusable: Error {
        case system(Int32)
        case foreign
        case unidentified
    }

    /// Opens a segment for reading and finds its identity: the header's if that is whole, else the spool's.
    init(_ segment: SpoolSegment, in directory: SpoolDirectory, identity: [UInt8]?) throws(Unusable) {
        let file = directory.open(segment.name, O_RDONLY)
        guard file >= 0 else { throw .system(hw_errno()) }
        var header: [UInt8] = []
        let error = SpoolFile.read(file, from: 0, limit: SpoolSegment.headerSize, into: &header)
        let named = header.withUnsafeBytes { SpoolSegment.identity(inHeader: $0) }
        var failure: Unusable?
        if error != 0 {
            failure = .system(error)
        } else if let named,
            named.firstID != segment.firstID || (identity ?? named.identity) != named.identity
        {
            failure = .foreign
        } else if named == nil && identity == nil {
            failure = .unidentified
        }
        if let failure {
            close(file)
            throw failure
        }
        descriptor = file
        bytes = header
        salt = SpoolSegment.salt(identity: named?.identity ?? identity ?? [], firstID: segment.firstID)
        parser = SegmentParser(
            from: min(SpoolSegment.headerSize, header.count), firstID: segment.firstID, salt: salt)
    }

    deinit { close(descriptor) }

    /// Reads what was added since the last time; 0 or `errno`.
    func refresh() -> Int32 {
        let error = SpoolFile.read(descriptor, from: bytes.count, limit: 1 << 28, into: &bytes)
        bytes.withUnsafeBytes { parser.parse($0) }
        return error
    }

    /// The records that were found.
    var entries: [SegmentParser.Entry] { parser.entries }

    /// What is damaged, and whether it is only that the end is missing.
    var damage: [Range<Int>] { parser.damage }

    /// Where the last whole record ends.
    var end: Int { parser.end }

    func record(_ entry: SegmentParser.Entry) -> SpoolRecord {
        SpoolRecord(id: entry.id, time: entry.time, level: entry.level, payload: Array(bytes[entry.payload]))
    }

    func content(_ range: Range<Int>) -> [UInt8] { Array(bytes[range.clamped(to: 0..<bytes.count)]) }
}
