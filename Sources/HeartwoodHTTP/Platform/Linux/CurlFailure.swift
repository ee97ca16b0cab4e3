#if os(Linux)
import CCurl

/// Finds the reason for a failure of libcurl, which has one code for many kinds of them.
enum CurlFailure {
    /// The failure, from libcurl's code, OpenSSL's verification result and libcurl's own words.
    static func describe(
        code: CURLcode, verification: Int, text: String, headerBytes: Int
    ) -> HTTPTransportError {
        let words = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        return HTTPTransportError(reason(code, verification, words, headerBytes), words)
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
