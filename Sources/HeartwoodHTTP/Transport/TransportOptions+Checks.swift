import CHeartwood
import Heartwood

extension TransportOptions {
    /// The files that a connection reads.
    var files: [String] {
        [caCertificateFile, clientCertificateFile, clientKeyFile].compactMap { $0 }
    }

    /// The same files by paths that are spelled in another way for each of 64 numbers.
    func spelled(_ number: Int) -> TransportOptions {
        func spelled(_ path: String?) -> String? {
            path.map {
                $0.utf8.first == UInt8(ascii: "/") ? String(repeating: "/.", count: number % 64) + $0 : $0
            }
        }
        var options = self
        options.caCertificateFile = spelled(caCertificateFile)
        options.clientCertificateFile = spelled(clientCertificateFile)
        options.clientKeyFile = spelled(clientKeyFile)
        return options
    }

    /// The options, if the files that they name can be read and the keys have the right form.
    ///
    /// - Throws: `LogError` that says which file or key cannot be used, and why.
    package func checked() throws -> TransportOptions {
        let files = [
            ("CA certificate", caCertificateFile), ("client certificate", clientCertificateFile),
            ("key of the client certificate", clientKeyFile),
        ]
        for case (let what, let path?) in files where access(path, R_OK) != 0 {
            throw LogError(.file, "cannot read the \(what)", place: path, cause: hw_errno())
        }
        if clientKeyFile != nil, clientCertificateFile == nil {
            throw LogError(.setting, "a key for a client certificate is given, but no certificate")
        }
        for key in pinnedPublicKeys where !Self.isPin(key) {
            throw LogError(
                .setting, "a pinned key is sha256// and 44 characters of Base64", place: key)
        }
        return self
    }

    /// The variable of the environment that names a proxy for requests to `endpoint`, unless `no_proxy` says
    /// otherwise; nil: none does, or none is used.
    func proxyVariable(for endpoint: HTTPEndpoint) -> String? {
        guard usesEnvironmentProxy, !endpoint.isLoopback else { return nil }
        // libcurl does not read HTTP_PROXY, which a client of a web server can set.
        let names = endpoint.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        return (names + ["all_proxy", "ALL_PROXY"]).first { name in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
    }

    private static func isPin(_ text: String) -> Bool {
        guard text.hasPrefix("sha256//") else { return false }
        let digits = text.dropFirst(8)
        return digits.utf8.count == 44 && digits.hasSuffix("=")
            && digits.dropLast().utf8.allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "+")
                    || $0 == UInt8(ascii: "/")
            }
    }
}
