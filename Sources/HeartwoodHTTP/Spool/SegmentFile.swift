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

    /// Opens a segment for reading; nil where it is another spool's, or no spool's.
    ///
    /// Its identity is the header's if that is whole, else the spool's.
    init?(_ segment: SpoolSegment, in directory: Directory, identity: [UInt8]?) throws(SystemFailure) {
        file = try directory.open(segment.name, for: .reading).file
        try file.read(from: 0, limit: SpoolSegment.headerSize, into: &bytes)
        let named = bytes.withUnsafeBytes { SpoolSegment.identity(inHeader: $0) }
        if let named, named.firstID != segment.firstID || (identity ?? named.identity) != named.identity {
            return nil
        }
        guard let identity = named?.identity ?? identity else { return nil }
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
    private var file: (descriptor: Descriptor, salt: UInt32, openedAt: Duration)?
    /// Where the crash journal is told of each write before it is made.
    private var slot: JournalSlot?

    init(in directory: Directory) { self.directory = directory }

    /// Whether there is a file.
    var isOpen: Bool { file != nil }

    /// The most records of one write.
    var recordLimit: Int { slot == nil ? .max : JournalSlot.writeLimit }

    /// Tells the crash journal of writes from now on, or no longer.
    func tell(_ slot: JournalSlot?) { self.slot = slot }

    /// Makes the file of a new segment, whose first id no file of the spool has.
    func start(
        _ segment: SpoolSegment, identity: [UInt8], at uptime: Duration
    ) throws(SystemFailure) {
        let descriptor: Descriptor
        do throws(SystemFailure) { descriptor = try directory.create(segment.name) } catch {
            guard error.isError(EEXIST) else { throw error }
            // What is left of an attempt could not be removed.
            descriptor = try directory.open(segment.name).file
            try descriptor.truncate(to: 0)
        }
        file = (descriptor, SpoolSegment.salt(identity: identity, firstID: segment.firstID), uptime)
    }

    /// Closes the file.
    func end() { file = nil }

    /// Whether the file was made so long ago.
    func isOlder(than age: Duration, at uptime: Duration) -> Bool {
        file.map { uptime - $0.openedAt >= age } ?? false
    }

    func encode(_ record: SpoolRecord, continues: Bool, into output: inout [UInt8]) {
        SpoolFrame.encode(record, salt: file?.salt ?? 0, continues: continues, into: &output)
    }

    /// Writes frames that end at `ends`; the crash journal waits for ``settle(_:)``.
    func append(
        _ output: [UInt8], _ ends: [Int], to segment: SpoolSegment, _ records: RecordQueue.Run
    ) -> (written: Int, failure: SystemFailure?) {
        guard let file else { return (0, SystemFailure(.write, EBADF)) }
        announce(output, ends, to: segment, file.descriptor, records)
        return file.descriptor.append(output)
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

    /// Cuts the file to a size.
    func truncate(to size: Int) throws(SystemFailure) { try file?.descriptor.truncate(to: size) }

    /// Waits until the disk has the file's content.
    func synchronize() throws(SystemFailure) { try file?.descriptor.sync() }
}
