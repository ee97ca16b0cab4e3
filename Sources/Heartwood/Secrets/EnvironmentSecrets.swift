import CHeartwood

/// Takes secrets from environment variables.
///
/// Every process of the same user can read a process's environment; a file (``FileSecrets``) is safer.
public struct EnvironmentSecrets: SecretProvider {
    private let prefix: String

    /// Looks for variables called `prefix` followed by the secret's name; the prefix is empty by default.
    public init(prefix: String = "") { self.prefix = prefix }

    /// The value of the variable, as it was when the program started or last set it.
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
