/// An encoding for a server that confirms later what it has received.
///
/// ``RemoteEncoding/verdict(on:for:)-swift.method`` puts the receipt that an answer carries into
/// ``DeliveryVerdict/receipt``. The batch stays in the store until the server has confirmed the receipt, and is sent again
/// when that takes longer than ``HTTPLogger/acknowledgementTimeout``.
public protocol AcknowledgingEncoding: RemoteEncoding {
    /// The request that asks which receipts the server confirms: path, header fields and body.
    func acknowledgementRequest(for receipts: [String]) -> (path: String, headers: HTTPHeaders, body: [UInt8])

    /// The receipts that the answer confirms; nil when the answer cannot be used.
    func confirmed(in response: HTTPResponse) -> [String]?
}
