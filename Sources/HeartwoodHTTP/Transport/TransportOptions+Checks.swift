import CHeartwood
import Heartwood

extension TransportOptions {
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

    private static func isPin(_ text: String) -> Bool {
        guard text.hasPrefix("sha256//") else { return false }
        let digits = text.dropFirst(8)
        return digits.utf8.count == 44 && digits.hasSuffix("=")
            && digits.dropLast().utf8.allSatisfy {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "+")
                    || $0 == UInt8(ascii: "/")
            }
    }
}
