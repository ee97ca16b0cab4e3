import Heartwood

/// What holds for the message or request at hand: the user's settings, and what belongs to the logger.
@dynamicMemberLookup
struct DeliverySettings: Sendable {
    /// The user's.
    var chosen: HTTPSettings
    let name: String
    /// Where the requests go, as it was given.
    var address: HTTPAddress
    let transport: any HTTPTransport
    /// What requests say of this machine and program.
    var device: LogMetadata = [:]
    /// How long a flush waits for the delivery.
    let flushWait: Duration
    /// Whether nothing may ever be dropped, whatever the policy says.
    let neverDrops: Bool

    subscript<Value>(dynamicMember member: WritableKeyPath<HTTPSettings, Value>) -> Value {
        get { chosen[keyPath: member] }
        set { chosen[keyPath: member] = newValue }
    }

    /// Where the requests go: where the address names no path, to the encoding's own.
    var endpoint: HTTPEndpoint { DeliverySettings.endpoint(of: address, chosen.encoding) }

    static func endpoint(of address: HTTPAddress, _ encoding: any RemoteEncoding) -> HTTPEndpoint {
        let endpoint = address.endpoint
        return endpoint.path == "/" ? endpoint.with(path: encoding.defaultPath) : endpoint
    }

    /// The most bytes of a request's body, before compression.
    var maximumBodySize: Int {
        min(chosen.maximumBytesPerRequest.bytes, chosen.encoding.limits.bytes.bytes)
    }

    /// The files of certificates and secrets that a request is made with.
    var credentialFiles: [String] {
        ((transport as? any FileBasedTransport)?.options.files ?? []) + chosen.decorators.flatMap(\.files)
    }

    /// The settings that decide when and what is sent.
    var rules: DeliveryRules {
        DeliveryRules(settings: chosen, isLoopback: endpoint.isLoopback, neverDrops: neverDrops)
    }

    /// A request with all decorators applied, those of `first` before the user's.
    ///
    /// - Throws: what a decorator throws.
    func request(
        to endpoint: HTTPEndpoint, _ headers: HTTPHeaders, _ body: [UInt8], first: [RequestDecorator] = []
    ) throws -> HTTPRequest {
        var headers = headers
        headers["User-Agent"] = "heartwood"
        let request = HTTPRequest(
            endpoint: endpoint, headers: headers, body: body, timeout: chosen.requestTimeout,
            allowsInsecureHTTP: address.allowsInsecureHTTP)
        return try RequestDecorator.all(first + chosen.decorators)(request)
    }
}
