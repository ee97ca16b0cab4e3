#if os(Linux)
import CCurl
import Heartwood
import Synchronization

/// One request on its way through libcurl.
///
/// Owned by the transport's thread from `join` to `finish`; only `cancel` may be called from elsewhere.
final class CurlTransfer: @unchecked Sendable {  // handed over to the transport's thread
    typealias Outcome = Result<HTTPResponse, HTTPTransportError>

    // MARK: Constants (any thread)

    private let request: HTTPRequest
    private let options: TransportOptions

    // MARK: Atomics (any thread)

    private let cancelled = Atomic(false)

    // MARK: Owned by the transport's thread

    private var continuation: CheckedContinuation<Outcome, Never>?
    private var easy: UnsafeMutableRawPointer?
    private var list: UnsafeMutablePointer<curl_slist>?
    private var errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var responseBody: [UInt8] = []
    private var isBodyCut = false
    private var owner = ThreadOwner("a transfer")

    init(request: HTTPRequest, options: TransportOptions) {
        self.request = request
        self.options = options
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// Whether the task gave up; relaxed, since the wake-up that follows the store orders it.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    func start(_ continuation: CheckedContinuation<Outcome, Never>) { self.continuation = continuation }

    func uses(_ handle: UnsafeMutableRawPointer) -> Bool { easy == handle }

    func finish(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    // MARK: Into and out of libcurl

    /// Gives the request to libcurl; returns why that was not possible.
    func join(_ multi: UnsafeMutableRawPointer) -> HTTPTransportError? {
        owner.enter()
        guard let easy = curl_easy_init() else {
            return HTTPTransportError(.other, "not enough memory for a transfer")
        }
        self.easy = easy
        if let failure = configure(easy) {
            release()
            return failure
        }
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
            release()
            return HTTPTransportError(.other, "libcurl rejected the transfer")
        }
        return nil
    }

    /// Takes the transfer out of libcurl, whatever its state.
    func leave(_ multi: UnsafeMutableRawPointer) {
        owner.enter()
        if let easy { curl_multi_remove_handle(multi, easy) }
        release()
    }

    private func release() {
        if let easy { curl_easy_cleanup(easy) }
        if let list { curl_slist_free_all(list) }
        easy = nil
        list = nil
    }

    // MARK: The answer

    /// What came of the transfer that libcurl ended with `code`.
    func result(_ code: CURLcode) -> Outcome {
        owner.enter()
        guard let easy else { return .failure(HTTPTransportError(.other, "the transfer was never started")) }
        var status = 0
        _ = hw_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        // Ending the transfer was our own wish when the rest of a long answer was not wanted.
        if code == CURLE_OK || (isBodyCut && code == CURLE_WRITE_ERROR), status >= 200 {
            return .success(
                HTTPResponse(status: status, headers: headers, body: responseBody, isBodyCut: isBodyCut))
        }
        var verification = 0
        _ = hw_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
        let text = String(cString: errorText)
        return .failure(
            CurlFailure.describe(
                code: code, verification: verification, text: text, headerBytes: headerBytes))
    }

    /// Called by libcurl with a header line.
    func receive(header line: UnsafeRawBufferPointer) -> Bool {
        owner.enter()
        headerBytes += line.count
        guard headerBytes <= HTTPResponse.bodyLimit else { return false }
        if line.starts(with: "HTTP/".utf8) {
            headers = HTTPHeaders()  // what a "100 Continue" or a proxy said before does not count
            return true
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return true }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
        headers[name] = value.trimmingBlanks()
        return true
    }

    /// Called by libcurl with a piece of the body; false ends the transfer.
    func receive(body piece: UnsafeRawBufferPointer) -> Bool {
        owner.enter()
        let room = HTTPResponse.bodyLimit - responseBody.count
        responseBody.append(contentsOf: piece.prefix(room))
        isBodyCut = piece.count > room
        return !isBodyCut
    }

    // MARK: Settings

    private func append(_ line: String) -> HTTPTransportError? {
        guard let longer = curl_slist_append(list, line) else {
            return HTTPTransportError(.other, "not enough memory for the header")
        }
        list = longer
        return nil
    }

    private func configure(_ easy: UnsafeMutableRawPointer) -> HTTPTransportError? {
        for (name, value) in request.headers {
            // "Name;" is libcurl's form for a field without a value.
            if let failure = append(value.isEmpty ? name + ";" : name + ": " + value) { return failure }
        }
        // With libcurl's own setting for this it would unpack what a server sends all the same.
        if let failure = append("Accept-Encoding: identity") { return failure }
        // Without this libcurl would call every body a form.
        if request.headers["Content-Type"] == nil, let failure = append("Content-Type:") { return failure }
        var setter = CurlSettings(easy: easy)
        setter.setBasics(request, list: list, errorText: errorText)
        setter.setSecurity(request.endpoint, options)
        setter.setBody(request)
        setter.setSinks(of: self)
        return setter.failure
    }
}
#endif
