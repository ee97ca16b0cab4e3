// Not tested yet: written from the documentation, on a machine that has no Apple system.
#if canImport(Darwin)
import Foundation
import Heartwood
import Security

/// Sends requests with an ephemeral `URLSession`: no cookies, no cache, no redirects, TLS 1.2 at least.
package final class URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// Makes a transport; ``TransportOptions/caCertificateFile`` and the client certificate are not supported
    /// here yet, and make every request fail with `.credentialUnusable`.
    package init(options: TransportOptions = TransportOptions()) {
        self.options = options
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        if !options.usesEnvironmentProxy { configuration.connectionProxyDictionary = [:] }
        session = URLSession(configuration: configuration)
    }

    private let options: TransportOptions

    deinit { session.invalidateAndCancel() }

    /// Sends the request and returns the answer, whatever its status.
    ///
    /// - Throws: ``HTTPTransportError``.
    package func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        if let refusal = request.refusal { throw refusal }
        guard options.caCertificateFile == nil, options.clientCertificateFile == nil,
            options.pinnedPublicKeys.isEmpty
        else {
            throw HTTPTransportError(
                .credentialUnusable,
                "this transport supports neither CA files, client certificates nor pins")
        }
        guard let url = URL(string: request.endpoint.description) else {
            throw HTTPTransportError(.unusableRequest, "the address is invalid")
        }
        var native = URLRequest(url: url, timeoutInterval: request.timeout.seconds)
        native.httpMethod = request.method
        for (name, value) in request.headers { native.setValue(value, forHTTPHeaderField: name) }
        native.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if !request.body.isEmpty { native.httpBody = Data(request.body) }
        return try await load(native, answerLimit: request.timeout).get()
    }

    /// Sends the request, and reads its answer for so long at most.
    ///
    /// The timeout of a `URLRequest` is one without data, which a server that sends a byte at times never
    /// reaches.
    private func load(
        _ request: URLRequest, answerLimit: Duration
    ) async -> Result<HTTPResponse, HTTPTransportError> {
        do {
            let (bytes, response) = try await session.bytes(for: request, delegate: StayingDelegate())
            guard let answer = response as? HTTPURLResponse else {
                return .failure(HTTPTransportError(.unusableAnswer, "the reply is not HTTP"))
            }
            var headers = HTTPHeaders()
            for (name, value) in answer.allHeaderFields { headers["\(name)"] = "\(value)" }
            var body: [UInt8] = []
            let deadline = ContinuousClock.now + answerLimit
            for try await byte in bytes {
                if ContinuousClock.now > deadline {
                    bytes.task.cancel()
                    return .failure(HTTPTransportError(.timedOut, "the reply was not complete in time"))
                }
                if body.count == HTTPResponse.bodyLimit {
                    bytes.task.cancel()
                    return .success(
                        HTTPResponse(status: answer.statusCode, headers: headers, body: body, isBodyCut: true)
                    )
                }
                body.append(byte)
            }
            let answered = HTTPResponse(status: answer.statusCode, headers: headers, body: body)
            return answered.refusalOfConnection.map { .failure($0) } ?? .success(answered)
        } catch {
            return .failure(Self.failure(error))
        }
    }

    private static func failure(_ error: any Error) -> HTTPTransportError {
        let reason: HTTPTransportError.Reason =
            switch (error as? URLError)?.code {
            case .cannotFindHost, .dnsLookupFailed: .cannotResolve
            case .cannotConnectToHost, .notConnectedToInternet: .cannotConnect
            case .networkConnectionLost: .connectionLost
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .badServerResponse, .cannotParseResponse: .unusableAnswer
            case .serverCertificateHasBadDate: .certificateExpired
            case .serverCertificateNotYetValid: .certificateNotYetValid
            case .serverCertificateHasUnknownRoot: .certificateUntrusted
            case .serverCertificateUntrusted: .certificateRefused
            case .clientCertificateRequired, .clientCertificateRejected: .clientCertificateNeeded
            case .secureConnectionFailed, .appTransportSecurityRequiresSecureConnection: .secureProtocol
            default: .other
            }
        return HTTPTransportError(reason, (error as? URLError)?.localizedDescription ?? "\(error)")
    }
}

/// Makes the session stay where it was sent.
private final class StayingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? { nil }
}
#endif
