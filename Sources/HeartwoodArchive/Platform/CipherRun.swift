#if !canImport(CommonCrypto)
import CCrypto
import Heartwood

/// One encryption or decryption by libcrypto.
struct CipherRun: ~Copyable {
    private let context: OpaquePointer

    /// Starts it; nil if there is no memory, or the library refuses the key.
    ///
    /// - Parameters:
    ///   - cipher: The algorithm, as libcrypto names it.
    ///   - key: The key.
    ///   - vector: The initialization vector or nonce.
    ///   - encrypts: false for a decryption.
    init?(_ cipher: OpaquePointer?, key: Secret, vector: [UInt8], encrypts: Bool) {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        let isReady = key.withBytes { key in
            EVP_CipherInit_ex(
                context, cipher, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, vector,
                encrypts ? 1 : 0)
        }
        guard isReady == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Takes bytes that are authenticated and not encrypted; false if the library refuses.
    func authenticate(_ bytes: [UInt8]) -> Bool {
        var length: Int32 = 0
        return EVP_CipherUpdate(context, nil, &length, bytes, Int32(bytes.count)) == 1
    }

    /// Converts the first bytes of a list; returns how many came out of it, or nil if the library refuses.
    func convert(_ bytes: [UInt8], count: Int, to output: UnsafeMutablePointer<UInt8>?) -> Int? {
        var length: Int32 = 0
        guard let size = Int32(exactly: count), EVP_CipherUpdate(context, output, &length, bytes, size) == 1
        else { return nil }
        return Int(length)
    }

    /// Writes what is left; returns how many bytes that are, or nil if the library refuses or the tag is
    /// wrong.
    func finish(to output: UnsafeMutablePointer<UInt8>?) -> Int? {
        var length: Int32 = 0
        return EVP_CipherFinal_ex(context, output, &length) == 1 ? Int(length) : nil
    }

    /// Writes the tag, after the end; false if the library refuses.
    func writeTag(of size: Int, to output: UnsafeMutablePointer<UInt8>?) -> Bool {
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(size), output) == 1
    }

    /// Expects a tag at the end; false if the library refuses.
    func expect(tag: [UInt8]) -> Bool {
        var tag = tag
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
    }
}
#endif
