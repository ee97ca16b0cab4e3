#if os(Linux)
import CCurl
import Heartwood

/// Sets a libcurl handle's options and remembers the first that was refused.
struct CurlSettings {
    let easy: UnsafeMutableRawPointer
    private(set) var failure: HTTPTransportError?

    mutating func setBasics(
        _ request: HTTPRequest, list: UnsafeMutablePointer<curl_slist>?,
        errorText: UnsafeMutablePointer<CChar>
    ) {
        let milliseconds = Int(clamping: max(1, request.timeout.nanoseconds / 1_000_000))
        _ = hw_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_URL, request.endpoint.description)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 10_000))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_ACCEPT_ENCODING, nil)
        if hw_curl_set_list(easy, CURLOPT_HTTPHEADER, list) != CURLE_OK { fail("the header") }
        // A proxy sees none of it when it is asked for a connection.
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    mutating func setSecurity(_ endpoint: HTTPEndpoint, _ options: TransportOptions) {
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = options.caCertificateFile {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_CAPATH, nil)
        }
        if let file = options.clientCertificateFile { set(CURLOPT_SSLCERT, file) }
        if let file = options.clientKeyFile { set(CURLOPT_SSLKEY, file) }
        hw_curl_keep_no_authorities(easy)
        if !options.pinnedPublicKeys.isEmpty {
            set(CURLOPT_PINNEDPUBLICKEY, options.pinnedPublicKeys.joined(separator: ";"))
        }
        // An empty proxy switches the environment's off.
        if endpoint.isLoopback || !options.usesEnvironmentProxy { set(CURLOPT_PROXY, "") }
    }

    mutating func setBody(_ request: HTTPRequest) {
        switch request.method {
        case "GET" where request.body.isEmpty: set(CURLOPT_HTTPGET, 1)
        case "HEAD" where request.body.isEmpty: set(CURLOPT_NOBODY, 1)
        default:
            set(CURLOPT_POST, 1)
            if request.method != "POST" { set(CURLOPT_CUSTOMREQUEST, request.method) }
            let size = curl_off_t(request.body.count)
            if hw_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, size) != CURLE_OK { fail("the size") }
            let copied = request.body.withUnsafeBytes { bytes in
                hw_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(easy))
            }
            if copied != CURLE_OK { fail("the body") }
        }
    }

    mutating func setSinks(of transfer: CurlTransfer, _ sockets: UnsafeMutablePointer<hw_curl_sockets>) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        let outcome = hw_curl_set_sinks(
            easy,
            { bytes, size, count, context in
                CurlSettings.deliver(bytes, size * count, context) { $0.receive(header: $1) }
            },
            { bytes, size, count, context in
                CurlSettings.deliver(bytes, size * count, context) { $0.receive(body: $1) }
            }, context)
        if outcome != CURLE_OK || hw_curl_watch(easy, sockets) != CURLE_OK { fail("the callbacks") }
    }

    private static func deliver(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ receive: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let context else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        let accepted = receive(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
        return accepted ? count : count == 0 ? 1 : 0
    }

    private mutating func set(_ option: CURLoption, _ value: Int) {
        if hw_curl_set_long(easy, option, value) != CURLE_OK { fail("option \(option.rawValue)") }
    }

    private mutating func set(_ option: CURLoption, _ value: String?) {
        if hw_curl_set_text(easy, option, value) != CURLE_OK { fail("option \(option.rawValue)") }
    }

    private mutating func fail(_ what: String) {
        if failure == nil { failure = HTTPTransportError(.other, "libcurl refused \(what)") }
    }
}
#endif
