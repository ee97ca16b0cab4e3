import CHeartwood

/// Looks at the end of a file of frames, so that it can be continued: the counterpart of ``TornLineRepair``.
struct FrameTail: Sendable, Hashable {
    /// Where the last frame that can be read ends; what follows it was left by a crash.
    let end: Int
    /// The last frame; nil where no whole frame comes before a torn one.
    let last: FramePlace?

    private static let blockSize = 1 << 16

    /// Whether a file has frames in it, or begins with something that is going to be one.
    static func isFramed(_ file: Descriptor, _ calls: SystemCalls) throws(SystemFailure) -> Bool {
        try calls.bytes(EncryptedFrame.magic.count, of: file.number, at: 0) == EncryptedFrame.magic
    }

    /// Finds the last frame that this key opens, searching from the end.
    ///
    /// - Returns: nil where the key opens none: the file is another program's, or was written with another
    ///   key.
    static func find(
        in file: Descriptor, size: Int, _ cipher: FrameCipher, _ calls: SystemCalls
    ) throws -> FrameTail? {
        guard size > 0 else { return FrameTail(end: 0, last: nil) }
        var blockEnd = size
        while blockEnd > 0 {
            let start = max(0, blockEnd - blockSize)
            // With the beginnings of headers that end in the next block.
            let block = try calls.bytes(
                min(size, blockEnd + EncryptedFrame.headerSize - 1) - start, of: file.number, at: start)
            for index in (0..<min(block.count, blockEnd - start)).reversed()
            where block[index] == EncryptedFrame.magic[0] {
                guard let header = EncryptedFrame.Header(block[index...]) else { continue }
                let offset = start + index
                guard offset + header.frameSize <= size else { continue }
                guard try header.text(in: file, at: offset, cipher, calls) != nil else { continue }
                return FrameTail(end: offset + header.frameSize, last: header.place)
            }
            blockEnd = start
        }
        // Only the beginning of its first frame was written.
        let start = try calls.bytes(min(size, EncryptedFrame.headerSize), of: file.number, at: 0)
        let header = EncryptedFrame.Header(start[...])
        let isTorn =
            header.map { $0.frameSize > size } ?? (start.count < EncryptedFrame.headerSize)
        return isTorn && start.starts(with: EncryptedFrame.magic.prefix(start.count))
            ? FrameTail(end: 0, last: nil) : nil
    }
}

extension LogDirectory {
    /// Whether a log is encrypted, as its first bytes say; false where it cannot be read.
    func isFramed(_ name: String) -> Bool {
        guard let (file, _) = try? open(name, writing: false, acceptsLinked: true) else { return false }
        return (try? FrameTail.isFramed(file, calls)) ?? false
    }
}
