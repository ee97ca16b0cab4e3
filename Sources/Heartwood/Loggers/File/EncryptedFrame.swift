/// The format of encrypted log files: frames one behind the other, each readable by itself.
///
/// ```
/// offset 0   "HWF1"
///        4   flags: 1 = the text is compressed (one gzip member), 2 = the last frame of its file
///        5   three zero bytes
///        8   length of the ciphertext, little endian
///        12  length of the text, little endian
///        16  the file's salt, 16 random bytes
///        32  the frame's number in its file, from 0, little endian
///        40  ciphertext, and behind it the tag of 16 bytes
/// ```
///
/// AES-256-GCM. The key of a file is HMAC-SHA-256 of "heartwood frame key 1" and the salt under the user's key; the
/// nonce is the number and four zero bytes, so no nonce is used twice. The first 40 bytes are authenticated as well:
/// a frame cannot be altered, moved, taken out or put into another file unnoticed. What is damaged is skipped up to the
/// next frame that opens.
package enum EncryptedFrame {
    package static let magic: [UInt8] = Array("HWF1".utf8)
    package static let headerSize = 40
    /// How much text goes into one frame.
    package static let pieceSize = 1 << 18
    /// What a reader accepts at most, so that a damaged length costs no memory.
    static let largestPiece = 1 << 24

    struct Header {
        var isCompressed = false
        var isLast = false
        var sealedSize: Int
        var plainSize: Int
        var salt: [UInt8]
        var number: UInt64

        init(salt: [UInt8], number: UInt64, sealedSize: Int, plainSize: Int, isCompressed: Bool, isLast: Bool)
        {
            self.isCompressed = isCompressed
            self.isLast = isLast
            self.sealedSize = sealedSize
            self.plainSize = plainSize
            self.salt = salt
            self.number = number
        }

        /// Reads a header; nil where there is none, or none that can be true.
        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= headerSize, bytes.prefix(4).elementsEqual(magic) else { return nil }
            let bytes = Array(bytes.prefix(headerSize))
            func integer(_ offset: Int, _ size: Int) -> UInt64 {
                (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
            }
            guard bytes[4] & ~3 == 0, bytes[5] | bytes[6] | bytes[7] == 0 else { return nil }
            isCompressed = bytes[4] & 1 != 0
            isLast = bytes[4] & 2 != 0
            sealedSize = Int(integer(8, 4))
            plainSize = Int(integer(12, 4))
            salt = Array(bytes[16..<32])
            number = integer(32, 8)
            guard sealedSize <= largestPiece, plainSize <= largestPiece else { return nil }
        }

        var bytes: [UInt8] {
            func little(_ value: UInt64, _ size: Int) -> [UInt8] {
                (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
            }
            let flags: UInt8 = (isCompressed ? 1 : 0) | (isLast ? 2 : 0)
            return magic + [flags, 0, 0, 0] + little(UInt64(sealedSize), 4) + little(UInt64(plainSize), 4)
                + salt
                + little(number, 8)
        }

        var nonce: [UInt8] { Array(bytes[32..<40]) + [0, 0, 0, 0] }
        var frameSize: Int { headerSize + sealedSize + FrameCipher.tagSize }
    }

    static func fileCipher(_ cipher: FrameCipher, salt: [UInt8]) throws -> FrameCipher {
        try cipher.derived(for: Array("heartwood frame key 1".utf8) + salt)
    }
}

/// Makes the frames of one file.
package struct FrameEncoder {
    private let cipher: FrameCipher
    private let salt: [UInt8]
    private var number: UInt64 = 0

    package init(_ cipher: FrameCipher) throws {
        var generator = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.cipher = try EncryptedFrame.fileCipher(cipher, salt: salt)
    }

    /// The text as the next frame.
    package mutating func encode(_ text: [UInt8], isLast: Bool) throws -> [UInt8] {
        let compressed = try GzipMember.compress(text)
        let payload = compressed.count < text.count ? compressed : text
        let header = EncryptedFrame.Header(
            salt: salt, number: number, sealedSize: payload.count, plainSize: text.count,
            isCompressed: compressed.count < text.count, isLast: isLast)
        number += 1
        return header.bytes + (try cipher.seal(payload, nonce: header.nonce, header: header.bytes))
    }
}

/// Reads frames, fed in pieces of any size, and steps over what is damaged.
package struct FrameDecoder {
    private let cipher: FrameCipher
    private var ciphers: [[UInt8]: FrameCipher] = [:]
    private var pending: [UInt8] = []
    private var expected: UInt64 = 0
    /// Bytes that were no readable frame.
    package private(set) var damagedBytes = 0
    /// Frames that are missing between those that could be read.
    package private(set) var missingFrames = 0
    /// The file's last frame was read.
    package private(set) var isComplete = false

    package init(_ cipher: FrameCipher) {
        self.cipher = cipher
    }

    /// Takes more bytes, and hands out the text of each frame that is complete.
    package mutating func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        pending += bytes
        try decode(atEnd: false, body)
    }

    /// Reads what is left, and counts what cannot be read.
    package mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        try decode(atEnd: true, body)
        damagedBytes += pending.count
        pending.removeAll()
    }

    private mutating func decode(atEnd: Bool, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var offset = 0
        defer { pending.removeFirst(offset) }
        while pending.count - offset >= EncryptedFrame.headerSize {
            guard let header = EncryptedFrame.Header(pending[offset...]) else {
                damagedBytes += 1
                offset += 1
                continue
            }
            guard pending.count - offset >= header.frameSize else {
                if !atEnd { return }
                damagedBytes += 1
                offset += 1
                continue
            }
            guard let text = try open(header, at: offset) else {
                damagedBytes += 1
                offset += 1
                continue
            }
            offset += header.frameSize
            if header.number < expected {
                // A frame that was there before: somebody copied it.
                damagedBytes += header.frameSize
                continue
            }
            if header.number > expected { missingFrames += Int(clamping: header.number - expected) }
            expected = header.number &+ 1
            if header.isLast { isComplete = true }
            try body(text[...])
        }
    }

    private mutating func open(_ header: EncryptedFrame.Header, at offset: Int) throws -> [UInt8]? {
        let cipher = try ciphers[header.salt] ?? EncryptedFrame.fileCipher(self.cipher, salt: header.salt)
        let start = offset + EncryptedFrame.headerSize
        let sealed = Array(pending[start..<offset + header.frameSize])
        guard let payload = cipher.open(sealed, nonce: header.nonce, header: header.bytes) else { return nil }
        ciphers = [header.salt: cipher]
        guard header.isCompressed else { return payload }
        var text: [UInt8] = []
        text.reserveCapacity(header.plainSize)
        try GzipReader().feed(payload) { text += $0 }
        return text
    }
}
