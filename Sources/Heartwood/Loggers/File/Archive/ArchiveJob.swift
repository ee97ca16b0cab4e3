import CHeartwood

/// Makes the archive of one finished file: compresses or encrypts it into a new one, which then takes its
/// place.
///
/// A file that was written encrypted is decrypted and encrypted again in memory, in larger frames that are
/// compressed. Where not all of it can be read, it becomes an archive as it is: what another key may open is
/// not thrown away.
///
/// 1. The archive has its name only when it is complete and on the disk; until then the name ends in `.part`.
/// 2. The log is removed only when the archive's name is on the disk as well. So a crash at any moment leaves
///    the log, or the archive, or both; the next run removes what is superfluous.
struct ArchiveJob {
    /// How much text goes into one member of a gzip file; damage in one member loses that one only.
    private static let pieceSize = 1 << 20

    let directory: LogDirectory
    let name: String
    let stage: ArchiveStage
    let cipher: FrameCipher?
    let mode: UInt32
    /// Asked before more room is taken than before, with the whole amount; false gives the job up.
    let reserve: (Int) -> Bool
    /// Asked after the archive was created, and before each write to it; true gives the job up.
    var isGivenUp: () -> Bool = { false }

    /// The name of the archive.
    var archiveName: String { name + stage.rawValue }
    /// Its name until it is complete.
    var unfinishedName: String { archiveName + ArchiveStage.unfinished }

    /// Does the work.
    ///
    /// Returns the size of the archive; nil where another process or logger holds the file. Throws what
    /// prevented it; then everything is as before.
    func run() throws -> Int? {
        guard let source = try directory.hold(name) else { return nil }
        return try run(source)?.size
    }

    /// Does the work for a file whose lock is held.
    ///
    /// Returns the archive, whose lock is held, and its size; nil where another process or logger holds the
    /// archive.
    func run(_ source: Descriptor) throws -> (archive: Descriptor, size: Int)? {
        let status = try directory.calls.status(source.number)
        if let there = try directory.status(archiveName), there.kind == .regular {
            // An earlier run has made the archive, and died before it could remove the log.
            guard let archive = try directory.hold(archiveName) else { return nil }
            try directory.remove(name)
            return (archive, there.size)
        }
        let isFramed = try FrameTail.isFramed(source, directory.calls)
        guard reserve(max(4096, status.size / 4)) else { throw SystemFailure(.write, EDQUOT) }
        try directory.remove(unfinishedName)
        let target = try directory.create(unfinishedName, mode: mode)
        do {
            guard try directory.calls.tryLock(target.number) else { throw SystemFailure(.lock, EAGAIN) }
            // Who gave it up may have found no file yet that he could remove.
            if isGivenUp() { throw SystemFailure(.write, ECANCELED) }
            guard
                let size = isFramed
                    ? try copyFrames(source, status.size, to: target)
                    : try copy(source, status.size, to: target)
            else {
                try directory.remove(unfinishedName)
                try directory.replace(archiveName, with: name)
                return (source, status.size)
            }
            try directory.calls.setModified(target.number, nanoseconds: status.modifiedNanoseconds)
            try directory.calls.sync(target.number)
            try directory.replace(archiveName, with: unfinishedName)
            try directory.sync()
            try directory.remove(name)
            return (target, size)
        } catch {
            _ = try? directory.remove(unfinishedName)
            throw error
        }
    }

    private func copy(_ source: Descriptor, _ size: Int, to target: Descriptor) throws -> Int {
        let library = try ArchiveLibraries.registered(for: "Compression")
        var frames = try cipher.map { try FrameEncoder($0) }
        var output = Output(job: self, target: target, reserved: max(4096, size / 4))
        var offset = 0
        var piece = [UInt8](
            repeating: 0, count: frames == nil ? ArchiveJob.pieceSize : EncryptedFrame.pieceSize)
        repeat {
            let count = try fill(&piece, from: source, at: offset)
            offset += count
            let isLast = count < piece.count || offset >= size
            let text = Array(piece.prefix(count))
            try output.append(frames?.encode(text, isLast: isLast) ?? library.compress(text))
            if isLast { return output.written }
        } while true
    }

    /// Copies what was written encrypted.
    ///
    /// - Returns: nil where not all of it can be read.
    private func copyFrames(_ source: Descriptor, _ size: Int, to target: Descriptor) throws -> Int? {
        guard let cipher else { return nil }
        var frames = try FrameEncoder(cipher)
        var decoder = FrameDecoder(cipher)
        var output = Output(job: self, target: target, reserved: max(4096, size / 4))
        var piece = [UInt8](repeating: 0, count: EncryptedFrame.pieceSize)
        var text: [UInt8] = []
        var offset = 0
        while true {
            let count = try fill(&piece, from: source, at: offset)
            if count == 0 { break }
            offset += count
            try decoder.feed(Array(piece.prefix(count))) { text += $0 }
            while text.count > EncryptedFrame.pieceSize {
                try output.append(frames.encode(Array(text.prefix(EncryptedFrame.pieceSize)), isLast: false))
                text.removeFirst(EncryptedFrame.pieceSize)
            }
        }
        try decoder.finish { text += $0 }
        let isWhole = decoder.damagedBytes + decoder.tornBytes + decoder.missingFrames == 0
        guard isWhole, decoder.frames > 0, text.count <= EncryptedFrame.pieceSize else { return nil }
        try output.append(frames.encode(text, isLast: true))
        return output.written
    }

    /// The archive that is being made; takes no more room than was asked for.
    private struct Output {
        let job: ArchiveJob
        let target: Descriptor
        var reserved: Int
        var written = 0

        mutating func append(_ bytes: [UInt8]) throws {
            if written + bytes.count > reserved {
                reserved = max(reserved * 2, written + bytes.count)
                guard job.reserve(reserved) else { throw SystemFailure(.write, EDQUOT) }
            }
            if job.isGivenUp() { throw SystemFailure(.write, ECANCELED) }
            try job.write(bytes, to: target)
            written += bytes.count
        }
    }

    private func fill(_ piece: inout [UInt8], from source: Descriptor, at offset: Int) throws -> Int {
        try directory.calls.fill(&piece, piece.count, from: source.number, at: offset)
    }

    private func write(_ bytes: [UInt8], to target: Descriptor) throws {
        try bytes.withUnsafeBytes { try directory.calls.writeAll(target.number, $0) }
    }
}
