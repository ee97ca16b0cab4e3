package import Heartwood

#if canImport(CommonCrypto)
import CommonCrypto
#else
import CCrypto
#endif

/// Hashes and message authentication by the system's library.
package enum Digest {
    /// The 32 bytes of the SHA-256 of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        #if canImport(CommonCrypto)
        CC_SHA256(bytes, CC_LONG(bytes.count), &output)
        #else
        var length: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &output, &length, EVP_sha256(), nil)
        precondition(result == 1 && length == 32, "libcrypto has no SHA-256; the installation is damaged")
        #endif
        return output
    }

    /// The 32 bytes of the HMAC-SHA256 of `bytes`.
    ///
    /// - Throws: `LogError` of code `.secret` when the library refuses.
    package static func hmacSHA256(key: Secret, _ bytes: [UInt8]) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        #if canImport(CommonCrypto)
        key.withBytes { key in
            CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), key.baseAddress, key.count, bytes, bytes.count, &output)
        }
        #else
        var length: UInt32 = 0
        let result = key.withBytes { key in
            // A null key would mean "the one from before".
            let start = key.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            return HMAC(EVP_sha256(), start, Int32(clamping: key.count), bytes, bytes.count, &output, &length)
        }
        guard result != nil, length == 32 else { throw LogError(.secret, "cannot create the signature") }
        #endif
        return output
    }
}
