import Heartwood

/// The request for a piece: made on the logger's queue, run on any thread, with nothing shared.
struct UploadJob: Sendable {
    /// A finished attempt to deliver a piece.
    struct Attempt: Sendable {
        var piece: SpoolPiece
        var entries: [RemoteEntry] = []
        /// Records that cannot be decoded; they can only be set aside.
        var unreadable: [UInt64] = []
        /// The server's answer; nil where none came.
        var answer: (response: HTTPResponse, verdict: DeliveryVerdict)?
        /// What came of it without an answer.
        var outcome = DeliveryAnswer.Outcome.tooLarge
        var bytesOnWire = 0
        var wasSent = false

        /// The ids of the entries, in their order.
        var ids: [UInt64] { piece.records.map(\.id).filter { !unreadable.contains($0) } }

        /// The answer's status, with what the server said; nil without an answer.
        var answerText: String? {
            answer.map { response, verdict in
                "\(response.status)" + (verdict.note.map { ": \($0)" } ?? "")
            }
        }
    }

    var piece: SpoolPiece
    var names: [String]
    var settings: DeliverySettings

    /// Sends the request, unless there is nothing to send.
    func run() async -> Attempt {
        let (attempt, request) = prepared()
        guard let request else { return attempt }
        do throws(HTTPTransportError) {
            return concluded(attempt, try await settings.transport.send(request))
        } catch {
            var attempt = attempt
            attempt.outcome = .failed(.transport(error), .retry, retryAfter: nil)
            return attempt
        }
    }

    /// The attempt so far, and its request; nil where none is to be sent.
    func prepared() -> (Attempt, HTTPRequest?) {
        var attempt = Attempt(piece: piece)
        for (record, name) in zip(piece.records, names) {
            if let entry = EntryCoder.decode(record.payload, id: name) {
                attempt.entries.append(entry)
            } else {
                attempt.unreadable.append(record.id)
            }
        }
        guard !attempt.entries.isEmpty else {
            attempt.outcome = .nothingReadable
            return (attempt, nil)
        }
        let batch = batch(of: attempt)
        do {
            let body = try settings.encoding.encode(batch)
            if body.count > settings.maximumBodySize, batch.entries.count > 1 { return (attempt, nil) }
            let request = try request(batch, body)
            attempt.wasSent = true
            attempt.bytesOnWire = request.body.count
            return (attempt, request)
        } catch {
            attempt.outcome = .failed(.local("\(error)"), .hold, retryAfter: nil)
            return (attempt, nil)
        }
    }

    /// The attempt with the server's answer.
    func concluded(_ attempt: Attempt, _ response: HTTPResponse) -> Attempt {
        var attempt = attempt
        let verdict =
            Self.isAboutTLS(response)
            ? DeliveryVerdict(.hold) : settings.encoding.verdict(on: response, for: batch(of: attempt))
        attempt.answer = (response, verdict)
        return attempt
    }

    private func batch(of attempt: Attempt) -> RemoteBatch {
        RemoteBatch(entries: attempt.entries, key: piece.key, device: settings.device)
    }

    private func request(_ batch: RemoteBatch, _ body: [UInt8]) throws -> HTTPRequest {
        let encoding = settings.encoding
        var headers = encoding.headers(for: batch)
        headers["Content-Type"] = encoding.contentType
        headers["Idempotency-Key"] = batch.key
        let level = encoding.allowsGzip ? settings.compressionLevel : 0
        return try settings.request(
            to: settings.endpoint, headers, body, first: level > 0 ? [.gzip(level: level)] : [])
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

/// The question which receipts a server confirms: made on the logger's queue, run on any thread, with nothing
/// shared.
struct ReceiptJob: Sendable {
    var receipts: [String]
    var encoding: any AcknowledgingEncoding
    var settings: DeliverySettings

    /// Asks; nil when no usable answer came.
    func run() async -> [String]? {
        guard let request = try? request() else { return nil }
        do throws(HTTPTransportError) {
            return encoding.confirmed(in: try await settings.transport.send(request))
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
        return try settings.request(to: settings.endpoint.with(path: question.path), headers, question.body)
    }
}
