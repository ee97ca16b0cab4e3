import CHeartwood

/// The format of encrypted log files: frames one after the other, each readable by itself.
///
/// ```
/// offset 0   "HWF1"
///        4   flags: 1 = the text is compressed (one gzip member), 2 = the last frame of its file
///        5   three zero bytes
///        8   length of the ciphertext, little endian
///        12  length of the text, little endian
///        16  the file: 16 random bytes, the same in all frames of it
///        32  the run: 8 random bytes, new whenever a process starts to write to the file, or a write failed
///        40  the frame's number in its file, from 0, little endian
///        48  ciphertext, and after it the tag of 16 bytes
/// ```
///
/// AES-256-GCM. The key of a run is HMAC-SHA-256 of "heartwood frame key 1", the file and the run under the
/// user's key; the nonce is the number and four zero bytes. A frame that is made again, after a failed write
/// or the end of the process, is made in another run, so no nonce is used twice under a key.
///
/// The first 48 bytes are authenticated as well: a frame cannot be altered, moved, taken out or put into
/// another file unnoticed. Damage is skipped up to the next frame that opens. Only archives, whose last frame
/// is marked, tell that frames are missing at the end: a file that is being written may end anywhere.
package enum EncryptedFrame {
    package static let magic: [UInt8] = Array("HWF1".utf8)
    package static let headerSize = 48
    /// The most text of one frame.
    static let pieceSize = 1 << 18
    /// What a reader accepts at most, so that a damaged length costs no memory.
    fileprivate static let largestPiece = 1 << 20

    /// What frames take besides the text, when so much of it is written at once.
    package static func overhead(of bytes: Int) -> Int {
        (headerSize + FrameCipher.tagSize) * max(1, (bytes + pieceSize - 1) / pieceSize)
    }

    struct Header {
        var isCompressed: Bool
        var isLast: Bool
        var sealedSize: Int
        var plainSize: Int
        var place: FramePlace

        var nonce: [UInt8] { Array(bytes[40..<48]) + [0, 0, 0, 0] }
        var frameSize: Int { headerSize + sealedSize + FrameCipher.tagSize }
        var bytes: [UInt8] {
            func little(_ value: UInt64, _ size: Int) -> [UInt8] {
                (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
            }
            let flags: UInt8 = (isCompressed ? 1 : 0) | (isLast ? 2 : 0)
            return magic + [flags, 0, 0, 0] + little(UInt64(sealedSize), 4) + little(UInt64(plainSize), 4)
                + place.file + place.run + little(place.number, 8)
        }
    }
}

extension EncryptedFrame.Header {
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= EncryptedFrame.headerSize, bytes.starts(with: EncryptedFrame.magic)
        else { return nil }
        let bytes = Array(bytes.prefix(EncryptedFrame.headerSize))
        func integer(_ offset: Int, _ size: Int) -> UInt64 {
            (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }
        guard bytes[4] & ~3 == 0, bytes[5] | bytes[6] | bytes[7] == 0 else { return nil }
        isCompressed = bytes[4] & 1 != 0
        isLast = bytes[4] & 2 != 0
        sealedSize = Int(integer(8, 4))
        plainSize = Int(integer(12, 4))
        place = FramePlace(file: Array(bytes[16..<32]), run: Array(bytes[32..<40]), number: integer(40, 8))
        guard max(sealedSize, plainSize) <= EncryptedFrame.largestPiece else { return nil }
    }

    /// The text of the frame; nil where it was altered, or is encrypted with another key.
    func text(_ sealed: [UInt8], _ cipher: FrameCipher) throws -> [UInt8]? {
        guard let payload = cipher.open(sealed, nonce: nonce, header: bytes) else { return nil }
        return try isCompressed ? cipher.decompress(payload, count: plainSize) : payload
    }

    /// The text of the frame that begins at `offset` of a file; `cipher` is the one of the whole key.
    func text(
        in file: Descriptor, at offset: Int, _ cipher: FrameCipher, _ calls: SystemCalls
    ) throws -> [UInt8]? {
        let size = sealedSize + FrameCipher.tagSize
        let sealed = try calls.bytes(size, of: file.number, at: offset + EncryptedFrame.headerSize)
        return try text(sealed, place.cipher(cipher))
    }
}

/// Which frame of which file it is, and who wrote it; ``EncryptedFrame`` describes the parts.
package struct FramePlace: Sendable, Hashable {
    package var file: [UInt8]
    package var run: [UInt8]
    package var number: UInt64

    package func cipher(_ cipher: FrameCipher) throws -> FrameCipher {
        try cipher.derived(for: Array("heartwood frame key 1".utf8) + file + run)
    }
}

/// Looks at the end of a file of frames, so that it can be continued: the counterpart of
/// ``FileWriter/repairTornLine(_:size:_:)``.
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
    /// Returns nil where it opens none: the file is another program's, or was written with another key.
    static func find(
        in file: Descriptor, size: Int, _ cipher: FrameCipher, _ calls: SystemCalls
    ) throws -> FrameTail? {
        guard size > 0 else { return FrameTail(end: 0, last: nil) }
        let (magic, headerSize) = (EncryptedFrame.magic, EncryptedFrame.headerSize)
        var blockEnd = size
        while blockEnd > 0 {
            let start = max(0, blockEnd - blockSize)
            // With the beginnings of headers that end in the next block.
            let count = min(size, blockEnd + headerSize - 1) - start
            let block = try calls.bytes(count, of: file.number, at: start)
            for index in (0..<min(block.count, blockEnd - start)).reversed() where block[index] == magic[0] {
                guard let header = EncryptedFrame.Header(block[index...]) else { continue }
                let offset = start + index
                guard offset + header.frameSize <= size else { continue }
                guard try header.text(in: file, at: offset, cipher, calls) != nil else { continue }
                return FrameTail(end: offset + header.frameSize, last: header.place)
            }
            blockEnd = start
        }
        // Only the beginning of its first frame was written.
        let start = try calls.bytes(min(size, headerSize), of: file.number, at: 0)
        let header = EncryptedFrame.Header(start[...])
        let isTorn = header.map { $0.frameSize > size } ?? (start.count < headerSize)
        return isTorn && start.starts(with: magic.prefix(start.count)) ? FrameTail(end: 0, last: nil) : nil
    }
}

extension Directory {
    /// Whether a log is encrypted, as its first bytes say; false where it cannot be read.
    func isFramed(_ name: String) -> Bool {
        guard let (file, _) = try? open(name, for: .reading, acceptsLinked: true) else { return false }
        return (try? FrameTail.isFramed(file, calls)) ?? false
    }
}

extension FrameCipher {
    /// The cipher of encrypted logs.
    ///
    /// - Throws: ``LogError`` of code `secret` where there is no key, or none that can be one.
    package init(ofLogs provider: (any SecretProvider)?) throws {
        guard let provider else {
            throw LogError(.secret, "Encrypted logs require a key; set the file logger's `archiveKey`")
        }
        do {
            try self.init(key: provider.key(named: "log-archive-key"))
        } catch let error as LogError where error.code == .secret {
            throw error
        } catch {
            throw LogError(.secret, "Cannot load the log encryption key: \(error)")
        }
    }
}
