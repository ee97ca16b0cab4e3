import CHeartwood
import Heartwood

/// An open segment: what it holds, in memory as far as it was read.
///
/// Reading goes on where it stopped; a segment is read once, however many batches it is cut into.
final class SegmentFile {
    let salt: UInt32
    private let directory: SpoolDirectory
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
        let error = directory.read(file, from: 0, limit: SpoolSegment.headerSize, into: &header)
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
            directory.close(file)
            throw failure
        }
        self.directory = directory
        descriptor = file
        bytes = header
        salt = SpoolSegment.salt(identity: named?.identity ?? identity ?? [], firstID: segment.firstID)
        parser = SegmentParser(
            from: min(SpoolSegment.headerSize, header.count), firstID: segment.firstID, salt: salt)
    }

    deinit { directory.close(descriptor) }

    /// Reads what was added since the last time; 0 or `errno`.
    func refresh() -> Int32 {
        let error = directory.read(descriptor, from: bytes.count, limit: 1 << 28, into: &bytes)
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

/// The file of the newest segment, while records are appended to it.
final class SegmentWriter {
    private let directory: SpoolDirectory
    private var file: (descriptor: Int32, salt: UInt32, openedAt: Duration)?
    /// Where the crash journal is told of each write before it is made.
    private var slot: JournalSlot?

    init(in directory: SpoolDirectory) { self.directory = directory }

    deinit { end() }

    /// Whether there is a file.
    var isOpen: Bool { file != nil }

    /// The most records of one write.
    var recordLimit: Int { slot == nil ? .max : JournalSlot.writeLimit }

    /// Tells the crash journal of writes from now on, or no longer.
    func tell(_ slot: JournalSlot?) { self.slot = slot }

    /// Makes the file of a new segment, whose first id no file of the spool has; 0 or `errno`.
    func start(_ segment: SpoolSegment, identity: [UInt8], at uptime: Duration) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_APPEND
        var descriptor = directory.open(segment.name, flags | O_EXCL)
        // What is left of an attempt could not be removed.
        if descriptor < 0, hw_errno() == EEXIST {
            descriptor = directory.open(segment.name, flags | O_TRUNC)
        }
        guard descriptor >= 0 else { return hw_errno() }
        file = (descriptor, SpoolSegment.salt(identity: identity, firstID: segment.firstID), uptime)
        return 0
    }

    /// Closes the file.
    func end() {
        if let file { directory.close(file.descriptor) }
        file = nil
    }

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
    ) -> (written: Int, error: Int32) {
        guard let file else { return (0, EBADF) }
        announce(output, ends, to: segment, file.descriptor, records)
        return directory.append(file.descriptor, output)
    }

    private func announce(
        _ output: [UInt8], _ ends: [Int], to segment: SpoolSegment, _ descriptor: Int32,
        _ records: RecordQueue.Run
    ) {
        guard let slot, let status = directory.status(of: descriptor) else { return }
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

    /// Cuts the file to a size; 0 or `errno`.
    func truncate(to size: Int) -> Int32 {
        file.map { directory.truncate($0.descriptor, to: size) } ?? EBADF
    }

    /// Waits until the disk has the file's content; 0 or `errno`.
    func synchronize() -> Int32 { file.map { directory.synchronize($0.descriptor) } ?? EBADF }
}
