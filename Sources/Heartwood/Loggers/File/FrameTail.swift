import CHeartwood

/// Looks at the end of a file of frames, so that it can be gone on with: the counterpart of ``TornLineRepair``.
package struct FrameTail: Sendable, Hashable {
    /// Where the last frame that can be read ends; what is behind it a crash left.
    package let end: Int
    /// The last frame; nil where there is none before a torn one.
    package let last: FramePlace?

    private static let blockSize = 1 << 16

    /// Whether a file has frames in it, or begins with something that is going to be one.
    package static func isFramed(_ file: Descriptor, _ calls: SystemCalls) throws(SystemFailure) -> Bool {
        try bytes(of: file, at: 0, EncryptedFrame.magic.count, calls) == EncryptedFrame.magic
    }

    /// Finds the last frame that this key opens, searching from the end.
    ///
    /// - Returns: nil where the key opens none: the file is somebody else's, or was written with another key.
    package static func find(
        in file: Descriptor, size: Int, _ cipher: FrameCipher, _ calls: SystemCalls
    ) throws -> FrameTail? {
        guard size > 0 else { return FrameTail(end: 0, last: nil) }
        var blockEnd = size
        while blockEnd > 0 {
            let start = max(0, blockEnd - blockSize)
            // With the beginnings of headers that end in the next block.
            let block = try bytes(
                of: file, at: start, min(size, blockEnd + EncryptedFrame.headerSize - 1) - start, calls)
            for index in (0..<min(block.count, blockEnd - start)).reversed()
            where block[index] == EncryptedFrame.magic[0] {
                guard let header = EncryptedFrame.Header(block[index...]) else { continue }
                let offset = start + index
                guard offset + header.frameSize <= size else { continue }
                let sealed = try bytes(
                    of: file, at: offset + EncryptedFrame.headerSize,
                    header.sealedSize + FrameCipher.tagSize, calls)
                guard try header.text(sealed, header.place.cipher(cipher)) != nil else { continue }
                return FrameTail(end: offset + header.frameSize, last: header.place)
            }
            blockEnd = start
        }
        // Only the beginning of its first frame was written.
        let start = try bytes(of: file, at: 0, min(size, EncryptedFrame.headerSize), calls)
        let header = EncryptedFrame.Header(start[...])
        let isTorn =
            header.map { $0.frameSize > size } ?? (start.count < EncryptedFrame.headerSize)
        return isTorn && start.starts(with: EncryptedFrame.magic.prefix(start.count))
            ? FrameTail(end: 0, last: nil) : nil
    }

    private static func bytes(
        of file: Descriptor, at offset: Int, _ count: Int, _ calls: SystemCalls
    ) throws(SystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            var result: Result<Int, SystemFailure> = .success(0)
            bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                do throws(SystemFailure) {
                    result = .success(try calls.read(file.number, rest, at: offset + done))
                } catch {
                    result = .failure(error)
                }
            }
            let got = try result.get()
            if got == 0 { break }
            done += got
        }
        return Array(bytes.prefix(done))
    }
}
