/// Reads frames, fed in pieces of any size, and steps over what is damaged.
package struct FrameDecoder {
    private let cipher: FrameCipher
    /// The cipher of the run that was read last.
    private var current: (file: [UInt8], run: [UInt8], cipher: FrameCipher)?
    private var pending: [UInt8] = []
    /// The file that the first frame says it is of.
    private var file: [UInt8]?
    private var expected: UInt64 = 0
    /// The last number of each run.
    private var last: [[UInt8]: UInt64] = [:]
    /// Frames that could be read.
    package private(set) var frames = 0
    /// Bytes that were no readable frame.
    package private(set) var damagedBytes = 0
    /// Bytes at the very end that begin a frame which is not complete.
    private(set) var tornBytes = 0
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
        let before = (frames: frames, damaged: damagedBytes, pending: pending.count)
        try decode(atEnd: true, body)
        damagedBytes += pending.count
        pending.removeAll()
        // Nothing after it could be read: it was the beginning of a frame, and no damage in the middle.
        if frames == before.frames {
            damagedBytes = before.damaged
            tornBytes = before.pending
        }
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
        var cipher: FrameCipher
        if let current, current.run == place.run, current.file == place.file {
            cipher = current.cipher
        } else {
            cipher = try place.cipher(self.cipher)
        }
        let start = offset + EncryptedFrame.headerSize
        let sealed = Array(pending[start..<offset + header.frameSize])
        guard let text = try header.text(sealed, cipher) else { return nil }
        current = (place.file, place.run, cipher)
        return text
    }
}

extension EncryptedFrame.Header {
    /// The text of the frame; nil where it was altered, or is encrypted with another key.
    func text(_ sealed: [UInt8], _ cipher: FrameCipher) throws -> [UInt8]? {
        guard let payload = cipher.open(sealed, nonce: nonce, header: bytes) else { return nil }
        guard isCompressed else { return payload }
        return try cipher.decompress(payload, count: plainSize)
    }

    /// The text of the frame that begins at `offset` of a file; `cipher` is the one of the whole key.
    func text(
        in file: Descriptor, at offset: Int, _ cipher: FrameCipher, _ calls: SystemCalls
    ) throws -> [UInt8]? {
        let sealed = try calls.bytes(
            sealedSize + FrameCipher.tagSize, of: file.number, at: offset + EncryptedFrame.headerSize)
        return try text(sealed, place.cipher(cipher))
    }
}
