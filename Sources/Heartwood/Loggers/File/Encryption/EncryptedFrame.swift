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
/// user's key; the nonce is the number and four zero bytes. So no nonce is used twice under a key, whatever
/// crashes: a frame that is made again, after a write that failed or the end of the process, is made in
/// another run.
///
/// The first 48 bytes are authenticated as well: a frame cannot be altered, moved, taken out or put into
/// another file unnoticed. What is damaged is skipped up to the next frame that opens. That frames are
/// missing at the end is told by archives only, whose last frame says that it is: a file that is written may
/// end anywhere.
package enum EncryptedFrame {
    package static let magic: [UInt8] = Array("HWF1".utf8)
    package static let headerSize = 48
    /// What a frame takes besides its text.
    package static let overhead = headerSize + FrameCipher.tagSize
    /// How much text goes into one frame.
    static let pieceSize = 1 << 18
    /// What a reader accepts at most, so that a damaged length costs no memory.
    static let largestPiece = 1 << 20

    /// What frames take besides the text, when so much of it is written at once.
    package static func overhead(of bytes: Int) -> Int {
        overhead * max(1, (bytes + pieceSize - 1) / pieceSize)
    }

    struct Header {
        var isCompressed = false
        var isLast = false
        var sealedSize: Int
        var plainSize: Int
        var place: FramePlace

        init(_ place: FramePlace, sealedSize: Int, plainSize: Int, isCompressed: Bool, isLast: Bool) {
            self.place = place
            self.sealedSize = sealedSize
            self.plainSize = plainSize
            self.isCompressed = isCompressed
            self.isLast = isLast
        }

        /// Reads a header; nil where the bytes are not a valid header.
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
            place = FramePlace(
                file: Array(bytes[16..<32]), run: Array(bytes[32..<40]), number: integer(40, 8))
            guard sealedSize <= largestPiece, plainSize <= largestPiece else { return nil }
        }

        var bytes: [UInt8] {
            func little(_ value: UInt64, _ size: Int) -> [UInt8] {
                (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
            }
            let flags: UInt8 = (isCompressed ? 1 : 0) | (isLast ? 2 : 0)
            return magic + [flags, 0, 0, 0] + little(UInt64(sealedSize), 4) + little(UInt64(plainSize), 4)
                + place.file + place.run + little(place.number, 8)
        }

        var nonce: [UInt8] { Array(bytes[40..<48]) + [0, 0, 0, 0] }
        var frameSize: Int { headerSize + sealedSize + FrameCipher.tagSize }
    }
}

extension FrameCipher {
    /// What the secret with the key of encrypted logs is called.
    static let nameOfLogKey = "log-archive-key"

    /// The cipher of encrypted logs.
    ///
    /// - Throws: ``LogError`` of code `secret` where there is no key, or none that can be one.
    package init(ofLogs provider: (any SecretProvider)?) throws {
        guard let provider else {
            throw LogError(.secret, "Encrypted logs require a key; set the file logger's `archiveKey`")
        }
        do {
            try self.init(key: provider.secret(named: FrameCipher.nameOfLogKey))
        } catch let error as LogError where error.code == .secret {
            throw error
        } catch {
            throw LogError(.secret, "Cannot load the log encryption key: \(error)")
        }
    }
}
