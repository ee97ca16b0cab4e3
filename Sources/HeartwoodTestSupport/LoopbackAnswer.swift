public import HeartwoodHTTP

/// What a ``LoopbackServer`` does with a request: an honest answer, or one of the ways in which servers fail.
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
    var readsSlowly = false

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

    /// 200 with the body `ok`.
    public static let ok = status(200, body: "ok")

    /// A redirection to another address, status 307 by default.
    public static func redirect(to address: String, status: Int = 307) -> LoopbackAnswer {
        .status(status, headers: ["Location": address])
    }

    /// The request is taken and counts as stored, but the connection is reset instead of an answer.
    public static let lost = faulty(.lost)
    /// The connection is reset before anything is read.
    public static let refused = faulty(.refused)
    /// The connection is reset in the middle of the request's body.
    public static let resetWhileReading = faulty(.resetWhileReading)
    /// The connection is reset in the middle of the answer, though the request counts as stored.
    public static let resetInAnswer = faulty(.resetInAnswer)
    /// More bytes come than the header said.
    public static let longerThanSaid = faulty(.longerThanSaid)
    /// Fewer bytes come than the header said; the request counts as stored.
    public static let shorterThanSaid = faulty(.shorterThanSaid)
    /// Something that is not HTTP comes.
    public static let garbage = faulty(.garbage)
    /// Nothing comes, until the client gives up or the server stops.
    public static let silence = faulty(.silence)
    /// A header that never ends comes.
    public static let endlessHeader = faulty(.endlessHeader)

    /// The answer comes byte by byte.
    public static func trickle(every interval: Duration) -> LoopbackAnswer {
        var answer = faulty(.trickle(interval: interval))
        answer.body = Array(repeating: UInt8(ascii: "."), count: 4096)
        return answer
    }

    /// A 200 with a body of that many zeros; with `gzipped` it says that they are compressed.
    public static func huge(bytes: Int, gzipped: Bool = false) -> LoopbackAnswer {
        var answer = faulty(.filler(bytes: bytes))
        if gzipped { answer.headers["Content-Encoding"] = "gzip" }
        return answer
    }

    /// The same answer, after a pause.
    public func delayed(by delay: Duration) -> LoopbackAnswer {
        var answer = self
        answer.delay = delay
        return answer
    }

    /// The same answer, to a request that is read in small pieces with pauses of a millisecond.
    public func readSlowly() -> LoopbackAnswer {
        var answer = self
        answer.readsSlowly = true
        return answer
    }

    /// Whether a server that answers so has taken what the request brought.
    public var isStored: Bool {
        switch fault {
        case .refused, .resetWhileReading, .garbage, .silence, .endlessHeader: false
        default: (200...299).contains(status)
        }
    }

    private static func faulty(_ fault: Fault) -> LoopbackAnswer {
        LoopbackAnswer(status: 200, headers: [:], body: Array("ok".utf8), fault: fault)
    }
}
