#if canImport(CryptoKit)
import CryptoKit
import Foundation
#else
import CCrypto
#endif

/// AES-256-GCM and what goes with it, by the system's library.
package struct FrameCipher: Sendable, Equatable {
    package static let tagSize = 16
    package static let nonceSize = 12

    /// 32 bytes.
    private let key: Secret

    /// Takes a key of 32 bytes, or of 64 hexadecimal digits.
    ///
    /// - Throws: ``LogError`` of code `secret` for any other.
    package init(key: Secret) throws {
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
    package func derived(for purpose: [UInt8]) throws -> FrameCipher {
        try FrameCipher(key: Secret(bytes: code(for: purpose)))
    }

    /// HMAC-SHA-256 of some bytes.
    package func code(for bytes: [UInt8]) throws -> [UInt8] { try Digest.hmacSHA256(key: key, bytes) }

    /// The encrypted bytes, followed by the tag.
    package func seal(_ bytes: [UInt8], nonce: [UInt8], header: [UInt8]) throws -> [UInt8] {
        #if canImport(CryptoKit)
        let box = try key.withBytes { key in
            try AES.GCM.seal(
                bytes, using: SymmetricKey(data: Data(key)), nonce: AES.GCM.Nonce(data: nonce),
                authenticating: header)
        }
        return Array(box.ciphertext) + Array(box.tag)
        #else
        guard let context = EVP_CIPHER_CTX_new() else { throw FrameCipher.failure }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: bytes.count + FrameCipher.tagSize)
        var length: Int32 = 0
        let isDone = output.withUnsafeMutableBytes { output in
            let start = output.assumingMemoryBound(to: UInt8.self).baseAddress
            let isKeyed = key.withBytes { key in
                EVP_EncryptInit_ex(
                    context, EVP_aes_256_gcm(), nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    nonce)
            }
            return isKeyed == 1
                && EVP_EncryptUpdate(context, nil, &length, header, Int32(header.count)) == 1
                && EVP_EncryptUpdate(context, start, &length, bytes, Int32(bytes.count)) == 1
                && EVP_EncryptFinal_ex(context, start.map { $0 + bytes.count }, &length) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(FrameCipher.tagSize), start.map { $0 + bytes.count }
                ) == 1
        }
        guard isDone else { throw FrameCipher.failure }
        return output
        #endif
    }

    /// The bytes decrypted; nil where they, the header or the key are not what they were.
    package func open(_ sealed: [UInt8], nonce: [UInt8], header: [UInt8]) -> [UInt8]? {
        guard sealed.count >= FrameCipher.tagSize else { return nil }
        let count = sealed.count - FrameCipher.tagSize
        #if canImport(CryptoKit)
        return key.withBytes { key in
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.prefix(count), tag: sealed.suffix(FrameCipher.tagSize)),
                let opened = try? AES.GCM.open(
                    box, using: SymmetricKey(data: Data(key)), authenticating: header)
            else { return nil }
            return Array(opened)
        }
        #else
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: max(1, count))
        var tag = Array(sealed.suffix(FrameCipher.tagSize))
        var length: Int32 = 0
        let isOpen = output.withUnsafeMutableBytes { output in
            let start = output.assumingMemoryBound(to: UInt8.self).baseAddress
            let isKeyed = key.withBytes { key in
                EVP_DecryptInit_ex(
                    context, EVP_aes_256_gcm(), nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    nonce)
            }
            return isKeyed == 1
                && EVP_DecryptUpdate(context, nil, &length, header, Int32(header.count)) == 1
                && EVP_DecryptUpdate(context, start, &length, sealed, Int32(count)) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
                && EVP_DecryptFinal_ex(context, start.map { $0 + count }, &length) == 1
        }
        guard isOpen else { return nil }
        return Array(output.prefix(count))
        #endif
    }

    private static var failure: LogError { LogError(.secret, "Encryption failed") }
}
