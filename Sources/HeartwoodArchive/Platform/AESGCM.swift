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
                bytes, using: SymmetricKey(data: Data(key)), nonce: AES.GCM.Nonce(data: nonce),
                authenticating: header)
        }
        return Array(box.ciphertext) + Array(box.tag)
        #else
        guard let context = EVP_CIPHER_CTX_new() else { throw AESGCM.failure }
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
