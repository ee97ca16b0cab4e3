package import Heartwood

#if canImport(CommonCrypto)
import CommonCrypto
#else
import CCrypto
#endif

/// AES-256 in CBC mode with PKCS#7 padding, by the system's library.
package enum AESCBC {
    /// The encrypted bytes.
    ///
    /// - Throws: `LogError` of code `.secret` for a key that has not 32 bytes, an initialization vector that
    ///   has not 16, or when the library refuses.
    package static func encrypt(_ bytes: [UInt8], key: Secret, vector: [UInt8]) throws -> [UInt8] {
        guard key.count == 32, vector.count == 16 else {
            throw LogError(.secret, "the encryption key must have 32 bytes; it has \(key.count)")
        }
        var output = [UInt8](repeating: 0, count: bytes.count + 16)
        #if canImport(CommonCrypto)
        var moved = 0
        let capacity = output.count
        let status = key.withBytes { key in
            CCCrypt(
                CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding),
                key.baseAddress, key.count, vector, bytes, bytes.count, &output, capacity, &moved)
        }
        guard status == kCCSuccess else { throw LogError(.secret, "the encryption failed (\(status))") }
        output.removeLast(output.count - moved)
        #else
        guard let run = CipherRun(EVP_aes_256_cbc(), key: key, vector: vector, encrypts: true) else {
            throw LogError(.secret, "the encryption failed: no memory")
        }
        let count = output.withUnsafeMutableBytes { output -> Int? in
            let start = output.assumingMemoryBound(to: UInt8.self).baseAddress
            guard let first = run.convert(bytes, count: bytes.count, to: start),
                let last = run.finish(to: start.map { $0 + first })
            else { return nil }
            return first + last
        }
        guard let count else { throw LogError(.secret, "the encryption failed") }
        output.removeLast(output.count - count)
        #endif
        return output
    }
}
