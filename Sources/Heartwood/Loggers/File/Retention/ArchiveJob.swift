import CHeartwood

/// Makes the archive of one finished file: compresses or encrypts it into a new one, which takes its place.
///
/// A file that was written encrypted is encrypted again in larger frames, which are compressed. Where not all
/// of it can be read, it becomes an archive as it is: another key may open it.
///
/// 1. The archive has its name only when it is complete and on the disk; until then the name ends in `.part`.
/// 2. The log is removed only when the archive's name is on the disk as well. So a crash at any moment leaves
///    the log, or the archive, or both; the next run removes what is superfluous.
struct ArchiveJob {
    let directory: Directory
    let name: String
    let stage: ArchiveStage
    let cipher: FrameCipher?
    let mode: UInt32
    /// Asked before more room is taken than before, with the whole amount; false gives the job up.
    let reserve: (Int) -> Bool
    /// Asked after the archive was created, and before each write to it.
    var isGivenUp: () -> Bool = { false }

    var archiveName: String { name + stage.rawValue }
    private var unfinishedName: String { archiveName + ArchiveStage.unfinished }

    /// Does the work for a file whose lock is held; throws what prevented it, with everything as before.
    ///
    /// Returns the archive, whose lock is held, too, and its size; nil where another one holds the archive.
    func run(_ source: Descriptor) throws -> (archive: Descriptor, size: Int)? {
        let status = try directory.calls.status(source.number)
        if let there = try directory.status(archiveName), there.kind == .regular {
            // An earlier run has made the archive, and died before it could remove the log.
            guard let archive = try directory.hold(archiveName) else { return nil }
            try directory.remove(name)
            return (archive, there.size)
        }
        let isFramed = try FrameTail.isFramed(source, directory.calls)
        var reserved = max(4096, status.size / 4)
        var written = 0
        guard reserve(reserved) else { throw SystemFailure(.write, EDQUOT) }
        try directory.remove(unfinishedName)
        let target = try directory.create(unfinishedName, mode: mode)
        try directory.protect(target, unfinishedName, like: source, name)
        // Takes no more room than was asked for.
        func append(_ bytes: [UInt8]) throws {
            if written + bytes.count > reserved {
                reserved = max(reserved * 2, written + bytes.count)
                guard reserve(reserved) else { throw SystemFailure(.write, EDQUOT) }
            }
            if isGivenUp() { throw SystemFailure(.write, ECANCELED) }
            try directory.calls.writeAll(target.number, bytes)
            written += bytes.count
        }
        do {
            guard try directory.tryLock(target) else { throw SystemFailure(.lock, EAGAIN) }
            // Who gave it up may have found no file yet that he could remove.
            if isGivenUp() { throw SystemFailure(.write, ECANCELED) }
            if !isFramed {
                try copy(source, status.size, to: append)
            } else if try !copyFrames(source, to: append) {
                try directory.remove(unfinishedName)
                try directory.replace(archiveName, with: name)
                return (source, status.size)
            }
            try directory.calls.setModified(target.number, nanoseconds: status.modifiedNanoseconds)
            try directory.calls.sync(target.number)
            try directory.replace(archiveName, with: unfinishedName)
            try directory.sync()
            try directory.remove(name)
            return (target, written)
        } catch {
            _ = try? directory.remove(unfinishedName)
            throw error
        }
    }

    private func copy(_ source: Descriptor, _ size: Int, to append: ([UInt8]) throws -> Void) throws {
        let library = try ArchiveLibraries.registered(for: "Compression")
        var frames = try cipher.map { try FrameEncoder($0) }
        // The text of one member of a gzip file, or of one frame: damage in it loses no other.
        let pieceSize = frames == nil ? 1 << 20 : EncryptedFrame.pieceSize
        var offset = 0
        var isLast = false
        while !isLast {
            let text = try directory.calls.bytes(pieceSize, of: source.number, at: offset)
            offset += text.count
            isLast = text.count < pieceSize || offset >= size
            try append(frames?.encode(text, isLast: isLast) ?? library.compress(text))
        }
    }

    /// Copies what was written encrypted; returns false where not all of it can be read.
    private func copyFrames(_ source: Descriptor, to append: ([UInt8]) throws -> Void) throws -> Bool {
        guard let cipher else { return false }
        let pieceSize = EncryptedFrame.pieceSize
        var frames = try FrameEncoder(cipher)
        var decoder = FrameDecoder(cipher)
        var text: [UInt8] = []
        var offset = 0
        while true {
            let piece = try directory.calls.bytes(pieceSize, of: source.number, at: offset)
            if piece.isEmpty { break }
            offset += piece.count
            try decoder.feed(piece) { text += $0 }
            while text.count > pieceSize {
                try append(frames.encode(Array(text.prefix(pieceSize)), isLast: false))
                text.removeFirst(pieceSize)
            }
        }
        try decoder.finish { text += $0 }
        let isWhole = decoder.damagedBytes + decoder.tornBytes + decoder.missingFrames == 0
        guard isWhole, decoder.frames > 0, text.count <= pieceSize else { return false }
        try append(frames.encode(text, isLast: true))
        return true
    }
}
