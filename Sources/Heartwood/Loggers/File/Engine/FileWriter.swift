import CHeartwood

/// One open log file, at whose end whole records are written.
///
/// 1. The file ends with a whole record after each call, or the writer knows the part of one that is at its
///    end: it cuts that part off, or completes the record, before it writes anything else (promise 8).
/// 2. A record is written once: what is reported as written is in the file, what is not is not.
/// 3. Nothing is cut off but what the writer has just seen at the end of the file, and knows to be its part
///    of a record.
///
/// All this holds while no other process writes to the file: its lock is held alone, or the directory's.
///
/// Not thread-safe: owned by the engine.
final class FileWriter {
    let file: Descriptor
    let identity: FileStatus.Identity
    var label: LogFileLabel
    /// Whether other processes write to the file as well.
    let isShared: Bool
    var name: String
    /// When the file was created; as exactly as is known.
    let createdAt: LogTimestamp
    /// The bytes in the file, as far as is known: others may cut or extend it.
    private(set) var size: Int
    /// Whether there is more in it than a header.
    var hasRecords: Bool
    /// Whether the header has still to be written.
    var needsHeader: Bool
    /// Others have written to it with another key.
    var isForeign = false
    /// It is to be left as soon as another file is open.
    private(set) var isOutgoing = false
    /// It is to be marked as finished when it is left.
    var isFinal = false

    /// Makes frames of the records; nil where they are written as they are.
    private var frames: FrameEncoder?
    /// Whether records are encrypted before they are written.
    let isFramed: Bool
    /// Where the last frame ends that `frames` knows of.
    private var framesEnd: Int
    /// The process has a limit on the size of files, so a write could raise a signal that ends it.
    private var isLimited: Bool
    /// The part of a record at the end of the file that could not be cut off; empty for none.
    private var part: [UInt8] = []
    /// Records are lines, so that one that others left without its end must be ended.
    private let endsLines: Bool
    /// Where the last whole line ends that is known; what comes after it others wrote.
    private var wholeEnd: Int
    private let calls: SystemCalls

    init(
        file: Descriptor, status: FileStatus, name: String, label: LogFileLabel, createdAt: LogTimestamp,
        isNew: Bool, endsLines: Bool = true, isWhole: Bool = true,
        frames: FrameEncoder? = nil, isShared: Bool = false,
        calls: SystemCalls
    ) {
        self.file = file
        self.identity = status.identity
        self.name = name
        self.label = label
        self.createdAt = createdAt
        self.size = status.size
        self.hasRecords = !isNew && status.size > 0
        self.needsHeader = status.size == 0
        self.endsLines = endsLines
        self.wholeEnd = isWhole ? status.size : 0
        self.frames = frames
        self.isFramed = frames != nil
        self.framesEnd = status.size
        self.isLimited = calls.fileSizeLimit() != nil
        self.isShared = isShared
        self.calls = calls
    }

    /// What decisions need to know of the file.
    var facts: FilePlan.File {
        FilePlan.File(
            size: size, hasRecords: hasRecords, needsHeader: needsHeader, isTorn: isTorn, isShared: isShared,
            isFramed: isFramed, isForeign: isForeign, isOutgoing: isOutgoing,
            createdAt: createdAt)
    }

    /// Has the file left as soon as another one is open.
    func leaveSoon() { isOutgoing = true }

    /// The key that records are encrypted with.
    var cipher: FrameCipher? { frames?.cipher }

    /// How many of the records were written.
    struct Outcome: Sendable {
        var records = 0
        var bytes = 0
        var failure: SystemFailure?
    }

    /// Whether the file is still there, under its name.
    enum Place: Sendable, Equatable { case inPlace, removed, moved }

    // MARK: Looking

    /// Asks the kernel for the file's size, and cuts off the part of a record that an earlier failure left.
    ///
    /// A part that still cannot be cut off stays, and ``append(_:ends:from:announce:)`` completes its record.
    /// Where it throws, nothing must be written.
    func refresh() throws(SystemFailure) -> FileStatus {
        let status = try file.status()
        let before = size
        // Cut to nothing from outside, as `copytruncate` does, it is as good as new.
        if status.size == 0, size > 0 {
            needsHeader = true
            restartFrames()
        }
        size = status.size
        // Another process may have written the first lines of a file that is shared.
        if isShared, !isTorn, status.size > before { (hasRecords, needsHeader) = (true, false) }
        try removePart()
        if size == 0 { hasRecords = false }
        return status
    }

    /// Cuts off the part of a record at the end of the file, of which `size` bytes are known to be there.
    private func removePart() throws(SystemFailure) {
        guard !part.isEmpty else { return }
        guard size >= part.count,
            try calls.bytes(part.count, of: file.number, at: size - part.count) == part
        else {
            // Others have cut or extended the file.
            part = []
            return
        }
        do throws(SystemFailure) {
            try calls.truncate(file.number, to: size - part.count)
            size -= part.count
            part = []
        } catch {
            guard !mustCut else { throw error }
            size -= part.count
        }
        wholeEnd = size
    }

    /// Ends a line that others left without its end, so that the next one begins at the beginning of a line.
    ///
    /// With `mayCut` only processes that are dead can have left it, and it is cut off: so many bytes, nil for
    /// none. Else it gets a newline.
    func endTornLine(mayCut: Bool) throws(SystemFailure) -> Int? {
        guard endsLines, !isFramed, !isTorn, size != wholeEnd else { return nil }
        guard size > 0 else {
            wholeEnd = 0
            return nil
        }
        // A file that cannot be read is written all the same, after a newline.
        let last = try? calls.bytes(1, of: file.number, at: size - 1).first
        guard last != UInt8(ascii: "\n") else {
            wholeEnd = size
            return nil
        }
        if mayCut, last != nil, let cut = try? FileWriter.repairTornLine(file, size: size, calls) {
            size = try file.status().size
            if size == 0 { hasRecords = false }
            wholeEnd = size
            return cut == 0 ? nil : cut
        }
        let (written, failure) = writeNewline()
        if let failure { throw failure }
        size += written
        wholeEnd = size
        return nil
    }

    /// Looks for the file under its name.
    ///
    /// Where that cannot be found out, a file that still has a name counts as being in its place.
    func place(_ status: FileStatus, in directory: Directory) -> Place {
        if status.links == 0 { return .removed }
        do throws(SystemFailure) {
            return try calls.status(path: directory.path + "/" + name).identity == identity
                ? .inPlace : .moved
        } catch {
            return [ENOENT, ENOTDIR, ELOOP].contains(error.number) ? .moved : .inPlace
        }
    }

    /// Looks again whether the process has a limit on the size of files.
    func checkLimit() { isLimited = calls.fileSizeLimit() != nil }

    /// Whether a part of a record is at the end of the file and could not be cut off.
    var isTorn: Bool { !part.isEmpty }

    /// Whether the part at the end can only be cut off: a header or a frame is not completed.
    var mustCut: Bool { isTorn && (isFramed || needsHeader && !hasRecords) }

    // MARK: Writing

    /// Writes records, as many as possible, in one call of the kernel if it takes them.
    ///
    /// `bytes` are the records, without gaps; `ends` says where each ends, in numbers of which `start` is the
    /// place of the first byte. `announce` is given what goes into the file, just before it does.
    func append(
        _ bytes: UnsafeRawBufferPointer, ends: ArraySlice<Int>, from start: Int,
        announce: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> Outcome {
        if isFramed { return appendFrames(bytes, ends.count, announce) }
        let before = size
        announce(bytes)
        let there = takePart(bytes)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[there...])
        var (written, failure) = writeAll(rest)
        written += there
        guard let failure else {
            size += written
            wholeEnd = size
            hasRecords = true
            return Outcome(records: ends.count, bytes: written, failure: nil)
        }
        // Keep the records that are whole, and cut the file off after them.
        let records = ends.prefix { $0 - start <= written }.count
        let kept = records == 0 ? 0 : ends[ends.startIndex + records - 1] - start
        size = before + kept
        wholeEnd = size
        if records > 0 { hasRecords = true }
        if written > kept { cut(bytes[kept..<written]) }
        return Outcome(records: records, bytes: kept, failure: failure)
    }

    /// How many bytes of the first record are at the end of the file already.
    ///
    /// A part of another record, which was dropped meanwhile, gets an end.
    private func takePart(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isTorn else { return 0 }
        defer { part = [] }
        if bytes.starts(with: part) { return part.count }
        size += part.count + writeNewline().written
        return 0
    }

    private func writeNewline() -> (written: Int, failure: SystemFailure?) {
        let newline: [UInt8] = [UInt8(ascii: "\n")]
        return newline.withUnsafeBytes { writeAll($0) }
    }

    /// Writes the header of a new file, all of it or nothing.
    func writeHeader(_ bytes: UnsafeRawBufferPointer) -> SystemFailure? {
        let before = size
        if isFramed {
            let outcome = writeFrames(bytes) { _ in }
            if outcome.failure == nil { needsHeader = false }
            return outcome.failure
        }
        let (written, failure) = writeAll(bytes)
        if let failure {
            size = before
            if written > 0 { cut(bytes[..<written]) }
            return failure
        }
        size += written
        wholeEnd = size
        needsHeader = false
        return nil
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> (written: Int, failure: SystemFailure?) {
        var waits = 0
        return SystemCalls.writeWhole(
            bytes,
            whenBlocked: {
                // A file is always ready, but a network file system may not be: wait a second at most.
                if waits == 10 { return false }
                waits += 1
                calls.waitUntilWritable(file.number)
                return true
            }
        ) { rest, _ throws(SystemFailure) in
            try calls.write(file.number, rest, quietly: isLimited)
        }
    }

    /// Cuts off what a write that failed has left of a record, after a look at what is at the end of the
    /// file.
    private func cut(_ written: Slice<UnsafeRawBufferPointer>) {
        let known = size
        part = Array(written)
        do throws(SystemFailure) {
            size = try file.status().size
            try removePart()
        } catch {
            // It is there still, and is looked at again before the next write.
            size = known
        }
    }

    // MARK: Frames

    /// Writes records as frames, all of them or none.
    private func appendFrames(
        _ bytes: UnsafeRawBufferPointer, _ records: Int, _ announce: (UnsafeRawBufferPointer) -> Void
    ) -> Outcome {
        var outcome = writeFrames(bytes, announce)
        guard outcome.failure == nil else { return outcome }
        hasRecords = true
        outcome.records = records
        return outcome
    }

    private func writeFrames(
        _ bytes: UnsafeRawBufferPointer, _ announce: (UnsafeRawBufferPointer) -> Void
    ) -> Outcome {
        guard let first = frames?.place.number, let sealed = try? frames?.encode(live: bytes) else {
            return Outcome(failure: SystemFailure(.write, EIO))
        }
        let before = size
        let (written, failure) = sealed.withUnsafeBytes { sealed in
            announce(sealed)
            let outcome = writeAll(sealed)
            if outcome.failure != nil, outcome.written > 0 { cut(sealed[..<outcome.written]) }
            return outcome
        }
        defer { framesEnd = size }
        guard let failure else {
            size += written
            return Outcome(bytes: written)
        }
        size = before
        // What was written of it, a reader may have seen: the numbers are used again in another run only.
        do { try frames?.goBack(to: first) } catch { return Outcome(failure: SystemFailure(.write, EIO)) }
        return Outcome(failure: failure)
    }

    /// Begins with the first frame: the file is empty.
    private func restartFrames() {
        guard frames != nil else { return }
        try? frames?.goOn(behind: nil)
        framesEnd = 0
    }

    /// Goes on after the frames that other processes have written meanwhile; false where they used another
    /// key, so that the file must be left to them.
    func followFrames() throws -> Bool {
        guard let cipher, size != framesEnd else { return true }
        guard let tail = try FrameTail.find(in: file, size: size, cipher, calls) else { return false }
        if tail.end < size {
            try calls.truncate(file.number, to: tail.end)
            size = tail.end
        }
        try frames?.goOn(behind: tail.last)
        framesEnd = size
        return true
    }

    // MARK: The disk

    func sync() throws(SystemFailure) {
        _ = try file.status()
        try calls.sync(file.number)
    }

    /// Cuts the file after its last newline (promise 8); returns how many bytes were cut off.
    ///
    /// A file that has no newline in its last MiB gets one at its end: it is not ours to guess.
    static func repairTornLine(
        _ file: Descriptor, size: Int, _ calls: SystemCalls
    ) throws(SystemFailure) -> Int {
        if let whole = try calls.cutTornLine(file.number, size: size, reach: 1 << 20) { return size - whole }
        try calls.writeAll(file.number, [UInt8(ascii: "\n")])
        return 0
    }
}
