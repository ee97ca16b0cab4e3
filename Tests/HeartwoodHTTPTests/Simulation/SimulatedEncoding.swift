import Heartwood
import HeartwoodHTTP

/// The numbers of the messages, one in a line; its answers may speak of single messages, or promise to confirm later.
struct SimulatedEncoding: AcknowledgingEncoding {
    let contentType = "text/plain"

    func encode(_ batch: RemoteBatch) -> [UInt8] {
        Array(batch.entries.map(\.text).joined(separator: "\n").utf8)
    }

    /// `items +-?`: taken, refused, not now; `receipt 7`: confirmed later.
    func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        let text = response.text
        if text.hasPrefix("items ") {
            return DeliveryVerdict(
                items: text.dropFirst(6).map {
                    $0 == "+" ? .delivered : $0 == "-" ? .rejected("bad") : .retry
                })
        }
        var verdict = DeliveryVerdict(statusPolicy.action(for: response.status))
        if text.hasPrefix("receipt ") { verdict.receipt = String(text.dropFirst(8)) }
        return verdict
    }

    func acknowledgementRequest(
        for receipts: [String]
    ) -> (path: String, headers: HTTPHeaders, body: [UInt8]) {
        ("/ack", [:], Array(receipts.joined(separator: ",").utf8))
    }

    func confirmed(in response: HTTPResponse) -> [String]? {
        response.status == 200 ? response.text.split(separator: ",").map(String.init) : nil
    }
}
