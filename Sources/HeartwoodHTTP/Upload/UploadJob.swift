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
        /// Nothing was sent: no message of it can be read.
        case nothingReadable
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

    /// Sends the request, unless there is nothing to send.
    func run() async -> Report {
        let (report, request) = prepared()
        guard let request else { return report }
        do throws(HTTPTransportError) {
            return concluded(report, try await transport.send(request))
        } catch {
            var report = report
            report.outcome = .failed(error)
            return report
        }
    }

    /// The request, and the report so far; no request where none is to be sent.
    func prepared() -> (Report, HTTPRequest?) {
        var report = Report(piece: piece, entries: [], unreadable: [], outcome: .tooLarge)
        for (record, name) in zip(piece.records, names) {
            if let entry = EntryCoder.decode(record.payload, id: name) {
                report.entries.append(entry)
            } else {
                report.unreadable.append(record.id)
            }
        }
        guard !report.entries.isEmpty else {
            report.outcome = .nothingReadable
            return (report, nil)
        }
        let batch = RemoteBatch(entries: report.entries, key: piece.key, device: device)
        do {
            let body = try encoding.encode(batch)
            if body.count > min(maximumBytes, encoding.limits.bytes.bytes) && batch.entries.count > 1 {
                return (report, nil)
            }
            let request = try make(batch, body)
            report.wasSent = true
            report.bytesOnWire = request.body.count
            return (report, request)
        } catch {
            report.outcome = .unmade("\(error)")
            return (report, nil)
        }
    }

    /// The report with what the server has answered.
    func concluded(_ report: Report, _ response: HTTPResponse) -> Report {
        var report = report
        let batch = RemoteBatch(entries: report.entries, key: piece.key, device: device)
        let verdict =
            Self.isAboutTLS(response) ? DeliveryVerdict(.hold) : encoding.verdict(on: response, for: batch)
        report.outcome = .answered(response, verdict)
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

    /// nginx answers a missing or refused client certificate, and plain HTTP on a TLS port, with 400: that is
    /// about settings, and must not count as a refusal of the data.
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
