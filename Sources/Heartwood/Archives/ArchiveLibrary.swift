/// What the core needs of zlib and libcrypto, which it does not link.
///
/// The product `HeartwoodArchive` implements and registers it.
package protocol ArchiveLibrary: Sendable {
    /// The bytes as one member of a gzip file.
    ///
    /// - Throws: ``LogError`` if there is no memory.
    func compress(_ bytes: [UInt8]) throws -> [UInt8]
    /// A decompressor of its own.
    func makeDecompressor() -> any Decompressor
    /// HMAC-SHA-256.
    func code(for bytes: [UInt8], key: Secret) throws -> [UInt8]
    /// AES-256 in counter mode: what plain bytes are joined with by exclusive or, from the block `counter`
    /// on.
    ///
    /// False, and nothing may be used, where the library refuses. `memory` is whole blocks of 16 bytes.
    func writeKeystream(_ key: Secret, counter: [UInt8], to memory: UnsafeMutableRawBufferPointer) -> Bool
    /// AES-256-GCM: the ciphertext, followed by the tag.
    func seal(_ bytes: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) throws -> [UInt8]
    /// The inverse; nil where the bytes, the header or the key are not what they were.
    func open(_ sealed: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) -> [UInt8]?
}

extension ArchiveLibrary {
    /// The whole text of `bytes`, which has about `count` bytes.
    ///
    /// - Throws: ``LogError`` of code `damaged` where the bytes are not gzip.
    package func decompress(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
        let decompressor = makeDecompressor()
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var room = [UInt8](repeating: 0, count: 1 << 17)
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while true {
                let (count, isDamaged) = try room.withUnsafeMutableBytes {
                    try decompressor.decompress(&rest, into: $0)
                }
                if isDamaged { throw LogError(.damaged, "The compressed file is damaged") }
                if count == 0 { return }
                text += room[..<count]
            }
        }
        return text
    }
}

/// Decompresses gzip of any number of members straight into the caller's memory.
///
/// Not thread-safe: owned by the reader.
package protocol Decompressor: AnyObject {
    /// Whether the last member was complete.
    var isComplete: Bool { get }
    /// Whether what is damaged comes after the last member, and is not compressed data.
    var hasEnded: Bool { get }

    /// Another decompressor that goes on where this one is; nil where there is no memory for it.
    func copy() -> (any Decompressor)?

    /// Decompresses as much of `input` as `room` holds, and removes from `input` what was used.
    ///
    /// - Returns: how many bytes are in `room`, 0 where more input is needed; and whether what follows is not
    ///   gzip.
    /// - Throws: ``LogError`` where there is no memory to decompress with.
    func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws -> (count: Int, isDamaged: Bool)
}
