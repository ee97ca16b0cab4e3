import CHeartwood

/// The file beside a journal that keeps text and fields of a message that is too large for the ring.
///
/// 8 bytes of check, seeded with the position and the journal's salt, then the bytes; the check is of all whole words of
/// them, the last filled up with zeros.
enum JournalLargeText {
    static func write(_ bytes: UnsafeRawBufferPointer, for position: UInt64, _ mapping: JournalMapping) throws
    {
        let name = mapping.largeName(position)
        let file = try mapping.directory.create(name, mode: 0o600)
        let calls = mapping.directory.calls
        guard let pad = mapping.pad else { return try write(bytes, for: position, mapping, to: file, calls) }
        guard let sealed = pad.applied(to: bytes, .large(position), from: 0) else {
            throw LogError(.secret, "Encryption failed")
        }
        try sealed.withUnsafeBytes { try write($0, for: position, mapping, to: file, calls) }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, for position: UInt64, _ mapping: JournalMapping,
        to file: Descriptor, _ calls: SystemCalls
    ) throws {
        var check = self.check(bytes, position ^ mapping.header.salt)
        try withUnsafeBytes(of: &check) { try calls.writeAll(file.number, $0) }
        try calls.writeAll(file.number, bytes)
    }

    /// The most bytes that are read: a planted header must not use up all memory.
    private static let longest = 1 << 28

    /// The bytes; nil where the file is missing or not what was written.
    ///
    /// - Parameters:
    ///   - position: The record's position.
    ///   - size: How many bytes the record says there are.
    ///   - mapping: The journal.
    ///   - pad: What they are encrypted with, if they are.
    /// - Returns: the bytes, or nil.
    static func read(for position: UInt64, size: Int, _ mapping: JournalMapping, _ pad: JournalPad?)
        -> [UInt8]?
    {
        guard
            let (file, status) = try? mapping.directory.open(
                mapping.largeName(position), writing: false, acceptsLinked: true),
            size <= longest, status.size == size + 8
        else { return nil }
        guard let bytes = try? mapping.directory.calls.bytes(status.size, of: file.number, at: 0),
            bytes.count == status.size
        else { return nil }
        return bytes.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[8...])
            guard bytes.loadUnaligned(as: UInt64.self) == check(body, position ^ mapping.header.salt) else {
                return nil
            }
            return pad.map { $0.applied(to: body, .large(position), from: 0) } ?? Array(body)
        }
    }

    private static func check(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        return words.withUnsafeBufferPointer { words in
            words.baseAddress.map {
                hw_fold_words(
                    UnsafeRawPointer($0).assumingMemoryBound(to: hw_word.self), 0, words.count,
                    seed ^ UInt64(bytes.count))
            } ?? seed
        }
    }
}
