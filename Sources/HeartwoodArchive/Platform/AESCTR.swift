import Heartwood

#if canImport(CommonCrypto)
import CommonCrypto
#else
import CCrypto
#endif

/// AES-256 in counter mode, by the system's library.
enum AESCTR {
    /// How much is encrypted at a time.
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    /// Writes the keystream from the block `counter` on; false where the library refuses.
    static func writeKeystream(
        _ key: Secret, counter: [UInt8], to memory: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard key.count == 32, counter.count == 16 else { return false }
        var rest = memory[...]
        #if canImport(CommonCrypto)
        var cryptor: CCCryptorRef?
        let status = key.withBytes { key in
            CCCryptorCreateWithMode(
                CCOperation(kCCEncrypt), CCMode(kCCModeCTR), CCAlgorithm(kCCAlgorithmAES),
                CCPadding(ccNoPadding), counter, key.baseAddress, key.count, nil, 0, 0,
                CCModeOptions(kCCModeOptionCTR_BE), &cryptor)
        }
        guard status == kCCSuccess, let cryptor else { return false }
        defer { CCCryptorRelease(cryptor) }
        while !rest.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(zeros.count))
            var moved = 0
            guard
                CCCryptorUpdate(cryptor, zeros, part.count, part.baseAddress, part.count, &moved)
                    == kCCSuccess, moved == part.count
            else { return false }
            rest = rest.dropFirst(part.count)
        }
        #else
        guard let run = CipherRun(EVP_aes_256_ctr(), key: key, vector: counter, encrypts: true) else {
            return false
        }
        while !rest.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(zeros.count))
            let output = part.assumingMemoryBound(to: UInt8.self).baseAddress
            guard run.convert(zeros, count: part.count, to: output) == part.count else { return false }
            rest = rest.dropFirst(part.count)
        }
        #endif
        return true
    }
}
