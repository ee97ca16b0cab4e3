import Heartwood
public import HeartwoodHTTP

/// Events as a JSON array of objects that have the events' fields and nothing else; or an object that has
/// that array under a key.
public struct EventEncoding: RemoteEncoding {
    /// The key, or nil for a bare array.
    public let wrappingKey: String?

    /// Makes the encoding: `[{…},{…}]`, or with a key, `root` for instance, `{"root":[{…},{…}]}`.
    public init(wrappingKey: String? = nil) { self.wrappingKey = wrappingKey }

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// The array.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        let list = LogValue.array(batch.entries.map { .object($0.metadata) })
        output.append(json: wrappingKey.map { .object([$0: list]) } ?? list)
        return output.withUnsafeBytes { Array($0) }
    }
}
