import CHeartwood
import Heartwood

/// An open segment: what it holds, in memory as far as it was read.
///
/// Reading goes on where it stopped; a segment is read once, however many batches it is cut into.
final class SegmentFile {
    let salt: UInt32
    private let file: Descriptor
    private var bytes: [UInt8] = []
    private var parser: SegmentParser

    /// Opens a segment for reading; nil where its header is another spool's.
    init?(_ segment: SpoolSegment, in directory: Directory, identity: [UInt8]) throws(SystemFailure) {
        file = try directory.open(segment.name, for: .reading).file
        try file.read(from: 0, limit: SpoolSegment.headerSize, into: &bytes)
        let named = bytes.withUnsafeBytes { SpoolSegment.identity(inHeader: $0) }
        if let named, named.firstID != segment.firstID || named.identity != identity {
            return nil
        }
        salt = SpoolSegment.salt(identity: identity, firstID: segment.firstID)
        parser = SegmentParser(
            from: min(SpoolSegment.headerSize, bytes.count), firstID: segment.firstID, salt: salt)
    }

    /// Reads what was added since the last time.
    func refresh() throws(SystemFailure) {
        defer { bytes.withUnsafeBytes { parser.parse($0) } }
        try file.read(from: bytes.count, limit: 1 << 28, into: &bytes)
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

/// The file of the newest segment, while records are appended to it.
final class SegmentWriter {
    private let directory: Directory
    private var file: (descriptor: Descriptor, identity: [UInt8], salt: UInt32)?
    /// Where the crash journal is told of each write before it is made.
    var slot: JournalSlot?

    init(in directory: Directory) { self.directory = directory }

    /// Makes the file of a new segment, whose first id no file of the spool has.
    func begin(_ segment: SpoolSegment, identity: [UInt8]) throws(SystemFailure) {
        let descriptor: Descriptor
        do throws(SystemFailure) { descriptor = try directory.create(segment.name) } catch {
            guard error.isError(EEXIST) else { throw error }
            // What is left of an attempt could not be removed.
            descriptor = try directory.open(segment.name).file
            try descriptor.truncate(to: 0)
        }
        let salt = SpoolSegment.salt(identity: identity, firstID: segment.firstID)
        file = (descriptor, identity, salt)
    }

    /// Closes the file.
    func end() { file = nil }

    /// Appends records to the segment; the crash journal waits for ``settle(_:)``.
    ///
    /// - Parameters:
    ///   - records: The records, of which the first is written in any case.
    ///   - segment: The segment.
    ///   - limit: How many bytes and how many records are written at most.
    ///   - groupEnd: Records before this id are part of a group that is whole once it is in the files.
    /// - Returns: how many of the records are in the file, how many bytes longer it is, and what prevented
    ///   the rest; a part of a record may be left then, which could not be cut off.
    func append(
        _ records: RecordQueue.Run, to segment: SpoolSegment, limit: (bytes: Int, count: Int),
        groupEnd: UInt64
    ) -> (count: Int, bytes: Int, failure: SystemFailure?, isTorn: Bool) {
        guard let file else { return (0, 0, SystemFailure(.write, EBADF), true) }
        var output = segment.size == 0 ? segment.header(identity: file.identity) : []
        var ends: [Int] = []
        // The crash journal knows so many records of a write.
        let most = slot == nil ? limit.count : min(limit.count, JournalSlot.writeLimit)
        for record in records {
            let isFull = output.count + SpoolFrame.size(of: record) > limit.bytes || ends.count >= most
            if isFull, !ends.isEmpty { break }
            let continues = record.id < groupEnd
            SpoolFrame.encode(record, salt: file.salt, continues: continues, into: &output)
            ends.append(output.count)
        }
        announce(output, ends, to: segment, file.descriptor, records)
        let (written, failure) = file.descriptor.append(output)
        guard failure != nil else { return (ends.count, written, nil, false) }
        let count = ends.prefix { $0 <= written }.count
        let end = count > 0 ? ends[count - 1] : 0
        let isCut = (try? file.descriptor.truncate(to: segment.size + end)) != nil
        return (count, isCut ? end : written, failure, !isCut)
    }

    private func announce(
        _ output: [UInt8], _ ends: [Int], to segment: SpoolSegment, _ descriptor: Descriptor,
        _ records: RecordQueue.Run
    ) {
        guard let slot, let status = try? descriptor.status() else { return }
        let marks = records.prefix(ends.count).map(\.mark)
        output.withUnsafeBytes { output in
            slot.intend(
                status.identity, segment.name, size: status.size, output, from: 0, ends: ends[...],
                marks: marks[...])
        }
    }

    /// Tells the crash journal which records of the last write are in the file.
    func settle(_ records: RecordQueue.Run) {
        slot?.settle(upTo: records.reduce(0) { max($0, $1.mark) })
    }

    /// Waits until the disk has the file's content.
    func synchronize() throws(SystemFailure) {
        guard let file else { throw SystemFailure(.sync, EBADF) }
        try file.descriptor.sync()
    }
}
