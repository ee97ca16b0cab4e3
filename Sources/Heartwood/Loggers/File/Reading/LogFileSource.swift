import CHeartwood

/// The text of one log file, read from the beginning, whatever it has become: plain, compressed or encrypted.
///
/// Not thread-safe: owned by whoever reads.
package final class LogFileSource {
    private let calls = SystemCalls()
    private let file: Descriptor
    private let path: String
    private var offset: Int
    private let key: (any SecretProvider)?
    /// What the file is; nil until its first bytes have said it.
    private var stage: ArchiveStage?
    /// Whether more may come when the end was reached.
    private let isFollowed: Bool
    private let gzip = GzipReader()
    private var frames: FrameDecoder?
    private var isAtEnd = false
    /// What was wrong with the file, in words for a person; nil where nothing was.
    package private(set) var damage: String?

    /// Opens a file; what it is, its first bytes say.
    ///
    /// - Throws: ``LogError`` where it cannot be opened.
    package init(
        path: String, offset: Int = 0, key: (any SecretProvider)? = nil, isFollowed: Bool = false
    ) throws {
        do throws(SystemFailure) {
            file = Descriptor(try calls.openForReading(path), calls)
        } catch {
            throw LogError(.file, "The file cannot be opened", place: path, cause: error.number)
        }
        self.path = path
        self.offset = offset
        self.key = key
        self.isFollowed = isFollowed
    }

    /// How far the file was read.
    package var position: Int { offset }

    /// Looks what the file is; nil where it is too short yet to say.
    private func recognise() throws -> ArchiveStage? {
        if let stage { return stage }
        var start = [UInt8](repeating: 0, count: EncryptedFrame.magic.count)
        let (calls, file) = (calls, file)
        let count = start.withUnsafeMutableBytes { (try? calls.read(file.number, $0, at: 0)) ?? 0 }
        start.removeLast(start.count - count)
        if isFollowed, count < EncryptedFrame.magic.count, EncryptedFrame.magic.starts(with: start) {
            return nil
        }
        if start == EncryptedFrame.magic {
            guard let key else {
                throw LogError(.secret, "The file is encrypted; a key is needed to read it", place: path)
            }
            frames = FrameDecoder(try FrameCipher(ofLogs: key))
            stage = .encrypted
        } else {
            stage = start.prefix(2) == [0x1f, 0x8b] ? .gzip : .plain
        }
        return stage
    }

    /// The next piece of text; nil at the end of the file.
    ///
    /// Of a plain file that grows, and of an encrypted one that is followed, more may come later.
    ///
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    package func next() throws -> [UInt8]? {
        guard let stage = try recognise() else { return nil }
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
        guard !isAtEnd, stage != .plain else { return nil }
        if isFollowed, stage == .encrypted { return nil }
        isAtEnd = true
        if stage == .gzip, !gzip.isComplete { damage = "cut off" }
        var text: [UInt8] = []
        try frames?.finish { text += $0 }
        if let frames { damage = whatIsWrong(frames) }
        return text.isEmpty ? nil : text
    }

    private func whatIsWrong(_ frames: FrameDecoder) -> String? {
        if frames.damagedBytes > 0, frames.frames == 0 { return "damaged, or encrypted with another key" }
        if frames.damagedBytes > 0 || frames.missingFrames > 0 {
            return "damaged: \(frames.damagedBytes) bytes unreadable, \(frames.missingFrames) frames missing"
        }
        // Only an archive has an end; a log may be written at the moment, or end where a crash ended it.
        let isArchive = ArchiveStage.split(path).stage == .encrypted
        return isArchive && !frames.isComplete ? "cut off" : nil
    }
}
