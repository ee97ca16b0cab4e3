/// Who may read a piece of a message.
///
/// ```swift
/// logInfo("mail to \(email, privacy: .private), card \(number, privacy: .sensitive)")
/// ```
public enum LogPrivacy: UInt8, Sendable {
    /// All loggers may read it; the default.
    case `public` = 0
    /// Only loggers whose privacy is ``LogPrivacyPolicy/reveal``; others write `<private>`.
    case `private` = 1
    /// As ``private``, but others write a keyed hash, so that equal values can be recognized as equal.
    case privateHashed = 2
    /// No logger may read it: the value is replaced at the call, and never copied anywhere.
    case sensitive = 3

    /// Not available: Heartwood does not guess which values are private.
    @available(
        *, unavailable,
        message: "automatic privacy is not supported; values are public unless marked .private or .sensitive"
    )
    public static var auto: LogPrivacy { .private }

    /// How a private piece looks to those who may not read it.
    public enum Mask: Sendable {
        /// `<private>`.
        case hidden
        /// `<hash:…>`, sixteen hexadecimal digits of a keyed hash.
        case hash
    }

    /// A private piece with a mask.
    public static func `private`(mask: Mask) -> LogPrivacy {
        switch mask {
        case .hidden: .private
        case .hash: .privateHashed
        }
    }
}

/// What a logger does with the private pieces of a message.
public enum LogPrivacyPolicy: Hashable, Sendable {
    /// Writes them as they are.
    case reveal
    /// Writes `<private>`, or the hash that a piece asks for; the default.
    case redact
    /// Writes a keyed hash of every private piece: equal values have equal hashes.
    case hash
    /// Writes a hash of every private piece that depends on the key alone: equal values have equal hashes in all
    /// processes and on all machines that have it.
    case keyedHash(PrivacyKey)
    /// Writes every private piece encrypted: who has the key can read it back with ``PrivacyKey/decrypt(_:)``.
    case encrypt(PrivacyKey)

    /// What a message shows for a sensitive value.
    public static let sensitiveText = "<sensitive>"
    /// What a message shows for a private value.
    public static let privateText = "<private>"
}
