import Heartwood

/// Where a logger's requests go, and whether they may go there in the open.
struct HTTPAddress: Sendable {
    let endpoint: HTTPEndpoint
    let allowsInsecureHTTP: Bool

    /// - Throws: `LogError` when the address is invalid.
    init(_ address: String, allowsInsecureHTTP: Bool) throws {
        endpoint = try HTTPEndpoint(address)
        self.allowsInsecureHTTP = allowsInsecureHTTP
        let request = HTTPRequest(endpoint: endpoint, allowsInsecureHTTP: allowsInsecureHTTP)
        if let refusal = request.refusal {
            throw LogError(.setting, refusal.message, place: endpoint.description)
        }
    }
}
