/// A reference to one secret of a provider.
public struct SecretReference: SecretProvider {
    private let provider: any SecretProvider
    /// The name of the secret at its provider.
    public let name: String

    /// Makes a reference to a secret.
    public init(_ provider: any SecretProvider, name: String) {
        self.provider = provider
        self.name = name
    }

    /// Reads the secret from its provider, under ``name``, whatever name is passed.
    ///
    /// - Returns: The secret.
    /// - Throws: The error of the provider, if it cannot read the secret or has none of that name.
    public func secret(named _: String = "") throws -> Secret { try provider.secret(named: name) }
}
