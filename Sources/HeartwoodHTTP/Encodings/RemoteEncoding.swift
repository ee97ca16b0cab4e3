public import Heartwood

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
    /// The body's type; `application/json` by default. Say it for any other format.
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
    /// `application/json`.
    public var contentType: String { "application/json" }
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

/// An encoding for a server that confirms later what it has received.
///
/// ``RemoteEncoding/verdict(on:for:)-swift.method`` puts the receipt that an answer carries into
/// ``DeliveryVerdict/receipt``. The batch stays in the store until the server has confirmed the receipt, and
/// is sent again when that takes longer than ``HTTPSettings/acknowledgementTimeout``.
public protocol AcknowledgingEncoding: RemoteEncoding {
    /// The request that asks which receipts the server confirms: path, header fields and body.
    func acknowledgementRequest(for receipts: [String]) -> (path: String, headers: HTTPHeaders, body: [UInt8])

    /// The receipts that the answer confirms; nil when the answer cannot be used.
    func confirmed(in response: HTTPResponse) -> [String]?
}

/// The most that one request of an encoding may hold.
public struct EncodingLimits: Sendable, Equatable {
    /// The most entries.
    package var entries: Int
    /// The most bytes of a body, before it is compressed.
    package var bytes: ByteCount

    /// Sets the limits; any number of entries, and 4 MiB.
    public init(entries: Int = .max, bytes: ByteCount = .mebibytes(4)) {
        self.entries = entries
        self.bytes = bytes
    }
}
