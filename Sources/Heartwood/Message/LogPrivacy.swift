/// The privacy of a value in a message.
///
/// ```swift
/// logInfo("mail to \(email, privacy: .private), card \(number, privacy: .sensitive)")
/// ```
public enum LogPrivacy: UInt8, Sendable {
    /// All loggers write the value.
    ///
    /// This is the default.
    case `public` = 0
    /// Only loggers whose privacy is ``LogPrivacyPolicy/reveal`` write the value; others write `<private>`.
    case `private` = 1
    /// Like ``private``, but other loggers write a keyed hash, by which equal values can be recognized.
    case privateHashed = 2
    /// No logger writes the value, because the call replaces it and never copies it.
    case sensitive = 3

    /// Not available: Heartwood does not guess which values are private.
    @available(
        *, unavailable,
        message: "automatic privacy is not supported; values are public unless marked .private or .sensitive"
    )
    public static var auto: LogPrivacy { .private }

    /// What loggers write instead of a private value.
    public enum Mask: Sendable {
        /// `<private>`.
        case hidden
        /// `<hash:…>`, with sixteen hexadecimal digits of a keyed hash.
        case hash
    }

    /// Makes a private value with a mask.
    public static func `private`(mask: Mask) -> LogPrivacy {
        switch mask {
        case .hidden: .private
        case .hash: .privateHashed
        }
    }
}

/// How a logger writes private values.
public enum LogPrivacyPolicy: Hashable, Sendable {
    /// Writes private values unchanged.
    case reveal
    /// Writes `<private>`, or the hash that the value asks for.
    ///
    /// This is the default.
    case redact
    /// Writes a keyed hash of every private value; equal values have equal hashes.
    case hash
    /// Writes a hash of every private value that depends only on the key.
    ///
    /// Equal values have equal hashes in all processes and on all machines that use the key.
    case keyedHash(PrivacyKey)
    /// Writes every private value encrypted; with the key, ``PrivacyKey/decrypt(_:)`` reads it back.
    case encrypt(PrivacyKey)

    /// The text that replaces a sensitive value.
    public static let sensitiveText = "<sensitive>"
    /// The text that replaces a private value.
    public static let privateText = "<private>"
}
