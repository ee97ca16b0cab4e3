import Heartwood
import HeartwoodConfiguration

/// A JSON array of objects, or an object that has the array under a key: easy to accept for your own server.
public struct JSONArrayEncoding: RemoteEncoding {
    /// The key, or nil for a bare array.
    let wrappingKey: String?
    /// Whether the wrapping object also has what is known of the device, under `device`.
    let includesDevice: Bool

    /// Makes the encoding: `[{…},{…}]`, or with a key, `root` for instance, `{"root":[{…},{…}]}`.
    public init(wrappingKey: String? = nil, includesDevice: Bool = false) {
        self.wrappingKey = wrappingKey
        self.includesDevice = includesDevice
    }

    /// The array.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        if let wrappingKey {
            output.append(UInt8(ascii: "{"))
            if includesDevice {
                output.append("\"device\":" as StaticString)
                output.append(json: LogValue.object(batch.device))
                output.append(UInt8(ascii: ","))
            }
            output.append(json: wrappingKey)
            output.append(UInt8(ascii: ":"))
        }
        output.append(UInt8(ascii: "["))
        JSONEntry.append(batch.entries, between: UInt8(ascii: ","), to: &output)
        output.append(UInt8(ascii: "]"))
        if wrappingKey != nil { output.append(UInt8(ascii: "}")) }
        return output.array
    }
}

/// One JSON object per line.
public struct NDJSONEncoding: RemoteEncoding {
    /// Makes the encoding.
    public init() {}

    /// `application/x-ndjson`.
    public var contentType: String { "application/x-ndjson" }

    /// The lines, each with its end.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        JSONEntry.append(batch.entries, between: UInt8(ascii: "\n"), to: &output)
        if !batch.entries.isEmpty { output.append(UInt8(ascii: "\n")) }
        return output.array
    }
}

extension JSONArrayEncoding {
    static let kind = EncodingKind("json", make: { _ in JSONArrayEncoding() }) { settings in
        JSONArrayEncoding(
            wrappingKey: settings.optional("wrappingKey", .string),
            includesDevice: settings.optional("includesDevice", .bool) ?? false)
    }
}

extension NDJSONEncoding {
    static let kind = EncodingKind("ndjson", make: { _ in NDJSONEncoding() }) { _ in NDJSONEncoding() }
}
