import Heartwood

/// A logger's settings as they hold for the message or request at hand.
struct DeliverySettings: Sendable {
    var name: String
    var rules: DeliveryRules
    var encoding: any RemoteEncoding
    var endpoint: HTTPEndpoint
    var allowsInsecureHTTP: Bool
    var decorators: [RequestDecorator]
    var transport: any HTTPTransport
    var timeout: Duration
    var compressionLevel: Int
    var device: LogMetadata
    var condition: (@Sendable () -> Bool)?
    var refreshAuthorization: (@Sendable () async -> Void)?
    var transcript: (@Sendable (String) -> Void)?
    var spool: SpoolSettings
    var deadLetterLimit: ByteCount
    var saveDelay: Duration
    var flushWait: Duration
    var exitWait: Duration
}
