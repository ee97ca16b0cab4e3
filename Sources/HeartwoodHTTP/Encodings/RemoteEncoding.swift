/// How a batch becomes the body of a request, and what the target's answers mean.
///
/// A custom encoding needs the body; the rest has defaults that suit your own server:
///
/// ```swift
/// struct Lines: RemoteEncoding {
///     let contentType = "text/plain"
///     func encode(_ batch: RemoteBatch) -> [UInt8] {
///         Array(batch.entries.map(\.text).joined(separator: "\n").utf8)
///     }
/// }
/// ```
///
/// It is called on any thread, for each attempt; the same batch should give the same body.
public protocol RemoteEncoding: Sendable {
    /// The body's type.
    var contentType: String { get }
    /// The path where the address names none; `/` by default.
    var defaultPath: String { get }
    /// The most that one request may hold.
    var limits: EncodingLimits { get }
    /// Whether the target understands gzip; true by default.
    var allowsGzip: Bool { get }
    /// What the target's statuses mean; ``StatusPolicy/standard`` by default.
    var statusPolicy: StatusPolicy { get }

    /// The body.
    ///
    /// - Throws: what keeps the batch from being encoded; the sending is held then, and nothing is lost.
    func encode(_ batch: RemoteBatch) throws -> [UInt8]

    /// Header fields beside `Content-Type`; none by default.
    func headers(for batch: RemoteBatch) -> HTTPHeaders

    /// What an answer says about the batch; by default what ``statusPolicy`` makes of the status.
    func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict
}

extension RemoteEncoding {
    /// `/`.
    public var defaultPath: String { "/" }
    /// Any number of entries, and 4 MiB.
    public var limits: EncodingLimits { EncodingLimits() }
    /// True.
    public var allowsGzip: Bool { true }
    /// ``StatusPolicy/standard``.
    public var statusPolicy: StatusPolicy { .standard }
    /// None.
    public func headers(for batch: RemoteBatch) -> HTTPHeaders { [:] }
    /// What the status means.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        DeliveryVerdict(statusPolicy.action(for: response.status))
    }
}
