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
    package static let sensitiveText = "<sensitive>"
    /// The text that replaces a private value.
    package static let privateText = "<private>"
}
