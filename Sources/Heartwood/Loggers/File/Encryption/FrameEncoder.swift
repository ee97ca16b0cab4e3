/// Makes the frames of one file.
package struct FrameEncoder {
    /// The user's.
    package let cipher: FrameCipher
    private var runCipher: FrameCipher
    /// Of the next frame.
    private(set) var place: FramePlace

    /// Begins a file, or goes on after a frame of one.
    package init(_ cipher: FrameCipher, behind last: FramePlace? = nil) throws {
        self.cipher = cipher
        place = last.map { $0.next(number: $0.number &+ 1) } ?? .first()
        runCipher = try place.cipher(cipher)
    }

    /// The text as the next frame; it is not longer than a piece.
    package mutating func encode(_ text: [UInt8], isLast: Bool, compresses: Bool = true) throws -> [UInt8] {
        let compressed = compresses ? try cipher.compress(text) : text
        let payload = compressed.count < text.count ? compressed : text
        let header = EncryptedFrame.Header(
            place, sealedSize: payload.count, plainSize: text.count,
            isCompressed: compressed.count < text.count,
            isLast: isLast)
        place.number &+= 1
        return header.bytes + (try runCipher.seal(payload, nonce: header.nonce, header: header.bytes))
    }

    /// Text of any length as frames of a file that is written.
    ///
    /// It is not compressed: that is quicker, and the lengths do not tell what the text is.
    package mutating func encode(live text: UnsafeRawBufferPointer) throws -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(text.count + EncryptedFrame.overhead(of: text.count))
        var start = 0
        repeat {
            let end = min(text.count, start + EncryptedFrame.pieceSize)
            frames += try encode(Array(text[start..<end]), isLast: false, compresses: false)
            start = end
        } while start < text.count
        return frames
    }

    /// Continues with this number, in another run: the frames that had it, and those after it, are not in the
    /// file.
    mutating func goBack(to number: UInt64) throws {
        place = place.next(number: number)
        runCipher = try place.cipher(cipher)
    }

    /// Goes on after a frame that another process wrote; after nil, at the beginning.
    mutating func goOn(behind last: FramePlace?) throws {
        self = try FrameEncoder(cipher, behind: last)
    }
}
