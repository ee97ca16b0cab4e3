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
    private var movement = Movement()
    private var owner = ThreadOwner("a transfer")

    /// How far the request is, and when last it moved.
    private struct Movement {
        /// How many bytes of the body libcurl has given away, and how many of them are not acknowledged.
        var figures = (given: 0, unacknowledged: 0)
        var last = ContinuousClock.now
        /// Whether what is not acknowledged is its own.
        var isAlone = false
    }

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
    func join(
        _ multi: UnsafeMutableRawPointer, _ sockets: UnsafeMutablePointer<hw_curl_sockets>
    ) -> HTTPTransportError? {
        owner.enter()
        guard let easy = curl_easy_init() else {
            return HTTPTransportError(.other, "not enough memory for a transfer")
        }
        self.easy = easy
        if let failure = configure(easy, sockets) {
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

    /// Looks whether the request moves.
    ///
    /// What libcurl has given away may lie in this machine's memory for minutes, on a slow line; so what the
    /// other side acknowledges counts. The time of connecting is libcurl's to limit.
    ///
    /// - Parameters:
    ///   - unacknowledged: How many bytes are on the way, of all transfers.
    ///   - isAlone: Whether there is no other transfer.
    func look(_ unacknowledged: Int, isAlone: Bool) {
        owner.enter()
        guard let easy else { return }
        var given: curl_off_t = 0
        var connected: curl_off_t = 0
        _ = hw_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &given)
        _ = hw_curl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T, &connected)
        let now = ContinuousClock.now
        let figures = (Int(given), unacknowledged)
        movement.isAlone = isAlone
        if figures != movement.figures || connected == 0 {
            (movement.figures, movement.last) = (figures, now)
        }
    }

    /// How long it may take until the request moves, or the answer is there.
    var patience: Duration { max(.zero, request.timeout - (ContinuousClock.now - movement.last)) }

    /// How much of the body libcurl has passed to the system, which may still send it after the transfer.
    private var given: Int { min(movement.figures.given, request.body.count) }

    /// How much of the body is known to have arrived at the other side.
    private var arrived: Int {
        movement.isAlone ? max(0, given - movement.figures.unacknowledged) : given
    }

    /// Whether the other side got a part of the request, and can never get the rest.
    private func isRequestCut(isRestDropped: Bool = false) -> Bool {
        arrived > 0 && (given < request.body.count || isRestDropped)
    }

    /// The failure of a transfer that took too long; `isRestDropped` says that the system discarded bytes
    /// that it had not sent yet.
    func stall(isRestDropped: Bool) -> HTTPTransportError {
        let count = request.body.count
        let words =
            arrived < count
            ? "the request has not moved for \(request.timeout), with \(ByteCount(arrived)) of "
                + "\(ByteCount(count)) sent"
            : "no complete answer within \(request.timeout)"
        return HTTPTransportError(
            .timedOut, words, isRequestCut: isRequestCut(isRestDropped: isRestDropped))
    }

    /// What came of the transfer that libcurl ended with `code`.
    func result(_ code: CURLcode) -> Outcome {
        owner.enter()
        guard let easy else { return .failure(HTTPTransportError(.other, "the transfer was never started")) }
        var status = 0
        _ = hw_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        if code == CURLE_OK, status == 407 {
            return .failure(HTTPTransportError(.proxyRefused, CurlFailure.proxyAnswer(easy, status)))
        }
        if code == CURLE_OK, status == 408, isRequestCut() {
            return .failure(
                HTTPTransportError(
                    .timedOut, "408: the server waits no longer for the rest of the request",
                    isRequestCut: true))
        }
        // Ending the transfer was our own wish when the rest of a long answer was not wanted.
        if code == CURLE_OK || (isBodyCut && code == CURLE_WRITE_ERROR), status >= 200 {
            return .success(
                HTTPResponse(status: status, headers: headers, body: responseBody, isBodyCut: isBodyCut))
        }
        return .failure(
            CurlFailure.describe(
                easy, code: code, text: String(cString: errorText), headerBytes: headerBytes,
                proxy: options.proxyVariable(for: request.endpoint), isRequestCut: isRequestCut()))
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

    private func configure(
        _ easy: UnsafeMutableRawPointer, _ sockets: UnsafeMutablePointer<hw_curl_sockets>
    ) -> HTTPTransportError? {
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
        setter.setSinks(of: self, sockets)
        return setter.failure
    }
}
#endif
