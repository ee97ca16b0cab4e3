import Heartwood

/// One JSON object per line.
public struct NDJSONEncoding: RemoteEncoding {
    /// Makes the encoding.
    public init() {}

    /// `application/x-ndjson`.
    public var contentType: String { "application/x-ndjson" }

    /// The lines, each with its end.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        for entry in batch.entries {
            JSONEntry.append(entry, to: &output)
            output.append(UInt8(ascii: "\n"))
        }
        return output.array
    }
}
