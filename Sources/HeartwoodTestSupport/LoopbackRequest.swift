package import Heartwood
public import HeartwoodHTTP

/// A request that a ``LoopbackServer`` has received.
public struct LoopbackRequest: Sendable {
    /// The number of the request at its server, from 0.
    package let index: Int
    /// The number of its connection, from 0.
    package let connection: Int
    /// The method, such as `POST`.
    public let method: String
    /// The path with its query.
    public let path: String
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; incomplete if the server was told to stop reading.
    public let body: [UInt8]
    /// The time at which the header had arrived.
    package let arrival: LogTimestamp

    /// The body as text; invalid UTF-8 is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
