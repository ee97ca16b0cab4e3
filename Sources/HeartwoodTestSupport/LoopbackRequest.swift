public import Heartwood
public import HeartwoodHTTP

/// A request as it arrived at a ``LoopbackServer``.
public struct LoopbackRequest: Sendable {
    /// The how-manieth request of the server it is, from 0.
    public let index: Int
    /// The how-manieth connection it came on, from 0.
    public let connection: Int
    /// `POST`, for instance.
    public let method: String
    /// The path with its query.
    public let path: String
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, whole unless the server was told to break off.
    public let body: [UInt8]
    /// When its header had arrived.
    public let arrival: LogTimestamp

    /// The body as text, bytes that are not UTF-8 replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
