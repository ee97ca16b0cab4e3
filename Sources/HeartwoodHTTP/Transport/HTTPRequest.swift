/// One request: what is sent where.
///
/// Immutable; ``RequestDecorator`` and the `with` methods make changed copies.
///
/// Printing it shows neither the body nor any value that may be a credential.
public struct HTTPRequest: Sendable, Equatable, CustomStringConvertible {
    /// The method, `POST` by default.
    public let method: String
    /// Where the request goes.
    public let endpoint: HTTPEndpoint
    /// The header fields, without those that the transport makes itself (`Host`, `Content-Length`).
    public let headers: HTTPHeaders
    /// The body, sent as it is.
    public let body: [UInt8]
    /// How long the request may stay where it is, and how long the answer may take after the request's last
    /// byte has arrived at the other side.
    ///
    /// A request that moves is not ended, however slow the line is. Connecting (the look-up of the name, TLS,
    /// and what a proxy needs) may take as long, and 10 s at most.
    public let timeout: Duration
    /// Whether plain `http` to another machine is meant; without it a transport refuses such a request.
    public let allowsInsecureHTTP: Bool

    /// Describes a request; the timeout is 30 s by default.
    ///
    /// - Parameters:
    ///   - method: The method; `POST` unless given.
    ///   - endpoint: Where the request goes.
    ///   - headers: The header fields; none unless given.
    ///   - body: The body; empty unless given.
    ///   - timeout: How long the request may stay where it is, and the answer may take.
    ///   - allowsInsecureHTTP: Whether plain `http` to another machine is meant; false unless given.
    public init(
        method: String = "POST", endpoint: HTTPEndpoint, headers: HTTPHeaders = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(30), allowsInsecureHTTP: Bool = false
    ) {
        self.method = method
        self.endpoint = endpoint
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.allowsInsecureHTTP = allowsInsecureHTTP
    }

    /// The request with one header field set, or removed where the value is nil.
    public func with(header name: String, _ value: String?) -> HTTPRequest {
        var headers = headers
        headers[name] = value
        return with(headers: headers)
    }

    /// The request with other header fields.
    package func with(headers: HTTPHeaders) -> HTTPRequest {
        HTTPRequest(
            method: method, endpoint: endpoint, headers: headers, body: body, timeout: timeout,
            allowsInsecureHTTP: allowsInsecureHTTP)
    }

    /// The request with another body.
    public func with(body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: method, endpoint: endpoint, headers: headers, body: body, timeout: timeout,
            allowsInsecureHTTP: allowsInsecureHTTP)
    }

    /// The request with another method.
    package func with(method: String) -> HTTPRequest {
        HTTPRequest(
            method: method, endpoint: endpoint, headers: headers, body: body, timeout: timeout,
            allowsInsecureHTTP: allowsInsecureHTTP)
    }

    /// The request line, the harmless header fields and the size of the body.
    public var description: String { "\(method) \(endpoint)\n\(headers)\n(\(body.count) bytes)" }

    /// Why a transport must not send this request, or nil.
    package var refusal: HTTPTransportError? {
        if !endpoint.isSecure && !endpoint.isLoopback && !allowsInsecureHTTP {
            return HTTPTransportError(
                .insecureConnectionRefused,
                "plain http to another machine is not encrypted; use https, or set "
                    + "allowsInsecureHTTP (--insecure-http of the command)")
        }
        if method.isEmpty || !method.utf8.allSatisfy({ $0 >= 65 && $0 <= 90 }) {
            return HTTPTransportError(.unusableRequest, "the method must consist of uppercase letters")
        }
        if let name = headers.firstUnusableName {
            return HTTPTransportError(
                .unusableRequest, "the header field \(name.debugDescription) is invalid")
        }
        return nil
    }
}
