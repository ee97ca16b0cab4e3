import Heartwood

/// One attempt to deliver a piece: made on the logger's queue, run on any thread, with nothing shared.
struct UploadJob: Sendable {
    /// What an attempt came to.
    enum Outcome: Sendable {
        /// The server answered.
        case answered(HTTPResponse, DeliveryVerdict)
        /// Nothing was sent: the body is larger than allowed.
        case tooLarge
        /// No answer came.
        case failed(HTTPTransportError)
        /// The request could not be made.
        case unmade(String)
        /// New credentials were asked for, after an answer that has settled so many.
        case refreshed(settled: Int)
    }

    /// An outcome with what goes with it.
    struct Report: Sendable {
        var piece: SpoolPiece
        var entries: [RemoteEntry]
        /// Records that are no entries any more; they can only be set aside.
        var unreadable: [UInt64]
        var outcome: Outcome
        var bytesOnWire = 0
        var wasSent = false
    }

    var piece: SpoolPiece
    var names: [String]
    var device: LogMetadata
    var encoding: any RemoteEncoding
    var endpoint: HTTPEndpoint
    var decorators: [RequestDecorator]
    var transport: any HTTPTransport
    var timeout: Duration
    var maximumBytes: Int
    var compressionLevel: Int
    var allowsInsecureHTTP: Bool

    func run() async -> Report {
        var report = Report(piece: piece, entries: [], unreadable: [], outcome: .tooLarge)
        for (record, name) in zip(piece.records, names) {
            if let entry = EntryCoder.decode(record.payload, id: name) {
                report.entries.append(entry)
            } else {
                report.unreadable.append(record.id)
            }
        }
        guard !report.entries.isEmpty else { return report }

        let batch = RemoteBatch(entries: report.entries, key: piece.key, device: device)
        let request: HTTPRequest
        do {
            let body = try encoding.encode(batch)
            if body.count > min(maximumBytes, encoding.limits.bytes.bytes) && batch.entries.count > 1 {
                return report
            }
            request = try make(batch, body)
        } catch {
            report.outcome = .unmade("\(error)")
            return report
        }
        report.wasSent = true
        report.bytesOnWire = request.body.count
        do throws(HTTPTransportError) {
            let response = try await transport.send(request)
            let verdict =
                Self.isAboutTLS(response)
                ? DeliveryVerdict(.hold) : encoding.verdict(on: response, for: batch)
            report.outcome = .answered(response, verdict)
        } catch {
            report.outcome = .failed(error)
        }
        return report
    }

    private func make(_ batch: RemoteBatch, _ body: [UInt8]) throws -> HTTPRequest {
        var headers = encoding.headers(for: batch)
        headers["Content-Type"] = encoding.contentType
        headers["Idempotency-Key"] = batch.key
        headers["User-Agent"] = "heartwood"
        let request = HTTPRequest(
            endpoint: endpoint, headers: headers, body: body, timeout: timeout,
            allowsInsecureHTTP: allowsInsecureHTTP)
        let gzip: [RequestDecorator] =
            compressionLevel > 0 && encoding.allowsGzip ? [.gzip(level: compressionLevel)] : []
        return try RequestDecorator.all(gzip + decorators)(request)
    }

    /// nginx answers a missing or refused client certificate, and plain HTTP on a TLS port, with 400: that is about
    /// settings, and must not count as a refusal of the data.
    private static func isAboutTLS(_ response: HTTPResponse) -> Bool {
        guard response.status == 400 else { return false }
        let text = response.text
        return [
            "No required SSL certificate", "The SSL certificate error",
            "plain HTTP request was sent to HTTPS",
        ]
        .contains { text.contains($0) }
    }
}
