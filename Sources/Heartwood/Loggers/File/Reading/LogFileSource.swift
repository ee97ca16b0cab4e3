import CHeartwood

/// The text of one log file, read from the beginning, whatever it has become: plain, compressed or encrypted.
///
/// Not thread-safe: owned by whoever reads.
package final class LogFileSource {
    private let calls = SystemCalls()
    private let file: Descriptor
    private let path: String
    private var offset: Int
    private let stage: ArchiveStage
    private let gzip = GzipReader()
    private var frames: FrameDecoder?
    private var isAtEnd = false
    /// What was wrong with the file, in words for a person; nil where nothing was.
    package private(set) var damage: String?

    /// Opens a file; what it is, its first bytes say.
    ///
    /// - Throws: ``LogError`` where it cannot be opened, or is encrypted and there is no key.
    package init(path: String, offset: Int = 0, key: (any SecretProvider)? = nil) throws {
        do throws(SystemFailure) {
            file = Descriptor(try calls.openForReading(path), calls)
        } catch {
            throw LogError(.file, "The file cannot be opened", place: path, cause: error.number)
        }
        self.path = path
        self.offset = offset
        var start = [UInt8](repeating: 0, count: 4)
        let (calls, file) = (calls, file)
        let count = start.withUnsafeMutableBytes { (try? calls.read(file.number, $0, at: 0)) ?? 0 }
        start.removeLast(4 - count)
        if start == EncryptedFrame.magic {
            stage = .encrypted
            guard let key else {
                throw LogError(.secret, "The file is encrypted; a key is needed to read it", place: path)
            }
            frames = FrameDecoder(try FrameCipher(key: key.secret(named: FileArchiver.keyName)))
        } else {
            stage = start.prefix(2) == [0x1f, 0x8b] ? .gzip : .plain
        }
    }

    /// The next piece of text; nil at the end of the file.
    ///
    /// Of a plain file that grows, more may come later.
    package func next() throws -> [UInt8]? {
        var text: [UInt8] = []
        while text.isEmpty {
            var bytes = [UInt8](repeating: 0, count: 1 << 17)
            let count: Int
            do throws(SystemFailure) {
                var result: Result<Int, SystemFailure> = .success(0)
                bytes.withUnsafeMutableBytes { buffer in
                    do throws(SystemFailure) {
                        result = .success(try calls.read(file.number, buffer, at: offset))
                    } catch {
                        result = .failure(error)
                    }
                }
                count = try result.get()
            } catch {
                throw LogError(.file, "The file cannot be read", place: path, cause: error.number)
            }
            if count == 0 { return try finish() }
            offset += count
            bytes.removeLast(bytes.count - count)
            switch stage {
            case .plain: return bytes
            case .gzip:
                do {
                    try gzip.feed(bytes) { text += $0 }
                } catch {
                    damage = "damaged; what follows the damage is lost"
                    isAtEnd = true
                    return text.isEmpty ? nil : text
                }
            case .encrypted:
                try frames?.feed(bytes) { text += $0 }
            }
            if isAtEnd { return nil }
        }
        return text
    }

    private func finish() throws -> [UInt8]? {
        guard !isAtEnd else { return nil }
        if stage != .plain { isAtEnd = true }
        if stage == .gzip, !gzip.isComplete { damage = "cut off" }
        var text: [UInt8] = []
        try frames?.finish { text += $0 }
        if let frames, frames.damagedBytes > 0 || frames.missingFrames > 0 {
            damage =
                "damaged: \(frames.damagedBytes) bytes unreadable, \(frames.missingFrames) frames missing"
        } else if let frames, !frames.isComplete {
            damage = "cut off, or encrypted with another key"
        }
        return text.isEmpty ? nil : text
    }
}
