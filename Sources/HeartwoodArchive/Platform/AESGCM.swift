import Heartwood

#if canImport(CryptoKit)
import CryptoKit
import Foundation
#else
import CCrypto
#endif

/// AES-256 in Galois/Counter Mode, by the system's library.
enum AESGCM {
    /// The encrypted bytes, followed by the tag.
    static func seal(_ bytes: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) throws -> [UInt8] {
        #if canImport(CryptoKit)
        let box = try key.withBytes { key in
            try AES.GCM.seal(
                bytes, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce),
                authenticating: header)
        }
        return Array(box.ciphertext) + Array(box.tag)
        #else
        guard let run = CipherRun(EVP_aes_256_gcm(), key: key, vector: nonce, encrypts: true) else {
            throw AESGCM.failure
        }
        var output = [UInt8](repeating: 0, count: bytes.count + FrameCipher.tagSize)
        let isDone = output.withUnsafeMutableBytes { output in
            let start = output.assumingMemoryBound(to: UInt8.self).baseAddress
            let end = start.map { $0 + bytes.count }
            return run.authenticate(header) && run.convert(bytes, count: bytes.count, to: start) != nil
                && run.finish(to: end) != nil && run.writeTag(of: FrameCipher.tagSize, to: end)
        }
        guard isDone else { throw AESGCM.failure }
        return output
        #endif
    }

    /// The bytes decrypted; nil where they, the header or the key are not what they were.
    static func open(_ sealed: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) -> [UInt8]? {
        let count = sealed.count - FrameCipher.tagSize
        #if canImport(CryptoKit)
        return key.withBytes { key in
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.prefix(count), tag: sealed.suffix(FrameCipher.tagSize)),
                let opened = try? AES.GCM.open(
                    box, using: SymmetricKey(data: key), authenticating: header)
            else { return nil }
            return Array(opened)
        }
        #else
        guard let run = CipherRun(EVP_aes_256_gcm(), key: key, vector: nonce, encrypts: false) else {
            return nil
        }
        var output = [UInt8](repeating: 0, count: max(1, count))
        let isOpen = output.withUnsafeMutableBytes { output in
            let start = output.assumingMemoryBound(to: UInt8.self).baseAddress
            return run.authenticate(header) && run.convert(sealed, count: count, to: start) != nil
                && run.expect(tag: Array(sealed.suffix(FrameCipher.tagSize)))
                && run.finish(to: start.map { $0 + count }) != nil
        }
        guard isOpen else { return nil }
        return Array(output.prefix(count))
        #endif
    }

    private static var failure: LogError { LogError(.secret, "Encryption failed") }
}
