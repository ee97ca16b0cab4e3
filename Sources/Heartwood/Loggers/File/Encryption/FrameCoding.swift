/// Makes the frames of one file.
package struct FrameEncoder {
    package let cipher: FrameCipher
    private var runCipher: FrameCipher
    /// The place of the next frame.
    private(set) var place: FramePlace

    /// Begins a file, or goes on after a frame of one.
    package init(_ cipher: FrameCipher, behind last: FramePlace? = nil) throws {
        self.cipher = cipher
        place = FramePlace(
            file: last?.file ?? RandomBytes.make(16), run: RandomBytes.make(8),
            number: last.map { $0.number &+ 1 } ?? 0)
        runCipher = try place.cipher(cipher)
    }

    /// The text as the next frame; it is not longer than a piece.
    package mutating func encode(_ text: [UInt8], isLast: Bool, compresses: Bool = true) throws -> [UInt8] {
        let compressed = compresses ? try cipher.compress(text) : text
        let isCompressed = compressed.count < text.count
        let payload = isCompressed ? compressed : text
        let header = EncryptedFrame.Header(
            isCompressed: isCompressed, isLast: isLast, sealedSize: payload.count, plainSize: text.count,
            place: place)
        place.number &+= 1
        return header.bytes + (try runCipher.seal(payload, nonce: header.nonce, header: header.bytes))
    }

    /// Text of any length as frames of a file that is being written.
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

    /// Continues with this number, in another run: the frames from it on are not in the file.
    mutating func goBack(to number: UInt64) throws {
        place = FramePlace(file: place.file, run: RandomBytes.make(8), number: number)
        runCipher = try place.cipher(cipher)
    }

    /// Goes on after a frame that another process wrote; after nil, at the beginning.
    mutating func goOn(behind last: FramePlace?) throws {
        self = try FrameEncoder(cipher, behind: last)
    }
}

/// Reads frames, fed in pieces of any size, and steps over what is damaged.
package struct FrameDecoder {
    private let cipher: FrameCipher
    /// The cipher of the run that was read last.
    private var current: (file: [UInt8], run: [UInt8], cipher: FrameCipher)?
    private var pending: [UInt8] = []
    private var file: [UInt8]?
    private var expected: UInt64 = 0
    /// The last number of each run.
    private var last: [[UInt8]: UInt64] = [:]
    package private(set) var frames = 0
    /// Bytes that were no readable frame.
    package private(set) var damagedBytes = 0
    /// Bytes at the very end that begin a frame which is not complete.
    private(set) var tornBytes = 0
    /// Frames that are missing between those that could be read.
    package private(set) var missingFrames = 0
    package private(set) var isComplete = false

    package init(_ cipher: FrameCipher) { self.cipher = cipher }

    /// Takes more bytes, and hands out the text of each frame that is complete.
    package mutating func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        pending += bytes
        try decode(atEnd: false, body)
    }

    /// Reads what is left, and counts what cannot be read.
    package mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        let before = (frames: frames, damaged: damagedBytes, pending: pending.count)
        try decode(atEnd: true, body)
        damagedBytes += pending.count
        pending.removeAll()
        // Nothing after it could be read: it was the beginning of a frame, and no damage in the middle.
        if frames == before.frames { (damagedBytes, tornBytes) = (before.damaged, before.pending) }
    }

    private mutating func decode(atEnd: Bool, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var offset = 0
        defer { pending.removeFirst(offset) }
        while pending.count - offset >= EncryptedFrame.headerSize {
            let header = EncryptedFrame.Header(pending[offset..<offset + EncryptedFrame.headerSize])
            let isWhole = header.map { pending.count - offset >= $0.frameSize } ?? false
            if header != nil, !isWhole, !atEnd { return }
            guard let header, isWhole, let text = try open(header, at: offset) else {
                damagedBytes += 1
                offset += 1
                continue
            }
            offset += header.frameSize
            guard accepts(header.place) else {
                damagedBytes += header.frameSize
                continue
            }
            frames += 1
            if header.isLast { isComplete = true }
            try body(text[...])
        }
    }

    /// Whether the frame belongs here; one that was there before is a copy, as is one of another file.
    private mutating func accepts(_ place: FramePlace) -> Bool {
        if let file, file != place.file { return false }
        if let before = last[place.run], place.number <= before { return false }
        file = place.file
        last[place.run] = place.number
        if place.number > expected {
            missingFrames = Int(clamping: UInt64(missingFrames) &+ min(place.number - expected, 1 << 62))
        }
        // Two processes that write at the same time may use a number twice, in runs of their own.
        expected = max(expected, place.number &+ 1)
        return true
    }

    private mutating func open(_ header: EncryptedFrame.Header, at offset: Int) throws -> [UInt8]? {
        let place = header.place
        let known = current.flatMap { $0.run == place.run && $0.file == place.file ? $0.cipher : nil }
        let cipher = try known ?? place.cipher(cipher)
        let sealed = pending[offset + EncryptedFrame.headerSize..<offset + header.frameSize]
        guard let text = try header.text(Array(sealed), cipher) else { return nil }
        current = (place.file, place.run, cipher)
        return text
    }
}
