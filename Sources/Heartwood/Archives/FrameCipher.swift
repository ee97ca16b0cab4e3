/// A key of AES-256-GCM and what goes with it; the registered ``ArchiveLibrary`` does the work.
package struct FrameCipher: Sendable, Equatable {
    package static let tagSize = 16
    static let nonceSize = 12

    /// 32 bytes.
    private let key: Secret
    private let library: any ArchiveLibrary

    /// Takes a key of 32 bytes, or of 64 hexadecimal digits.
    ///
    /// - Throws: ``LogError`` of code `secret` for any other, of code `setting` where no library is
    ///   registered.
    package init(key: Secret) throws {
        library = try ArchiveLibraries.registered(for: "Encryption")
        let bytes = key.withBytes { Array($0) }
        if bytes.count == 32 {
            self.key = key
        } else if bytes.count >= 64, let decoded = FrameCipher.decode(bytes) {
            self.key = Secret(bytes: decoded)
        } else {
            throw LogError(.secret, "The log encryption key must be 32 bytes or 64 hexadecimal digits")
        }
    }

    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        let digits = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
        return digits.utf8.count == 64 ? Hexadecimal.decode(digits) : nil
    }

    /// A key for one purpose, from which this one cannot be found: HMAC-SHA-256 of the purpose.
    func derived(for purpose: [UInt8]) throws -> FrameCipher {
        try FrameCipher(key: Secret(bytes: code(for: purpose)))
    }

    /// HMAC-SHA-256 of some bytes.
    package func code(for bytes: [UInt8]) throws -> [UInt8] { try library.code(for: bytes, key: key) }

    /// The encrypted bytes, followed by the tag.
    package func seal(_ bytes: [UInt8], nonce: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try library.seal(bytes, key: key, nonce: nonce, header: header)
    }

    /// The bytes decrypted; nil where they, the header or the key are not what they were.
    package func open(_ sealed: [UInt8], nonce: [UInt8], header: [UInt8]) -> [UInt8]? {
        guard sealed.count >= FrameCipher.tagSize else { return nil }
        return library.open(sealed, key: key, nonce: nonce, header: header)
    }

    // MARK: Text in frames

    /// The text as gzip.
    package func compress(_ text: [UInt8]) throws -> [UInt8] { try library.compress(text) }

    /// The text of `bytes`, which are gzip; it has about `count` bytes.
    package func decompress(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
        try library.decompress(bytes, count: count)
    }

    package static func == (left: FrameCipher, right: FrameCipher) -> Bool { left.key == right.key }
}
