/// A source of secrets: the environment, a file, a keychain, or a custom vault.
///
/// A provider can be called on any thread. It is called each time the secret is used, so a changed secret
/// takes effect without a restart.
///
/// ```swift
/// struct Vault: SecretProvider {
///     let fetch: @Sendable (String) throws -> String
///     func secret(named name: String) throws -> Secret { Secret(try fetch(name)) }
/// }
/// ```
public protocol SecretProvider: Sendable {
    /// The secret of that name.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the secret is missing or may not be used.
    func secret(named name: String) throws -> Secret

    /// The secret of that name, to encrypt or to hash with.
    ///
    /// The same as ``secret(named:)`` unless the provider says otherwise; ``FileSecrets`` asks for more.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the secret is missing or may not be used.
    func key(named name: String) throws -> Secret
}

extension SecretProvider {
    /// The secret of that name.
    ///
    /// - Throws: The error of ``secret(named:)``.
    public func key(named name: String) throws -> Secret { try secret(named: name) }
}
