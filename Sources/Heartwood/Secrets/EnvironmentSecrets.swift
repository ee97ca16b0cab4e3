import CHeartwood

/// Reads secrets from environment variables.
///
/// Every process of the same user can read the environment of a process; a file (``FileSecrets``) is safer.
public struct EnvironmentSecrets: SecretProvider {
    private let prefix: String

    /// Reads variables whose name is `prefix` followed by the name of the secret; the prefix is empty unless
    /// given.
    public init(prefix: String = "") { self.prefix = prefix }

    /// Reads the value of a variable, which the environment or the program has set.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the variable is missing or empty.
    public func secret(named name: String) throws -> Secret {
        let variable = prefix + name
        guard let value = getenv(variable), value.pointee != 0 else {
            throw LogError(
                .secret, "the environment variable is not set or empty; set it before the program starts",
                place: variable)
        }
        return Secret(String(cString: value))
    }
}
