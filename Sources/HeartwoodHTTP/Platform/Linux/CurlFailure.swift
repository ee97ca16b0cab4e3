#if os(Linux)
import CCurl

/// Finds the reason for a failure of libcurl, which has one code for many kinds of them.
enum CurlFailure {
    /// Describes the failure of a transfer that libcurl ended with `code` and its own words.
    ///
    /// - Parameters:
    ///   - easy: The transfer's handle.
    ///   - code: What libcurl ended it with.
    ///   - text: libcurl's words; may be empty.
    ///   - headerBytes: How long the header of the answer was.
    ///   - proxy: The variable of the environment that names a proxy for the request; nil: none does.
    ///   - isRequestCut: Whether a part of the request had left, and not all of it.
    /// - Returns: The failure.
    static func describe(
        _ easy: UnsafeMutableRawPointer, code: CURLcode, text: String, headerBytes: Int, proxy: String?,
        isRequestCut: Bool
    ) -> HTTPTransportError {
        if let refusal = refusal(of: easy) { return refusal }
        var verification = 0
        _ = hw_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
        // The text can be that of a dead connection which was tried first.
        let isOther =
            ["Send failure", "Recv failure"].contains(where: text.hasPrefix) && isAboutCertificates(code)
        var words = text.isEmpty || isOther ? String(cString: curl_easy_strerror(code)) : text
        if code == CURLE_SSL_CACERT_BADFILE {
            words += "; without `caCertificateFile` the system needs the package ca-certificates"
        }
        return HTTPTransportError(
            reason(code, verification, words, headerBytes),
            words + (proxy.map { " (\($0) names a proxy)" } ?? ""), isRequestCut: isRequestCut)
    }

    /// A proxy's refusal to connect; nil when none refused.
    ///
    /// It says 5xx, 408 or 429 where it would connect and cannot now; anything else is about the setup.
    private static func refusal(of easy: UnsafeMutableRawPointer) -> HTTPTransportError? {
        var status = 0
        _ = hw_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
        guard status >= 300 else { return nil }
        let isTransient = status >= 500 || status == 408 || status == 429
        return HTTPTransportError(isTransient ? .cannotConnect : .proxyRefused, proxyAnswer(easy, status))
    }

    /// The answer of the proxy to which the transfer has connected, with its address.
    static func proxyAnswer(_ easy: UnsafeMutableRawPointer, _ status: Int) -> String {
        var address: UnsafePointer<CChar>?
        var port = 0
        _ = hw_curl_get_text(easy, CURLINFO_PRIMARY_IP, &address)
        _ = hw_curl_get_long(easy, CURLINFO_PRIMARY_PORT, &port)
        let host = address.map { String(cString: $0) } ?? ""
        let meaning =
            switch status {
            case 407:
                " (it wants a user name and a password, as in https_proxy=http://user:password@host:port)"
            case 403: " (it does not allow this address)"
            default: ""
            }
        return "\(status) from the proxy \(host.contains(":") ? "[\(host)]" : host):\(port)" + meaning
    }

    private static func isAboutCertificates(_ code: CURLcode) -> Bool {
        [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE].contains(code)
    }

    private static func reason(
        _ code: CURLcode, _ verification: Int, _ words: String, _ headerBytes: Int
    ) -> HTTPTransportError.Reason {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolve
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION: certificateReason(verification, words)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .publicKeyNotPinned
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND: .credentialUnusable
        case CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .secureProtocol
        case CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE: .certificateRefused
        case CURLE_SSL_CONNECT_ERROR: handshakeReason(verification, words)
        case CURLE_RECV_ERROR where words.hasPrefix("CONNECT tunnel failed"): .unusableAnswer
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            isAboutClientCertificate(words) ? .clientCertificateNeeded : .connectionLost
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: .connectionLost
        case CURLE_WRITE_ERROR where headerBytes > HTTPResponse.bodyLimit: .unusableAnswer
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .unusableAnswer
        default: .other
        }
    }

    /// OpenSSL's X509_V_ERR_ numbers; a wrong host is libcurl's own finding and has only words.
    private static func certificateReason(_ verification: Int, _ words: String) -> HTTPTransportError.Reason {
        if words.contains("match") && words.contains("host") { return .certificateForOtherHost }
        return switch verification {
        case 10: .certificateExpired
        case 9: .certificateNotYetValid
        case 2, 18, 19, 20, 21, 24, 27: .certificateUntrusted
        case 62: .certificateForOtherHost
        default: .certificateRefused
        }
    }

    private static func handshakeReason(_ verification: Int, _ words: String) -> HTTPTransportError.Reason {
        // 1 is what libcurl has where nothing was verified yet.
        if verification > 1 { return certificateReason(verification, words) }
        if isAboutClientCertificate(words) { return .clientCertificateNeeded }
        // A connection that breaks during the handshake is a transient error, not a wrong setting.
        if words.contains("SYSCALL") || words.contains("reset") || words.contains("unexpected eof") {
            return .connectionLost
        }
        return .secureProtocol
    }

    /// An alert of the server about the certificate that we sent, or did not send.
    private static func isAboutClientCertificate(_ words: String) -> Bool {
        words.contains("alert")
            && [
                "certificate required", "bad certificate", "unknown ca", "alert certificate",
                "handshake failure",
            ]
            .contains { words.contains($0) }
    }
}
#endif
