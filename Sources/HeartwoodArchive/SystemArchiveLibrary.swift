import Heartwood

/// zlib and libcrypto; CryptoKit and CommonCrypto on Apple's systems.
struct SystemArchiveLibrary: ArchiveLibrary {
    func compress(_ bytes: [UInt8]) throws -> [UInt8] { try GzipMember.compress(bytes) }

    func makeDecompressor() -> any Decompressor { Inflater() }

    func code(for bytes: [UInt8], key: Secret) throws -> [UInt8] {
        try Digest.hmacSHA256(key: key, bytes)
    }

    func writeKeystream(_ key: Secret, counter: [UInt8], to memory: UnsafeMutableRawBufferPointer) -> Bool {
        AESCTR.writeKeystream(key, counter: counter, to: memory)
    }

    func seal(_ bytes: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try AESGCM.seal(bytes, key: key, nonce: nonce, header: header)
    }

    func open(_ sealed: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) -> [UInt8]? {
        AESGCM.open(sealed, key: key, nonce: nonce, header: header)
    }
}
