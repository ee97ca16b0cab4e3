import Heartwood

/// One question about acknowledgements: made on the logger's queue, run on any thread, with nothing shared.
struct ReceiptJob: Sendable {
    var receipts: [String]
    var encoding: any AcknowledgingEncoding
    var endpoint: HTTPEndpoint
    var decorators: [RequestDecorator]
    var transport: any HTTPTransport
    var timeout: Duration
    var allowsInsecureHTTP: Bool

    /// Asks; nil when no usable answer came.
    func run() async -> [String]? {
        guard let request = try? request() else { return nil }
        do throws(HTTPTransportError) {
            return encoding.confirmed(in: try await transport.send(request))
        } catch {
            return nil
        }
    }

    /// The request.
    ///
    /// - Throws: what a decorator throws.
    func request() throws -> HTTPRequest {
        let question = encoding.acknowledgementRequest(for: receipts)
        var headers = question.headers
        headers["Content-Type"] = encoding.contentType
        headers["User-Agent"] = "heartwood"
        let request = HTTPRequest(
            endpoint: endpoint.with(path: question.path), headers: headers, body: question.body,
            timeout: timeout, allowsInsecureHTTP: allowsInsecureHTTP)
        return try RequestDecorator.all(decorators)(request)
    }
}
