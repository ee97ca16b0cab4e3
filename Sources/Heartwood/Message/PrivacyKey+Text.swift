extension PrivacyKey {
    /// Adds the hash or the ciphertext of some bytes.
    func append(_ bytes: [UInt8], _ way: Way, to output: inout LogBuffer) {
        let start = output.count
        do {
            switch way {
            case .hash:
                output.append("<hash:" as StaticString)
                output.append(hex: try hashing.code(for: bytes).prefix(8))
            case .encryption:
                let nonce = RandomBytes.make(FrameCipher.nonceSize)
                output.append("<enc:" as StaticString)
                output.append(hex: nonce[...])
                let filled = PrivacyKey.filled(bytes)
                output.append(hex: try encryption.seal(filled, nonce: nonce, header: PrivacyKey.header)[...])
            }
            output.append(UInt8(ascii: ">"))
        } catch {
            output.truncate(to: start)
            output.append(LogPrivacyPolicy.privateText)
        }
    }
}

extension LogBuffer {
    fileprivate mutating func append(hex bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            append(Hexadecimal.digits[Int(byte >> 4)])
            append(Hexadecimal.digits[Int(byte & 15)])
        }
    }
}
