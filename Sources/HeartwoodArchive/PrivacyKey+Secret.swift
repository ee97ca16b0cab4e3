public import Heartwood

extension PrivacyKey {
    /// Makes a key from 32 bytes, or from 64 hexadecimal digits.
    ///
    /// - Parameter secret: The bytes or digits.
    /// - Throws: `LogError` of code `secret` if the secret has another length or form.
    public convenience init(_ secret: Secret) throws {
        LogArchives.register()
        try self.init(registered: secret)
    }
}
