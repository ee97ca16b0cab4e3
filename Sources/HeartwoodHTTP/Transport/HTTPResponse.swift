/// A server's answer, of which a transport keeps 64 KiB of the body at most.
public struct HTTPResponse: Sendable, Equatable {
    /// The most that is kept of an answer's body.
    package static let bodyLimit = 65_536

    /// The status, 200 for instance.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, or its beginning.
    public let body: [UInt8]
    /// Whether the body was longer than what is kept.
    public let isBodyCut: Bool

    /// Describes an answer.
    ///
    /// - Parameters:
    ///   - status: The status, 200 for instance.
    ///   - headers: The header fields; none unless given.
    ///   - body: The body; empty unless given.
    ///   - isBodyCut: Whether the body was longer than is kept; false unless given.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], isBodyCut: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isBodyCut = isBodyCut
    }

    /// The body as text, bytes that are not UTF-8 replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
