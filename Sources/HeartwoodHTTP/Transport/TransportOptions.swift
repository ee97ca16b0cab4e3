import Heartwood

/// How a transport proves who it is and whom it trusts; fixed when it is made.
///
/// The files are read again for each connection, so certificates can be renewed while the program runs. A
/// relative path is made absolute when it is set.
public struct TransportOptions: Sendable, Equatable {
    /// A PEM file with the authorities to trust *instead of* the system's; nil: the system's.
    public var caCertificateFile: String? {
        didSet { caCertificateFile = caCertificateFile?.absolutePath() }
    }
    /// A PEM file with our certificate (and its chain), for servers that ask for one.
    public var clientCertificateFile: String? {
        didSet { clientCertificateFile = clientCertificateFile?.absolutePath() }
    }
    /// A PEM file with the certificate's private key; it should be readable by its owner only.
    public var clientKeyFile: String? {
        didSet { clientKeyFile = clientKeyFile?.absolutePath() }
    }
    /// Public keys of which the server must have one; empty: any key of a trusted certificate.
    ///
    /// Each is `sha256//` and the Base64 of the SHA-256 of the key's SubjectPublicKeyInfo.
    public var pinnedPublicKeys: [String]
    /// Whether a proxy that the environment names (`https_proxy`, `no_proxy`) is used; true by default.
    ///
    /// Requests to this machine never take a proxy.
    public var usesEnvironmentProxy: Bool

    /// Sets the options; by default the system's authorities, no client certificate and no pinned key.
    ///
    /// - Parameters:
    ///   - caCertificateFile: A PEM file of the authorities to trust; nil: the system's.
    ///   - clientCertificateFile: A PEM file with this client's certificate; none unless given.
    ///   - clientKeyFile: A PEM file with its key.
    ///   - pinnedPublicKeys: Hashes of the server's public keys, one of which must be used; any key unless
    ///     given.
    ///   - usesEnvironmentProxy: Whether a proxy that the environment names is used; true unless given.
    public init(
        caCertificateFile: String? = nil, clientCertificateFile: String? = nil, clientKeyFile: String? = nil,
        pinnedPublicKeys: [String] = [], usesEnvironmentProxy: Bool = true
    ) {
        self.caCertificateFile = caCertificateFile?.absolutePath()
        self.clientCertificateFile = clientCertificateFile?.absolutePath()
        self.clientKeyFile = clientKeyFile?.absolutePath()
        self.pinnedPublicKeys = pinnedPublicKeys
        self.usesEnvironmentProxy = usesEnvironmentProxy
    }
}
