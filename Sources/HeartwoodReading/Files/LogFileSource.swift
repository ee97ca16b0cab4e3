import CHeartwood
package import Heartwood

/// The text of one log file, read from the beginning, whatever it has become: plain, compressed or encrypted.
///
/// Not thread-safe: owned by whoever reads.
package final class LogFileSource {
    private let calls: SystemCalls
    private let descriptor: Descriptor
    /// Whether it is a pipe, a terminal or standard input, which can be read once only, and the first bytes
    /// of it.
    private let isStream: Bool
    private var head: ArraySlice<UInt8> = []
    private let path: String
    private var offset: Int
    private var limit = Int.max
    private let key: (any SecretProvider)?
    /// What the file is; nil until its first bytes have said it.
    private var stage: ArchiveStage?
    /// Whether more may come when the end was reached.
    private let isFollowed: Bool
    private var gzip: GzipText?
    private var frames: FrameDecoder?
    /// Text of decrypted frames, of which the first `delivered` bytes were handed out.
    private var decrypted: [UInt8] = []
    private var delivered = 0
    private var isAtEnd = false
    /// What was wrong with the file, in words for a person; nil where nothing was.
    package private(set) var damage: String?

    /// Opens a file, or standard input for `-`; what it is, its first bytes say.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - offset: Where the text of a plain file is read from.
    ///   - key: Where the key of an encrypted file comes from.
    ///   - isFollowed: Whether more may come when the end was reached.
    ///   - takesStreams: Whether it may be a pipe or the like, whose reading can wait.
    ///   - calls: The system.
    /// - Throws: ``LogError`` where it cannot be opened.
    package init(
        path: String, offset: Int = 0, key: (any SecretProvider)? = nil, isFollowed: Bool = false,
        takesStreams: Bool = true, calls: SystemCalls = SystemCalls()
    ) throws {
        self.calls = calls
        do throws(SystemFailure) {
            let number: Int32
            if path == "-" { number = hw_duplicate(0) } else { number = try calls.openForReading(path) }
            if number < 0 { throw SystemFailure(.open, hw_errno()) }
            descriptor = try Descriptor(number, calls)
            let kind = try calls.status(number).kind
            isStream = path == "-" || kind == .other
            if isStream, !takesStreams { throw SystemFailure(.open, ENXIO) }
        } catch {
            throw LogError(.file, "Cannot open the file", place: path, cause: error.number)
        }
        self.path = path
        self.offset = offset
        self.key = key
        self.isFollowed = isFollowed
    }

    /// Another reading of the same text, which goes on where `other` is.
    ///
    /// Returns nil for a stream, and where there is no memory.
    package init?(goingOnLike other: LogFileSource) {
        guard !other.isStream else { return nil }
        if let gzip = other.gzip {
            guard let copy = GzipText(goingOnLike: gzip) else { return nil }
            self.gzip = copy
        }
        (calls, descriptor, path, key) = (other.calls, other.descriptor, other.path, other.key)
        (isStream, isFollowed, stage, damage) = (false, other.isFollowed, other.stage, other.damage)
        // What was read and not decompressed yet is read again.
        offset = other.offset - (other.gzip?.unread ?? 0)
        (frames, decrypted, delivered) = (other.frames, other.decrypted, other.delivered)
        isAtEnd = other.isAtEnd
    }

    /// Opens a file of a list, or what it has become since the list was made: an archive of the same lines.
    ///
    /// - Returns: the text from `offset` on, and its path; nil where the retention limits have removed it.
    /// - Throws: ``LogError`` where it cannot be opened or read.
    package static func opening(_ path: String, offset: Int = 0, key: (any SecretProvider)? = nil) throws
        -> (source: LogFileSource, path: String)?
    {
        let (log, known, _) = ArchiveStage.split(path)
        // Once more under its own name at the end: one that was not complete may have gone, and its log still
        // be there.
        let stages = [known] + ArchiveStage.allCases.filter { $0 != known && $0 != .plain } + [known]
        for stage in stages {
            do {
                let path = log + stage.rawValue
                if stage == known { return (try LogFileSource(path: path, offset: offset, key: key), path) }
                let source = try LogFileSource(path: path, key: key)
                try source.skip(offset)
                return (source, path)
            } catch let error as LogError where error.code == .file && error.cause == ENOENT {
                continue
            }
        }
        return nil
    }

    /// Reads so many bytes of text and forgets them.
    private func skip(_ count: Int) throws {
        var rest = count
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: min(max(rest, 1), 1 << 16), alignment: 1)
        defer { room.deallocate() }
        while rest > 0 {
            let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<min(rest, room.count)]))
            if read == 0 { return }
            rest -= read
        }
    }

    /// How far the file was read.
    package var position: Int { offset }

    package var status: FileStatus? { try? calls.status(descriptor.number) }

    /// Which file it is, whatever its path leads to by now.
    package var file: FollowPlan.File? {
        status.map { FollowPlan.File(identity: $0.identity, birth: hw_file_birth(descriptor.number)) }
    }

    /// The number of the open file.
    package var number: Int32 { descriptor.number }

    /// Has its changes end a wait; nil where that is not possible.
    func watch(with watch: FileWatch) -> Int32? { watch.add(file: descriptor.number) }

    /// The first bytes of the file as it is now, of its text where it is plain.
    package var beginning: [UInt8] {
        isStream ? [] : (try? calls.bytes(FollowPlan.beginningSize, of: descriptor.number, at: 0)) ?? []
    }

    /// At most 64 bytes of the file as it is now, up to a place.
    func bytes(before end: Int) -> [UInt8] {
        let count = isStream ? 0 : min(end, 64)
        return (try? calls.bytes(count, of: descriptor.number, at: end - count)) ?? []
    }

    /// The first bytes of the text; of an encrypted file those of the file, unless `decrypts` is set.
    ///
    /// Only for a source from which nothing else is read.
    package func textBeginning(decrypts: Bool = false) -> [UInt8] {
        if isStream { return [] }
        let stage = ArchiveStage(of: beginning)
        guard stage == .gzip || stage == .encrypted && decrypts else { return beginning }
        var text: [UInt8] = []
        while text.count < FollowPlan.beginningSize, let piece = try? next() { text += piece }
        return Array(text.prefix(FollowPlan.beginningSize))
    }

    /// Moves to the next data of a plain file, where the place at hand is in a hole of it.
    ///
    /// - Returns: how many bytes of zero were left out.
    func skipHole() -> Int {
        guard stage == .plain, !isStream else { return 0 }
        let count = Int(hw_file_hole(descriptor.number, Int64(offset)))
        offset += count
        return count
    }

    /// Reads on at another place; from the beginning, the file may have become another kind of file.
    ///
    /// Nothing is read beyond `limit`, until it goes on at another place.
    package func continueAt(_ offset: Int, limit: Int = .max) {
        (self.offset, self.limit) = (offset, limit)
        guard offset == 0 else { return }
        (stage, frames, gzip, isAtEnd, decrypted, delivered) = (nil, nil, nil, false, [], 0)
    }

    /// Looks what the file is; nil where it is too short yet to say.
    package func recognize() throws -> ArchiveStage? {
        if let stage { return stage }
        var start = [UInt8](repeating: 0, count: EncryptedFrame.magic.count)
        let (calls, descriptor) = (calls, descriptor)
        var count: Int
        if isStream {
            while head.count < start.count, case let piece = try readStream(), !piece.isEmpty {
                head += piece
            }
            count = min(head.count, start.count)
            for (index, byte) in head.prefix(count).enumerated() { start[index] = byte }
        } else {
            count = start.withUnsafeMutableBytes { (try? calls.read(descriptor.number, $0, at: 0)) ?? 0 }
        }
        start.removeLast(start.count - count)
        if isFollowed, count < EncryptedFrame.magic.count, EncryptedFrame.magic.starts(with: start) {
            return nil
        }
        let found = ArchiveStage(of: start)
        if found == .encrypted {
            guard let key else {
                let how = "give its key (`key:` in code, --key-file in the command)"
                throw LogError(.secret, "The file is encrypted; \(how)", place: path)
            }
            frames = FrameDecoder(try FrameCipher(ofLogs: key))
        } else if found == .gzip {
            gzip = try GzipText(of: path)
        }
        stage = found
        return found
    }

    /// The next piece of text; nil at the end of the file.
    ///
    /// Of a plain file that grows, and of an encrypted one that is followed, more may come later.
    ///
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    package func next() throws -> [UInt8]? {
        let text = try [UInt8](unsafeUninitializedCapacity: LogFileSource.pieceSize) { room, count in
            count = try read(into: UnsafeMutableRawBufferPointer(room))
        }
        return text.isEmpty ? nil : text
    }

    /// Reads the next bytes of the text into `room`.
    ///
    /// - Returns: how many there are; 0 at the end of the file. Of a plain file that grows, and of an
    ///   encrypted one that is followed, more may come later.
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    package func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let stage = try recognize() else { return 0 }
        switch stage {
        case .plain: return try readFile(into: room)
        case .gzip: return try inflate(into: room)
        case .encrypted: return try decrypt(into: room)
        }
    }

    /// How many bytes of a file are read at a time where they are not handed out as they are.
    private static let pieceSize = 1 << 17

    /// Never a memory map: a file that another process cuts while it is mapped would end this one.
    private func readFile(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        if isStream {
            if head.isEmpty { head = try readStream()[...] }
            let count = min(head.count, room.count)
            room.copyBytes(from: head.prefix(count))
            head.removeFirst(count)
            offset += count
            return count
        }
        do throws(SystemFailure) {
            let size = min(room.count, max(0, limit - offset))
            let room = UnsafeMutableRawBufferPointer(rebasing: room[..<size])
            let count = room.isEmpty ? 0 : try calls.read(descriptor.number, room, at: offset)
            offset += count
            return count
        } catch {
            throw LogError(.file, "Cannot read the file", place: path, cause: error.number)
        }
    }

    /// What a stream has at the moment, once it has something; nothing at its end.
    private func readStream() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: LogFileSource.pieceSize) { room, count in
            while true {
                // A named pipe without a writer yet is waited for, and not taken to be at its end.
                var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, -1)
                let got = CHeartwood.read(descriptor.number, room.baseAddress, room.count)
                if got >= 0 {
                    count = got
                    return
                }
                let number = hw_errno()
                guard number == EINTR || number == EAGAIN else {
                    throw LogError(.file, "Cannot read the file", place: path, cause: number)
                }
            }
        }
    }

    private func inflate(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let gzip else { return 0 }
        defer { damage = gzip.damage }
        return try gzip.next(into: room) { try readFile(into: $0) } ?? 0
    }

    private func decrypt(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        while delivered == decrypted.count, !isAtEnd {
            decrypted.removeAll(keepingCapacity: true)
            delivered = 0
            let bytes = try [UInt8](unsafeUninitializedCapacity: LogFileSource.pieceSize) { room, count in
                count = try readFile(into: UnsafeMutableRawBufferPointer(room))
            }
            if !bytes.isEmpty {
                try frames?.feed(bytes) { decrypted += $0 }
            } else if isFollowed {
                return 0
            } else {
                isAtEnd = true
                try frames?.finish { decrypted += $0 }
                if let frames { damage = whatIsWrong(frames) }
            }
        }
        let count = min(room.count, decrypted.count - delivered)
        decrypted.withUnsafeBytes { text in
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[delivered..<delivered + count]))
        }
        delivered += count
        return count
    }

    private func whatIsWrong(_ frames: FrameDecoder) -> String? {
        if frames.damagedBytes > 0, frames.frames == 0 { return "damaged, or encrypted with another key" }
        if frames.damagedBytes > 0 || frames.missingFrames > 0 {
            return "damaged: \(frames.damagedBytes) bytes unreadable, \(frames.missingFrames) frames missing"
        }
        // Only an archive has an end; a log may be written at the moment, or end where a crash ended it.
        let isArchive = ArchiveStage.split(path).stage == .encrypted
        return isArchive && !frames.isComplete ? "cut off" : nil
    }
}
