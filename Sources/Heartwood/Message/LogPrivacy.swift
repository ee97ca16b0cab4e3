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
