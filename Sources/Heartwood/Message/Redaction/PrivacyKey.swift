/// A key with which a logger hashes or encrypts private values.
///
/// The product `HeartwoodArchive` makes keys: import it.
///
/// ```swift
/// let key = try PrivacyKey(EnvironmentSecrets().secret(named: "LOG_PRIVACY_KEY"))
/// var options = LineFormatter.Options()
/// options.privacy = .encrypt(key)
/// file.formatter = LineFormatter(options)
/// ```
///
/// A hash is `<hash:…>`, 16 hexadecimal digits of HMAC-SHA-256. A ciphertext is `<enc:…>`, the hexadecimal
/// digits of AES-256-GCM's nonce (12 bytes), ciphertext and tag (16 bytes). A value is filled up to 64,
/// 128, 256 bytes and so on before, so that a ciphertext does not tell how long it is. Two keys for the two
/// purposes are derived from the one given. Nonces are random: a key is good for some 2^32 values. Where
/// the system's library refuses, `<private>` is written.
public final class PrivacyKey: Sendable {
    /// What is done with a value.
    enum Way: Sendable {
        case hash, encryption
    }

    let hashing: FrameCipher
    let encryption: FrameCipher

    /// Makes a key from 32 bytes, or from 64 hexadecimal digits, with the library that is registered.
    ///
    /// - Throws: ``LogError`` of code `secret` if the secret has another length or form, of code `setting`
    ///   where no library is registered.
    package init(registered secret: Secret) throws {
        let key = try FrameCipher(key: secret)
        hashing = try key.derived(for: Array("heartwood privacy hash".utf8))
        encryption = try key.derived(for: Array("heartwood privacy encryption".utf8))
    }

    /// Decrypts a text of the form `<enc:…>`; nil if it was not encrypted with this key, or was changed.
    public func decrypt(_ text: some StringProtocol) -> String? {
        guard text.hasPrefix("<enc:"), text.hasSuffix(">"),
            let bytes = Hexadecimal.decode(text.dropFirst(5).dropLast()),
            bytes.count >= FrameCipher.nonceSize
        else { return nil }
        let nonce = Array(bytes.prefix(FrameCipher.nonceSize))
        let sealed = Array(bytes.dropFirst(nonce.count))
        guard let filled = encryption.open(sealed, nonce: nonce, header: PrivacyKey.header)
        else { return nil }
        return filled.lastIndex(of: 0x80).map { String(decoding: filled[..<$0], as: UTF8.self) }
    }

    /// Says that the value is filled up: with 0x80 and zeros (ISO/IEC 7816-4).
    static let header: [UInt8] = [1]

    static func filled(_ bytes: [UInt8]) -> [UInt8] {
        var size = 64
        while size <= bytes.count { size *= 2 }
        return bytes + [0x80] + [UInt8](repeating: 0, count: size - bytes.count - 1)
    }
}

extension PrivacyKey: Hashable {
    /// Whether both are the same object.
    public static func == (left: PrivacyKey, right: PrivacyKey) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
