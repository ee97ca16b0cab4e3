import CHeartwood

/// Makes the archive of one finished file: compresses or encrypts it into a new one, which then takes its place.
///
/// 1. The archive has its name only when it is complete and on the disk; until then the name ends in `.part`.
/// 2. The log is removed only when the archive's name is on the disk as well. So a crash at any moment leaves the log,
///    or the archive, or both; the next run removes what is superfluous.
package struct ArchiveJob {
    package let directory: LogDirectory
    package let name: String
    package let stage: ArchiveStage
    package let cipher: FrameCipher?
    package let mode: UInt32
    /// Asked before more room is taken than before, with the whole amount; false gives the job up.
    package let reserve: (Int) -> Bool

    /// The name of the archive.
    package var archiveName: String { name + stage.rawValue }
    /// Its name until it is complete.
    package var unfinishedName: String { archiveName + ArchiveStage.unfinished }

    /// Does the work.
    ///
    /// Returns the size of the archive; nil where somebody else still holds the file. Throws what prevented it; then
    /// everything is as before.
    package func run() throws -> Int? {
        let (source, status) = try directory.open(name)
        guard try directory.calls.tryLock(source.number) else { return nil }
        if let there = try directory.status(archiveName), there.kind == .regular {
            // An earlier run has made the archive, and died before it could remove the log.
            try directory.remove(name)
            return there.size
        }
        guard reserve(max(4096, status.size / 4)) else { throw SystemFailure(.write, EDQUOT) }
        try directory.remove(unfinishedName)
        let target = try directory.create(unfinishedName, mode: mode)
        do {
            _ = try directory.calls.tryLock(target.number)
            let size = try copy(source, status.size, to: target)
            try directory.calls.setModified(target.number, to: status.modified)
            try directory.calls.sync(target.number)
            try directory.replace(archiveName, with: unfinishedName)
            try directory.sync()
            try directory.remove(name)
            return size
        } catch {
            _ = try? directory.remove(unfinishedName)
            throw error
        }
    }

    private func copy(_ source: Descriptor, _ size: Int, to target: Descriptor) throws -> Int {
        var frames = try cipher.map { try FrameEncoder($0) }
        var reserved = max(4096, size / 4)
        var offset = 0
        var written = 0
        var piece = [UInt8](
            repeating: 0, count: frames == nil ? GzipMember.pieceSize : EncryptedFrame.pieceSize)
        repeat {
            let count = try fill(&piece, from: source, at: offset)
            offset += count
            let isLast = count < piece.count || offset >= size
            let text = Array(piece.prefix(count))
            let output = try frames?.encode(text, isLast: isLast) ?? GzipMember.compress(text)
            if written + output.count > reserved {
                reserved = max(reserved * 2, written + output.count)
                guard reserve(reserved) else { throw SystemFailure(.write, EDQUOT) }
            }
            try write(output, to: target)
            written += output.count
            if isLast { return written }
        } while true
    }

    private func fill(_ piece: inout [UInt8], from source: Descriptor, at offset: Int) throws -> Int {
        var count = 0
        while count < piece.count {
            let done = count
            let got = try piece.withUnsafeMutableBytes { bytes in
                try directory.calls.read(
                    source.number, UnsafeMutableRawBufferPointer(rebasing: bytes[done...]), at: offset + done)
            }
            if got == 0 { break }
            count += got
        }
        return count
    }

    private func write(_ bytes: [UInt8], to target: Descriptor) throws {
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = try directory.calls.write(target.number, rest, quietly: true)
                guard count > 0 else { throw SystemFailure(.write, EIO) }
                written += count
            }
        }
    }
}
