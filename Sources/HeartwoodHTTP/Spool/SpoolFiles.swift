import CHeartwood
import Heartwood

/// The files of a spool: does with them what ``Spool`` says, one thing at a time.
///
/// What fails is reported here, in words for people; the caller learns whether it was done.
final class SpoolFiles {
    let directory: Directory
    let reports: SpoolReports
    let cursor: CursorFile
    let quarantine: Quarantine
    let writer: SegmentWriter
    /// What the names of records and keys of pieces contain; empty until it is known.
    private(set) var identity: [UInt8] = []
    /// The segment that was read last.
    var reader: (firstID: UInt64, file: SegmentFile)?

    /// Opens the directory, and takes its lock.
    ///
    /// - Throws: `LogError` when it cannot be used, or another logger has it.
    init(path: String, quarantineLimit: ByteCount, _ reports: SpoolReports, _ calls: SystemCalls) throws {
        directory = try Directory(path, for: .spool, calls: calls)
        self.reports = reports
        quarantine = Quarantine(in: directory, limit: quarantineLimit, reports)
        writer = SegmentWriter(in: directory)
        cursor = CursorFile(in: directory, reports)
    }

    /// Says which spool it is, before anything is written.
    func identify(as identity: [UInt8]) { self.identity = identity }

    /// The names and sizes of all files.
    func list() throws(LogError) -> [(name: String, size: Int)] {
        do throws(SystemFailure) { return try directory.regularFiles() } catch {
            throw LogError(
                .file, "Cannot list the spool's directory", place: directory.path, cause: error.number)
        }
    }

    /// The spool that a file's header names; nil where that is damaged, or the file is another segment.
    func identity(of segment: SpoolSegment) -> [UInt8]? {
        var header: [UInt8] = []
        guard let (file, _) = try? directory.open(segment.name, for: .reading) else { return nil }
        try? file.read(from: 0, limit: SpoolSegment.headerSize, into: &header)
        guard let named = header.withUnsafeBytes({ SpoolSegment.identity(inHeader: $0) }),
            named.firstID == segment.firstID
        else { return nil }
        return named.identity
    }

    /// Writes the state into the cursor; false when that fails.
    func save(_ state: BatchState, synchronizes: Bool) -> Bool {
        cursor.save(state, identity: identity, synchronizes: synchronizes)
    }

    // MARK: Writing

    /// Makes the file of a new segment; false when that fails.
    ///
    /// What is left of it then is emptied by the next attempt.
    func begin(_ segment: SpoolSegment, synchronizes: Bool) -> Bool {
        do throws(SystemFailure) { try writer.begin(segment, identity: identity) } catch {
            reports.fail("cannot write the spool; messages stay in memory", segment.name, error)
            return false
        }
        do throws(SystemFailure) { if synchronizes { try directory.syncNames() } } catch {
            reports.fail("cannot sync the spool's directory; messages stay in memory", segment.name, error)
            writer.end()
            _ = try? directory.remove(segment.name)
            return false
        }
        return true
    }

    /// Waits until the disk has what was written to the newest segment; false when it does not confirm that.
    func confirm(_ name: String) -> Bool {
        do throws(SystemFailure) { try writer.synchronize() } catch {
            // Where no file can be confirmed, none is written again.
            reports.fail("cannot sync the spool to disk", name, error, counts: !error.isUnsupported)
            return error.isUnsupported
        }
        return true
    }

    /// Gives a file another name; false when that fails, which does no harm: the next start reads the file.
    func rename(_ segment: SpoolSegment, to name: String) -> Bool {
        // Who reads it next compares what is there with what should be.
        forget(segment)
        return (try? directory.replace(name, with: segment.name)) != nil
    }

    /// Cuts a file to a size.
    func cut(_ segment: SpoolSegment, to size: Int) -> Bool {
        forget(segment)
        return reports.attempt("cannot truncate a file of the spool", segment.name) {
            () throws(SystemFailure) in
            try directory.open(segment.name).file.truncate(to: size)
        }
    }

    /// Puts a file with some of a segment's records in its place, which is on the disk before the old one
    /// goes if that is asked for: a power cut finds one of them whole.
    ///
    /// - Parameters:
    ///   - segment: The segment.
    ///   - entries: The records that it keeps, at least one.
    ///   - file: What it has.
    ///   - synchronizes: Whether it waits for the disk.
    /// - Returns: What it is now; nil when the disk does not take it, and it is as before.
    func rewrite(
        _ segment: SpoolSegment, keeping entries: [SegmentParser.Entry], of file: SegmentFile,
        synchronizes: Bool
    ) -> SpoolSegment? {
        var output = segment.header(identity: identity)
        for entry in entries { SpoolFrame.encode(file.record(entry), salt: file.salt, into: &output) }
        var new = segment
        (new.count, new.lastID, new.size) = (entries.count, entries.last?.id, output.count)
        new.name = new.sealedName
        do throws(SystemFailure) {
            try directory.store(output, as: new.name, through: "compact.tmp", synchronizes: synchronizes)
        } catch { return nil }
        forget(segment)
        if new.name == segment.name { return new }
        if synchronizes {
            _ = reports.attempt("cannot sync the spool's directory", new.name) { () throws(SystemFailure) in
                try directory.syncNames()
            }
        }
        // In any case: what was taken out of it must not come back.
        _ = try? directory.remove(segment.name)
        return new
    }

    /// Removes a file.
    func remove(_ segment: SpoolSegment) -> Bool {
        let isRemoved = reports.attempt("cannot remove a file of the spool", segment.name) {
            () throws(SystemFailure) in
            try directory.remove(segment.name)
        }
        if isRemoved { forget(segment) }
        return isRemoved
    }

    /// Reads a segment from its beginning when it is asked for next.
    func forget(_ segment: SpoolSegment) { if reader?.firstID == segment.firstID { reader = nil } }

    // MARK: Groups of dead letters

    /// Ends what a process was doing that died while it stored dead letters again; ids up to `last` are
    /// known to be stored.
    func finishResending(among names: [String], storedUpTo last: UInt64) {
        _ = reports.attempt(
            "cannot remove dead letters that were queued again", DeadLetterFile.name
        ) { () throws(SystemFailure) in
            try ResendMark.finish(in: directory, among: names) { UInt64($0).map { last >= $0 } ?? false }
        }
    }

    /// The file of a segment that is a certain file, by whatever name it has by now: one of the last.
    ///
    /// - Throws: `SystemFailure` when that cannot be found out.
    func find(_ identity: FileStatus.Identity, in segments: SegmentList) throws(SystemFailure) -> Descriptor?
    {
        for segment in segments.reversed() {
            do throws(SystemFailure) {
                let file = try directory.open(segment.name, for: .reading).file
                if file.identity == identity { return file }
            } catch { guard error.isError(ENOENT) else { throw error } }
        }
        return nil
    }
}

extension Directory {
    /// Puts the names on the disk, unless the file system has no such call.
    func syncNames() throws(SystemFailure) {
        try SystemFailure.passingOverUnsupported { () throws(SystemFailure) in try sync() }
    }
}
