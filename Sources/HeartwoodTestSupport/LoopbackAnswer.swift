public import HeartwoodHTTP

/// A response of a ``LoopbackServer``: a correct one, or one of the failures of real servers.
public struct LoopbackAnswer: Sendable {
    /// The ways to fail; `honest` is not one of them.
    enum Fault: Sendable {
        case honest
        case lost
        case refused
        case resetWhileReading
        case resetInAnswer
        case longerThanSaid
        case shorterThanSaid
        case garbage
        case silence
        case trickle(interval: Duration)
        case filler(bytes: Int)
        case endlessHeader
    }

    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    var fault = Fault.honest
    var delay = Duration.zero
    /// How fast the request's body is read; nil: as fast as it comes.
    var readingRate: Int?

    /// Makes an answer with a status, header fields and a body.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, such as 503.
    ///   - headers: The header fields; none unless given.
    ///   - body: The body as text; empty unless given.
    /// - Returns: The answer.
    public static func status(_ status: Int, headers: HTTPHeaders = [:], body: String = "") -> LoopbackAnswer
    {
        LoopbackAnswer(status: status, headers: headers, body: Array(body.utf8))
    }

    /// Status 200 with the body `ok`.
    public static let ok = status(200, body: "ok")

    /// A redirection to another address; status 307 unless given.
    package static func redirect(to address: String, status: Int = 307) -> LoopbackAnswer {
        .status(status, headers: ["Location": address])
    }

    /// The server stores the request, but resets the connection instead of responding.
    public static let lost = faulty(.lost)
    /// The server resets the connection before it reads anything.
    package static let refused = faulty(.refused)
    /// The server resets the connection in the middle of the request body.
    package static let resetWhileReading = faulty(.resetWhileReading)
    /// The server stores the request, but resets the connection in the middle of the response.
    package static let resetInAnswer = faulty(.resetInAnswer)
    /// The body is longer than the header says.
    package static let longerThanSaid = faulty(.longerThanSaid)
    /// The body is shorter than the header says; the request counts as stored.
    package static let shorterThanSaid = faulty(.shorterThanSaid)
    /// The response is not HTTP.
    package static let garbage = faulty(.garbage)
    /// The server sends nothing until the client gives up or the server stops.
    package static let silence = faulty(.silence)
    /// The response has a header that never ends.
    package static let endlessHeader = faulty(.endlessHeader)

    /// The response arrives byte by byte.
    package static func trickle(every interval: Duration) -> LoopbackAnswer {
        var answer = faulty(.trickle(interval: interval))
        answer.body = Array(repeating: UInt8(ascii: "."), count: 4096)
        return answer
    }

    /// Status 200 with a body of this many zero bytes; with `gzipped`, the header says that it is compressed.
    package static func huge(bytes: Int, gzipped: Bool = false) -> LoopbackAnswer {
        var answer = faulty(.filler(bytes: bytes))
        if gzipped { answer.headers["Content-Encoding"] = "gzip" }
        return answer
    }

    /// Returns the same response after a delay.
    public func delayed(by delay: Duration) -> LoopbackAnswer {
        var answer = self
        answer.delay = delay
        return answer
    }

    /// Returns the same response, to a request that the server reads in small pieces, as from a slow line.
    ///
    /// - Parameter bytesPerSecond: How much is read in a second; 512,000 bytes unless given.
    /// - Returns: The answer.
    package func readSlowly(bytesPerSecond: Int = 512_000) -> LoopbackAnswer {
        var answer = self
        answer.readingRate = max(1, bytesPerSecond)
        return answer
    }

    /// Whether a server with this response has stored the content of the request.
    package var isStored: Bool {
        switch fault {
        case .refused, .resetWhileReading, .garbage, .silence, .endlessHeader: false
        default: (200...299).contains(status)
        }
    }

    private static func faulty(_ fault: Fault) -> LoopbackAnswer {
        LoopbackAnswer(status: 200, headers: [:], body: Array("ok".utf8), fault: fault)
    }
}
